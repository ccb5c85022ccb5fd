package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cmem/hooks/spool"
	"cmem/llm"
	"cmem/memory"
	"cmem/store"
)

// scripted is a compressor that gives an observation a batch, or fails.
type scripted struct {
	id   string
	mu   sync.Mutex
	fail error
	boom bool // panic instead of failing
	seen []llm.Batch

	summaries int
}

func (c *scripted) ID() string { return c.id }

func (c *scripted) set(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fail = err
}

func (c *scripted) Compress(_ context.Context, b llm.Batch) (llm.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, b)
	if c.boom {
		panic("an event that nobody thought of")
	}
	if c.fail != nil {
		return llm.Result{}, c.fail
	}
	if !slices.ContainsFunc(b.Events, memory.Event.IsTool) {
		return llm.Result{}, nil
	}
	return llm.Result{Model: "m", TokensSpent: 7, Observations: []memory.Observation{{
		Type: memory.TypeChange, Title: fmt.Sprintf("%s: %s (%d events)", c.id, b.Prompt.Text, len(b.Events)),
	}}}, nil
}

func (c *scripted) Summarize(_ context.Context, s llm.Story) (memory.Summary, llm.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.summaries++
	if c.fail != nil {
		return memory.Summary{}, llm.Result{}, c.fail
	}
	return memory.Summary{Request: fmt.Sprintf("%s: %d prompts, %d observations", c.id, len(s.Prompts), len(s.Observations))}, llm.Result{}, nil
}

// decode reads the payloads of these tests: a JSON of memory.Event's own fields.
func decode(id string, raw []byte) (memory.Event, error) {
	var e memory.Event
	if err := json.Unmarshal(raw, &e); err != nil {
		return e, err
	}
	e.ID, e.Raw = id, raw
	e.CreatedAt, _ = spool.Time(id)
	return e, nil
}

type setup struct {
	Options
	t     *testing.T
	clock time.Time
}

func newSetup(t *testing.T) *setup {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "数据 dir")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	local := &scripted{id: "local/test"}
	return &setup{t: t, clock: time.Now().Add(-time.Hour), Options: Options{
		DataDir: dir, SpoolDir: filepath.Join(dir, "spool"), DB: filepath.Join(dir, "cmem.db"),
		Decode: decode, Locate: func(cwd string) Place { return Place{Project: "/p" + cwd, Branch: "main", Commit: "abc"} },
		Compressor: local, Local: local, Version: "test",
		Log: slog.New(slog.NewTextHandler(testWriter{t}, nil)),
	}}
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// deliver spools an event a second after the one before.
func (s *setup) deliver(e memory.Event) string {
	s.t.Helper()
	s.clock = s.clock.Add(time.Second)
	if e.SessionID == "" {
		e.SessionID = "s1"
	}
	if e.CWD == "" {
		e.CWD = "/webshop"
	}
	raw, err := json.Marshal(e)
	if err != nil {
		s.t.Fatal(err)
	}
	name := spool.NameAt(s.clock, 1)
	if err := spool.DeliverAs(s.SpoolDir, name, raw); err != nil {
		s.t.Fatal(err)
	}
	return name
}

// turn spools a prompt, some tool calls and the end of the turn.
func (s *setup) turn(prompt string, tools int) {
	s.t.Helper()
	s.deliver(memory.Event{Name: memory.EventUserPromptSubmit, Prompt: prompt, PromptID: prompt})
	for i := range tools {
		s.deliver(memory.Event{Name: memory.EventPostToolUse, ToolName: "Edit", ToolUseID: fmt.Sprintf("%s-%d", prompt, i), PromptID: prompt})
	}
	s.deliver(memory.Event{Name: memory.EventStop, PromptID: prompt})
}

func (s *setup) run() {
	s.t.Helper()
	if err := Run(context.Background(), s.Options); err != nil {
		s.t.Fatal(err)
	}
}

