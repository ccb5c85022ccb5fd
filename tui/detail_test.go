package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// deepSource is the demo's store with events behind its memories, and
// observations near them in meaning.
type deepSource struct {
	*fakeSource
	events  int // behind every prompt
	payload string
	related []int64
	asked   []string // for pages of events: "session prompt after"
	fail    error    // what pages of events answer
}

func (s *deepSource) page(after string, limit int) []memory.RawEvent {
	var out []memory.RawEvent
	first := 0
	if after != "" {
		_, _ = fmt.Sscanf(after, "e%d", &first)
		first++
	}
	for n := first; n < min(first+limit, s.events); n++ {
		e := memory.RawEvent{
			ID: fmt.Sprintf("e%06d", n), Name: memory.EventPostToolUse, ToolName: "Edit",
			CreatedAt: testNow().Add(time.Duration(n) * time.Second), Payload: json.RawMessage(s.payload),
		}
		if n%5 == 4 {
			e.Name, e.ToolName, e.Payload = memory.EventStop, "", nil
		}
		out = append(out, e)
	}
	return out
}

func (s *deepSource) BatchEventsPage(_ context.Context, batch int64, after string, _ int) ([]memory.RawEvent, error) {
	s.asked = append(s.asked, fmt.Sprintf("batch %d %s", batch, after))
	return nil, s.fail
}

func (s *deepSource) RawEvents(_ context.Context, session string, prompt int, after string, limit int) ([]memory.RawEvent, error) {
	s.asked = append(s.asked, fmt.Sprintf("%s %d %s", session, prompt, after))
	if s.fail != nil {
		return nil, s.fail
	}
	return s.page(after, limit), nil
}

func (s *deepSource) Related(_ context.Context, _ memory.Observation, limit int) ([]memory.Hit, error) {
	var hits []memory.Hit
	for _, id := range s.related {
		if len(hits) < limit {
			hits = append(hits, memory.Hit{Observation: s.observations[id]})
		}
	}
	return hits, nil
}

// change lets f change an observation of the demo, and its row.
func (s *deepSource) change(id int64, f func(o *memory.Observation)) {
	o := s.observations[id]
	f(&o)
	s.observations[id] = o
	for n := range s.items {
		if s.items[n].Kind == memory.KindObservation && s.items[n].ID == id {
			s.items[n] = itemOf(o)
		}
	}
}

// The observations of the demo that the tests speak of.
const (
	idRetry   = 105 // English, with everything
	idChinese = 102
	idMoney   = 103
	idLeak    = 106
)

func deepDemo() *deepSource {
	s := &deepSource{fakeSource: demoSource(), events: 6, related: []int64{idMoney, idChinese, idLeak}}
	s.payload = `{"tool_name":"Edit","tool_input":{"file_path":"payment/client.go","old_string":"return err","new_string":"return retry(err) // 重试 🔁"},"duration_ms":412}`
	s.change(idRetry, func(o *memory.Observation) {
		o.UID, o.BatchID, o.Pinned = "01a22c94-82a0-7e3c-aedc-c8c873f37c33", 7, true
		o.Status, o.StatusReason, o.SupersededBy = memory.StatusSuperseded, "the provider has its own retry now · 已由供应商处理", "uid-of-103"
		o.ValidUntil = time.Date(2026, 11, 3, 12, 0, 0, 0, testZone)
		o.EditedAt = testNow().Add(-time.Hour)
		o.Tags = append(o.Tags, "支付")
		o.Narrative += "\n\nSee `order/store.go`:\n```go\nkey := order.Key() // 一次生成\n```\nand [the docs](https://example.org/pay)."
	})
	s.change(idMoney, func(o *memory.Observation) { o.UID = "uid-of-103" })
	return s
}

func deepOptions() (Options, *deepSource) {
	s := deepDemo()
	o := demoOptions()
	o.Source = s
	return o, s
}

// goToID selects an observation of the list.
func (h *harness) goToID(id int64) {
	h.t.Helper()
	i := h.m.list.index(itemKey{memory.KindObservation, id})
	if i < 0 {
		h.t.Fatalf("#%d is not in the list", id)
	}
	for h.m.list.cursor < i {
		h.keys("j")
	}
	for h.m.list.cursor > i {
		h.keys("k")
	}
}

