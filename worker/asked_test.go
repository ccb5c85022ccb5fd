package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cmem/hooks/spool"
	"cmem/llm"
	"cmem/llm/static"
	"cmem/logs"
	"cmem/memory"
	"cmem/recall"
	"cmem/store"
)

// oracle is an embedding model of a provider, that does as it is told.
type oracle struct {
	name string
	mu   sync.Mutex
	dims int
	fail func(texts []string) error
	wait chan struct{} // each call for storing waits for it to be closed
	met  chan struct{} // is told of each such call

	calls int
}

func (o *oracle) Name() string { return o.name }

func (o *oracle) Vectors(ctx context.Context, texts []string, _ llm.Use) ([][]float32, error) {
	if o.wait != nil {
		select {
		case o.met <- struct{}{}:
		default:
		}
		select {
		case <-o.wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls++
	if o.fail != nil {
		if err := o.fail(texts); err != nil {
			return nil, err
		}
	}
	var out [][]float32
	for _, t := range texts {
		v := make([]float32, o.dims)
		v[0], v[1] = 1, float32(len(t))/100
		out = append(out, v)
	}
	return out, nil
}

func asIs(s string) string { return s }

// ask gives the setup an embedder that is asked beside the one built in.
func (s *setup) ask(o *oracle, with string) {
	s.Embedder, s.Asked, s.AskedWith = static.Model{}, llm.NewVectorModel(o, asIs), with
}

// models says how much each model of the store has encoded.
func (s *setup) models() string {
	s.t.Helper()
	var out []string
	s.read(func(ctx context.Context, db *store.Store) {
		names, err := db.EmbeddingModels(ctx)
		if err != nil {
			s.t.Fatal(err)
		}
		slices.Sort(names)
		for _, n := range names {
			have, due, err := db.MeaningState(ctx, n)
			if err != nil {
				s.t.Fatal(err)
			}
			out = append(out, fmt.Sprintf("%s %d+%d", n, have, due))
		}
	})
	return strings.Join(out, ", ")
}

// turns spools some turns that give an observation each.
func (s *setup) turns(prompts ...string) {
	s.t.Helper()
	for _, p := range prompts {
		s.turn(p, 1)
	}
	s.deliver(memory.Event{Name: memory.EventSessionEnd})
}

func refusal(kind llm.Kind, status int) error {
	return &llm.Error{Provider: "openai", Kind: kind, Status: status, Err: errors.New("words of the server")}
}

func TestObservationsAreEncodedByTheProviderAndByWhatIsBuiltIn(t *testing.T) {
	s, o := newSetup(t), &oracle{name: "openai/a", dims: 3}
	s.ask(o, "1")
	s.run()
	if o.calls != 0 {
		t.Errorf("%d calls about nothing", o.calls)
	}
	s.turns("修复退款", "add tests", "third")
	s.run()
	if got, want := s.models(), "openai/a@3/t1 3+0, "+static.ID+" 3+0"; got != want {
		t.Errorf("encoded %s, want %s", got, want)
	}
	if st := ReadAskedState(s.DataDir); st.Failing != "" || len(st.Refused) != 0 {
		t.Errorf("the state is %+v", st)
	}
	calls := o.calls
	s.run()
	if o.calls != calls {
		t.Errorf("%d more calls for what is encoded", o.calls-calls)
	}
}

func TestAnotherModelIsBuiltUpWhileSearchesGoOn(t *testing.T) {
	s := newSetup(t)
	s.ask(&oracle{name: "openai/a", dims: 3}, "1")
	s.turns("refund rounding", "add tests", "third")
	s.run()
	b := &oracle{name: "openai/b", dims: 5, wait: make(chan struct{}), met: make(chan struct{}, 1)}
	s.ask(b, "2")
	done := make(chan error, 1)
	go func() { done <- Run(context.Background(), s.Options) }()
	select {
	case <-b.met:
	case <-time.After(time.Minute):
		t.Fatal("the new model was not asked")
	}
	s.read(func(ctx context.Context, db *store.Store) {
		a, err := recall.Search(ctx, db, recall.Query{Text: "refund", Models: []recall.Model{recall.Asked(s.Asked), recall.BuiltIn()}})
		if err != nil || len(a.Results) == 0 || !strings.Contains(a.Results[0].Title, "refund") || a.Weights.Semantic == 0 ||
			!slices.Equal(a.Notes, []string{"Searching by meaning with openai/b is still being prepared: 0 of 3 memories are encoded. Searched with the built-in table of words instead."}) {
			t.Errorf("meanwhile: %+v, %v", a, err)
		}
	})
	if got := s.models(); !strings.Contains(got, "openai/a@3/t1 3+0") {
		t.Errorf("while the new model is built up there are %s", got)
	}
	close(b.wait)
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the worker did not end")
	}
	if got, want := s.models(), "openai/b@5/t1 3+0, "+static.ID+" 3+0"; got != want {
		t.Errorf("afterwards there are %s, want %s", got, want)
	}
	s.read(func(ctx context.Context, db *store.Store) {
		a, err := recall.Search(ctx, db, recall.Query{Text: "refund", Models: []recall.Model{recall.Asked(s.Asked), recall.BuiltIn()}})
		if err != nil || len(a.Notes) != 0 {
			t.Errorf("afterwards: %q, %v", a.Notes, err)
		}
	})
}

func TestWhoGoesBackToWhatIsBuiltInKeepsNothingOfTheProviders(t *testing.T) {
	s := newSetup(t)
	s.ask(&oracle{name: "openai/a", dims: 3}, "1")
	s.turns("one", "two")
	s.run()
	s.Asked = nil
	s.run()
	if got, want := s.models(), static.ID+" 2+0"; got != want {
		t.Errorf("there are %s, want %s", got, want)
	}
	s.Embedder = nil
	s.run()
	if got := s.models(); got != "" {
		t.Errorf("without an embedder there are %s", got)
	}
}

func TestAFailingEmbedderIsLeftAloneAlsoByTheNextWorkerUnlessItsSettingsChange(t *testing.T) {
	for _, test := range []struct {
		err     error
		cause   logs.Cause
		failing string
		atLeast time.Duration
	}{
		{refusal(llm.KindAuth, 401), logs.KeyRefused, "it answered 401: it does not accept the key, the model or the address", 9 * time.Minute},
		{&llm.Error{Provider: "openai", Kind: llm.KindRateLimit, Status: 429, RetryAfter: 20 * time.Minute, Err: errors.New("a quoted memory")}, logs.RateLimited, "it limits the number of calls", 19 * time.Minute},
		{refusal(llm.KindTemporary, 503), logs.Unreachable, "it has a failure of its own", time.Second},
		{refusal(llm.KindTemporary, 0), logs.Unreachable, "it cannot be reached", time.Second},
		{refusal(llm.KindAnswer, 0), logs.AnswerUnread, "its answer cannot be read", time.Second},
		{refusal(llm.KindRequest, 400), logs.KeyRefused, "it answered 400: it refuses every text", 9 * time.Minute},
	} {
		s, o := newSetup(t), &oracle{name: "openai/a", dims: 3, fail: func([]string) error { return test.err }}
		s.ask(o, "1")
		s.turns("one", "two")
		before := time.Now()
		s.run()
		st := ReadAskedState(s.DataDir)
		if st.Failing != test.failing || st.Cause != test.cause || st.Next.Before(before.Add(test.atLeast)) || st.Embedder != "openai/a" || st.With != "1" {
			t.Errorf("%v: the state is %+v", test.err, st)
		}
		if got, want := s.models(), static.ID+" 2+0"; got != want {
			t.Errorf("%v: encoded %s, want %s", test.err, got, want)
		}
		calls := o.calls
		s.run()
		if o.calls != calls || calls > 2 {
			t.Errorf("%v: %d calls, and %d by the next worker", test.err, calls, o.calls-calls)
		}
		o.fail = nil
		s.AskedWith = "2" // a key that is right
		s.run()
		if got, want := s.models(), "openai/a@3/t1 2+0, "+static.ID+" 2+0"; got != want {
			t.Errorf("%v: with other settings there are %s, want %s", test.err, got, want)
		}
		if st := ReadAskedState(s.DataDir); st.Failing != "" || !st.Next.IsZero() {
			t.Errorf("%v: the state stays %+v", test.err, st)
		}
	}
}

func TestARefusedTextIsSetAsideAndTriedAgain(t *testing.T) {
	s, o := newSetup(t), &oracle{name: "openai/a", dims: 3, fail: func(texts []string) error {
		if slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, "坏") }) {
			return refusal(llm.KindRequest, 400)
		}
		return nil
	}}
	s.ask(o, "1")
	s.turns("one", "坏 two", "three")
	s.run()
	if got, want := s.models(), "openai/a@3/t1 3+0, "+static.ID+" 3+0"; got != want {
		t.Errorf("there are %s, want %s", got, want)
	}
	st := ReadAskedState(s.DataDir)
	if len(st.Refused) != 1 || st.Failing != "" || time.Until(st.RefusedNext) < 23*time.Hour {
		t.Fatalf("the state is %+v", st)
	}
	calls := o.calls
	s.run()
	if o.calls != calls {
		t.Error("it was asked for again at once")
	}
	vectors := func() (n int) {
		s.read(func(ctx context.Context, db *store.Store) {
			list, err := db.Meanings(ctx, "openai/a@3/t1", st.Refused)
			if err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
			n = len(list[0].Vector)
		})
		return n
	}
	if vectors() != 0 {
		t.Error("the refused one has a vector")
	}
	// A day later, once in vain and once not.
	for _, test := range []struct {
		fails   bool
		refused int
		wait    time.Duration
	}{{true, 1, 47 * time.Hour}, {false, 0, 0}} {
		later := ReadAskedState(s.DataDir)
		later.RefusedNext = time.Now().Add(-time.Minute)
		w := worker{Options: s.Options}
		w.writeAsked(later)
		if !test.fails {
			o.fail = nil
		}
		s.run()
		if got := ReadAskedState(s.DataDir); len(got.Refused) != test.refused || test.refused > 0 && time.Until(got.RefusedNext) < test.wait {
			t.Errorf("tried again, the state is %+v", got)
		}
	}
	if vectors() != 3 {
		t.Errorf("taken at last, it has %d numbers", vectors())
	}
}

