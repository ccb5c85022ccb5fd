package tui

import (
	"reflect"
	"testing"

	"cmem/memory"
)

func TestTheFilterLineIsRead(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want query
	}{
		{"", query{}},
		{"retry backoff", query{text: "retry backoff"}},
		{`"exact words" more`, query{text: `"exact words" more`}},
		{"type:bugfix", query{types: []string{"bugfix"}}},
		{"type:d", query{types: []string{"decision", "discovery"}}},
		{"TYPE:Bug retry", query{text: "retry", types: []string{"bugfix"}}},
		{"type:own-kind", query{types: []string{"own-kind"}}},
		{"type:", query{}},
		{"concept:重试 file:payment/client.go", query{concepts: []string{"重试"}, files: []string{"payment/client.go"}}},
		{`concept:"dead letter" x`, query{text: "x", concepts: []string{"dead letter"}}},
		{"project:webshop 价格", query{text: "价格", project: "webshop"}},
		{"修复\u3000价格", query{text: "修复 价格"}},
		{"http://localhost:80", query{text: "http://localhost:80"}},
		{"pkg.Func: err", query{text: "pkg.Func: err"}},
		{`"unclosed quote`, query{text: `"unclosed quote`}},
	} {
		if got := parseQuery(tc.in); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("parseQuery(%q) = %+v, want %+v", tc.in, got, tc.want)
		}
	}
}

func FuzzTheFilterLineIsReadWhateverItIs(f *testing.F) {
	f.Add(`type:"a b" "x`)
	f.Fuzz(func(t *testing.T, s string) {
		q := parseQuery(s)
		if q.isEmpty() && q.filter("p").Project != "p" {
			t.Errorf("%q loses the project", s)
		}
		if !q.equal(parseQuery(s)) {
			t.Errorf("%q is read in two ways", s)
		}
	})
}

func TestAProjectIsFoundByWhatAPersonCallsIt(t *testing.T) {
	projects := []memory.Project{
		{Key: "/home/dev/projects/webshop-admin"}, {Key: webshop}, {Key: notes}, {Key: `C:\Users\dev\Tools`},
	}
	for _, tc := range []struct {
		name, want string
		found      bool
	}{
		{"webshop", webshop, true}, // its name, though another begins with it
		{"Web", "/home/dev/projects/webshop-admin", true},
		{"tools", `C:\Users\dev\Tools`, true},
		{notes, notes, true},
		{"projects/no", notes, true},
		{"missing", "", false},
	} {
		if got, found := findProject(projects, tc.name); got != tc.want || found != tc.found {
			t.Errorf("findProject(%q) = %q, %v; want %q, %v", tc.name, got, found, tc.want, tc.found)
		}
	}
}
