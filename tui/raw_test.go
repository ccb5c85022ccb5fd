package tui

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cmem/memory"
)

func TestRawEventsComePageByPage(t *testing.T) {
	o, s := deepOptions()
	s.events = 10_000
	h := open(t, o, 120, 40)
	h.goToID(idRetry)
	if len(s.asked) > 0 {
		t.Fatalf("before they are asked for, events are read: %q", s.asked)
	}
	h.keys("z")
	h.see("Raw events · 20+", "PostToolUse · Edit", `"file_path": "payment/client.go"`, "重试")
	if want := []string{"batch 7 ", "5f3a9c1e-0001 1 "}; !slices.Equal(s.asked, want) {
		t.Errorf("asked for %q, want %q", s.asked, want)
	}
	h.keys("enter", "ctrl+d")
	for range 2 * maxEvents {
		h.keys("G")
	}
	h.see("the first 400 are shown")
	if n := len(s.asked); n != 1+maxEvents/eventsPage {
		t.Errorf("%d pages were read", n)
	}
	if len(h.m.detail.raw.events) != maxEvents {
		t.Errorf("%d events are kept", len(h.m.detail.raw.events))
	}
	for n := range h.m.detail.raw.events {
		if want := fmt.Sprintf("e%06d", n); h.m.detail.raw.events[n].id != want {
			t.Fatalf("event %d is %s", n, h.m.detail.raw.events[n].id)
		}
	}
	h.keys("z")
	h.seeNot("PostToolUse", "Raw events")
	h.keys("esc", "j", "z")
	h.see("Raw events · 20+")
}

func TestRawEventsThatAreNotThere(t *testing.T) {
	o, s := deepOptions()
	s.events = 0
	h := open(t, o, 120, 60)
	h.goToID(idRetry)
	h.keys("z")
	h.see("None are kept")
	h.keys("z")
	s.fail = errors.New("disk I/O error")
	h.keys("z")
	h.see("The events could not be read: disk I/O error")
	n := len(s.asked)
	h.keys("enter", "G", "G")
	if len(s.asked) != n {
		t.Error("it is tried again and again")
	}
}

func TestZOpensTheDetailsWhereThereIsOnePane(t *testing.T) {
	o, _ := deepOptions()
	h := open(t, o, 60, 24)
	h.goToID(idRetry)
	h.keys("z")
	h.see("Raw events", "PostToolUse · Edit")
	h.seeNot("Timeline ·")
}

func TestAPayloadIsReadableAndShort(t *testing.T) {
	for _, tc := range []struct {
		name, payload, want string
		cut                 bool
	}{
		{"laid out", `{"a":1,"b":["二"]}`, "{\n  \"a\": 1,\n  \"b\": [\n    \"二\"\n  ]\n}", false},
		{"no JSON", "not { json \x1b[2J", "not { json", false},
		{"nothing", "", "", false},
	} {
		got := cleanEvent(memory.RawEvent{Payload: json.RawMessage(tc.payload)})
		if got.payload != tc.want || got.cut != tc.cut {
			t.Errorf("%s: got %q, cut %v", tc.name, got.payload, got.cut)
		}
	}
	for back := range 4 { // the cut falls on every byte of a character
		long := `"` + strings.Repeat("x", back) + strings.Repeat("漢", maxPayload) + `"`
		got := cleanEvent(memory.RawEvent{Payload: json.RawMessage(long)})
		if !got.cut || len(got.payload) > maxPayload || len(got.payload) < maxPayload-3 || strings.ContainsRune(got.payload, '\uFFFD') {
			t.Errorf("cut to %d bytes ending in %q", len(got.payload), got.payload[len(got.payload)-6:])
		}
	}
	huge := cleanEvent(memory.RawEvent{Payload: json.RawMessage(strings.Repeat("\x80", 2*maxIndented))})
	if !huge.cut || huge.size != 2*maxIndented {
		t.Errorf("a huge payload of no text: cut %v, %d bytes", huge.cut, huge.size)
	}
}
