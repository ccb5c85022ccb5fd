package tui

import (
	"context"
	"errors"
	"testing"
	"time"
)

// troubled is a source that cannot be watched, with what is wrong by turns.
type troubled struct {
	Source
	looks int
	wrong []string // of the looks, one after the other; the last one stays
}

func (s *troubled) DataVersion(context.Context) (int64, error) {
	at := min(s.looks, len(s.wrong)-1)
	s.looks++
	if s.wrong[at] == "" {
		return 7, nil
	}
	return 0, errors.New(s.wrong[at])
}

// What is wrong with the store is told once, not twenty times a second.
func TestATroubledStoreIsToldOnce(t *testing.T) {
	h := openReal(t, 120, 40)
	h.m.cmds.timing.poll, h.m.cmds.timing.status = time.Microsecond, 2*time.Microsecond
	source := &troubled{Source: h.store, wrong: []string{"文件被替换", "文件被替换", "文件被替换", "gone", "gone", ""}}
	h.m.cmds.source = source
	for _, want := range []struct {
		looks int
		says  string
	}{{1, "文件被替换"}, {4, "gone"}, {6, ""}} {
		msg, ok := h.m.cmds.watch(noVersion, h.m.trouble)().(changedMsg)
		if !ok || source.looks != want.looks || (msg.err != nil) != (want.says != "") {
			t.Fatalf("after %d looks it tells %+v, not %q after %d", source.looks, msg, want.says, want.looks)
		}
		h.m.Update(msg)
		h.m.View()
		if want.says == "" {
			h.seeNot("gone", "文件被替换")
			continue
		}
		h.m.Update(refreshMsg{list: h.m.listID}) // what was open can be read still
		h.see(want.says)
	}
	h.m.cmds.stop()

	// It is looked at no more often than the worker.
	h.m.cmds.timing.poll, h.m.cmds.timing.status = time.Microsecond, time.Hour
	source.looks, source.wrong = 0, []string{"gone"}
	cmd := h.m.cmds.watch(noVersion, "gone")
	done := make(chan struct{})
	go func() { cmd(); close(done) }()
	time.Sleep(20 * time.Millisecond)
	h.m.cmds.stop()
	<-done
	if source.looks != 0 {
		t.Errorf("a troubled store is looked at %d times in no time", source.looks)
	}
}
