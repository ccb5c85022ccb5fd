package worker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/hooks/spool"
	"cmem/llm"
	"cmem/memory"
	"cmem/store"
)

// started runs a worker beside the test, which goes on when it has the lock.
func (s *setup) started(ctx context.Context) (ended <-chan error) {
	s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- Run(ctx, s.Options) }()
	waitFor(s.t, "the worker", func() bool { st, err := ReadStatus(s.DataDir); return err == nil && st.Running })
	return done
}

// ends waits for a worker, and fails when that takes longer than it may.
func ends(t *testing.T, ended <-chan error, within time.Duration) error {
	t.Helper()
	select {
	case err := <-ended:
		return err
	case <-time.After(within):
		t.Fatalf("the worker has not ended within %s", within)
		return nil
	}
}

func (s *setup) totals() (t store.Totals) {
	s.t.Helper()
	s.read(func(ctx context.Context, db *store.Store) {
		var err error
		if t, err = db.Totals(ctx, ""); err != nil {
			s.t.Fatal(err)
		}
	})
	return t
}

// stored reports whether the store has that many events; there may be none yet.
func (s *setup) stored(events int) bool {
	db, err := store.OpenReadOnly(context.Background(), s.DB)
	if err != nil {
		return false
	}
	defer db.Close() //nolint:errcheck // only looked at
	t, err := db.Totals(context.Background(), "")
	return err == nil && t.Events == events
}

// What a power cut leaves of files that were not synced is put aside; so is what the
// decoder cannot stand.
func TestWhatAPowerCutLeftIsPutAsideAndTheOthersGoOn(t *testing.T) {
	s := newSetup(t)
	s.Decode = func(id string, raw []byte) (memory.Event, error) {
		if strings.Contains(string(raw), "poison") {
			panic("nobody thought of this")
		}
		return decode(id, raw)
	}
	var broken []string
	for i, payload := range []string{"", `{"Name":"PostToolUse","SessionID":"s1","Raw":"e30`, "\x00\x00\x00\x00", `{"poison":1}`} {
		s.clock = s.clock.Add(time.Second)
		name := spool.NameAt(s.clock, 100+i)
		if err := spool.DeliverAs(s.SpoolDir, name, []byte(payload)); err != nil {
			t.Fatal(err)
		}
		broken = append(broken, name)
	}
	s.turn("继续", 2)
	s.run()
	aside, err := spool.ListBad(s.SpoolDir)
	slices.Sort(aside)
	if err != nil || !slices.Equal(aside, broken) {
		t.Errorf("put aside %v, want %v (%v)", aside, broken, err)
	}
	if got := s.totals().Events; got != 4 {
		t.Errorf("%d events are stored, want 4", got)
	}
}

