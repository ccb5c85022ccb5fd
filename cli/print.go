package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/charmbracelet/x/ansi"

	"cmem/memory"
)

// print writes results to standard output.
func (a *App) print(format string, args ...any) error {
	_, err := fmt.Fprintf(a.Out, format, args...)
	return err
}

// printJSON writes v as one indented JSON document, with text as it is: Chinese
// and angle brackets are not escaped. What a terminal would obey is.
func (a *App) printJSON(v any) error {
	var doc bytes.Buffer
	enc := json.NewEncoder(&doc)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	return a.writeJSON(doc.String())
}

// writeJSON writes JSON text as it is, but for what a terminal would obey, which is
// escaped.
func (a *App) writeJSON(doc string) error {
	out := bufio.NewWriter(a.Out)
	for _, r := range doc {
		// JSON allows nothing below the space in a string, and nothing of the others
		// outside of one, so the escape is always right.
		if r == unicode.ReplacementChar || r > unicode.MaxASCII && !unicode.Is(unicode.Cf, r) && !unicode.IsControl(r) || r < 0x7f {
			_, _ = out.WriteRune(r) // Flush gives the error
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			_, _ = fmt.Fprintf(out, `\u%04x`, unit)
		}
	}
	return out.Flush()
}

// oneLine gives stored text as one line of at most width cells, with nothing in
// it that a terminal would obey.
func oneLine(s string, width int) string {
	return ansi.Truncate(strings.Join(strings.Fields(harmless(s)), " "), width, "…")
}

// harmless drops from stored text what a terminal would obey: escape sequences,
// control characters other than newlines and tabs, and marks that reorder text.
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\u200D':
			return r
		case r == '\u2028', r == '\u2029':
			return '\n'
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, ansi.Strip(strings.ToValidUTF8(s, "")))
}

// pad fills s with spaces up to width cells.
func pad(s string, width int) string {
	if n := width - ansi.StringWidth(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}

// localTime gives a time as people of this machine read it.
func localTime(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// count gives "1 thing" or "n things", with commas between thousands.
func count(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case thing == "summary":
		thing = "summaries"
	case thing == "batch":
		thing = "batches"
	default:
		thing += "s"
	}
	return grouped(n) + " " + thing
}

func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// bytesText gives a size in the unit that suits it.
func bytesText(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	f, exp := float64(n)/unit, 0
	for f >= unit && exp < 3 {
		f /= unit
		exp++
	}
	return fmt.Sprintf("%.1f %ciB", f, "KMGT"[exp])
}

// writeObservation writes an observation whole.
func writeObservation(w io.Writer, o memory.Observation) error {
	var b strings.Builder
	fmt.Fprintf(&b, "#%d %s · %s\n", o.ID, oneLine(o.Type, 300), oneLine(o.Title, 200))
	if o.Subtitle != "" {
		fmt.Fprintf(&b, "%s\n", oneLine(o.Subtitle, 300))
	}
	fmt.Fprintf(&b, "%s · %s · session %s", localTime(o.CreatedAt), oneLine(o.Project, 300), oneLine(o.SessionID, 300))
	if o.PromptNumber > 0 {
		fmt.Fprintf(&b, " · prompt %d", o.PromptNumber)
	}
	b.WriteByte('\n')
	if o.Narrative != "" {
		fmt.Fprintf(&b, "\n%s\n", harmless(o.Narrative))
	}
	list := func(name string, items []string) {
		if len(items) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n%s\n", name)
		for _, it := range items {
			fmt.Fprintf(&b, "  - %s\n", oneLine(it, 500))
		}
	}
	list("Facts", o.Facts)
	list("Files modified", o.FilesModified)
	list("Files read", o.FilesRead)
	if len(o.Concepts) > 0 {
		fmt.Fprintf(&b, "\nConcepts: %s\n", oneLine(strings.Join(o.Concepts, ", "), 500))
	}
	if len(o.Tags) > 0 {
		fmt.Fprintf(&b, "Tags: %s\n", oneLine(strings.Join(o.Tags, ", "), 500))
	}
	fmt.Fprintf(&b, "\nMade by %s", oneLine(o.Compressor, 300))
	if o.Model != "" {
		fmt.Fprintf(&b, " (%s)", oneLine(o.Model, 300))
	}
	if o.Provisional {
		b.WriteString(", until the provider returns")
	}
	if o.Certainty != "" {
		fmt.Fprintf(&b, " · %s", harmless(string(o.Certainty)))
	}
	if o.Status != memory.StatusActive {
		fmt.Fprintf(&b, " · %s", harmless(string(o.Status)))
	}
	if o.GitCommit != "" {
		fmt.Fprintf(&b, " · at commit %.12s", harmless(o.GitCommit))
	}
	fmt.Fprintf(&b, " · ~%s to read, ~%s behind it\n", count(o.ReadTokens(), "token"), grouped(o.TokensSource))
	_, err := io.WriteString(w, b.String())
	return err
}

// writeSummary writes a summary whole.
func writeSummary(w io.Writer, s memory.Summary) error {
	var b strings.Builder
	fmt.Fprintf(&b, "S%d summary · %s · %s · session %s\n", s.ID, localTime(s.CreatedAt), oneLine(s.Project, 300), oneLine(s.SessionID, 300))
	for _, f := range []struct{ name, text string }{
		{"Request", s.Request}, {"Investigated", s.Investigated}, {"Learned", s.Learned},
		{"Completed", s.Completed}, {"Next steps", s.NextSteps}, {"Notes", s.Notes},
	} {
		if f.text != "" {
			fmt.Fprintf(&b, "\n%s\n  %s\n", f.name, strings.ReplaceAll(harmless(f.text), "\n", "\n  "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writePrompt writes a prompt whole.
func writePrompt(w io.Writer, p memory.Prompt) error {
	_, err := fmt.Fprintf(w, "P%d prompt %d · %s · %s · session %s\n\n%s\n", p.ID, p.Number, localTime(p.CreatedAt), oneLine(p.Project, 300), oneLine(p.SessionID, 300), harmless(p.Text))
	return err
}
