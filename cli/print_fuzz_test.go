package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"cmem/memory"
)

// FuzzNothingThatIsPrintedActsOnATerminal prints memories with anything in every
// field, as text and as JSON.
func FuzzNothingThatIsPrintedActsOnATerminal(f *testing.F) {
	for _, s := range []string{
		"plain", "\x1b[2J\x1b]0;owned\x07", "\x9b31m", "\u009b31m\u202e修复", "a\r\nb\x00\x7f", "\x1b[\x1b[31m", "\xff\xed\xa0\x80\ufffd", "👩‍👩‍👧 \u200b\u2028\u2029x",
		"\x1bP0;1|17/ab\x1b\\", "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "\u00ad\ufeff\U000e0041",
	} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 1 + (width&0xffff)%200
		onlyText(t, harmless(s))
		if !utf8.ValidString(harmless(s)) {
			t.Fatalf("%q became invalid UTF-8", s)
		}
		line := oneLine(s, width)
		onlyText(t, line)
		if strings.ContainsAny(line, "\n\t") { // its width the library counts, in two ways for half an emoji
			t.Fatalf("%q in %d cells became %q", s, width, line)
		}

		var out bytes.Buffer
		for _, write := range []func() error{
			func() error {
				return writeObservation(&out, memory.Observation{
					Type: s, Title: s, Subtitle: s, Project: s, SessionID: s, Narrative: s, Facts: []string{s, s}, FilesRead: []string{s}, FilesModified: []string{s},
					Concepts: []string{s}, Tags: []string{s}, Compressor: s, Model: s, Certainty: memory.Certainty(s), Status: memory.Status(s), GitCommit: s,
				})
			},
			func() error {
				return writeSummary(&out, memory.Summary{Project: s, SessionID: s, Request: s, Investigated: s, Learned: s, Completed: s, NextSteps: s, Notes: s})
			},
			func() error { return writePrompt(&out, memory.Prompt{Project: s, SessionID: s, Text: s}) },
			func() error {
				return (&App{Out: &out, Err: io.Discard}).printDiagnoses([]diagnosis{{Name: "log", Found: s, Advice: s}}, true)
			},
		} {
			out.Reset()
			if err := write(); err != nil {
				t.Fatal(err)
			}
			onlyText(t, out.String())
		}

		out.Reset()
		if err := (&App{Out: &out}).printJSON(map[string]string{"text": s}); err != nil {
			t.Fatal(err)
		}
		onlyText(t, out.String())
		var back map[string]string
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["text"] != strings.ToValidUTF8(s, "\ufffd") && utf8.ValidString(s) {
			t.Fatalf("%q comes back from JSON as %q, %v", s, back["text"], err)
		}
	})
}

func TestTextThatIsNotHarmfulIsPrintedAsItIs(t *testing.T) {
	for _, s := range []string{"", "修复退款 👩‍👩‍👧", "a\n\tb", "Vec<String> && x", "é e\u0301", fmt.Sprint(3.5)} {
		if got := harmless(s); got != s {
			t.Errorf("harmless(%q) = %q", s, got)
		}
	}
}