func TestAnEventThatCannotEvenBePutAsideHoldsNobodyUp(t *testing.T) {
	s := newSetup(t)
	if err := spool.Create(s.SpoolDir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(spool.BadDir(s.SpoolDir), nil, 0o600); err != nil { // no folder: moving there fails
		t.Fatal(err)
	}
	rubbish := spool.NameAt(s.clock, 7)
	if err := spool.DeliverAs(s.SpoolDir, rubbish, []byte("rubbish")); err != nil {
		t.Fatal(err)
	}
	s.turn("go on", 1)
	if err := ends(t, s.started(t.Context()), time.Minute); err != nil {
		t.Fatal(err)
	}
	if names, err := spool.List(s.SpoolDir); err != nil || !slices.Equal(names, []string{rubbish}) {
		t.Errorf("in the spool: %v (%v)", names, err)
	}
	if got := s.totals().Events; got != 3 {
		t.Errorf("%d events are stored, want 3", got)
	}
}

func TestHooksRegisteredTwiceMakeOneMemory(t *testing.T) {
	s := newSetup(t)
	s.turn("继续", 2)
	names, err := spool.List(s.SpoolDir)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	twin := func(name string) {
		raw, err := spool.Read(s.SpoolDir, name)
		if err != nil {
			t.Fatal(err)
		}
		at, _ := spool.Time(name)
		if err := spool.DeliverAs(s.SpoolDir, spool.NameAt(at.Add(3*time.Millisecond), 2), raw); err != nil {
			t.Fatal(err)
		}
	}
	payloads := map[string][]byte{}
	for i, name := range names {
		if raw, err := spool.Read(s.SpoolDir, name); err == nil {
			payloads[name] = raw
		}
		if i%2 == 0 {
			twin(name) // the other half comes when a later worker is there
		}
	}
	s.run()
	for i, name := range names {
		if i%2 == 1 {
			at, _ := spool.Time(name)
			if err := spool.DeliverAs(s.SpoolDir, spool.NameAt(at.Add(3*time.Millisecond), 2), payloads[name]); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.run()
	if got := s.totals(); got.Events != 4 || got.Prompts != 1 || got.Observations != 1 {
		t.Errorf("%d events, %d prompts, %d observations; want 4, 1, 1", got.Events, got.Prompts, got.Observations)
	}
	s.read(func(ctx context.Context, db *store.Store) {
		if n, err := db.Doubled(ctx, s.clock.Add(-time.Hour)); err != nil || n != 4 {
			t.Errorf("%d events are known to have come twice, want 4 (%v)", n, err)
		}
	})
	if empty, err := spool.Empty(s.SpoolDir); !empty || err != nil {
		t.Errorf("spool empty: %v (%v)", empty, err)
	}
}

func TestTimesOfAWrongClockAreNotBelieved(t *testing.T) {
	for name, at := range map[string]time.Time{
		"a year ahead": time.Now().Add(365 * 24 * time.Hour), "a day ahead": time.Now().Add(24 * time.Hour),
		"the last time there is": time.Unix(0, 1<<63-1<<34), "a clock that was never set": time.Unix(5, 0),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSetup(t)
			s.clock = at
			begin := time.Now().Add(-time.Second)
			s.turn("when?", 2)
			s.run()
			s.read(func(ctx context.Context, db *store.Store) {
				obs, err := db.SessionObservations(ctx, "s1")
				if err != nil || len(obs) != 1 || obs[0].PromptNumber != 1 {
					t.Fatalf("%+v (%v)", obs, err)
				}
				if at := obs[0].CreatedAt; at.Before(begin) || at.After(time.Now().Add(time.Second)) {
					t.Errorf("the observation is of %s", at)
				}
				v, err := db.Session(ctx, "s1")
				if err != nil || v.LastEventAt.After(time.Now().Add(time.Second)) {
					t.Errorf("the session's last event is of %s (%v)", v.LastEventAt, err)
				}
			})
		})
	}
}

func TestTheTimesOfAnImportAreBelieved(t *testing.T) {
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		e    memory.Event
		want time.Time
	}{
		{memory.Event{CreatedAt: now.Add(-time.Hour)}, now.Add(-time.Hour)},
		{memory.Event{CreatedAt: now.Add(30 * time.Second)}, now.Add(30 * time.Second)},
		{memory.Event{CreatedAt: now.Add(2 * time.Minute)}, now},
		{memory.Event{CreatedAt: time.Unix(0, 0)}, now},
		{memory.Event{CreatedAt: now.AddDate(-3, 0, 0)}, now},
		{memory.Event{CreatedAt: now.AddDate(-3, 0, 0), Past: true}, now.AddDate(-3, 0, 0)},
		{memory.Event{CreatedAt: now.AddDate(3, 0, 0), Past: true}, now},
	} {
		if got := believable(c.e, now); !got.Equal(c.want) {
			t.Errorf("%s (past: %v) is taken for %s, want %s", c.e.CreatedAt, c.e.Past, got, c.want)
		}
	}
}

// stubborn is a provider that never answers.
type stubborn struct {
	asked  chan struct{}
	heeds  bool          // that its time is up
	parked chan struct{} // ends it when the test does
}

func (c *stubborn) ID() string { return "remote/stubborn" }

func (c *stubborn) Compress(ctx context.Context, _ llm.Batch) (llm.Result, error) {
	select {
	case c.asked <- struct{}{}:
	default:
	}
	if c.heeds {
		<-ctx.Done()
		return llm.Result{}, ctx.Err()
	}
	<-c.parked
	return llm.Result{}, errors.New("late")
}

