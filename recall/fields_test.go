package recall

import (
	"reflect"
	"testing"
	"time"

	"cmem/memory"
)

var fieldsNow = time.Date(2026, 11, 30, 15, 4, 0, 0, time.UTC) // a Monday

func TestFieldsAreTakenOutOfASearchText(t *testing.T) {
	day := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
	for text, want := range map[string]struct {
		rest string
		f    memory.Filter
	}{
		"cart total":                       {rest: "cart total"},
		"cart total ":                      {rest: "cart total "},
		"type:bugfix cart":                 {rest: "cart", f: memory.Filter{Types: []string{"bugfix"}}},
		"cart type:bugfix":                 {rest: "cart ", f: memory.Filter{Types: []string{"bugfix"}}},
		"TYPE:Bugfix,decision type:change": {f: memory.Filter{Types: []string{"bugfix", "decision", "change"}}},
		`file:"my files/a.go" file:b.go x`: {rest: "x", f: memory.Filter{Files: []string{"my files/a.go", "b.go"}}},
		`concept:缓存，并发 tag:#later,"now" 支付 `:    {rest: "支付 ", f: memory.Filter{Concepts: []string{"缓存", "并发"}, Tags: []string{"later", "now"}}},
		"project:shop project:/a/b session:s-1": {f: memory.Filter{Project: "/a/b", SessionID: "s-1"}},
		"after:2026-11 before:yesterday x":      {rest: "x", f: memory.Filter{After: day(2026, 11, 1), Before: day(2026, 11, 29)}},
		"before:2026-11-02 after:2w x":          {rest: "x", f: memory.Filter{After: day(2026, 11, 16), Before: day(2026, 11, 2)}},
		"after:someday x":                       {rest: "after:someday x"},
		`"type:bugfix" -type:bugfix type: x`:    {rest: `"type:bugfix" -type:bugfix type: x`},
		"https://x.org:80 a.go:12 Foo::bar":     {rest: "https://x.org:80 a.go:12 Foo::bar"},
		`cart "open type:bugfix`:                {rest: `cart "open `, f: memory.Filter{Types: []string{"bugfix"}}},
		`"a phrase" cart -"not this"`:           {rest: `"a phrase" cart -"not this"`},
		"tag:, x":                               {rest: "tag:, x"},
		"":                                      {},
	} {
		rest, f := Fields(text, memory.Filter{}, fieldsNow)
		if rest != want.rest || !reflect.DeepEqual(f, want.f) {
			t.Errorf("%s\ngives %q %+v\nwant  %q %+v", text, rest, f, want.rest, want.f)
		}
	}
	// What the caller has chosen stays where the text says nothing.
	_, f := Fields("type:bugfix x", memory.Filter{Project: "/shop", PinnedOnly: true}, fieldsNow)
	if f.Project != "/shop" || !f.PinnedOnly || len(f.Types) != 1 {
		t.Errorf("%+v", f)
	}
}

func TestDaysAreReadAsAPersonTypesThem(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-01": "2026-11-01 2026-11-02", "2026/1/2": "2026-01-02 2026-01-03", "2026-11": "2026-11-01 2026-12-01", "2026": "2026-01-01 2027-01-01",
		"today": "2026-11-30 2026-12-01", "Yesterday": "2026-11-29 2026-11-30", "mon": "2026-11-30 2026-12-01", "sunday": "2026-11-29 2026-11-30",
		"7d": "2026-11-23 2026-12-01", "2w": "2026-11-16 2026-12-01", "3m": "2026-08-30 2026-12-01", "1y": "2025-11-30 2026-12-01",
		"": "", "x": "", "d": "", "-1d": "", "1x": "", "tu": "", "2026-13": "", "999999999d": "", "日": "",
	} {
		got := ""
		if from, to, ok := Days(text, fieldsNow); ok {
			got = from.Format(time.DateOnly) + " " + to.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func FuzzFieldsReadAnyText(f *testing.F) {
	for _, text := range []string{"", "type:bugfix cart", `file:"a b" x`, `type:"`, `"type:x" -y`, "tag:，", "\xff:", "before:7d after:", "type:\u3000x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rest, filter := Fields(text, memory.Filter{}, fieldsNow)
		if len(rest) > len(text) {
			t.Errorf("%q grows to %q", text, rest)
		}
		if reflect.DeepEqual(filter, memory.Filter{}) && len(rest) > 0 && text[len(text)-len(rest):] != rest {
			t.Errorf("%q without a field becomes %q", text, rest)
		}
	})
}