func TestDetailsLookAsAgreed(t *testing.T) {
	for _, scene := range []struct {
		name string
		play func(h *harness, s *deepSource)
	}{
		{"whole", func(h *harness, _ *deepSource) { h.goToID(idRetry); h.keys("enter") }},
		{"whole-end", func(h *harness, _ *deepSource) { h.goToID(idRetry); h.keys("enter", "pgdown") }},
		{"raw", func(h *harness, _ *deepSource) { h.goToID(idRetry); h.keys("z") }},
		{"whole-chinese", func(h *harness, _ *deepSource) {
			h.useClusters()
			h.goToID(idChinese)
			h.keys("enter")
		}},
		{"right-to-left", func(h *harness, s *deepSource) {
			h.useClusters()
			s.change(idLeak, strange)
			h.send(changedMsg{version: 50})
			h.goToID(idLeak)
			h.keys("enter")
		}},
		{"links", func(h *harness, _ *deepSource) { h.goToID(idRetry); h.keys("enter", "enter") }},
		{"lit", func(h *harness, _ *deepSource) {
			h.keys("/")
			h.text("charge card 总价")
			h.keys("ctrl+u")
			h.text("leak")
			h.keys("enter", "enter")
		}},
	} {
		for _, size := range append(sizes, [2]int{56, 18}) {
			name := fmt.Sprintf("detail-%s-%dx%d", scene.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				o, s := deepOptions()
				h := open(t, o, size[0], size[1])
				scene.play(h, s)
				golden(t, "frames/"+name+".txt", h.frame())
			})
		}
	}
}

// strange gives an observation text that terminals have trouble with.
func strange(o *memory.Observation) {
	o.Title = "שלום \u202eevil\u202c \u2066isolated\u2069 مرحبا بالعالم"
	o.Subtitle = "e\u0301 a\u0308 \u0e01\u0e33 क्षि ậ"
	o.Narrative = "Tab\there, \x1b[31mred\x1b[0m, bell\a, a " + strings.Repeat("Donaudampfschiff", 9) +
		" and הטקסט הזה נכתב מימין לשמאל 123 (abc).\nZ" + strings.Repeat("\u0335", 40) + "algo 👩‍👩‍👧‍👦 🇩🇪"
	o.Facts = []string{"\u2067RTL isolate\u2069", "مفتاح = القيمة"}
	o.Concepts = []string{"עברית", "中文"}
}

// No text reorders or moves what stands around it.
func TestTextIsHarmlessInTheDetails(t *testing.T) {
	for _, clusters := range []bool{false, true} {
		o, s := deepOptions()
		s.change(idLeak, strange)
		h := open(t, o, 120, 40)
		if clusters {
			h.useClusters()
		}
		h.goToID(idLeak)
		for w := 30; w < 200; w += 7 {
			h.send(tea.WindowSizeMsg{Width: w, Height: 40})
			if at := strings.IndexFunc(h.frame(), isBidiControl); at >= 0 {
				t.Errorf("%d cells: a control of the writing direction reaches the screen", w)
			}
		}
	}
}

func isBidiControl(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c
}

func TestControlsOfTheWritingDirectionAreRemoved(t *testing.T) {
	for r := rune(0x2000); r < 0x2070; r++ {
		if !isBidiControl(r) {
			continue
		}
		for _, got := range []string{cleanLine("a" + string(r) + "b"), cleanText("a" + string(r) + "b"), cleanSnippet("a" + string(r) + "b")} {
			if got != "ab" {
				t.Errorf("%U: got %q", r, got)
			}
		}
	}
}

func TestTheDetailsSayWhyAMemoryDoesNotCount(t *testing.T) {
	o, s := deepOptions()
	h := open(t, o, 120, 60)
	h.goToID(idRetry)
	h.see("superseded by #103", "expired 3 Nov 2026", "because: the provider has its own retry now · 已由供应商处",
		"now: #103 Prices stay integers", "★ pinned", "#release-2.4", "#支付",
		"1 · The payment provider times out", "9,120 tokens · 640 spent", "01a22c94-82a0", "Today 14:04")
	s.change(idRetry, func(o *memory.Observation) {
		o.SupersededBy, o.ValidUntil = "uid-of-nobody", testNow().AddDate(0, 1, 0)
	})
	h.send(changedMsg{version: 51})
	h.see("superseded by one that is not here any more", "valid until 30 Dec 2026")
	s.change(idRetry, func(o *memory.Observation) { o.Status, o.SupersededBy = memory.StatusInvalid, "" })
	h.send(changedMsg{version: 52})
	h.see("wrong")
}

