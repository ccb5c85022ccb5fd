package jsonfile

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func parse(t *testing.T, text string) *Doc {
	t.Helper()
	d, err := Parse("settings.json", []byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return d
}

// plain decodes a document the way a program would that reads it.
func plain(t *testing.T, d *Doc) map[string]any {
	t.Helper()
	data, err := Standardize("settings.json", bytes.TrimPrefix(d.Bytes(), BOM))
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

type pair struct {
	Name string   `json:"name"`
	Args []string `json:"args"`
}

func TestAddingWritesAsThePersonDoes(t *testing.T) {
	tests := []struct{ name, before, after string }{
		{"empty object", `{}`, "{\n  \"n\": 1\n}"},
		{"empty object with newline", "{}\n", "{\n  \"n\": 1\n}\n"},
		{"empty file", "", "{\n  \"n\": 1\n}\n"},
		{"open empty object", "{\n}\n", "{\n  \"n\": 1\n}\n"},
		{"two spaces", "{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"n\": 1\n}\n"},
		{"four spaces", "{\n    \"a\": 1\n}\n", "{\n    \"a\": 1,\n    \"n\": 1\n}\n"},
		{"tabs", "{\n\t\"a\": 1\n}\n", "{\n\t\"a\": 1,\n\t\"n\": 1\n}\n"},
		{"CRLF", "{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1,\r\n  \"n\": 1\r\n}\r\n"},
		{"byte order mark", "\ufeff{\n  \"a\": 1\n}\n", "\ufeff{\n  \"a\": 1,\n  \"n\": 1\n}\n"},
		{"no spaces", `{"a":1,"b":2}`, `{"a":1,"b":2,"n":1}`},
		{"one line", `{"a": 1, "b": 2}`, `{"a": 1, "b": 2, "n": 1}`},
		{"inner spaces", `{ "a": 1 }`, `{ "a": 1, "n": 1 }`},
		{"trailing comma", "{\n  \"a\": 1,\n}\n", "{\n  \"a\": 1,\n  \"n\": 1,\n}\n"},
		{"comment behind", "{\n  \"a\": 1 // 一\n}\n", "{\n  \"a\": 1, // 一\n  \"n\": 1\n}\n"},
		{"comment behind a comma", "{\n  \"a\": 1, // one\n}\n", "{\n  \"a\": 1, // one\n  \"n\": 1,\n}\n"},
		{"comment below", "{\n  \"a\": 1\n  // later: \"b\"\n}\n", "{\n  \"a\": 1,\n  // later: \"b\"\n  \"n\": 1\n}\n"},
		{"only a comment", "{\n  // nothing yet\n}\n", "{\n  // nothing yet\n  \"n\": 1\n}\n"},
		{"comment on a mixed line", "{ \"a\": 1 // one\n}\n", "{ \"a\": 1, // one\n\"n\": 1\n}\n"},
		{"comment in front", "// mine\n{\n  \"a\": 1\n}\n", "// mine\n{\n  \"a\": 1,\n  \"n\": 1\n}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := parse(t, tt.before)
			if err := d.Set(1, "n"); err != nil {
				t.Fatal(err)
			}
			if got := string(d.Bytes()); got != tt.after {
				t.Errorf("\n got %q\nwant %q", got, tt.after)
			}
		})
	}
}

// originals are files in every style; what is added to them and removed again
// must leave no trace.
var originals = []string{
	"{}", "{}\n", "\ufeff{}\r\n",
	"{\n  \"a\": 1\n}\n", "{\n\t\"a\": 1\n}", "{\r\n    \"a\": 1\r\n}\r\n",
	"{\n  \"a\": 1,\n}\n", "{\n  \"a\": 1 // 一\n}\n", "{\n  \"a\": 1 /* x */, // y\n}\n",
	"{\n  \"a\": 1\n\n  // below\n\n}\n", "{\n  // 只有注释 🛒\n}\n",
	`{"a":1}`, `{"a": 1, "b": [1,2, 3]}`, `{ "a": 1 }`, "{\"a\": {\"b\": []}}\n",
	"{\n  \"obj\": {},\n  \"list\": []\n}\n",
	"{\n  \"obj\": {\"x\": 1},\n  \"list\": [1]\n}\n",
	"{\n  \"obj\": {\n    \"x\": 1\n  },\n  \"list\": [\n    {\n      \"y\": 2\n    }\n  ]\n}\n",
	"{\n  \"obj\": { \"x\": 1, }, // 尾\n  \"list\": [ 1, /* two */ 2 ]\n}\n",
	"/* head */ { \"a\": 1 // one\n}\n// foot\n",
}

func TestRemovingUndoesAddingToTheByte(t *testing.T) {
	v := pair{Name: "a \"quoted\": name, with <&> \\ and 中文", Args: []string{"hook"}}
	adds := map[string]func(d *Doc) error{
		"at the top":  func(d *Doc) error { return d.Set(v, "new") },
		"below it":    func(d *Doc) error { return d.Set(v, "new", "deep", "deeper") },
		"in an array": func(d *Doc) error { return d.Root().Member("list").Append(v) },
		"in an object": func(d *Doc) error {
			return d.Set(v, "obj", "new")
		},
	}
	removes := map[string]func(d *Doc) Node{
		"at the top": func(d *Doc) Node { return d.Root().Member("new") },
		"below it":   func(d *Doc) Node { return d.Root().Member("new") },
		"in an array": func(d *Doc) Node {
			elements := d.Root().Member("list").Elements()
			return elements[len(elements)-1]
		},
		"in an object": func(d *Doc) Node { return d.Root().Member("obj").Member("new") },
	}
	for where, add := range adds {
		for _, text := range originals {
			if strings.HasPrefix(where, "in an") && !strings.Contains(text, `"list"`) {
				continue
			}
			d := parse(t, text)
			before := plain(t, d)
			if err := add(d); err != nil {
				t.Errorf("%s of %q: %v", where, text, err)
				continue
			}
			added := string(d.Bytes())
			if reflect.DeepEqual(plain(t, d), before) {
				t.Errorf("%s of %q: nothing was added", where, text)
			}
			if err := removes[where](d).Remove(); err != nil {
				t.Errorf("%s of %q: %v", where, text, err)
			}
			if got := string(d.Bytes()); got != text {
				t.Errorf("%s of %q\nadded %q\n  got %q", where, text, added, got)
			}
		}
	}
}

func TestRemovingAnyMemberKeepsTheOthersAndTheComments(t *testing.T) {
	tests := []struct{ name, before, remove, after string }{
		{"first", "{\n  \"a\": 1,\n  \"b\": 2\n}", "a", "{\n  \"b\": 2\n}"},
		{"middle", "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", "b", "{\n  \"a\": 1,\n  \"c\": 3\n}"},
		{"last", "{\n  \"a\": 1,\n  \"b\": 2\n}", "b", "{\n  \"a\": 1\n}"},
		{"first of a line", `{"a": 1, "b": 2}`, "a", `{"b": 2}`},
		{"middle of a line", `{"a": 1, "b": 2, "c": 3}`, "b", `{"a": 1, "c": 3}`},
		{"last of a line", `{"a": 1, "b": 2}`, "b", `{"a": 1}`},
		{"only", `{ "a": 1, }`, "a", `{}`},
		{"comment behind it", "{\n  \"a\": 1,\n  \"b\": 2 // two\n}", "b", "{\n  \"a\": 1\n  // two\n}"},
		{"comment in front of it", "{\n  \"a\": 1, // one\n  /* two */ \"b\": 2 }", "b", "{\n  \"a\": 1 // one\n  /* two */ }"},
		{"comma after a comment", "{\n  \"a\": 1 /* x */ ,\n  \"b\": 2\n}", "a", "{\n  /* x */ \n  \"b\": 2\n}"},
		{"behind a line comment", "{ \"a\": 1, // one\n  \"b\": 2 }", "b", "{ \"a\": 1 // one\n  }"},
		{"of two with one name the last", `{"a": 1, "a": 2}`, "a", `{"a": 1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := parse(t, tt.before)
			if err := d.Root().Member(tt.remove).Remove(); err != nil {
				t.Fatal(err)
			}
			if got := string(d.Bytes()); got != tt.after {
				t.Errorf("\n got %q\nwant %q", got, tt.after)
			}
		})
	}
}

func TestReplacingKeepsThePlace(t *testing.T) {
	d := parse(t, "{\n\t// model\n\t\"a\": {\"x\": [1]}, // 一\n\t\"b\": 2,\n}\n")
	if err := d.Set("新", "a", "x"); err != nil {
		t.Fatal(err)
	}
	if err := d.Set(pair{Name: "n", Args: []string{}}, "b"); err != nil {
		t.Fatal(err)
	}
	want := "{\n\t// model\n\t\"a\": {\"x\": \"新\"}, // 一\n\t\"b\": {\n\t\t\"name\": \"n\",\n\t\t\"args\": []\n\t},\n}\n"
	if got := string(d.Bytes()); got != want {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}

func TestSetRefusesToPassThroughAnotherValue(t *testing.T) {
	const text = "{\n  \"a\": 1\n}\n"
	d := parse(t, text)
	err := d.Set(1, "a", "b")
	if err == nil || !strings.HasPrefix(err.Error(), "settings.json:2: ") {
		t.Errorf("got %v", err)
	}
	if string(d.Bytes()) != text {
		t.Errorf("the document was changed: %q", d.Bytes())
	}
}

func TestParseErrorNamesThePlace(t *testing.T) {
	tests := []struct{ text, want string }{
		{"{\n  \"a\": 1\n  \"b\": 2\n}", "settings.json:3:3: not valid JSON: "},
		{"{\n  \"a\": nope\n}", "settings.json:2:8: not valid JSON: "},
		{"{\n  \"a\": 1", "settings.json:2:9: not valid JSON: "},
		{"// only a comment\n", "settings.json:2:1: not valid JSON: "},
		{"\n[1]", "settings.json:2: holds an array where an object"},
		{`"x"`, "settings.json:1: holds a text where an object"},
	}
	for _, tt := range tests {
		_, err := Parse("settings.json", []byte(tt.text))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %s…", tt.text, err, tt.want)
		}
	}
}

func TestStandardizeLeavesItsInputAlone(t *testing.T) {
	data := []byte("{ /* x */ \"a\": 1, }")
	want := string(data)
	if _, err := Standardize("settings.json", data); err != nil {
		t.Fatal(err)
	}
	if string(data) != want {
		t.Errorf("the input became %q", data)
	}
}

func FuzzAddAndRemove(f *testing.F) {
	for _, text := range originals {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse("settings.json", data)
		if err != nil || d.Root().Member("new").Exists() {
			return
		}
		before, err := Standardize("settings.json", d.src)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Set(pair{Name: "n", Args: []string{"hook"}}, "new"); err != nil {
			t.Fatalf("add to %q: %v", data, err)
		}
		if err := d.Root().Member("new").Remove(); err != nil {
			t.Fatalf("remove from %q: %v", d.Bytes(), err)
		}
		after, err := Standardize("settings.json", d.src)
		if err != nil {
			t.Fatal(err)
		}
		if !sameJSON(before, after) {
			t.Fatalf("%q became %q", data, d.Bytes())
		}
	})
}

func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && x.String() == y.String()
}
