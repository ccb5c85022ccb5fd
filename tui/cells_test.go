package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"cmem/themes"
)

var (
	byRune    = cells{ansi.WcWidth}
	byCluster = cells{ansi.GraphemeWidth}
)

func TestFitIsExactlyAsWideAsAsked(t *testing.T) {
	for _, tc := range []struct {
		in   string
		w    int
		want string
	}{
		{"retry", 8, "retry   "},
		{"retry", 5, "retry"},
		{"retry with backoff", 9, "retry wi…"},
		{"retry with", 7, "retry… "},
		{"修复购物车", 10, "修复购物车"},
		{"修复购物车", 9, "修复购物…"},
		{"修复购物车", 8, "修复购… "},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"abc", 1, "…"},
		{"abc", 0, ""},
		{"", 3, "   "},
	} {
		for _, c := range []cells{byRune, byCluster} {
			if got := c.fit(tc.in, tc.w); got != tc.want || c.width(got) != tc.w {
				t.Errorf("fit(%q, %d) = %q, want %q", tc.in, tc.w, got, tc.want)
			}
		}
	}
}

// A terminal that did not promise clusters gets emoji that take two cells
// everywhere; one that did gets them as they are.
func TestEmojiTakeTheSameCellsInEveryTerminal(t *testing.T) {
	for _, tc := range []struct{ in, plain string }{
		{"👩‍💻 ok", "👩 ok"},
		{"👍🏽", "👍"},
		{"👨‍👩‍👧‍👦", "👨"},
		{"🇨🇳", "CN"},
		{"⚙️ x", "⚙ x"},
		{"1️⃣", "1"},
		{"修复 café 🤔", "修复 café 🤔"},
		{"नमस्ते", "नमस्ते"},
	} {
		if got := byRune.settle(tc.in); got != tc.plain {
			t.Errorf("settle(%q) = %q, want %q", tc.in, got, tc.plain)
		}
		if got := byCluster.settle(tc.in); got != tc.in {
			t.Errorf("with clusters, settle(%q) = %q", tc.in, got)
		}
		if strings.ContainsAny(tc.plain, "न") { // no emoji: left to the terminal
			continue
		}
		if a, b := byRune.width(tc.plain), byCluster.width(tc.plain); a != b {
			t.Errorf("%q takes %d or %d cells", tc.plain, a, b)
		}
	}
}

func TestWrapBreaksWhereAReaderWould(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		w        int
		want     []string
	}{
		{"at spaces", "retry with backoff", 10, []string{"retry with", "backoff"}},
		{"a long word is cut", "chargeCardWithRetry", 8, []string{"chargeCa", "rdWithRe", "try"}},
		{"lines stay", "a\n\nb", 9, []string{"a", "", "b"}},
		{"Chinese between characters", "修复购物车的价格", 6, []string{"修复购", "物车的", "价格"}},
		{"no line begins with a full stop", "修复购。物车", 6, []string{"修复", "购。物", "车"}},
		{"no line ends with a bracket", "修复了（价格）", 8, []string{"修复了", "（价格）"}},
		{"Chinese beside a word", "修复cart里", 8, []string{"修复cart", "里"}},
		{"indentation stays", "  - one two", 8, []string{"  - one", "  two"}},
		{"a wide character in one cell", "修", 1, []string{"修"}},
		{"nothing", "", 5, []string{""}},
	} {
		if got := byCluster.wrap(tc.in, tc.w); !slices.Equal(got, tc.want) {
			t.Errorf("%s: wrap(%q, %d) = %q, want %q", tc.name, tc.in, tc.w, got, tc.want)
		}
	}
}

func FuzzWrapLosesNothingAndKeepsTheWidth(f *testing.F) {
	f.Add("retry with 修复购物车 👩‍💻", 7)
	f.Add("   x  ", 2)
	f.Fuzz(func(t *testing.T, s string, w int) {
		s, w = cleanText(s), 2+max(w, -w)%40
		squeeze := func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, " ", ""), "\n", "") }
		for _, c := range []cells{byRune, byCluster} {
			lines := c.wrap(s, w)
			if got, want := squeeze(strings.Join(lines, "")), squeeze(c.settle(s)); got != want {
				t.Errorf("wrap(%q, %d) lost text: %q", s, w, lines)
			}
			for _, l := range lines {
				if cluster := c.cut(l, w); cluster != l && c.width(l) > w && l != "" {
					if first, _ := c.next(strings.TrimLeft(l, " ")); first != strings.TrimLeft(l, " ") {
						t.Errorf("wrap(%q, %d): %q is too wide", s, w, l)
					}
				}
			}
		}
	})
}

func TestALineDrawnOverAnotherKeepsTheWidth(t *testing.T) {
	below := line{{themes.Text, "修复购物车的价格"}, {themes.Muted, "abcd"}}
	for x := range 12 {
		top := line{{themes.Key, "[修]"}}
		got := byRune.over(below, x, top, 20)
		if w := byRune.lineWidth(got); w != 20 {
			t.Errorf("at %d: %q takes %d cells, want 20", x, got, w)
		}
		if !strings.Contains(got.String(), "[修]") {
			t.Errorf("at %d: the line above is not whole in %q", x, got)
		}
	}
}

func TestTheInputStepsOverWholeCharacters(t *testing.T) {
	var i input
	i.insert("修复 👩‍💻e\u0301")
	for _, step := range []struct {
		do   action
		want string // the text up to the cursor
	}{
		{actLeft, "修复 👩‍💻"}, {actLeft, "修复 "}, {actErase, "修复"}, {actRight, "修复👩‍💻"},
		{actHome, ""}, {actEraseNext, ""}, {actRight, "复"}, {actEnd, "复👩‍💻e\u0301"}, {actEraseAll, ""},
	} {
		i.edit(step.do)
		if got := i.text[:i.at]; got != step.want {
			t.Fatalf("after %s: %q before the cursor, want %q", step.do, got, step.want)
		}
	}
	i.insert("type:bugfix \x1b[31mretry\n now")
	if i.text != "type:bugfix retry now" {
		t.Errorf("pasted text became %q", i.text)
	}
	i.edit(actEraseWord)
	if i.text != "type:bugfix retry " {
		t.Errorf("without its last word: %q", i.text)
	}
	text, column := i.visible(byRune, 6)
	if text != "etry " || column != 5 {
		t.Errorf("visible(6) = %q with the cursor at %d", text, column)
	}
}

func TestAKoreanNameInPartsIsAsWideAsOneInSyllables(t *testing.T) {
	const parts, syllables = "\u1112\u1161\u11ab\u1100\u1173\u11af.txt", "한글.txt"
	if got := byRune.settle(parts); got != syllables {
		t.Errorf("settled: %q", got)
	}
	if got := byRune.fit(parts, 12); byRune.width(got) != 12 || !strings.HasPrefix(got, syllables) {
		t.Errorf("fitted: %q, %d cells", got, byRune.width(got))
	}
}
