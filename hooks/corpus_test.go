package hooks

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// example is a text of the corpus and what in it is secret.
type example struct {
	text    string
	secrets []string
}

var placeholder = regexp.MustCompile(`\{([aAhbud]:\d+|=[^}]+)\}`)

// corpus reads a file of texts, one a line, with the values made that stand for
// secrets: no key that looks like a real one lies in the repository.
func corpus(t *testing.T, name string) []example {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "secrets", name))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(11, 30))
	var all []example
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		var e example
		e.text = placeholder.ReplaceAllStringFunc(strings.ReplaceAll(line, `\n`, "\n"), func(p string) string {
			value := made(rng, p[1:len(p)-1])
			e.secrets = append(e.secrets, value)
			return value
		})
		all = append(all, e)
	}
	if len(all) < 40 {
		t.Fatalf("%s has %d texts", name, len(all))
	}
	return all
}

// made gives the value of a placeholder.
func made(rng *rand.Rand, what string) string {
	if what[0] == '=' {
		return what[1:]
	}
	const digits, small, large = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	signs := map[byte]string{
		'a': digits + small + large, 'A': large + "234567", 'h': digits + "abcdef", 'b': digits + small + large + "+/", 'u': digits + small + large + "-_", 'd': digits,
	}[what[0]]
	n, err := strconv.Atoi(what[2:])
	if err != nil {
		panic(err)
	}
	value := make([]byte, n)
	for i := range value {
		value[i] = signs[rng.IntN(len(signs))]
	}
	return string(value)
}

// surroundings are where such texts stand in what a hook is given.
var surroundings = map[string]func(text string) (input, response any){
	"alone": func(s string) (any, any) {
		return map[string]string{"file_path": "/w/a.txt"}, map[string]string{"content": s}
	},
	"in a command": func(s string) (any, any) { return map[string]string{"command": "cd /w && " + s + "\n"}, nil },
	"in a file": func(s string) (any, any) {
		return nil, map[string]any{"file": map[string]string{"content": "// 配置\n" + s + "\n// 结束\n"}}
	},
	"in JSON in JSON": func(s string) (any, any) {
		inner, _ := json.Marshal(map[string]string{"log": s})
		return nil, []map[string]string{{"type": "text", "text": string(inner)}}
	},
	"in a patch": func(s string) (any, any) {
		var lines []string
		for line := range strings.Lines(s) {
			lines = append(lines, "+"+strings.TrimRight(line, "\n"))
		}
		return nil, map[string]any{"structuredPatch": []any{map[string]any{"lines": append([]string{" 上文"}, append(lines, " 下文")...)}}}
	},
}

// decoded gives all texts of a payload with an example in its surroundings, after
// Decode.
func decoded(t *testing.T, around func(string) (any, any), text string) string {
	input, response := around(text)
	t.Helper()
	raw, err := json.Marshal(map[string]any{
		"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "mcp__x__run", "tool_input": input, "tool_response": response,
	})
	if err != nil {
		t.Fatal(err)
	}
	e, err := Decode("x", raw)
	if err != nil {
		t.Fatal(err)
	}
	return string(e.Raw)
}

// measure looks how many of the texts with a secret are masked, and how many of those
// without are changed.
func measure(t *testing.T, with, without string) (recall, precision float64, text string) {
	t.Helper()
	var found, missed, harmed, kept int
	for name, around := range surroundings {
		for _, e := range corpus(t, with) {
			got := decoded(t, around, e.text)
			leaked := len(e.secrets) == 0 && !strings.Contains(got, secretMark)
			for _, s := range e.secrets {
				quoted, err := json.Marshal(s)
				if err != nil {
					t.Fatal(err)
				}
				leaked = leaked || len(s) > 3 && strings.Contains(got, string(quoted[1:len(quoted)-1]))
			}
			if leaked {
				missed++
				t.Logf("missed %s: %s", name, got)
			} else {
				found++
			}
		}
		for _, e := range corpus(t, without) {
			if got := decoded(t, around, e.text); strings.Contains(got, secretMark) {
				harmed++
				t.Logf("changed %s: %s", name, got)
			} else {
				kept++
			}
		}
	}
	recall = 100 * float64(found) / float64(found+missed)
	precision = 100 * float64(found) / float64(found+harmed)
	return recall, precision, fmt.Sprintf("%d of %d found, %d of %d others changed", found, found+missed, harmed, kept+harmed)
}

// TestSecretsAreFoundAsOftenAsThePrivacyPageSays measures on texts with and without
// secrets, each in all surroundings, and compares with docs/privacy.md.
func TestSecretsAreFoundAsOftenAsThePrivacyPageSays(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "privacy.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct{ row, with, without string }{
		{"tuned on", "true.txt", "false.txt"},
		{"written later", "later_true.txt", "later_false.txt"},
	} {
		recall, precision, text := measure(t, of.with, of.without)
		t.Logf("%s: recall %.1f %%, precision %.1f %%: %s", of.row, recall, precision, text)
		stated := regexp.MustCompile(`\| ` + of.row + ` \| ([\d.]+) % \| ([\d.]+) % \|`).FindStringSubmatch(string(page))
		if stated == nil {
			t.Errorf("docs/privacy.md has no row %q", of.row)
			continue
		}
		for i, got := range []float64{recall, precision} {
			if fmt.Sprintf("%.1f", got) != stated[i+1] {
				t.Errorf("%s: measured %.1f %%, docs/privacy.md says %s %%", of.row, got, stated[i+1])
			}
		}
	}
}