func TestThePlaceInAMemoryIsKept(t *testing.T) {
	o, s := deepOptions()
	h := open(t, o, 80, 16)
	h.goToID(idRetry)
	h.keys("J", "J", "J")
	was := h.m.detail.top
	if was == 0 {
		t.Fatal("J did not scroll")
	}
	h.keys("j")
	if h.m.detail.top != 0 {
		t.Errorf("another memory begins at line %d", h.m.detail.top)
	}
	h.keys("k")
	if h.m.detail.top != was {
		t.Errorf("coming back one is at line %d, was at %d", h.m.detail.top, was)
	}
	s.change(idRetry, func(o *memory.Observation) { o.Pinned = false })
	h.send(changedMsg{version: 60})
	if h.m.detail.top != was || h.m.detail.item.Pinned {
		t.Errorf("after a refresh one is at line %d, was at %d", h.m.detail.top, was)
	}
}

func TestPlacesAreBounded(t *testing.T) {
	var p places
	for n := range int64(3 * maxPlaces) {
		p.put(itemKey{memory.KindPrompt, n}, reading{top: int(n) + 1})
		p.put(itemKey{memory.KindPrompt, 0}, reading{top: 7}) // read again and again
	}
	if len(p.at) != maxPlaces || len(p.keys) != maxPlaces {
		t.Errorf("%d places and %d keys are kept", len(p.at), len(p.keys))
	}
	if r, known := p.get(itemKey{memory.KindPrompt, 0}); !known || r.top != 7 {
		t.Error("what was read last is forgotten")
	}
	if _, known := p.get(itemKey{memory.KindPrompt, 1}); known {
		t.Error("what was read first is kept")
	}
}

func TestASearchShowsWhatItFound(t *testing.T) {
	o, s := deepOptions()
	s.change(idLeak, func(o *memory.Observation) {
		o.Narrative = strings.Repeat("Nothing of interest in this line.\n", 60) + "Here it says zanzibar, once.\n" + strings.Repeat("And on.\n", 40)
	})
	h := open(t, o, 100, 24)
	h.keys("/")
	h.text("zanzibar")
	h.see("Here it says zanzibar, once.")
	top := h.m.detail.top
	h.keys("esc", "J")
	if h.m.detail.top != top+3 {
		t.Errorf("scrolling went from line %d to %d", top, h.m.detail.top)
	}
	h.send(changedMsg{version: 61}) // reading it again moves nothing
	if h.m.detail.top != top+3 {
		t.Errorf("the refresh went to line %d", h.m.detail.top)
	}
}

func TestCodeStandsOutInProse(t *testing.T) {
	for _, tc := range []struct{ in, code string }{
		{"run `go test` now", "go test"},
		{"a lone ` stays", ""},
		{"```go\nx := 1\n```\nafter", "x := 1"},
		{"`one` and `二`", "one|二"},
	} {
		w := newWriter(byRune, 60, nil)
		w.prose(tc.in)
		var code []string
		for _, l := range w.out {
			for _, s := range l {
				if s.role == themes.Accent {
					code = append(code, s.text)
				}
			}
			if strings.Contains(l.String(), fence) {
				t.Errorf("%q: a fence is shown", tc.in)
			}
		}
		if got := strings.Join(code, "|"); got != tc.code {
			t.Errorf("%q: %q stands out, want %q", tc.in, got, tc.code)
		}
	}
}

func TestNoSizeBreaksTheDetails(t *testing.T) {
	o, s := deepOptions()
	s.change(idLeak, strange)
	for _, keys := range [][]string{{"enter", "z"}, {"enter", "tab", "G"}, {"enter", "enter"}} {
		for _, id := range []int64{idRetry, idLeak} {
			h := open(t, o, 200, 40)
			h.useClusters()
			h.goToID(id)
			h.keys(keys...)
			for _, w := range []int{1, 2, 3, 9, 28, 30, 40, 79, 80, 81, 159, 160, 300} {
				for _, height := range []int{1, 3, 4, 8, 9, 12, 30, 100} {
					h.send(tea.WindowSizeMsg{Width: w, Height: height})
					h.frame()
				}
			}
		}
	}
}
