package tui

import (
	"slices"
	"strings"
	"testing"

	"cmem/memory"
	"cmem/themes"
)

// litIn gives what is lit in a text, with | between.
func litIn(text string, words []string) string {
	var out []string
	for _, s := range lit(text, themes.Text, words) {
		if s.role == themes.Match {
			out = append(out, s.text)
		}
	}
	return strings.Join(out, "|")
}

func TestWordsAreLitAsTheSearchMatchesThem(t *testing.T) {
	for _, tc := range []struct{ typed, text, want string }{
		{"retry", "Retry on RETRY, retrying; noretry", "Retry|RETRY|retry"},
		{"art", "the cart, an article, art", "art|art"},
		{"order service", "orderService and service_order", "order|Service|service|order"},
		{"orderservice", "orderService, order_service, order-service, OrderServices", "orderService|order_service|order-service|OrderService"},
		{"order_service", "orderService and order service", "orderService"},
		{"orderService", "the order_service", "order_service"},
		{"http", "parseHTTPRequest2, https", "HTTP|http"},
		{"request", "parseHTTPRequest2", "Request"},
		{"go", "go, going, Go1.26, cargo", "go|Go"},
		{"c", "c and cache", "c"},
		{"caches", "cached and caches", "cach|caches"},
		{"the retry", "the retry", "retry"},
		{"the", "the retry", "the"},
		{`"never charged twice"`, "It is never  charged twice. Never, charged", "never  charged twice"},
		{`"to be"`, "to be or not to", "to be"},
		{"总价", "修复总价，总价格", "总价|总价"},
		{"价", "总价", "价"},
		{"用redis缓存", "用Redis缓存订单", "用|Redis|缓存"},
		{"ÄRGER", "Viel ärger um Ärger", "ärger|Ärger"},
		{"İ", "İstanbul", ""}, // its small form is of two runes: nothing breaks
		{"日本", "日本語と日本", "日本|日本"},
		{"***", "*** nothing ***", ""},
		{"", "all", ""},
		{"👍 done", "👍 done 👍🏽", "done"},
	} {
		words := litWords(tc.typed)
		if got := litIn(tc.text, words); got != tc.want {
			t.Errorf("%q in %q lights %q, want %q (words %q)", tc.typed, tc.text, got, tc.want, words)
		}
		var all strings.Builder
		for _, s := range lit(tc.text, themes.Text, words) {
			all.WriteString(s.text)
		}
		if all.String() != tc.text {
			t.Errorf("%q in %q: the text became %q", tc.typed, tc.text, all.String())
		}
	}
}

func FuzzLit(f *testing.F) {
	f.Add("orderService 总价", "the order_service 用Redis缓存")
	f.Add(`"a b`, "a--b__\xff")
	f.Fuzz(func(t *testing.T, typed, text string) {
		var all strings.Builder
		for _, s := range lit(text, themes.Text, litWords(typed)) {
			all.WriteString(s.text)
		}
		if all.String() != text {
			t.Errorf("the text became %q", all.String())
		}
	})
}

func TestTheMarkedFormsOfASnippetAreLitToo(t *testing.T) {
	snippet := "… " + string(memory.MatchStart) + "retries" + string(memory.MatchEnd) + " and " + string(memory.MatchStart) + "重试" + string(memory.MatchEnd)
	words := forms(snippet)
	if want := []string{"retries", "重试"}; !slices.Equal(words, want) {
		t.Fatalf("got %q, want %q", words, want)
	}
	if got := forms("no marks, one " + string(memory.MatchStart) + "open"); len(got) > 0 {
		t.Errorf("an open mark gives %q", got)
	}
	// The fake source answers no snippet; a hit does it here.
	source := demoSource()
	o := demoOptions()
	o.Source = snippetSource{source, string(memory.MatchStart) + "backoff" + string(memory.MatchEnd)}
	h := open(t, o, 120, 40)
	h.keys("/")
	h.text("jitter")
	if !slices.Contains(h.m.detail.words, "backoff") {
		t.Errorf("the details light %q", h.m.detail.words)
	}
}

func TestMatchesStayLitInTheSelectedRow(t *testing.T) {
	for _, tc := range []struct {
		focus bool
		want  line
	}{
		{true, line{{themes.Selected, markFocus + " 用 a "}, {themes.SelectedMatch, "重试"}, {themes.Selected, " b"}}},
		{false, line{{themes.SelectedBlur, markBlur + " 用 a 重试 b"}}},
	} {
		l := line{{themes.Text, "  "}, {themes.Muted, "用 "}, {themes.Text, "a "}, {themes.Match, "重试"}, {themes.Text, " b"}}
		s := rowStyle{cells: byRune, w: byRune.lineWidth(l), focus: tc.focus}
		got := s.asSelected(l)
		if !slices.Equal(got, tc.want) {
			t.Errorf("focus %v: got %q, want %q", tc.focus, got, tc.want)
		}
		if byRune.lineWidth(got) != byRune.lineWidth(l) {
			t.Errorf("focus %v: it became %d cells wide", tc.focus, byRune.lineWidth(got))
		}
	}
	// A wide character under the mark leaves half of itself free.
	got := rowStyle{cells: byRune, w: 4}.asSelected(line{{themes.Text, "用"}, {themes.Text, "ab"}})
	if got.String() != markBlur+" ab" {
		t.Errorf("got %q", got.String())
	}
}
