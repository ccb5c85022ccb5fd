package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"cmem/memory"
)

// benchRows is the size of the store that benchmarks read; CMEM_BENCH_ROWS sets
// another one.
func benchRows(b *testing.B) int {
	if v := os.Getenv("CMEM_BENCH_ROWS"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	return 10_000
}

// benchStore gives a store with benchRows observations in 20 projects. It is
// built once and kept in the temporary directory between runs.
func benchStore(b *testing.B) string {
	b.Helper()
	rows := benchRows(b)
	path := filepath.Join(os.TempDir(), fmt.Sprintf("cmem-bench-%d-v%d", rows, newest(schema)), "cmem.db")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	building := path + ".building"
	s, err := Open(context.Background(), building)
	if err != nil {
		b.Fatal(err)
	}
	for from := 0; from < rows; from += 1000 {
		if _, err := s.Import(context.Background(), generated(from, min(from+1000, rows))); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	if err := os.Rename(building, path); err != nil {
		b.Fatal(err)
	}
	return path
}

// generated gives the observations from..to of an endless, always equal series:
// forty a session, with a prompt for every eight and a summary at the end.
func generated(from, to int) Bundle {
	rng := rand.New(rand.NewPCG(7, uint64(from)))
	verbs := []string{"Adds", "Fixes", "Removes", "Explains", "Moves", "Tests"}
	things := []string{"retry with backoff", "rounding of the total", "session cookie", "缓存失效的处理", "order import", "支付回调的签名校验"}
	names := []string{"orderService", "fetch_page", "CartTotal", "parseHTTPRequest", "user-profile", "TestCheckoutTimeout"}
	pick := func(l []string) string { return l[rng.IntN(len(l))] }
	var b Bundle
	for i := from; i < to; i++ {
		session := fmt.Sprintf("session-%06d", i/40)
		project := fmt.Sprintf("/home/dev/projects/shop-%02d", i/40%20)
		at := time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC).Add(time.Duration(i) * 7 * time.Second)
		if i%8 == 0 {
			b.Prompts = append(b.Prompts, memory.Prompt{
				SessionID: session, Project: project, Number: i%40/8 + 1, CreatedAt: at.Add(-time.Second),
				Text: fmt.Sprintf("Please look at %s in %s, 然后修复它 (%d)", pick(things), pick(names), i),
			})
		}
		file := fmt.Sprintf("src/module%03d/%s.go", rng.IntN(300), pick(names))
		b.Observations = append(b.Observations, memory.Observation{
			SessionID: session, Project: project, PromptNumber: i%40/8 + 1, CreatedAt: at,
			Type:  memory.ObservationTypes()[rng.IntN(6)],
			Title: fmt.Sprintf("%s %s in %s", pick(verbs), pick(things), pick(names)),
			Narrative: fmt.Sprintf("The %s was called with %s while the %s was still open; case %d of the %s. "+
				"After the change the test passes and the error E%04d is gone. 数据库连接池在高并发下会超时。",
				pick(names), pick(things), pick(things), i, pick(names), rng.IntN(5000)),
			Facts:         []string{fmt.Sprintf("timeout=%dms", rng.IntN(900)), "go test ./... passes"},
			Concepts:      []string{"testing", pick([]string{"cache", "auth", "payment", "并发"})},
			FilesModified: []string{file},
			TokensSource:  2000 + rng.IntN(3000),
		})
		if i%40 == 39 {
			b.Summaries = append(b.Summaries, memory.Summary{
				SessionID: session, Project: project, PromptNumber: 5, CreatedAt: at.Add(time.Second),
				Request: "Make the checkout stable", Learned: "The pool was too small", Completed: "Retries and tests",
			})
		}
	}
	return b
}

func BenchmarkOpenReadOnly(b *testing.B) {
	path := benchStore(b)
	for b.Loop() {
		s, err := OpenReadOnly(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSessionStart is what a hook waits for: opening and the reads of a context block.
func BenchmarkSessionStart(b *testing.B) {
	path := benchStore(b)
	f := memory.Filter{Project: "/home/dev/projects/shop-07"}
	for b.Loop() {
		s, err := OpenReadOnly(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.ListObservations(b.Context(), f, memory.Cursor{}, 50); err != nil {
			b.Fatal(err)
		}
		if _, err := s.RecentSummaries(b.Context(), f, 1); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Totals(b.Context(), f.Project); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	s, err := OpenReadOnly(b.Context(), benchStore(b))
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	}()
	middle := memory.Cursor{EpochMS: time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC).UnixMilli() + int64(benchRows(b))*3500, Kind: memory.KindObservation}
	for _, bm := range []struct {
		name string
		f    func(context.Context) (int, error)
	}{
		{"timeline/top", func(ctx context.Context) (int, error) {
			l, err := s.Timeline(ctx, memory.Filter{}, memory.Cursor{}, 50)
			return len(l), err
		}},
		{"timeline/middle", func(ctx context.Context) (int, error) {
			l, err := s.Timeline(ctx, memory.Filter{}, middle, 50)
			return len(l), err
		}},
		{"timeline/project", func(ctx context.Context) (int, error) {
			l, err := s.Timeline(ctx, memory.Filter{Project: "/home/dev/projects/shop-07"}, middle, 50)
			return len(l), err
		}},
		{"list/no-such-type", func(ctx context.Context) (int, error) {
			l, err := s.ListObservations(ctx, memory.Filter{Types: []string{"none"}}, memory.Cursor{}, 50)
			return len(l), err
		}},
		{"list/rare-file", func(ctx context.Context) (int, error) {
			l, err := s.ListObservations(ctx, memory.Filter{Files: []string{"no/such/file"}}, memory.Cursor{}, 50)
			return len(l), err
		}},
		{"list/pinned", func(ctx context.Context) (int, error) {
			l, err := s.ListObservations(ctx, memory.Filter{PinnedOnly: true}, memory.Cursor{}, 50)
			return len(l), err
		}},
		{"list/agent", func(ctx context.Context) (int, error) {
			l, err := s.ListObservations(ctx, memory.Filter{Agents: []string{"person"}}, memory.Cursor{}, 50)
			return len(l), err
		}},
		{"list/no-such-branch", func(ctx context.Context) (int, error) {
			l, err := s.ListObservations(ctx, memory.Filter{Branches: []string{"none/"}}, memory.Cursor{}, 50)
			return len(l), err
		}},
		{"activity", func(ctx context.Context) (int, error) {
			from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			l, err := s.Activity(ctx, "", from, from.AddDate(1, 0, 0))
			return len(l), err
		}},
		{"top-files", func(ctx context.Context) (int, error) {
			l, err := s.TopFiles(ctx, memory.Filter{}, 10)
			return len(l), err
		}},
		{"values/file", func(ctx context.Context) (int, error) {
			l, err := s.Values(ctx, FieldFile, "cart", "", 10)
			return len(l), err
		}},
		{"find-sessions/nothing", func(ctx context.Context) (int, error) {
			l, err := s.FindSessions(ctx, "kubernetes", memory.Filter{}, 50)
			return len(l), err
		}},
		{"count", func(ctx context.Context) (int, error) { return s.CountObservations(ctx, memory.Filter{}) }},
		{"projects", func(ctx context.Context) (int, error) { l, err := s.Projects(ctx); return len(l), err }},
		{"totals", func(ctx context.Context) (int, error) { t, err := s.Totals(ctx, ""); return t.Observations, err }},
		{"sessions", func(ctx context.Context) (int, error) {
			l, err := s.Sessions(ctx, memory.Filter{}, memory.Cursor{}, 50)
			return len(l), err
		}},
		{"search/rare", search(s, "E0042", memory.Filter{})},
		{"search/one-row", search(s, "case 4711", memory.Filter{})},
		{"search/middling", search(s, "module042", memory.Filter{})},
		{"search/common", search(s, "test", memory.Filter{})},
		{"search/common-project", search(s, "test", memory.Filter{Project: "/home/dev/projects/shop-07"})},
		{"search/two-common", search(s, "error change", memory.Filter{})},
		{"search/identifier", search(s, "parseHTTPRequest", memory.Filter{})},
		{"search/chinese", search(s, "签名校验", memory.Filter{})},
		{"search/chinese-common", search(s, "数据库", memory.Filter{})},
		{"search/nothing", search(s, "kubernetes", memory.Filter{})},
	} {
		b.Run(bm.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				var err error
				if n, err = bm.f(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n), "rows")
		})
	}
}

func search(s *Store, text string, f memory.Filter) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		hits, err := s.Search(ctx, text, f, 20)
		return len(hits), err
	}
}

func BenchmarkAddEvents(b *testing.B) {
	s, err := Open(b.Context(), filepath.Join(b.TempDir(), "cmem.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	}()
	raw := []byte(`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"go test ./..."},"tool_response":{"stdout":"ok"}}`)
	n := 0
	for b.Loop() {
		events := make([]memory.Event, 100)
		for i := range events {
			n++
			events[i] = memory.Event{
				ID: fmt.Sprintf("%012d", n), SessionID: "s", Project: "/p", Name: memory.EventPostToolUse, ToolName: "Bash",
				CreatedAt: time.UnixMilli(int64(n)), Raw: raw,
			}
		}
		if _, err := s.AddEvents(b.Context(), events); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}