func TestVectorsOfAnotherLengthMakeAllAnew(t *testing.T) {
	s, o := newSetup(t), &oracle{name: "openai/a", dims: 3}
	s.ask(o, "1")
	s.turns("one", "two")
	s.run()
	o.dims = 4
	s.clock = s.clock.Add(time.Minute)
	s.turns("three")
	s.run()
	if got, want := s.models(), "openai/a@4/t1 3+0, "+static.ID+" 3+0"; got != want {
		t.Errorf("there are %s, want %s", got, want)
	}
}

func TestAServerOfChangingLengthsIsNotAskedForEver(t *testing.T) {
	s, o := newSetup(t), &oracle{name: "openai/a", dims: 3}
	s.ask(o, "1")
	o.fail = func([]string) error { o.dims = 7 - o.dims; return nil } // 3 and 4 in turn
	s.turns("one", "two")
	s.run()
	s.turns("three")
	s.run()
	if st := ReadAskedState(s.DataDir); st.Cause != logs.AnswerUnread || o.calls > 10 {
		t.Errorf("after %d calls the state is %+v", o.calls, st)
	}
}

func TestTheStateQuotesNoMemoryAndIsTheOwnersOnly(t *testing.T) {
	s := newSetup(t)
	s.ask(&oracle{name: "openai/a", dims: 3, fail: func(texts []string) error {
		return &llm.Error{Provider: "openai", Kind: llm.KindTemporary, Status: 500, Err: fmt.Errorf("cannot embed %q", texts)}
	}}, "1")
	s.turns("project falcon")
	s.run()
	path := filepath.Join(s.DataDir, askedFile)
	b, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(b), "falcon") || !strings.Contains(string(b), "failure of its own") {
		t.Errorf("%s, %v", b, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestABrokenStateFileIsNone(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, askedFile), []byte(`{"refused": "x`), 0o600); err != nil {
		t.Fatal(err)
	}
	if st := ReadAskedState(dir); st.Embedder != "" || st.Refused != nil {
		t.Errorf("read %+v", st)
	}
}

