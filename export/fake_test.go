package export

import (
	"context"
	"flag"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"cmem/memory"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with the file testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run go test -update)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update rewrites it), got:\n%s", path, got)
	}
}

// fakeSource holds rows in memory, oldest first.
type fakeSource struct {
	sessions     []memory.Session
	prompts      []memory.Prompt
	observations []memory.Observation
	summaries    []memory.Summary
	err          error // ends every scan
}

func scan[T any](rows []T, failure error, take func(T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, row := range rows {
			if take(row) && !yield(row, nil) {
				return
			}
		}
		if failure != nil {
			var none T
			yield(none, failure)
		}
	}
}

func matches(f memory.Filter, session, project string, at time.Time) bool {
	return (f.SessionID == "" || f.SessionID == session) &&
		(f.Project == "" || f.Project == project) &&
		(f.After.IsZero() || !at.Before(f.After)) &&
		(f.Before.IsZero() || at.Before(f.Before))
}

func hasStatus(f memory.Filter, s memory.Status) bool {
	if len(f.Statuses) == 0 {
		return s == memory.StatusActive
	}
	return slices.Contains(f.Statuses, s)
}

func (s *fakeSource) ScanSessions(_ context.Context, f memory.Filter) iter.Seq2[memory.Session, error] {
	return scan(s.sessions, s.err, func(r memory.Session) bool {
		return matches(f, r.ID, r.Project, r.CreatedAt)
	})
}

func (s *fakeSource) ScanPrompts(_ context.Context, f memory.Filter) iter.Seq2[memory.Prompt, error] {
	return scan(s.prompts, s.err, func(r memory.Prompt) bool {
		return matches(f, r.SessionID, r.Project, r.CreatedAt)
	})
}

func (s *fakeSource) ScanSummaries(_ context.Context, f memory.Filter) iter.Seq2[memory.Summary, error] {
	return scan(s.summaries, s.err, func(r memory.Summary) bool {
		return matches(f, r.SessionID, r.Project, r.CreatedAt) && hasStatus(f, r.Status)
	})
}

func (s *fakeSource) ScanObservations(_ context.Context, f memory.Filter) iter.Seq2[memory.Observation, error] {
	return scan(s.observations, s.err, func(r memory.Observation) bool {
		return matches(f, r.SessionID, r.Project, r.CreatedAt) && hasStatus(f, r.Status) &&
			(len(f.Types) == 0 || slices.Contains(f.Types, r.Type)) &&
			(!f.PinnedOnly || r.Pinned)
	})
}

func (s *fakeSource) CountObservations(ctx context.Context, f memory.Filter) (int, error) {
	n := 0
	for _, err := range s.ScanObservations(ctx, f) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

const (
	webshop = "/home/dev/projects/webshop"
	blog    = "/home/dev/projects/博客"
	login   = "3f2a9c1b-77d0-4c55-9a61-0c2f54b1e7aa" // a session of webshop
	chinese = "8b1d2e3f-0a4b-4c6d-8e9f-a1b2c3d4e5f6" // a session of blog
)

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

// sample gives two sessions, one of them over midnight, at the same time.
func sample() *fakeSource {
	return &fakeSource{
		sessions: []memory.Session{
			{ID: login, Agent: "claude-code", Project: webshop, CWD: webshop + "/api", GitBranch: "fix/login", Status: memory.SessionCompleted,
				CreatedAt: at("2026-11-29T23:40:00.123Z"), CompletedAt: at("2026-11-30T00:30:00Z"), PromptCount: 2},
			{ID: chinese, Agent: "claude-code", Project: blog, Status: memory.SessionActive, Title: "修复 RSS 订阅 📰",
				CreatedAt: at("2026-11-30T00:10:00Z"), PromptCount: 1},
		},
		prompts: []memory.Prompt{
			{ID: 1, SessionID: login, Project: webshop, Number: 1, CreatedAt: at("2026-11-29T23:40:01Z"),
				Text: "Why does login_user fail on the second try?\n\nThe log says:\n```\nE_SESSION_STALE: token <expired>\n```"},
			{ID: 2, SessionID: chinese, Project: blog, Number: 1, Text: "RSS 里的中文标题是乱码，请修复。", CreatedAt: at("2026-11-30T00:10:01Z")},
			{ID: 3, SessionID: login, Project: webshop, Number: 2, Text: "<task-notification>done</task-notification>", Machine: true, CreatedAt: at("2026-11-30T00:20:00Z")},
		},
		observations: []memory.Observation{
			{ID: 11, UID: "u11", SessionID: login, Project: webshop, PromptNumber: 1, CreatedAt: at("2026-11-29T23:52:00Z"),
				Type: memory.TypeBugfix, Title: "Renews the token before login_user tries again", Subtitle: "The retry sent the stale token of the first try",
				Narrative: "`login_user` kept the token from before the 401.\n\n- clears it in `retry()`\n- tests with -count=50 pass\n\n```go\nfunc retry() {\n\n\ttoken = \"\"\n}\n```",
				Facts:     []string{"E_SESSION_STALE means that the token is older than 15 minutes", "src/*.go and __init__.py are not touched"},
				Concepts:  []string{"problem-solution", "gotcha"}, FilesModified: []string{"api/login.go", "api/login_test.go"}, FilesRead: []string{"api/token.go"},
				Tags: []string{"auth"}, Scope: memory.ScopeProject, Status: memory.StatusActive, Certainty: memory.CertaintyConfirmed, Pinned: true,
				Weight: 1.25, ToolName: "Edit", Compressor: "local/v1", TokensSource: 1200, GitBranch: "fix/login", GitCommit: "4be1c0ffee4be1c0ffee4be1c0ffee4be1c0ffee", ContentHash: "h11"},
			{ID: 12, UID: "u12", SessionID: chinese, Project: blog, PromptNumber: 1, CreatedAt: at("2026-11-30T00:15:00Z"),
				Type: memory.TypeBugfix, Title: "feed.py 改用 UTF-8 写出标题 ✅", Narrative: "原来用 latin-1 编码，所以中文变成乱码。",
				FilesModified: []string{"feed.py"}, Scope: memory.ScopeProject, Status: memory.StatusActive, Certainty: memory.CertaintyObserved, ToolName: "Edit", Compressor: "local/v1"},
			{ID: 13, UID: "u13", SessionID: login, Project: webshop, PromptNumber: 2, CreatedAt: at("2026-11-30T00:21:00Z"),
				Type: memory.TypeDecision, Title: "Keeps tokens for 15 minutes", Scope: memory.ScopeProject, Status: memory.StatusActive,
				Certainty: memory.CertaintyClaimed, ValidUntil: at("2027-11-30T00:00:00Z"), Provisional: true, Compressor: "local/v1"},
			{ID: 14, UID: "u14", SessionID: login, Project: webshop, PromptNumber: 2, CreatedAt: at("2026-11-30T00:22:00Z"),
				Type: memory.TypeChange, Title: "An archived note", Scope: memory.ScopeProject, Status: memory.StatusArchived, Compressor: "local/v1"},
		},
		summaries: []memory.Summary{
			{ID: 21, UID: "s21", SessionID: login, Project: webshop, PromptNumber: 2, CreatedAt: at("2026-11-30T00:29:00Z"),
				Request: "Find out why login fails on the second try", Learned: "The retry reused a stale token.", Completed: "- login retries with a fresh token\n- test added",
				NextSteps: "1. watch the error rate\n2. remove the old flag", FilesModified: []string{"api/login.go"}, Status: memory.StatusActive, Compressor: "local/v1"},
		},
	}
}
