package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"cmem/memory"
	"cmem/recall"
	"cmem/store"
)

// testNow is the clock of every test: a Monday noon, in a zone of its own.
var testZone = time.FixedZone("UTC+1", 3600)

func testNow() time.Time { return time.Date(2026, 11, 30, 15, 4, 5, 0, testZone) }

const (
	webshop = "/home/dev/projects/webshop"
	notes   = "/home/dev/projects/notes"
)

// fakeSource is a small store in memory, with what a store must be asked for
// nowhere but in commands.go.
type fakeSource struct {
	nothing
	mu           sync.Mutex
	items        []memory.Item // newest first
	observations map[int64]memory.Observation
	summaries    map[int64]memory.Summary
	prompts      map[int64]memory.Prompt
	sessions     map[string]memory.Session
	version      int64
	fail         error              // what lists answer, if set
	meanings     map[string][]int64 // what a text means
	meantErr     error
}

// older orders items as the store does: newest first.
func older(a, b memory.Item) int {
	x, y := a.Cursor(), b.Cursor()
	return cmp.Or(cmp.Compare(y.EpochMS, x.EpochMS), cmp.Compare(y.Kind, x.Kind), cmp.Compare(y.ID, x.ID))
}

func at(c memory.Cursor) memory.Item {
	return memory.Item{Kind: c.Kind, ID: c.ID, CreatedAt: time.UnixMilli(c.EpochMS)}
}

func (f *fakeSource) matches(i memory.Item, filter memory.Filter) bool {
	if filter.Project != "" && i.Project != filter.Project || filter.SessionID != "" && i.SessionID != filter.SessionID {
		return false
	}
	if len(filter.Kinds) > 0 && !slices.Contains(filter.Kinds, i.Kind) {
		return false
	}
	narrow := len(filter.Types)+len(filter.Concepts)+len(filter.Files) > 0
	if !narrow {
		return true
	}
	if i.Kind != memory.KindObservation {
		return false
	}
	o := f.observations[i.ID]
	contains := func(list []string, want []string) bool {
		return len(want) == 0 || slices.ContainsFunc(list, func(s string) bool {
			return slices.ContainsFunc(want, func(w string) bool { return strings.Contains(s, w) })
		})
	}
	return (len(filter.Types) == 0 || slices.Contains(filter.Types, o.Type)) &&
		contains(o.Concepts, filter.Concepts) && contains(slices.Concat(o.FilesRead, o.FilesModified), filter.Files)
}

func (f *fakeSource) Timeline(_ context.Context, filter memory.Filter, after memory.Cursor, limit int) ([]memory.Item, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail != nil {
		return nil, f.fail
	}
	var out []memory.Item
	for _, i := range f.items {
		if (after.IsZero() || older(at(after), i) < 0) && f.matches(i, filter) && len(out) < limit {
			out = append(out, i)
		}
	}
	return out, nil
}

func (f *fakeSource) TimelineNewer(_ context.Context, filter memory.Filter, than memory.Cursor, limit int) ([]memory.Item, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []memory.Item
	for _, i := range slices.Backward(f.items) {
		if older(i, at(than)) < 0 && f.matches(i, filter) && len(out) < limit {
			out = append(out, i)
		}
	}
	return out, nil
}

func (f *fakeSource) Search(_ context.Context, text string, filter memory.Filter, limit int) ([]memory.Hit, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []memory.Hit
	for _, i := range f.items {
		o, ok := f.observations[i.ID]
		if i.Kind != memory.KindObservation || !ok || !f.matches(i, filter) || len(out) == limit {
			continue
		}
		all := strings.ToLower(o.Title + " " + o.Subtitle + " " + o.Narrative)
		if !slices.ContainsFunc(strings.Fields(strings.ToLower(text)), func(w string) bool { return !strings.Contains(all, w) }) {
			out = append(out, memory.Hit{Observation: o})
		}
	}
	return out, nil
}

// Meant gives the observations that a test says mean the text.
func (f *fakeSource) Meant(_ context.Context, text string, filter memory.Filter, limit int) ([]memory.Hit, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []memory.Hit
	for _, id := range f.meanings[text] {
		if o := f.observations[id]; filter.Project == "" || filter.Project == o.Project {
			out = append(out, memory.Hit{Observation: o})
		}
	}
	return out[:min(limit, len(out))], f.meantErr
}