func TestAnEmbedderThatPanicsIsAFailureLikeAnyOther(t *testing.T) {
	s := newSetup(t)
	s.ask(&oracle{name: "openai/a", dims: 3, fail: func([]string) error { panic("nobody thought of it") }}, "1")
	s.turns("one")
	s.run()
	if st := ReadAskedState(s.DataDir); st.Cause != logs.AnswerUnread {
		t.Errorf("the state is %+v", st)
	}
	if got, want := s.models(), static.ID+" 1+0"; got != want {
		t.Errorf("there are %s, want %s", got, want)
	}
}

func TestAnEmbedderThatNeverAnswersHoldsUpNeitherTheSpoolNorTheEnd(t *testing.T) {
	s, o := newSetup(t), &oracle{name: "openai/a", dims: 3, wait: make(chan struct{}), met: make(chan struct{}, 1)}
	s.ask(o, "1")
	s.turns("one")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- Run(ctx, s.Options) }()
	select {
	case <-o.met:
	case <-time.After(time.Minute):
		t.Fatal("the embedder was not asked")
	}
	s.turn("two", 1)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if empty, err := spool.Empty(s.SpoolDir); err != nil {
			t.Fatal(err)
		} else if empty {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("what came in while the embedder was asked stays in the spool")
		}
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the worker did not end")
	}
	if st := ReadAskedState(s.DataDir); st.Failing != "" {
		t.Errorf("being asked to end is no failure of the embedder: %+v", st)
	}
}
