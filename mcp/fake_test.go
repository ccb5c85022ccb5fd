package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"cmem/memory"
	"cmem/recall"
	"cmem/store"
)

// The real store serves the tools.
var _ Store = (*store.Store)(nil)

// fake is a store in memory: enough of one to see what the tools ask for and
// what they make of the answer.
type fake struct {
	observations []memory.Observation // in order of time
	prompts      []memory.Prompt
	summaries    []memory.Summary
	events       []memory.RawEvent
	projects     []memory.Project
	fail         error

	filter memory.Filter // the last one asked with
	limit  int
}

func (s *fake) DataVersion(context.Context) (int64, error) { return 1, nil }

func (s *fake) Close() error { return nil }

// IndexKnows finds nothing wrong: what is searched is the list itself.
func (s *fake) IndexKnows(context.Context, memory.ItemKind) (bool, error) { return true, s.fail }

func (s *fake) MissingWords(_ context.Context, text string, id int64) ([]string, error) {
	var missing []string
	for _, o := range s.observations {
		for _, w := range strings.Fields(text) {
			if o.ID == id && !strings.Contains(strings.ToLower(o.Title+" "+o.Narrative), strings.ToLower(w)) {
				missing = append(missing, w)
			}
		}
	}
	return missing, s.fail
}

func (s *fake) RecentSummaries(_ context.Context, f memory.Filter, limit int) ([]memory.Summary, error) {
	var out []memory.Summary
	for _, x := range slices.Backward(s.summaries) {
		if f.Project == "" || f.Project == x.Project {
			out = append(out, x)
		}
	}
	return out[:min(len(out), limit)], s.fail
}

func (s *fake) Search(_ context.Context, text string, f memory.Filter, limit int) ([]memory.Hit, error) {
	s.filter, s.limit = f, limit
	if s.fail != nil {
		return nil, s.fail
	}
	var hits []memory.Hit
	for _, o := range s.observations {
		if s.takes(f, o) && strings.Contains(strings.ToLower(o.Title+" "+o.Narrative), strings.ToLower(text)) {
			hits = append(hits, memory.Hit{Observation: o, Keyword: float64(1_000 - len(hits))})
		}
	}
	return hits[:min(len(hits), limit)], nil
}

func (s *fake) takes(f memory.Filter, o memory.Observation) bool {
	return (!f.PinnedOnly || o.Pinned) && (len(f.Scopes) == 0 || slices.Contains(f.Scopes, o.Scope)) && f.Applies(o.Project, o.Scope) &&
		(len(f.Types) == 0 || slices.Contains(f.Types, o.Type)) &&
		(f.After.IsZero() || !o.CreatedAt.Before(f.After)) &&
		(f.Before.IsZero() || o.CreatedAt.Before(f.Before))
}

func (s *fake) ListObservations(_ context.Context, f memory.Filter, after memory.Cursor, limit int) ([]memory.Observation, error) {
	s.filter, s.limit = f, limit
	var out []memory.Observation
	for _, o := range slices.Backward(s.observations) {
		if s.takes(f, o) && (after.IsZero() || compare(itemOf(o).Cursor(), after) < 0) {
			out = append(out, o)
		}
	}
	return out[:min(len(out), limit)], s.fail
}

func (s *fake) Observations(_ context.Context, ids []int64) ([]memory.Observation, error) {
	var out []memory.Observation
	for _, id := range ids {
		for _, o := range s.observations {
			if o.ID == id {
				out = append(out, o)
			}
		}
	}
	return out, s.fail
}

func (s *fake) Summary(_ context.Context, id int64) (memory.Summary, error) {
	for _, x := range s.summaries {
		if x.ID == id {
			return x, s.fail
		}
	}
	return memory.Summary{}, cmp.Or(s.fail, store.ErrNotFound)
}

func (s *fake) Prompt(_ context.Context, id int64) (memory.Prompt, error) {
	for _, x := range s.prompts {
		if x.ID == id {
			return x, s.fail
		}
	}
	return memory.Prompt{}, cmp.Or(s.fail, store.ErrNotFound)
}

// items gives every row of f, newest first.
func (s *fake) items(f memory.Filter) []memory.Item {
	var out []memory.Item
	for _, o := range s.observations {
		out = append(out, itemOf(o))
	}
	for _, p := range s.prompts {
		out = append(out, memory.Item{Kind: memory.KindPrompt, ID: p.ID, SessionID: p.SessionID, Project: p.Project, CreatedAt: p.CreatedAt, Title: p.Text, Tokens: 3})
	}
	for _, x := range s.summaries {
		out = append(out, memory.Item{Kind: memory.KindSummary, ID: x.ID, SessionID: x.SessionID, Project: x.Project, CreatedAt: x.CreatedAt, Title: x.Request, Tokens: 9})
	}
	out = slices.DeleteFunc(out, func(i memory.Item) bool {
		return f.Project != "" && i.Project != f.Project || len(f.Kinds) > 0 && !slices.Contains(f.Kinds, i.Kind)
	})
	slices.SortFunc(out, func(a, b memory.Item) int { return compare(b.Cursor(), a.Cursor()) })
	return out
}

