package tui

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"cmem/memory"
)

// played is a browser in which keys were played.
type played struct{ opened }

// fingerprint is all that a person can see, but for what is only said.
func (p played) fingerprint() string {
	m := p.m
	m.notice, m.dirty = "", true
	v := m.View()
	return fmt.Sprintf("%v %v %v %+v %d %v", v.Content, v.Cursor, v.MouseMode, m.input, m.state.focus, m.view)
}

// outside is what was done beyond the screen.
func (p played) outside() string {
	return fmt.Sprint(p.quit, p.clipboard, p.m.listID, p.desk.done, p.desk.commands, p.m.changes)
}

// paneScenes are the places in which the keys of the panes are tried: each view,
// with the keys in each pane, near the top and far from it, with marks and without.
func paneScenes() map[string][]string {
	scenes := map[string][]string{
		"marked":   {"G", "k", "k", "space", "space", "k"},
		"undo":     {"G", "k", "P"},
		"filtered": {"/", "type:bugfix", "enter"},
		"details":  {"G", "k", "k", "enter", "J"},
		"read on":  {"G", "k", "k", "J"},
		"queue":    {"6", "j"},
	}
	for n, v := range views {
		keys := []string{fmt.Sprint(n + 1), "j", "j"}
		switch v {
		case viewSearch:
			keys = []string{"/", "retry", "enter"}
		case viewWhy:
			keys = []string{"/", "retry", "enter", "8"}
		}
		scenes[string(v)] = keys
		switch v {
		case viewTimeline, viewSearch:
			scenes[string(v)+", end"] = append(slices.Clone(keys), "G", "k")
		case viewProjects, viewQueue, viewWhy:
			scenes[string(v)+", other pane"] = append(slices.Clone(keys), "tab")
		}
	}
	return scenes
}

// windowScenes are the windows in which the keys of the other scopes are tried.
var windowScenes = map[scope]map[string][]string{
	inFilter: {"words": {"/", "a e", "left"}, "completing": {"/", "a is:"}, "results": {"/", "type:bugfix", "down", "left"}},
	inHelp:   {"help": {"?", "j"}},
	inChoice: {"themes": {"t", "g", "j"}},
	inConfirm: {
		"delete": {"G", "k", "d"},
	},
	inTyping: {
		"palette": {":", "a e", "down", "left"}, "tags": {"G", "k", "T", "re", "left", "right"}, "finder": {"S", "a", "left", "right"},
		"projects": {"p", "down", "s", "left", "right"},
	},
	inForm: {"form": {"/", "type:bugfix", "enter", "e", "tab", "tab", "tab", "a b", "enter", "c d", "enter", "e f", "up", "left"}},
}

// withTranscripts is a real source whose sessions have transcripts.
type withTranscripts struct{ realSource }

func (s withTranscripts) Session(ctx context.Context, id string) (memory.Session, error) {
	out, err := s.realSource.Session(ctx, id)
	out.TranscriptPath = "/会话.jsonl"
	return out, err
}

// playKeys opens a browser over a store, with a desk that can do everything, and
// plays keys and words in it.
func playKeys(t *testing.T, s realSource, keys []string) played {
	t.Helper()
	o := demoOptions()
	o.Source = withTranscripts{s}
	desk := &fakeDesk{files: map[string]string{}}
	desk.fill(&o.Desk)
	h := open(t, o, 120, 24)
	desk.take(h)
	for _, k := range keys {
		if _, special := specialKeys[k]; special || len([]rune(k)) == 1 && h.m.scope() != inTyping {
			h.keys(k)
		} else {
			h.text(k)
		}
	}
	return played{opened{h, s, desk}}
}

// A key in the map that does nothing would be a lie in the help. Each is pressed in
// many places: in one it must have an effect, of which what is said is none, and in
// the others too or say in the map why it has not. Where one is at the end of a way,
// going on does nothing; what is marked is not marked again, and which files a memory
// names, or whether a batch is due already, is known only when it was read.
func TestEveryBindingDoesSomething(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a store for each key: half a minute, and far more under the race detector")
	}
	ends := []action{actDown, actUp, actHalfDown, actHalfUp, actPageDown, actPageUp, actFirst, actLast, actNewest, actReadDown, actReadUp,
		actLeft, actRight, actHome, actEnd, actErase, actEraseNext, actEraseWord, actEraseAll,
		actMarkRange, actOpenFile, actRetry}
	for in := range scopes {
		scenes := windowScenes[in]
		if in == inPanes {
			scenes = paneScenes()
		}
		t.Run(fmt.Sprint("scope ", in), func(t *testing.T) {
			var mu sync.Mutex
			worked := map[action]bool{}
			t.Run("in", func(t *testing.T) {
				for name, keys := range scenes {
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						for _, a := range tryBindings(t, in, keys, ends) {
							mu.Lock()
							worked[a] = true
							mu.Unlock()
						}
					})
				}
			})
			for _, b := range defaultKeys {
				if slices.Contains(b.scopes, in) && b.action != actSuspend && !worked[b.action] {
					t.Errorf("%s does nothing anywhere", b.action)
				}
			}
		})
	}
}

// tryBindings does what each binding of a scope says, each in a browser in which
// keys were played, and gives those with an effect.
func tryBindings(t *testing.T, in scope, keys []string, ends []action) (worked []action) {
	var store *realSource
	var p *played
	for _, b := range defaultKeys {
		if !slices.Contains(b.scopes, in) || b.action == actSuspend {
			continue
		}
		if store == nil {
			s := realStore(t)
			fillQueue(t, s)
			store = &s
		}
		if p == nil {
			opened := playKeys(t, *store, keys)
			p = &opened
			if got := p.m.scope(); got != in {
				t.Fatalf("the keys are in scope %d, not %d", got, in)
			}
		}
		if b.reason(p.m.situation()) != "" {
			continue
		}
		screen, outside := p.fingerprint(), p.outside()
		p.run(p.m.do(b.action, in))
		p.m.place()
		said := p.m.notice
		if screen != p.fingerprint() || outside != p.outside() {
			worked = append(worked, b.action)
		} else if !slices.Contains(ends, b.action) && viewActions[b.action] != p.m.view {
			t.Errorf("%s does nothing and the map does not say why; it says %q", b.action, said)
		}
		if p.m.changes > 0 || b.action == actRetry {
			store = nil // the next one begins with a store as it was
		}
		p = nil
	}
	return worked
}
