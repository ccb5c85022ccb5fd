package recall

import (
	"fmt"
	"strings"
	"testing"

	"cmem/memory"
)

func TestAHitSaysWhereItsWordsStand(t *testing.T) {
	s := newStore(t)
	remember(t, s,
		memory.Observation{Title: "orderService keeps carts", FilesModified: []string{"src/orderService.go"}},
		memory.Observation{Title: "Refund", Subtitle: "缓存", Narrative: "在高并发场景下，数据库连接池会超时。", Facts: []string{"ttl=5s 🕔"}, Concepts: []string{"how-it-works"}, Tags: []string{"重要"}},
		memory.Observation{Title: "Splits parse_http_request", Narrative: "Nothing else."},
		memory.Observation{Title: "用Redis做消息队列"},
		memory.Observation{Title: "Caches are flushed", Narrative: "The cache holds the flags --no-verify."},
	)
	for text, want := range map[string]string{
		"orderService":         "title · file",
		"orderservice":         "title · file",
		"order_service":        "title · file",
		"service":              "part of orderService",
		"order":                "part of orderService",
		"orderSer":             "part of orderService",
		"carts service":        "title · part of orderService",
		"ttl":                  "fact",
		"数据库":                  "narrative",
		"redis":                "title",
		"用redis":               "title",
		"red":                  "part of Redis",
		"消息队列":                 "title",
		"消息 refund":            "title",
		"缓存":                   "subtitle",
		"重要":                   "tag",
		"works":                "concept",
		"http":                 "part of parse_http_request",
		"caching":              "title · narrative",
		`"no verify"`:          "narrative",
		"refund ttl":           "title · fact",
		"refund nowhere":       "title",
		"why is the refund":    "title",
		"nowhere service":      "part of orderService",
		"the orderService how": "title · file",
	} {
		hits, err := s.Search(t.Context(), text, memory.Filter{}, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) != 1 && !strings.Contains(text, "消息 refund") {
			t.Errorf("%q finds %q", text, titles(hits))
			continue
		}
		if got := WhyHit(text, hits[0]).String(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestAHitOfAnotherWordFormSaysSo(t *testing.T) {
	h := memory.Hit{Observation: memory.Observation{Title: "Running"}}
	if got := WhyHit("ran", h).String(); got != "word form" {
		t.Errorf("got %q", got)
	}
	if got := WhyHit("", h).String(); got != "word form" {
		t.Errorf("no text: %q", got)
	}
}

func FuzzWhyHitReadsAnything(f *testing.F) {
	f.Add(`cart "数据`, "orderService \uE000cart\uE001 __--_ é́", "\uE000a")
	f.Fuzz(func(t *testing.T, text, stored, snippet string) {
		r := WhyHit(text, memory.Hit{Observation: memory.Observation{Title: stored, Facts: []string{stored}, FilesRead: []string{text}}, Snippet: snippet})
		if r.String() == "" {
			t.Error("no reason")
		}
		terms(memory.Observation{Title: stored, Concepts: []string{text}, FilesRead: []string{text}})
		withoutOne(text)
	})
}

// A hundred hits are explained for each letter that somebody types.
func TestWhyHitTakesApartOnlyWordsThatMayMatch(t *testing.T) {
	var narrative strings.Builder
	for i := range 500 {
		fmt.Fprintf(&narrative, "the worker_pool of service %d waits 等待 for a lock-free queue. ", i)
	}
	h := memory.Hit{Observation: memory.Observation{
		Title: "Adds retryPolicy to the client", Narrative: narrative.String(), FilesModified: []string{"pkg/retry_policy.go"},
	}}
	if got, want := WhyHit("retry", h).String(), "part of retryPolicy, retry_policy"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := testing.AllocsPerRun(5, func() { WhyHit("retry", h) }); n > 2500 {
		t.Errorf("explaining a hit of 5,000 words allocates %v times, want at most one for every second word", n)
	}
}
