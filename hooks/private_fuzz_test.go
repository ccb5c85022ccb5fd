package hooks

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"cmem/hooks/early"
)

// openings and closings are the ways to write a tag that are all the same to us.
var (
	openings = []string{"<private>", "<PRIVATE>", "< Private >", "<private why=\"x\">", "<private/>", "<\nprivate\n>", "＜private＞", `\u003cprivate\u003e`, `<\u0070rivate>`, "<\tprivate\t a=1>",
		"<" + strings.Repeat(" ", 100) + "private>", "<\fprivate>", "＜　private＞", "<\u00a0\u00a0private>"}
	closings = []string{"</private>", "</PRIVATE >", "< / private>", `<\/private>`, "＜／private＞", `\u003c/private\u003e`, `\u003C\u002fprivate\u003E`, "<" + strings.Repeat("\n", 50) + "/private>"}
)

// privateBetween writes the JSON value anew with everything private between its tokens from
// and to, counted without brackets, and reports whether there are so many.
func privateBetween(value []byte, from, to int, opening, closing string) (string, bool) {
	const text, number = "GEHEIM", "4242424242"
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	var out strings.Builder
	n := -1
	quote := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	// scalar gives a token as it is to be written.
	scalar := func(tok json.Token) string {
		n++
		// What is a tag of itself, or half of one, would shift what is between.
		s, isText := tok.(string)
		s = strings.NewReplacer("<", "", "＜", "", `\`, "", text, "").Replace(s)
		switch {
		case from == to && n == from:
			return quote(s + opening + text + closing + s)
		case n == from:
			return quote(s + opening + text)
		case n == to:
			return quote(text + closing + s)
		case n > from && n < to && isText:
			return quote(text + s)
		case n > from && n < to:
			return number
		case isText:
			return quote(s)
		}
		b, err := json.Marshal(tok)
		if err != nil {
			panic(err)
		}
		return strings.ReplaceAll(string(b), number, "1")
	}
	var walk func() bool
	walk = func() bool {
		tok, err := dec.Token()
		if err != nil {
			return false
		}
		open, ok := tok.(json.Delim)
		if !ok {
			out.WriteString(scalar(tok))
			return true
		}
		out.WriteRune(rune(open))
		for first := true; dec.More(); first = false {
			if !first {
				out.WriteByte(',')
			}
			if open == '{' {
				key, err := dec.Token()
				if err != nil {
					return false
				}
				out.WriteString(scalar(key) + ":")
			}
			if !walk() {
				return false
			}
		}
		end, err := dec.Token()
		if err != nil {
			return false
		}
		out.WriteRune(rune(end.(json.Delim)))
		return true
	}
	whole := walk()
	return out.String(), whole && n >= to
}

func FuzzNothingBetweenTagsComesThrough(f *testing.F) {
	for i, value := range []string{
		`{"command":"ls","n":[1,2,{"a":"b"}],"z":null}`, `["a","b","c"]`, `"text"`, `{"a":{"b":{"c":["d",true,3.5]}},"file_path":"x"}`, `[{"type":"text","text":"修复 🐛"}]`,
	} {
		f.Add([]byte(value), uint8(i), uint8(i+2), uint8(i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, value []byte, from, length, o, c uint8) {
		if !json.Valid(value) {
			return
		}
		opening, closing := openings[int(o)%len(openings)], closings[int(c)%len(closings)]
		private, ok := privateBetween(value, int(from), int(from)+int(length)%16, opening, closing)
		if !ok {
			return
		}
		raw := []byte(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"x","tool_input":` + private + `,"tool_use_id":"t"}`)
		if !json.Valid(raw) {
			t.Fatalf("the test made no JSON: %s", raw)
		}
		e, err := Decode("x", raw)
		if err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
		if bytes.Contains(e.Raw, []byte("GEHEIM")) || bytes.Contains(e.Raw, []byte("4242424242")) {
			t.Fatalf("private text came through:\n%s\n%s", raw, e.Raw)
		}
		if !json.Valid(e.Raw) || e.SessionID != "s" || e.ToolUseID != "t" {
			t.Fatalf("the event is not whole: %s", e.Raw)
		}
		again, err := Decode("x", e.Raw)
		if err != nil || !bytes.Equal(again.Raw, e.Raw) {
			t.Fatalf("decoded again it is another: %v\n%s\n%s", err, e.Raw, again.Raw)
		}
	})
}

// The early part of a hook has no parser: whatever could be a tag it must leave to us.
func TestTheCheapLookSeesEveryWayToWriteATag(t *testing.T) {
	for _, tag := range append(append([]string{}, openings...), closings...) {
		for name, encode := range map[string]func(string) []byte{
			"as it is": func(s string) []byte { return plainJSON(t, s) },
			"escaped":  func(s string) []byte { b, _ := json.Marshal(s); return b },
			"JSON in JSON": func(s string) []byte {
				inner, _ := json.Marshal(map[string]string{"a": s})
				return plainJSON(t, string(inner))
			},
		} {
			raw := append(append([]byte(`{"a":`), encode("x "+tag+" y")...), '}')
			if !mayHoldPrivate(raw) {
				t.Errorf("%s: %s passes", name, raw)
			}
			if got := new(privateCutter).cut(textIn(t, raw)); strings.Contains(strings.ToLower(got), "private>") {
				t.Errorf("%s: %q is left of %s", name, got, raw)
			}
		}
	}
	for _, plain := range []string{`{"a":"private int x; List<String>"}`, `{"a":"<div>private</div>"}`, `{"a":"1 < 2, private"}`, `{"a":"＜b＞"}`} {
		if mayHoldPrivate([]byte(plain)) {
			t.Errorf("%s takes the long way", plain)
		}
	}
	if !early.IsPrivateTag([]byte("  /  PRIVATE")) || early.IsPrivateTag([]byte("private"[:5])) {
		t.Error("half a tag is one, or a whole one is none")
	}
}

func plainJSON(t *testing.T, s string) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

func textIn(t *testing.T, raw []byte) string {
	t.Helper()
	var v struct {
		A string `json:"a"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v.A
}