func (s *setup) read(do func(context.Context, *store.Store)) {
	s.t.Helper()
	db, err := store.OpenReadOnly(context.Background(), s.DB)
	if err != nil {
		s.t.Fatal(err)
	}
	do(context.Background(), db)
	if err := db.Close(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *setup) titles() []string {
	s.t.Helper()
	var titles []string
	s.read(func(ctx context.Context, db *store.Store) {
		obs, err := db.SessionObservations(ctx, "s1")
		if err != nil {
			s.t.Fatal(err)
		}
		for _, o := range obs {
			titles = append(titles, o.Title)
		}
	})
	return titles
}

func TestATurnBecomesAnObservationAndASummary(t *testing.T) {
	s := newSetup(t)
	s.deliver(memory.Event{Name: memory.EventSessionStart, Source: "startup"})
	s.turn("修复退款", 3)
	s.turn("add tests", 2)
	s.deliver(memory.Event{Name: memory.EventSessionEnd})
	s.run()
	if got, want := strings.Join(s.titles(), "\n"), "local/test: 修复退款 (5 events)\nlocal/test: add tests (5 events)"; got != want {
		t.Errorf("observations:\n%s\nwant\n%s", got, want)
	}
	s.read(func(ctx context.Context, db *store.Store) {
		sum, err := db.LatestSummary(ctx, "s1")
		if err != nil || !strings.HasPrefix(sum.Request, "local/test: 2 prompts") || sum.Compressor != "local/test" {
			t.Errorf("summary %+v, %v", sum, err)
		}
		session, err := db.Session(ctx, "s1")
		if err != nil || session.Status != memory.SessionCompleted || session.Project != "/p/webshop" || session.PromptCount != 2 {
			t.Errorf("session %+v, %v", session, err)
		}
		obs, err := db.SessionObservations(ctx, "s1")
		if err != nil || len(obs) == 0 {
			t.Fatalf("%v, %v", obs, err)
		}
		if o := obs[0]; o.Project != "/p/webshop" || o.GitBranch != "main" || o.GitCommit != "abc" || o.TokensSource == 0 || o.Model != "m" || o.Provisional || o.UID == "" {
			t.Errorf("observation %+v", o)
		}
	})
	if empty, err := spool.Empty(s.SpoolDir); !empty || err != nil {
		t.Errorf("spool empty: %v, %v", empty, err)
	}
}

func TestNobodyIsAskedAboutNothing(t *testing.T) {
	s := newSetup(t)
	remote := &scripted{id: "remote/test"}
	s.Compressor = remote
	s.deliver(memory.Event{Name: memory.EventSessionStart, Source: "startup"})
	s.turn("fix", 1)
	s.run()
	s.deliver(memory.Event{Name: memory.EventSessionEnd})
	s.run()
	if len(remote.seen) != 1 || remote.summaries != 1 {
		t.Errorf("asked for %d batches and %d summaries, want one of each", len(remote.seen), remote.summaries)
	}
}

func TestDrainingTwiceStoresOnce(t *testing.T) {
	s := newSetup(t)
	name := s.deliver(memory.Event{Name: memory.EventPostToolUse, ToolName: "Edit", ToolUseID: "t"})
	raw, err := spool.Read(s.SpoolDir, name)
	if err != nil {
		t.Fatal(err)
	}
	s.run()
	// As if the worker had died between commit and removal.
	if err := spool.DeliverAs(s.SpoolDir, name, raw); err != nil {
		t.Fatal(err)
	}
	s.run()
	s.read(func(ctx context.Context, db *store.Store) {
		totals, err := db.Totals(ctx, "")
		if err != nil || totals.Events != 1 {
			t.Errorf("%d events, %v; want 1", totals.Events, err)
		}
	})
	if empty, err := spool.Empty(s.SpoolDir); !empty || err != nil {
		t.Errorf("spool empty: %v, %v", empty, err)
	}
}

func TestABadEventIsPutAsideAndTheOthersGoOn(t *testing.T) {
	s := newSetup(t)
	s.turn("before", 1)
	s.clock = s.clock.Add(time.Second)
	if err := spool.DeliverAs(s.SpoolDir, spool.NameAt(s.clock, 9), []byte("\x00rubbish")); err != nil {
		t.Fatal(err)
	}
	s.turn("after", 1)
	s.run()
	if got := s.titles(); len(got) != 2 {
		t.Errorf("observations %q", got)
	}
	bad, err := spool.ListBad(s.SpoolDir)
	if err != nil || len(bad) != 1 {
		t.Errorf("put aside %v, %v", bad, err)
	}
}

func TestRawEventsAreKeptAsLongAsThePersonWants(t *testing.T) {
	payloads := func(s *setup) (kept int) {
		s.read(func(ctx context.Context, db *store.Store) {
			events, err := db.RawEvents(ctx, "s1", 1, "", 100)
			if err != nil || len(events) == 0 {
				t.Fatalf("%d events, %v", len(events), err)
			}
			for _, e := range events {
				if e.Payload != nil {
					kept++
				}
			}
		})
		return kept
	}
	for keep, want := range map[time.Duration]int{0: 3, 24 * time.Hour: 3, time.Minute: 0} {
		s := newSetup(t) // its events are an hour old
		s.KeepRaw = keep
		s.clockSaid(time.Minute, 48*time.Hour)
		s.turn("fix", 1)
		s.run()
		if got := payloads(s); got != want {
			t.Errorf("kept for %s: %d payloads, want %d", keep, got, want)
		}
		if len(s.titles()) != 1 {
			t.Errorf("kept for %s: observations %q", keep, s.titles())
		}
	}
}

func TestOnlyOneWorkerAtATime(t *testing.T) {
	s := newSetup(t)
	s.Idle = time.Minute
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, s.Options) }()
	waitFor(t, "the first worker", func() bool {
		st, err := ReadStatus(s.DataDir)
		return err == nil && st.Running && st.Version == "test"
	})
	if err := Run(context.Background(), s.Options); !errors.Is(err, ErrRunning) {
		t.Errorf("the second worker: %v, want ErrRunning", err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if st, err := ReadStatus(s.DataDir); err != nil || st.Running {
		t.Errorf("status after the end: %+v, %v", st, err)
	}
	if spool.WorkerAlive(s.DataDir) {
		t.Error("a heartbeat is left behind: hooks would not start a worker")
	}
}

func TestStopIsHeardBetweenTwoPieces(t *testing.T) {
	s := newSetup(t)
	s.Idle = time.Minute
	done := make(chan error, 1)
	go func() { done <- Run(context.Background(), s.Options) }()
	waitFor(t, "the worker", func() bool { st, err := ReadStatus(s.DataDir); return err == nil && st.Running })
	there, err := Stop(s.DataDir, 20*time.Second)
	if !there || err != nil {
		t.Fatalf("Stop = %v, %v", there, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if there, err := Stop(s.DataDir, time.Second); there || err != nil {
		t.Errorf("a second Stop = %v, %v", there, err)
	}
}

func TestAnArrivalIsSeenWhileWaiting(t *testing.T) {
	s := newSetup(t)
	s.Idle = time.Minute
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, s.Options) }()
	waitFor(t, "the worker", func() bool { return spool.WorkerAlive(s.DataDir) })
	s.turn("live", 2)
	waitFor(t, "the observation", func() bool {
		db, err := store.OpenReadOnly(ctx, s.DB)
		if err != nil {
			return false
		}
		defer db.Close() //nolint:errcheck // only looked at
		obs, err := db.SessionObservations(ctx, "s1")
		return err == nil && len(obs) > 0
	})
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAFailingProviderIsStoodInForAndLaterReplaced(t *testing.T) {
	s := newSetup(t)
	remote := &scripted{id: "remote/test", fail: &llm.Error{Provider: "remote", Kind: llm.KindTemporary, Err: errors.New("down")}}
	s.Compressor = remote
	s.turn("add retry", 2)
	s.run()
	s.read(func(ctx context.Context, db *store.Store) {
		obs, err := db.SessionObservations(ctx, "s1")
		if err != nil || len(obs) != 1 || !obs[0].Provisional || obs[0].Compressor != "local/test" {
			t.Fatalf("while the provider is away: %+v, %v", obs, err)
		}
	})
	remote.set(nil)
	s.makeDue()
	s.run()
	s.read(func(ctx context.Context, db *store.Store) {
		obs, err := db.SessionObservations(ctx, "s1")
		if err != nil || len(obs) != 1 || obs[0].Provisional || obs[0].Compressor != "remote/test" {
			t.Fatalf("after its return: %+v, %v", obs, err)
		}
		if sum, err := db.LatestSummary(ctx, "s1"); err != nil || sum.Provisional || sum.Compressor != "remote/test" {
			t.Errorf("summary after its return: %+v, %v", sum, err)
		}
	})
}

// makeDue lets batches that wait for a later attempt be tried now.
func (s *setup) makeDue() {
	s.t.Helper()
	db, err := store.Open(context.Background(), s.DB)
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // RetryBatch has committed
	batches, err := db.PendingBatches(context.Background(), time.Now().Add(24*time.Hour), 100)
	if err != nil || len(batches) == 0 {
		s.t.Fatalf("no batch waits: %v, %v", batches, err)
	}
	for _, b := range batches {
		if err := db.RetryBatch(context.Background(), b.ID, b.LastError, time.Now().Add(-time.Second)); err != nil {
			s.t.Fatal(err)
		}
	}
}

func TestAPanickingCompressorDoesNotStopTheWorker(t *testing.T) {
	s := newSetup(t)
	local := &scripted{id: "local/test", boom: true}
	s.Compressor, s.Local = local, local
	s.turn("poison", 1)
	s.run()
	local.boom = false
	s.turn("fine", 1)
	s.run()
	if got := s.titles(); len(got) != 1 || !strings.Contains(got[0], "fine") {
		t.Errorf("observations %q; want the one of the sound batch", got)
	}
}

func TestABatchThatIsRefusedAgainAndAgainKeepsTheLocalVersion(t *testing.T) {
	s := newSetup(t)
	s.Compressor = &scripted{id: "remote/test", fail: &llm.Error{Provider: "remote", Kind: llm.KindRequest, Status: 400, Err: errors.New("prompt too long")}}
	s.turn("huge", 1)
	s.run()
	s.read(func(ctx context.Context, db *store.Store) {
		if obs, err := db.SessionObservations(ctx, "s1"); err != nil || len(obs) != 1 || !obs[0].Provisional {
			t.Fatalf("after the first refusal: %+v, %v", obs, err)
		}
	})
	for range giveUpAfter / 2 { // making it due counts as an attempt, too
		s.makeDue()
		s.run()
	}
	s.read(func(ctx context.Context, db *store.Store) {
		obs, err := db.SessionObservations(ctx, "s1")
		if err != nil || len(obs) != 1 || obs[0].Provisional || obs[0].Compressor != "local/test" {
			t.Errorf("in the end: %+v, %v", obs, err)
		}
		if waiting, err := db.PendingBatches(ctx, time.Now().Add(24*time.Hour), 10); err != nil || len(waiting) != 0 {
			t.Errorf("batches still wait: %+v, %v", waiting, err)
		}
	})
}

func TestTheBreakerLeavesAFailingProviderAlone(t *testing.T) {
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	down := &llm.Error{Provider: "p", Kind: llm.KindTemporary, Err: errors.New("down")}
	var b breaker
	want := firstPause
	for range 10 {
		if err := b.allow(now); err != nil {
			t.Fatalf("not allowed at %s: %v", now, err)
		}
		b.note(now, down)
		if err := b.allow(now.Add(want - time.Second)); !errors.Is(err, down) {
			t.Fatalf("allowed again before %s: %v", want, err)
		}
		now = now.Add(want)
		want = min(2*want, longPause)
	}
	b.note(now, nil)
	if err := b.allow(now); err != nil {
		t.Errorf("not closed by an answer: %v", err)
	}
	b.note(now, &llm.Error{Kind: llm.KindRequest, Err: errors.New("too long")})
	if err := b.allow(now); err != nil {
		t.Errorf("opened by a bad request, for which the provider is not to blame: %v", err)
	}
	b.note(now, &llm.Error{Kind: llm.KindRateLimit, RetryAfter: time.Hour, Err: errors.New("slow down")})
	if err := b.allow(now.Add(59 * time.Minute)); err == nil {
		t.Error("Retry-After is not heeded")
	}
}

func TestAReplacedExecutableIsNoticed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cmem")
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(path, "one")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	e := executable{path, info}
	if e.replaced() {
		t.Error("replaced without a change")
	}
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if e.replaced() {
		t.Error("a file that is gone counts as replaced")
	}
	write(path, "two!")
	if !e.replaced() {
		t.Error("another file in its place is not noticed")
	}
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("waited in vain for %s", what)
}
