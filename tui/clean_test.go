package tui

import (
	"strings"
	"testing"
	"unicode"

	"cmem/memory"
)

func TestStoredTextIsHarmlessInOneRow(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"plain text stays", "Fixes the build", "Fixes the build"},
		{"Chinese and emoji stay", "修复构建 👩‍💻 café", "修复构建 👩‍💻 café"},
		{"combining marks stay", "e\u0301a\u0308", "e\u0301a\u0308"},
		{"line ends and tabs become one space", "a\r\n\tb\v\fc", "a b c"},
		{"colours of a tool's output go", "\x1b[31;1mFAIL\x1b[0m x", "FAIL x"},
		{"a cursor movement goes", "a\x1b[2J\x1b[Hb", "ab"},
		{"an incomplete sequence swallows nothing", "a\x1b[31", "a␛[31"},
		{"a title sequence cannot begin", "\x1b]0;evil\x07ok", "␛]0;evil\uFFFDok"},
		{"C1 is replaced", "a\u009b31mb\u0085c", "a\uFFFD31mb c"},
		{"backspace and delete are replaced", "a\bb\x7f", "a\uFFFDb\uFFFD"},
		{"direction overrides go", "abc\u202egnp.exe\u202c \u2066x\u2069", "abcgnp.exe x"},
		{"what can't be seen goes", "a\u200bb\ufeffc\u00add\u2060", "abcd"},
		{"hidden tags go", "safe\U000E0041\U000E0042", "safe"},
		{"invalid bytes are replaced", "a\xff\xfeb", "a\uFFFD\uFFFDb"},
		{"line separators end no line", "a\u2028b\u2029c", "a b c"},
		{"wide spaces become spaces", "a\u3000\u00a0b", "a b"},
		{"no pile of marks", "x" + strings.Repeat("\u0302", 40), "x" + strings.Repeat("\u0302", maxMarks)},
		{"a run of any white space is one space", "a\u2003 \u3000b \u200b c", "a b c"},
		{"space around it goes", "  a  b  ", "a b"},
		{"nothing stays nothing", "", ""},
	} {
		if got := cleanLine(tc.in); got != tc.want {
			t.Errorf("%s: cleanLine(%q) = %q, want %q", tc.name, tc.in, got, tc.want)
		}
	}
}

func TestTextOfSeveralLinesKeepsItsLines(t *testing.T) {
	in := "\n\nfirst\r\n\tindented\x1b[0m\rthird\n\n"
	if got, want := cleanText(in), "first\n    indented\nthird"; got != want {
		t.Errorf("cleanText(%q) = %q, want %q", in, got, want)
	}
}

func FuzzCleanedTextHasNothingThatActsOnATerminal(f *testing.F) {
	for _, s := range []string{"\x1b[31mred", "\x1b]8;;x\x1b\\", "修复\u202e", "a\x00b\xc2\x9b", "\x1b[\x1b[31m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []string{cleanLine(s), strings.ReplaceAll(cleanText(s), "\n", "")} {
			if i := strings.IndexFunc(got, func(r rune) bool {
				return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d'
			}); i >= 0 {
				t.Errorf("%q became %q", s, got)
			}
		}
		if once := cleanLine(s); cleanLine(once) != once {
			t.Errorf("%q is not clean after cleaning once: %q", s, once)
		}
	})
}

// Everything that a memory can hold is hostile here; the frame's own checks
// find what gets through.
func TestAHostileMemoryDrawsAnOrderlyFrame(t *testing.T) {
	evil := "\x1b[2J\x1b]0;owned\x07\r\n\u202e\u009b\x00title\t"
	source := demoSource()
	source.add(memory.Observation{
		SessionID: evil, Project: "/home/dev/" + evil, Type: evil, Title: evil, Subtitle: evil, Narrative: evil,
		Facts: []string{evil}, Concepts: []string{evil}, FilesRead: []string{evil}, FilesModified: []string{evil},
		Tags: []string{evil}, ToolName: evil, Compressor: evil, Model: evil, GitBranch: evil, GitCommit: evil,
		CreatedAt: testNow(), Status: memory.StatusActive,
	})
	source.sessions[evil] = memory.Session{ID: evil, Title: evil, GitBranch: evil, Agent: evil}
	o := demoOptions()
	o.Source, o.Project = source, ""
	h := open(t, o, 120, 40)
	h.see("title")
	h.keys("p")
	h.see("title")
	h.keys("esc", "y")
	if strings.ContainsFunc(strings.ReplaceAll(h.clipboard, "\n", ""), unicode.IsControl) {
		t.Errorf("the clipboard got %q", h.clipboard)
	}
}
