package export

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	gm "github.com/yuin/goldmark/extension"
	gmast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"gopkg.in/yaml.v3"

	"cmem/memory"
)

func TestTextReadsAsItWasWritten(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain", "Adds retry with backoff to fetchPage", "Adds retry with backoff to fetchPage\n"},
		{"identifiers", "order_service calls __init__ and src/*.go at 2 * 3", "order_service calls \\_\\_init\\_\\_ and src/\\*.go at 2 * 3\n"},
		{"windows path", `C:\new\table`, "C:\\\\new\\\\table\n"},
		{"code stays code", "use `a < b && *p` or ``x`y``", "use `a < b && *p` or ``x`y``\n"},
		{"open code", "a ` b\nc ` d", "a \\` b\nc \\` d\n"},
		{"heading", "# Title\n## Two ##\nC# and #12", "\\# Title\n\\## Two \\##\nC# and #12\n"},
		{"underlined heading", "Title\n===\nor\n---", "Title\n\\===\nor\n\\---\n"},
		{"comparison", "if a < b, not <b> or <!-- x -->", "if a < b, not \\<b> or \\<!-- x -->\n"},
		{"link", "see [docs](http://x) and a[0]", "see [docs\\](http://x) and a[0]\n"},
		{"entity", "&lt; and a && b", "\\&lt; and a && b\n"},
		{"list", "- one\n- two\n  1. three", "- one\n- two\n  1. three\n"},
		{"table", "a | b\n--- | ---", "a | b\n\\--- | ---\n"},
		{"blank lines", "\n\na\n\n\n\nb\n\n", "a\n\nb\n"},
		{"prices and variables", "$5 and $HOME", "$5 and \\$HOME\n"},
		{"Chinese", "修复：`标题` 乱码 ✅", "修复：`标题` 乱码 ✅\n"},
		{"escape sequence", "\x1b[2J\u009b2J\u202e", "␛[2J\uFFFD2J\uFFFD\n"},
		{"invalid UTF-8", "a\xffb", "a\uFFFDb\n"},
		{"fence", "run\n```sh\nls <x>\n```\nand", "run\n\n```sh\nls <x>\n```\n\nand\n"},
		{"fence in a fence", "~~~\n```\nx\n```\n~~~", "````\n```\nx\n```\n````\n"},
		{"open fence", "```\n# x\n---", "```\n# x\n---\n```\n"},
		{"fence in a list", "- a\n  ```\n  x\n  ```\n# y", "- a\n\n```\nx\n```\n\n\\# y\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.TrimLeft(block(tt.text, ""), "\n"); got != tt.want {
				t.Errorf("block(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestCodeSpanHoldsBackticks(t *testing.T) {
	for in, want := range map[string]string{
		"a.go": "`a.go`", "a`b": "``a`b``", "`": "`` ` ``", "": "`  `", "a\n---\nb": "`a --- b`",
	} {
		if got := codeSpan(in); got != want {
			t.Errorf("codeSpan(%q) = %q, want %q", in, got, want)
		}
	}
}

// pieces is what Markdown is made of.
var pieces = []string{
	"#", "## ", "`", "``", "```", "````", "~~~", "~", "\n", "\n\n", "> ", "- ", "* ", "+ ", "1. ", "2) ",
	"<b>", "</b>", "<!--", "-->", "<script>", "<?", "<![CDATA[", "<a@b.c>", "<http://x>", "[a]", "[", "]", "](", "]: x",
	"[a]: http://x", "![", "(y)", "---", "===", "|", "|---|", " | ", `\`, "    ", "  ", " ", "\t", "*", "**", "_", "__",
	"a", "bc", "foo_bar", "中", "。", "&amp;", "&#35;", "&", "$", "$$", "%%", "http://x.y/", "www.x.com", ":", ": ", ":--",
	"!", "\r\n", "\r", "\u2028", "\u00a0", "\x00", "\x1b[2J", "-", "=", "```go", "* * *", "- - -", "___", "[^1]", "[^1]: ", "[[x]]", "😀",
}

func TestComposedTextNeverBecomesStructure(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	compose := func() string {
		var b strings.Builder
		for range random.IntN(14) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		return b.String()
	}
	for range 3000 {
		assertContained(t, compose(), compose(), compose())
		if t.Failed() {
			return
		}
	}
}

func FuzzStoredTextNeverBecomesStructure(f *testing.F) {
	for _, s := range []string{
		"---\ntitle: x\n---", "<!-- x", "- ```\n  # x\n<b>", "a ` b\nc ` <script> ` d", "`x | <img>`\n--- | ---",
		"[a]: http://x\n[a]", "x\n\t# y\n  - <i>", "中文 # 标题 😀\r\n---\r\nx", "http://x/`<b>`", "\xff: {[!&*",
	} {
		f.Add(s, "title", s)
		f.Add("text", s, "")
	}
	f.Fuzz(func(t *testing.T, a, b, c string) { assertContained(t, a, b, c) })
}

// assertContained writes a document whose texts are a, b and c, and reads it
// with a YAML and a Markdown parser: there must be our front matter, our
// headings and nothing else than text, code, lists and quotes.
func assertContained(t *testing.T, a, b, c string) {
	t.Helper()
	src := &fakeSource{
		sessions:  []memory.Session{{ID: "s", Title: b, Project: a, GitBranch: b, Agent: c}},
		prompts:   []memory.Prompt{{SessionID: "s", Text: a}},
		summaries: []memory.Summary{{SessionID: "s", Request: a, Learned: b, NextSteps: c, FilesRead: []string{a, b}, Status: memory.StatusActive}},
		observations: []memory.Observation{
			{SessionID: "s", Type: a, Title: b, Subtitle: a, Narrative: c, Facts: []string{a, b}, Concepts: []string{a, b}, Tags: []string{c},
				FilesModified: []string{b, a}, Status: memory.StatusActive, Certainty: memory.Certainty(b), GitCommit: a},
			{SessionID: "s", Title: "the end", Status: memory.StatusActive},
		},
	}
	x, err := newExporter(context.Background(), src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	sc := sessionScope{session: src.sessions[0], title: oneLine(b)}
	if _, err := x.document(context.Background(), &out, sc, []section{{session: "s"}}); err != nil {
		t.Fatal(err)
	}
	front, body, ok := strings.Cut(strings.TrimPrefix(out.String(), "---\n"), "\n---\n")
	var back struct {
		Cmem                  int
		Title, Project, Agent string
	}
	if err := yaml.Unmarshal([]byte(front), &back); err != nil || !ok || back.Cmem != 1 {
		t.Fatalf("front matter %q: %v", front, err)
	}
	if back.Title != oneLine(b) || back.Project != oneLine(a) || back.Agent != oneLine(c) {
		t.Errorf("front matter became %+v", back)
	}

	headings := 0
	root := goldmark.New(goldmark.WithExtensions(gm.GFM, gm.Footnote, gm.DefinitionList)).Parser().Parse(text.NewReader([]byte(body)))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function never fails
		foreign := false
		switch n := n.(type) {
		case *ast.Heading:
			if entering {
				headings++
			}
			foreign = n.Parent() != root
		case *ast.HTMLBlock, *ast.RawHTML, *ast.Link, *ast.Image, *gmast.Table, *gmast.Strikethrough, *gmast.FootnoteLink, *gmast.DefinitionList:
			foreign = true
		case *ast.Emphasis: // ours are the names of a summary's parts, alone in their paragraphs
			foreign = n.PreviousSibling() != nil || n.NextSibling() != nil
		}
		if entering && foreign {
			t.Errorf("%s came from the text in:\n%s", n.Kind(), body)
		}
		return ast.WalkContinue, nil
	})
	if headings != 5 {
		t.Errorf("%d headings instead of 5 in:\n%s", headings, body)
	}
	// Other format characters are text: Arabic signs, joiners of Persian, flags.
	acts := func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r == '\uFEFF'
	}
	if strings.ContainsFunc(out.String(), acts) {
		t.Errorf("a control character is in:\n%q", out.String())
	}
}