var errNotThere = errors.New("not there")

func (f *fakeSource) Observation(_ context.Context, id int64) (memory.Observation, error) {
	return get(f, f.observations, id)
}

func (f *fakeSource) ObservationByUID(_ context.Context, uid string) (memory.Observation, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, o := range f.observations {
		if o.UID == uid {
			return o, nil
		}
	}
	return memory.Observation{}, errNotThere
}

func (f *fakeSource) Summary(_ context.Context, id int64) (memory.Summary, error) {
	return get(f, f.summaries, id)
}

func (f *fakeSource) Prompt(_ context.Context, id int64) (memory.Prompt, error) {
	return get(f, f.prompts, id)
}

func (f *fakeSource) Session(_ context.Context, id string) (memory.Session, error) {
	return get(f, f.sessions, id)
}

func get[K comparable, V any](f *fakeSource, from map[K]V, key K) (V, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, ok := from[key]
	if !ok {
		return v, errNotThere
	}
	return v, nil
}

func (f *fakeSource) Projects(context.Context) ([]memory.Project, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []memory.Project
	seen := map[string]bool{}
	for _, i := range f.items {
		n := slices.IndexFunc(out, func(p memory.Project) bool { return p.Key == i.Project })
		if n < 0 {
			n = len(out)
			out = append(out, memory.Project{Key: i.Project, LastActive: i.CreatedAt})
		}
		if i.Kind == memory.KindObservation {
			out[n].Observations++
		}
		if !seen[i.SessionID] {
			seen[i.SessionID] = true
			out[n].Sessions++
		}
	}
	return out, nil
}

func (f *fakeSource) DataVersion(context.Context) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.version, nil
}

// add puts an observation in, as a worker in another process would.
func (f *fakeSource) add(o memory.Observation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.observations == nil {
		f.observations = map[int64]memory.Observation{}
	}
	o.ID = int64(100 + len(f.observations))
	f.observations[o.ID] = o
	f.put(itemOf(o))
}

func (f *fakeSource) put(i memory.Item) {
	f.items = append(f.items, i)
	slices.SortFunc(f.items, older)
	f.version++
}

