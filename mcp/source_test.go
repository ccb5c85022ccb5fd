package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cmem/memory"
	"cmem/store"
)

// reading opens the store at path as the command does.
func reading(path string) func(context.Context) (Store, error) {
	return func(ctx context.Context) (Store, error) {
		s, err := store.OpenReadOnly(ctx, path)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
}

func writing(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func remember(t *testing.T, s *store.Store, title string) {
	t.Helper()
	if _, _, err := s.Add(t.Context(), memory.Observation{Project: webshop, Type: memory.TypeDiscovery, Title: title, CreatedAt: at(8, 0)}); err != nil {
		t.Fatal(err)
	}
}

func TestAServerThatWasStartedBeforeTheFirstMemoryFindsItLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "cmem.db")
	c := connectTo(t, reading(path), webshop)
	c.initialize()
	for tool, arguments := range map[string]string{"search": `{"query":"first"}`, "timeline": `{}`, "get_observations": `{"ids":[1]}`} {
		if text, failed := c.call(tool, arguments); failed || text != nothingYet {
			t.Errorf("%s: failed=%v %q", tool, failed, text)
		}
	}
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("looking has made the directory: %v", err)
	}
	remember(t, writing(t, path), "the first memory")
	if text, failed := c.call("search", `{"query":"first"}`); failed || !strings.Contains(text, "the first memory") {
		t.Errorf("failed=%v %s", failed, text)
	}
}

func TestAStoreThatIsReplacedUnderTheServerIsOpenedAnew(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "cmem.db")
	remember(t, writing(t, path), "the old store")
	c := connectTo(t, reading(path), webshop)
	c.initialize()
	if text, _ := c.call("search", `{"query":"store"}`); !strings.Contains(text, "the old store") {
		t.Fatal(text)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.Rename(name, name+".kept"); err != nil && !os.IsNotExist(err) {
			t.Skip("open files cannot be renamed here: ", err)
		}
	}
	if text, failed := c.call("search", `{"query":"store"}`); failed || text != nothingYet {
		t.Errorf("with the store gone: failed=%v %s", failed, text)
	}
	remember(t, writing(t, path), "the new store")
	if text, failed := c.call("search", `{"query":"store"}`); failed || !strings.Contains(text, "the new store") || strings.Contains(text, "the old store") {
		t.Errorf("with a new store: failed=%v %s", failed, text)
	}
}

// brittle is a store that fails after some calls, as one does whose tables a newer
// cmem has changed.
type brittle struct {
	*fake
	left   atomic.Int32
	closed atomic.Bool
}

func (b *brittle) ListObservations(ctx context.Context, f memory.Filter, after memory.Cursor, limit int) ([]memory.Observation, error) {
	if b.left.Add(-1) < 0 {
		return nil, errors.New("no such column: mood")
	}
	return b.fake.ListObservations(ctx, f, after, limit)
}

func (b *brittle) Close() error {
	b.closed.Store(true)
	return nil
}

func TestAStoreThatFailsIsClosedAndTriedOnceMore(t *testing.T) {
	first, second := &brittle{fake: filled()}, &brittle{fake: filled()}
	first.left.Store(1)
	second.left.Store(1)
	opened := 0
	c := connectTo(t, func(context.Context) (Store, error) {
		opened++
		switch opened {
		case 1:
			return first, nil
		case 2:
			return second, nil
		}
		return nil, fmt.Errorf("open store: %w", &store.NewerSchemaError{Path: "cmem.db", Have: 9, Want: 4})
	}, webshop)
	c.initialize()
	for range 2 {
		if text, failed := c.call("search", `{}`); failed || !strings.Contains(text, "#13 ") {
			t.Fatalf("failed=%v %s", failed, text)
		}
	}
	if !first.closed.Load() || second.closed.Load() {
		t.Errorf("closed: the first %v, the second %v", first.closed.Load(), second.closed.Load())
	}
	text, failed := c.call("search", `{}`)
	if !failed || !strings.Contains(text, "cmem was updated while this server was running") || !second.closed.Load() {
		t.Errorf("failed=%v %s", failed, text)
	}
}

func TestAMistakeOfTheCallerDoesNotOpenTheStoreAnew(t *testing.T) {
	src := &brittle{fake: filled()}
	src.left.Store(100)
	opened := 0
	c := connectTo(t, func(context.Context) (Store, error) { opened++; return src, nil }, webshop)
	c.initialize()
	for _, arguments := range []string{`{"limit":"many"}`, `{"kinds":"moods"}`, `{"status":"gone"}`, `{"sort":"mood"}`, `{"format":"xml"}`, `{"cursor":"#99"}`, `{"query":"x","cursor":"#12"}`} {
		if text, failed := c.call("search", arguments); !failed || strings.Contains(text, "cmem doctor") {
			t.Errorf("search(%s): failed=%v %s", arguments, failed, text)
		}
	}
	if opened > 1 || src.closed.Load() {
		t.Errorf("opened %d times, closed %v", opened, src.closed.Load())
	}
}

func TestCallsThatComeAtOnceOpenTheStoreOnceAndItIsClosedAtTheEnd(t *testing.T) {
	src := &brittle{fake: filled()}
	src.left.Store(1_000)
	var opened atomic.Int32
	ctx, cancel := context.WithCancel(t.Context())
	h := &holder{ctx: ctx, open: func(context.Context) (Store, error) {
		opened.Add(1)
		time.Sleep(20 * time.Millisecond)
		return src, nil
	}}
	defer cancel()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := h.use(ctx, func(s Source) error { _, err := s.Projects(ctx); return err }); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if opened.Load() != 1 || src.closed.Load() {
		t.Errorf("opened %d times, closed %v", opened.Load(), src.closed.Load())
	}
	h.close()
	if !src.closed.Load() {
		t.Error("the store is left open")
	}
}

func TestACallThatIsCancelledDoesNotWaitForTheStoreToOpen(t *testing.T) {
	release := make(chan struct{})
	h := &holder{ctx: t.Context(), open: func(context.Context) (Store, error) { <-release; return filled(), nil }}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.use(ctx, func(Source) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	close(release)
	if err := h.use(t.Context(), func(Source) error { return nil }); err != nil {
		t.Errorf("the opening did not go on: %v", err)
	}
}

func TestReadingBlocksNoWriterAndSeesWhatItWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cmem.db")
	w := writing(t, path)
	remember(t, w, "memory number 0 of the worker")
	c := connectTo(t, reading(path), webshop)
	c.initialize()
	const n = 60
	wrote := make(chan error, 1)
	go func() {
		for i := range n {
			// A writer that had to wait for a reader would fail with store.ErrBusy in the end.
			_, _, err := w.Add(t.Context(), memory.Observation{Project: webshop, Type: memory.TypeDiscovery, Title: fmt.Sprintf("memory number %d of the worker", i+1), CreatedAt: at(8, 1)})
			if err != nil {
				wrote <- err
				return
			}
		}
		wrote <- nil
	}()
	for done := false; !done; {
		select {
		case err := <-wrote:
			if err != nil {
				t.Fatal(err)
			}
			done = true
		default:
		}
		for _, arguments := range []string{`{"query":"worker"}`, `{"limit":100}`} {
			if text, failed := c.call("search", arguments); failed {
				t.Fatal(text)
			}
		}
	}
	text, failed := c.call("search", `{"limit":100,"max_tokens":20000}`)
	if got := len(idsIn(text)); failed || got != n+1 {
		t.Errorf("%d memories are seen of %d", got, n+1)
	}
}
