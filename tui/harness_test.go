package tui

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// harness plays Bubble Tea's part: it runs the commands of a model one after
// the other, so that a test sees the state after all of them.
type harness struct {
	t         *testing.T
	m         *model
	clipboard string
	quit      bool
}

func open(t *testing.T, o Options, width, height int) *harness {
	t.Helper()
	if o.Now == nil {
		o.Now = testNow
	}
	h := &harness{t: t, m: newModel(t.Context(), o, timing{})}
	h.send(tea.WindowSizeMsg{Width: width, Height: height})
	h.run(h.m.Init())
	return h
}

func (h *harness) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			h.run(c)
		}
	case tea.QuitMsg:
		h.quit = true
	default:
		if v := reflect.ValueOf(msg); v.Kind() == reflect.String { // Bubble Tea's own, for the clipboard
			h.clipboard = v.String()
			return
		}
		h.send(msg)
	}
}

func (h *harness) send(msg tea.Msg) {
	_, cmd := h.m.Update(msg)
	h.m.View()
	h.run(cmd)
}

// keys presses keys, named as Bubble Tea names them.
func (h *harness) keys(names ...string) {
	for _, name := range names {
		h.send(keyPress(h.t, name))
	}
}

// text types text.
func (h *harness) text(s string) {
	for _, r := range s {
		h.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

var specialKeys = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": ' ', "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp,
	"pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "f1": tea.KeyF1, "f5": tea.KeyF5,
}

func keyPress(t *testing.T, name string) tea.KeyPressMsg {
	t.Helper()
	var k tea.Key
	rest := name
	for prefix, mod := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "shift+": tea.ModShift, "alt+": tea.ModAlt} {
		if after, found := strings.CutPrefix(rest, prefix); found {
			k.Mod, rest = mod, after
		}
	}
	if code, special := specialKeys[rest]; special {
		k.Code = code
	} else {
		k.Code, _ = utf8.DecodeRuneInString(rest)
		if k.Mod == 0 {
			k.Text = rest
		}
	}
	if got := tea.KeyPressMsg(k).String(); got != name {
		t.Fatalf("the test means the key %q and makes %q", name, got)
	}
	return tea.KeyPressMsg(k)
}

// frame gives the screen as text, and fails the test if a line of it is not
// exactly as wide as the screen or has something in it that moves the cursor.
func (h *harness) frame() string {
	h.t.Helper()
	lines := h.m.screen()
	if len(lines) != h.m.layout.height {
		h.t.Errorf("%d×%d: the screen has %d lines", h.m.layout.width, h.m.layout.height, len(lines))
	}
	var b strings.Builder
	for n, l := range lines {
		text := l.String()
		if w := h.m.method.StringWidth(text); w != h.m.layout.width {
			h.t.Errorf("%d×%d: line %d is %d cells wide: %q", h.m.layout.width, h.m.layout.height, n, w, text)
		}
		if i := strings.IndexFunc(text, unicode.IsControl); i >= 0 {
			h.t.Errorf("line %d has the control character %q: %q", n, text[i], text)
		}
		b.WriteString(strings.TrimRight(text, " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// selectedTitle gives the title of the selected row.
func (h *harness) selectedTitle() string {
	item, ok := h.m.list.selected()
	if !ok {
		return ""
	}
	return item.Title
}

func (h *harness) see(want ...string) {
	h.t.Helper()
	frame := h.frame()
	for _, w := range want {
		if !strings.Contains(frame, w) {
			h.t.Errorf("the screen does not show %q:\n%s", w, frame)
		}
	}
}

func (h *harness) seeNot(unwanted ...string) {
	h.t.Helper()
	frame := h.frame()
	for _, w := range unwanted {
		if strings.Contains(frame, w) {
			h.t.Errorf("the screen shows %q:\n%s", w, frame)
		}
	}
}

// useClusters lets the terminal promise that a grapheme cluster is one
// character.
func (h *harness) useClusters() {
	h.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
}

// golden compares got with a file, or rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if string(want) != got {
		t.Errorf("%s differs (go test -update rewrites it)\n--- want\n%s\n--- got\n%s", path, want, got)
	}
}

func demoOptions() Options {
	return Options{
		Source: demoSource(), Theme: "system", Project: webshop,
		Desk: Desk{Status: func(context.Context) (Status, error) { return Status{Running: true}, nil }},
	}
}

// slow skips a test under -short, with which the race detector runs: it takes long
// there, and nothing in it runs at once.
func slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long, and nothing in it runs at once")
	}
}