// demoSource is a store of two projects and three days, in English and Chinese.
func demoSource() *fakeSource {
	f := &fakeSource{
		observations: map[int64]memory.Observation{},
		summaries:    map[int64]memory.Summary{},
		prompts:      map[int64]memory.Prompt{},
		sessions:     map[string]memory.Session{},
	}
	day := func(back, hour, minute int) time.Time {
		return time.Date(2026, 11, 30-back, hour, minute, 0, 0, testZone)
	}
	session := func(id, project, title, branch string) {
		f.sessions[id] = memory.Session{
			ID: id, Agent: "claude-code", Project: project, Title: title, GitBranch: branch,
			Status: memory.SessionCompleted, CWD: project,
		}
	}
	prompt := func(s string, n int, t time.Time, text string) {
		p := memory.Prompt{ID: int64(len(f.prompts) + 1), SessionID: s, Project: f.sessions[s].Project, Number: n, Text: text, CreatedAt: t}
		f.prompts[p.ID] = p
		line, _, _ := strings.Cut(text, "\n")
		f.put(memory.Item{
			Kind: memory.KindPrompt, ID: p.ID, SessionID: s, Project: p.Project, PromptNumber: n,
			CreatedAt: t, Title: line, Tokens: memory.EstimateTokens(text),
		})
	}
	observe := func(s string, n int, t time.Time, o memory.Observation) {
		o.SessionID, o.Project, o.PromptNumber, o.CreatedAt = s, f.sessions[s].Project, n, t
		o.Status, o.Compressor = memory.StatusActive, cmp.Or(o.Compressor, "local/v1")
		o.GitBranch, o.Certainty = f.sessions[s].GitBranch, cmp.Or(o.Certainty, memory.CertaintyObserved)
		f.add(o)
	}
	summarise := func(s string, n int, t time.Time, sum memory.Summary) {
		sum.ID, sum.SessionID, sum.Project, sum.PromptNumber, sum.CreatedAt = int64(len(f.summaries)+1), s, f.sessions[s].Project, n, t
		sum.Status, sum.Compressor = memory.StatusActive, "local/v1"
		f.summaries[sum.ID] = sum
		f.put(memory.Item{
			Kind: memory.KindSummary, ID: sum.ID, SessionID: s, Project: sum.Project, PromptNumber: n,
			CreatedAt: t, Title: sum.Request, Tokens: memory.EstimateTokens(sum.Request + sum.Learned + sum.Completed),
		})
	}

	session("5f3a9c1e-0001", webshop, "Make the payment client survive timeouts", "payments")
	session("5f3a9c1e-0002", webshop, "修复购物车在促销期间的价格计算错误", "main")
	session("5f3a9c1e-0003", notes, "", "main")

	prompt("5f3a9c1e-0003", 1, day(2, 16, 20), "Why does the export hang on large notebooks? 🤔")
	observe("5f3a9c1e-0003", 1, day(2, 16, 24), memory.Observation{
		Type: memory.TypeDiscovery, Title: "Export reads every attachment twice",
		Narrative: "exportNotebook() opens each attachment once for its size and once for its bytes.",
		Facts:     []string{"2.1 GB notebook: 94 s, of which 51 s in os.ReadFile"},
		Concepts:  []string{"performance"}, FilesRead: []string{"export/notebook.go"}, ToolName: "Read",
	})
	observe("5f3a9c1e-0003", 1, day(2, 16, 31), memory.Observation{
		Type: memory.TypeRefactor, Title: "Streams attachments instead of holding them", Subtitle: "io.Copy with one buffer",
		Concepts: []string{"performance", "streaming"}, FilesModified: []string{"export/notebook.go"},
	})

	prompt("5f3a9c1e-0002", 1, day(1, 10, 2), "购物车里同时有折扣和满减时总价不对，帮我查一下")
	observe("5f3a9c1e-0002", 1, day(1, 10, 9), memory.Observation{
		Type: memory.TypeBugfix, Title: "修复折扣与满减叠加时的总价",
		Subtitle:  "先打折，再减去满减金额，最后四舍五入到分",
		Narrative: "cart.Total() 先减满减再打折，结果比规则少收。现在按规则的顺序计算：先对每一行打折，再对合计应用满减，并且只在最后一步取整，避免逐行取整的误差。回归测试覆盖了三种叠加方式。",
		Facts:     []string{"订单 88213：应为 ¥318.40，原来算成 ¥315.20", "TestTotalStacksRules 通过，共 14 项"},
		Concepts:  []string{"价格", "取整", "促销"}, FilesModified: []string{"cart/total.go", "cart/total_test.go"},
		ToolName: "Edit", GitCommit: "9c41d7e0aa12", TokensSource: 5210,
	})
	observe("5f3a9c1e-0002", 1, day(1, 10, 15), memory.Observation{
		Type: memory.TypeDecision, Title: "Prices stay integers of cents everywhere 💰", Pinned: true, Certainty: memory.CertaintyConfirmed,
		Narrative: "Floating point showed up in three of the last five pricing bugs.",
		Concepts:  []string{"pricing"}, FilesModified: []string{"docs/adr/0007-money.md"},
	})
	summarise("5f3a9c1e-0002", 1, day(1, 10, 31), memory.Summary{
		Request:   "修复购物车在促销期间的价格计算错误",
		Learned:   "折扣和满减的先后顺序写在 docs/promotions.md 里，代码里反了。",
		Completed: "总价按规则计算，测试覆盖叠加。", NextSteps: "和财务确认历史订单是否需要补差价。",
		FilesModified: []string{"cart/total.go", "cart/total_test.go"},
	})

	prompt("5f3a9c1e-0001", 1, day(0, 14, 2), "The payment provider times out now and then. Make the client retry, but never charge twice.\n\nSee docs/payments.md for the idempotency key.")
	observe("5f3a9c1e-0001", 1, day(0, 14, 5), memory.Observation{
		Type: memory.TypeDiscovery, Title: "Provider deduplicates by Idempotency-Key for 24 h",
		Narrative: "docs/payments.md and the provider's answer header agree.", Concepts: []string{"idempotency"},
		FilesRead: []string{"docs/payments.md", "payment/client.go"}, ToolName: "Read",
	})
	observe("5f3a9c1e-0001", 1, day(0, 14, 11), memory.Observation{
		Type: memory.TypeFeature, Title: "Adds retry with backoff to chargeCard, keyed so that it never charges twice",
		Subtitle: "Three tries, 200 ms doubling, full jitter",
		Narrative: "chargeCard now sends the same Idempotency-Key with every try and backs off between them. " +
			"Only timeouts and 502, 503 and 504 are tried again; a declined card is final. " +
			"The key is made once per order and stored with it, so a retry after a crash uses the same one.",
		Facts: []string{
			"maxTries = 3, baseDelay = 200 * time.Millisecond",
			"go test ./payment: 31 passed in 1.4s",
			"ErrDeclined is never retried",
		},
		Concepts:      []string{"retry", "idempotency", "payments"},
		FilesModified: []string{"payment/client.go", "payment/client_test.go"}, FilesRead: []string{"order/store.go"},
		Tags: []string{"release-2.4"}, ToolName: "Edit", GitCommit: "41fe0c9d22b7", TokensSource: 9120, TokensSpent: 640,
		Compressor: "claude/v1", Model: "claude-haiku-4-5",
	})
	observe("5f3a9c1e-0001", 1, day(0, 14, 19), memory.Observation{
		Type: memory.TypeBugfix, Title: "Fixes a goroutine leak in the timeout path of fetchRates",
		Narrative: "The response body was not closed when the context ended first.", Concepts: []string{"leak"},
		FilesModified: []string{"rates/fetch.go"},
	})
	prompt("5f3a9c1e-0001", 2, day(0, 14, 40), "Good. Note the new settings in the docs 👍🏽")
	observe("5f3a9c1e-0001", 2, day(0, 14, 43), memory.Observation{
		Type: memory.TypeChange, Title: "Documents payment.max_tries and payment.base_delay", FilesModified: []string{"docs/payments.md"},
	})
	summarise("5f3a9c1e-0001", 2, day(0, 14, 55), memory.Summary{
		Request: "Make the payment client survive timeouts", Investigated: "How the provider deduplicates charges.",
		Learned:   "Idempotency-Key holds for 24 h; only 502, 503, 504 and timeouts are safe to retry.",
		Completed: "Retry with backoff and jitter; a leak in fetchRates; docs.",
		NextSteps: "Alert when more than 2 % of charges need a second try.",
	})
	return f
}

