package recall

import (
	"errors"
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
		"消息 refund":            "any word: title",
		"缓存":                   "subtitle",
		"重要":                   "tag",
		"works":                "concept",
		"http":                 "part of parse_http_request",
		"caching":              "title · narrative",
		`"no verify"`:          "narrative",
		"refund ttl":           "title · fact",
		"refund nowhere":       "any word: title",
		"why is the refund":    "title",
		"nowhere service":      "any word: part of orderService",
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
		why, err := WhyHits(t.Context(), s, text, hits)
		if err != nil {
			t.Fatal(err)
		}
		if got := why[0].String(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if why[0].Rank != 1 || why[0].Share != 1 {
			t.Errorf("%q: %+v", text, why[0])
		}
	}
}

func TestHitsAreHeldAgainstTheBest(t *testing.T) {
	s := newStore(t)
	remember(t, s,
		memory.Observation{Title: "cart", Narrative: strings.Repeat("long story ", 50)},
		memory.Observation{Title: "退款 in the cart"},
		memory.Observation{Title: "other", Narrative: "a cart 🛒"},
	)
	hits, err := s.Search(t.Context(), "cart nowhere 退款", memory.Filter{}, 10)
	if err != nil || len(hits) != 3 {
		t.Fatalf("%q, %v", titles(hits), err)
	}
	why, err := WhyHits(t.Context(), s, "cart nowhere 退款", hits)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range why {
		want := 2
		if hits[i].Observation.Title == "退款 in the cart" {
			want = 1
		}
		if r.Rank != i+1 || r.Share > 1 || r.Share <= 0 || i > 0 && r.Share > why[i-1].Share || len(r.Lacks) != want {
			t.Errorf("%s: %+v", hits[i].Observation.Title, r)
		}
	}
	if why, err := WhyHits(t.Context(), s, "cart", nil); err != nil || len(why) != 0 {
		t.Errorf("of no hits: %+v, %v", why, err)
	}
	sick := errors.New("disk on fire")
	if _, err := WhyHits(t.Context(), sickSource{MissSource: s, missing: sick}, "cart", hits); !errors.Is(err, sick) {
		t.Errorf("got %v", err)
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