func (c *stubborn) Summarize(ctx context.Context, _ llm.Story) (memory.Summary, llm.Result, error) {
	r, err := c.Compress(ctx, llm.Batch{})
	return memory.Summary{}, r, err
}

func TestAProviderThatHangsHoldsUpNeitherTheSpoolNorTheEnd(t *testing.T) {
	for name, heeds := range map[string]bool{"one that heeds its deadline": true, "one that does not": false} {
		for how, within := range map[string]time.Duration{"stop": stopGrace + 20*time.Second, "SIGTERM": heedGrace + 20*time.Second} {
			t.Run(name+", "+how, func(t *testing.T) {
				if how == "stop" && testing.Short() {
					t.Skip("waits for the grace that a request has")
				}
				t.Parallel()
				s := newSetup(t)
				c := &stubborn{asked: make(chan struct{}, 1), heeds: heeds, parked: make(chan struct{})}
				defer close(c.parked)
				s.Compressor, s.Idle = c, time.Minute
				s.turn("first", 1)
				ctx, terminate := context.WithCancel(context.Background())
				defer terminate()
				ended := s.started(ctx)
				select {
				case <-c.asked:
				case <-time.After(time.Minute):
					t.Fatal("the provider was not asked")
				}
				s.turn("second", 2)
				waitFor(t, "what came while the provider hung", func() bool { return s.stored(7) })
				if err := Run(ctx, s.Options); !errors.Is(err, ErrRunning) {
					t.Errorf("a second worker: %v", err)
				}
				if how == "stop" {
					if there, err := Stop(s.DataDir, within); !there || err != nil {
						t.Errorf("Stop = %v, %v", there, err)
					}
				} else {
					terminate()
				}
				if err := ends(t, ended, within); err != nil {
					t.Error(err)
				}
				// What it was busy with is done by the next one, and by nobody else before.
				if got := s.titles(); len(got) != 0 {
					t.Errorf("observations %q", got)
				}
				s.Compressor = s.Local
				s.Idle = 0
				s.run()
				if got := s.titles(); len(got) != 2 {
					t.Errorf("observations of the next worker: %q", got)
				}
			})
		}
	}
}

func TestOfTwentyWorkersOneWorks(t *testing.T) {
	s := newSetup(t)
	s.Idle = time.Minute
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.turn("go", 2)
	const workers = 20
	ended := make(chan error, workers)
	for range workers {
		go func() { ended <- Run(ctx, s.Options) }()
	}
	for i := range workers - 1 {
		if err := ends(t, ended, time.Minute); !errors.Is(err, ErrRunning) {
			t.Fatalf("worker %d: %v, want ErrRunning", i, err)
		}
	}
	waitFor(t, "the one", func() bool { return s.stored(4) })
	cancel()
	if err := ends(t, ended, time.Minute); err != nil {
		t.Error(err)
	}
}

func TestTheOldestComeFirstHoweverManyWait(t *testing.T) {
	s := newSetup(t)
	if err := spool.Create(s.SpoolDir); err != nil {
		t.Fatal(err)
	}
	const events = 1000
	begin := time.Now()
	for i := range events {
		// In no order of the folder's.
		name := spool.NameAt(begin.Add(time.Duration(i*7919%events)*time.Millisecond), i)
		if err := os.WriteFile(filepath.Join(spool.NewDir(s.SpoolDir), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := spool.List(s.SpoolDir)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	w := &worker{Options: s.Options, stuck: map[string]struct{}{}}
	for _, n := range []int{1, 10, 333, events, 2 * events} {
		got, waiting, err := w.oldest(n)
		if err != nil || waiting != events || !slices.Equal(got, all[:min(n, events)]) {
			t.Errorf("the oldest %d: %d names of %d (%v), not the first ones in order", n, len(got), waiting, err)
		}
	}
	w.stuck[all[0]] = struct{}{}
	if got, waiting, err := w.oldest(2); err != nil || waiting != events-1 || !slices.Equal(got, all[1:3]) {
		t.Errorf("beside a stuck one: %v of %d (%v)", got, waiting, err)
	}
}