// hugeSource is a store of n rows that exist only when they are asked for. It
// counts what it was asked.
type hugeSource struct {
	nothing
	fakeSource
	n     int
	calls int // pages; the neighbours of a row are no page
	given int // rows in all
}

const hugeStep = 37 * time.Second

func (h *hugeSource) item(i int) memory.Item { // 0 is the newest
	id := int64(h.n - i)
	kinds := []memory.ItemKind{memory.KindSummary, memory.KindObservation, memory.KindObservation, memory.KindObservation, memory.KindPrompt}
	types := memory.ObservationTypes()
	return memory.Item{
		Kind: kinds[i%len(kinds)], ID: id, SessionID: fmt.Sprintf("session-%d", i/40), Project: webshop,
		CreatedAt: testNow().Add(-time.Duration(i) * hugeStep).UTC(), Type: types[i%len(types)],
		Title: fmt.Sprintf("Memory %d of many, 第 %d 条", id, id), Tokens: 40 + i%900,
	}
}

// index gives how many rows are newer than the cursor or at it.
func (h *hugeSource) index(c memory.Cursor) int {
	return int((testNow().UnixMilli()-c.EpochMS)/hugeStep.Milliseconds()) + 1
}

func (h *hugeSource) Timeline(_ context.Context, f memory.Filter, after memory.Cursor, limit int) ([]memory.Item, error) {
	if f.SessionID != "" {
		return nil, nil // what the details ask for is not counted
	}
	first := 0
	if !after.IsZero() {
		first = h.index(after)
		if first > 0 && after.ID > h.item(first-1).ID {
			first-- // just above that row
		}
		if time.UnixMilli(after.EpochMS).After(testNow()) {
			first = 0
		}
	}
	h.count(limit)
	return h.give(first, min(first+limit, h.n), false), nil
}