func itemOf(o memory.Observation) memory.Item {
	return recall.ResultOf(memory.Hit{Observation: o}).Item
}

func compare(a, b memory.Cursor) int {
	return cmp.Or(cmp.Compare(a.EpochMS, b.EpochMS), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
}

func (s *fake) Timeline(_ context.Context, f memory.Filter, after memory.Cursor, limit int) ([]memory.Item, error) {
	s.filter, s.limit = f, limit
	items := s.items(f)
	items = slices.DeleteFunc(items, func(i memory.Item) bool { return !after.IsZero() && compare(i.Cursor(), after) >= 0 })
	return items[:min(len(items), limit)], s.fail
}

func (s *fake) TimelineNewer(_ context.Context, f memory.Filter, than memory.Cursor, limit int) ([]memory.Item, error) {
	items := s.items(f)
	slices.Reverse(items)
	items = slices.DeleteFunc(items, func(i memory.Item) bool { return compare(i.Cursor(), than) <= 0 })
	return items[:min(len(items), limit)], s.fail
}

func (s *fake) RawEvents(_ context.Context, sessionID string, promptNumber int, _ string, limit int) ([]memory.RawEvent, error) {
	var out []memory.RawEvent
	for _, e := range s.events {
		if e.SessionID == sessionID && e.PromptNumber == promptNumber {
			out = append(out, e)
		}
	}
	return out[:min(len(out), limit)], s.fail
}

func (s *fake) Projects(context.Context) ([]memory.Project, error) { return s.projects, s.fail }

const (
	webshop = "/home/dev/projects/webshop"
	blog    = "/home/dev/projects/blog"
)

func at(hour, minute int) time.Time { return time.Date(2026, 11, 30, hour, minute, 0, 0, time.UTC) }

// filled is a store with two projects, English and Chinese.
func filled() *fake {
	return &fake{
		observations: []memory.Observation{
			{ID: 11, SessionID: "s-1", Project: webshop, PromptNumber: 1, CreatedAt: at(8, 5), Type: "discovery", Title: "fetchPage gives up at the first 503",
				Narrative: "client.go calls http.Get once.\nA 503 ends the import.", Facts: []string{"ERR_CONN_RESET is not retried either"}, FilesRead: []string{"client.go"},
				Concepts: []string{"how-it-works"}, Status: memory.StatusActive, Compressor: "local/v1", Certainty: memory.CertaintyObserved, TokensSource: 5300},
			{ID: 12, SessionID: "s-1", Project: webshop, PromptNumber: 1, CreatedAt: at(8, 10), Type: "bugfix", Title: "Retry with backoff in fetchPage", Subtitle: "3 tries, 200 ms doubling",
				Narrative: "fetchPage tries again on 5xx.", FilesModified: []string{"client.go", "client_test.go"}, Tags: []string{"http"}, ToolName: "Edit", GitBranch: "main",
				GitCommit: "0123456789abcdef0123", Status: memory.StatusSuperseded, Compressor: "claude/v1", Model: "claude-haiku-4-5", Certainty: memory.CertaintyClaimed, Provisional: true},
			{ID: 13, SessionID: "s-2", Project: webshop, PromptNumber: 2, CreatedAt: at(9, 0), Type: "decision", Title: "订单服务改用乐观锁 🔒", Subtitle: "避免长事务阻塞", Narrative: "订单服务用 version 列检查冲突。", Status: memory.StatusActive, Compressor: "local/v1"},
			{ID: 14, SessionID: "s-3", Project: blog, PromptNumber: 1, CreatedAt: at(10, 0), Type: "change", Title: "Feed moves to /atom.xml", Status: memory.StatusActive, Compressor: "local/v1"},
		},
		prompts: []memory.Prompt{
			{ID: 1, SessionID: "s-1", Project: webshop, Number: 1, Text: "The import stops\nat some pages, why?", CreatedAt: at(8, 0)},
			{ID: 2, SessionID: "s-2", Project: webshop, Number: 2, Text: "订单并发有问题", CreatedAt: at(8, 50)},
		},
		summaries: []memory.Summary{
			{ID: 4, SessionID: "s-1", Project: webshop, PromptNumber: 1, CreatedAt: at(8, 20), Request: "Make the import robust", Completed: "Retry in fetchPage", NextSteps: "Add a metric", Compressor: "local/v1"},
		},
		events: []memory.RawEvent{
			{ID: "e1", SessionID: "s-1", PromptNumber: 1, Name: "PostToolUse", ToolName: "Bash", CreatedAt: at(8, 4), Payload: json.RawMessage(`{"tool_input":{"command":"go test ./..."}}`)},
			{ID: "e2", SessionID: "s-1", PromptNumber: 1, Name: "PostToolUse", ToolName: "Edit", CreatedAt: at(8, 9)},
		},
		projects: []memory.Project{{Key: blog}, {Key: webshop}, {Key: "/home/dev/old/blog"}},
	}
}

var errDisk = errors.New("disk I/O error")