func (h *hugeSource) TimelineNewer(_ context.Context, f memory.Filter, than memory.Cursor, limit int) ([]memory.Item, error) {
	if f.SessionID != "" {
		return nil, nil
	}
	end := min(h.index(than)-1, h.n)
	h.count(limit)
	return h.give(max(end-limit, 0), end, true), nil
}

func (h *hugeSource) count(limit int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if limit >= pageSize {
		h.calls++
	}
}

func (h *hugeSource) give(from, to int, reverse bool) []memory.Item {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []memory.Item
	for i := from; i < to; i++ {
		out = append(out, h.item(i))
	}
	h.given += len(out)
	if reverse {
		slices.Reverse(out)
	}
	return out
}

func (h *hugeSource) Observation(_ context.Context, id int64) (memory.Observation, error) {
	return memory.Observation{ID: id, Title: fmt.Sprint("Memory ", id), Narrative: strings.Repeat("What happened then. ", 30)}, nil
}

func (h *hugeSource) Prompt(_ context.Context, id int64) (memory.Prompt, error) {
	return memory.Prompt{ID: id, Text: "What about this?"}, nil
}

func (h *hugeSource) Summary(_ context.Context, id int64) (memory.Summary, error) {
	return memory.Summary{ID: id, Request: "What was asked"}, nil
}

func (h *hugeSource) Session(_ context.Context, id string) (memory.Session, error) {
	return memory.Session{ID: id, Title: "Title of " + id}, nil
}

func (h *hugeSource) Projects(context.Context) ([]memory.Project, error) {
	return []memory.Project{{Key: webshop, Sessions: h.n / 40, Observations: h.n}}, nil
}

// nothing answers what a test does not ask about.
type nothing struct{}

func (nothing) Sessions(context.Context, memory.Filter, memory.Cursor, int) ([]memory.Session, error) {
	return nil, nil
}

func (nothing) FindSessions(context.Context, string, memory.Filter, int) ([]memory.Session, error) {
	return nil, nil
}

func (nothing) BatchEventsPage(context.Context, int64, string, int) ([]memory.RawEvent, error) {
	return nil, nil
}

func (nothing) RawEvents(context.Context, string, int, string, int) ([]memory.RawEvent, error) {
	return nil, nil
}

func (nothing) Edit(context.Context, []int64, memory.Edit) (memory.Snapshot, error) {
	return memory.Snapshot{}, errNotThere
}

func (nothing) Delete(context.Context, []memory.Ref) (memory.Snapshot, error) {
	return memory.Snapshot{}, errNotThere
}

func (nothing) Merge(context.Context, int64, []int64) (memory.Snapshot, error) {
	return memory.Snapshot{}, errNotThere
}

func (nothing) Add(context.Context, memory.Observation) (memory.Observation, memory.Snapshot, error) {
	return memory.Observation{}, memory.Snapshot{}, errNotThere
}

func (nothing) Restore(context.Context, memory.Snapshot) error { return errNotThere }

func (nothing) Activity(context.Context, string, time.Time, time.Time) ([]memory.DayActivity, error) {
	return nil, nil
}

func (nothing) TopFiles(context.Context, memory.Filter, int) ([]memory.Count, error) { return nil, nil }

func (nothing) TopConcepts(context.Context, memory.Filter, int) ([]memory.Count, error) {
	return nil, nil
}

func (nothing) Totals(context.Context, string) (store.Totals, error) { return store.Totals{}, nil }

func (nothing) WhyContext(context.Context, string, memory.Observation) (recall.ContextEntry, error) {
	return recall.ContextEntry{}, errNotThere
}

func (nothing) Values(context.Context, string, string, string, int) ([]memory.Count, error) {
	return nil, nil
}

func (nothing) OpenBatches(context.Context, int64, int) ([]memory.Batch, error) { return nil, nil }

func (nothing) RetryNow(context.Context, []int64) (int, error) { return 0, nil }

func (nothing) PlanContext(context.Context, string) (recall.ContextPlan, error) {
	return recall.ContextPlan{}, nil
}

func (nothing) Missed(context.Context, string, memory.Filter, int, int) ([]recall.Miss, error) {
	return nil, nil
}

func (nothing) Related(context.Context, memory.Observation, int) ([]memory.Hit, error) {
	return nil, nil
}
