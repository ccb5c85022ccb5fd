package recall

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"cmem/memory"
	"cmem/store"
)

func titles(hits []memory.Hit) []string {
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = h.Observation.Title
	}
	return out
}

func TestNeighboursShareTheRareWords(t *testing.T) {
	s := newStore(t)
	other := "/home/dev/projects/other"
	obs := remember(t, s,
		memory.Observation{Title: "Adds retry to fetchPage", Concepts: []string{"pattern"}, FilesModified: []string{"net/page_client.go"}},
		memory.Observation{Title: "Page loads time out", FilesRead: []string{"net/page_client.go"}},
		memory.Observation{Title: "fetch_page is called twice 🔁"},
		memory.Observation{Title: "fetch-page and PageClient are one now"},
		memory.Observation{Title: "Elsewhere fetchPage fails", Project: other, SessionID: "s9"},
		memory.Observation{Title: "fetchPage was removed", Status: memory.StatusArchived},
		memory.Observation{Title: "退款流程里的支付回调签名不对", Concepts: []string{"pattern"}},
		memory.Observation{Title: "支付回调的重试 💰"},
		memory.Observation{Title: "Nothing of that kind", Concepts: []string{"testing"}},
		memory.Observation{Title: "Redis缓存失效的处理"},
		memory.Observation{Title: "Redis holds the sessions"},
	)
	for title, want := range map[string][]string{
		"Adds retry to fetchPage":      {"fetch-page and PageClient are one now", "fetch_page is called twice 🔁", "Page loads time out", "退款流程里的支付回调签名不对", "Elsewhere fetchPage fails"},
		"退款流程里的支付回调签名不对":               {"支付回调的重试 💰"},
		"Redis缓存失效的处理":                 {"Redis holds the sessions"},
		"fetchPage was removed":        {"fetch-page and PageClient are one now", "fetch_page is called twice 🔁", "Adds retry to fetchPage", "Elsewhere fetchPage fails"},
		"Nothing of that kind":         {},
		"Elsewhere fetchPage fails":    {"fetch-page and PageClient are one now", "fetch_page is called twice 🔁", "Adds retry to fetchPage"},
		"fetch_page is called twice 🔁": {"fetch-page and PageClient are one now", "Adds retry to fetchPage", "Elsewhere fetchPage fails"},
	} {
		o := obs[slices.IndexFunc(obs, func(o memory.Observation) bool { return o.Title == title })]
		hits, err := Related(t.Context(), s, o, 10)
		if err != nil {
			t.Fatal(err)
		}
		got := titles(hits)
		home := slices.IndexFunc(hits, func(h memory.Hit) bool { return h.Observation.Project != o.Project })
		if home >= 0 && slices.ContainsFunc(hits[home:], func(h memory.Hit) bool { return h.Observation.Project == o.Project }) {
			t.Errorf("%s: another project stands before its own: %q", title, got)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", title, got, want)
		}
		again, err := Related(t.Context(), s, o, 10)
		if err != nil || !slices.Equal(titles(again), titles(hits)) {
			t.Errorf("%s: the second time %q, %v", title, titles(again), err)
		}
		if two, err := Related(t.Context(), s, o, 2); err != nil || len(two) > 2 {
			t.Errorf("%s: at most two: %q, %v", title, titles(two), err)
		}
	}
	// Who shares two of the words comes before those that share one.
	if hits, err := Related(t.Context(), s, obs[0], 1); err != nil || len(hits) != 1 || hits[0].Observation.Title != "fetch-page and PageClient are one now" {
		t.Errorf("the nearest is %q, %v", titles(hits), err)
	}
}

func TestTheRarestWordsAreLookedFor(t *testing.T) {
	for want, o := range map[string]memory.Observation{
		"[orderservice e9317 supersedes]": {Title: "orderService supersedes the old one: E9317"},
		"[importparserby]":                {Title: "It is so", FilesModified: []string{`internal\error\import_parser_by.py`}},
		"[fetchpage changed]":             {Title: "changed", FilesRead: []string{"fetchPage.go"}},
		"[支付回调 签名校验 connection]":          {Title: "支付回调的签名校验 connection"},
		"[缓存失效 处理 redis]":                 {Title: "Redis缓存失效的处理"},
		"[]":                              {Title: "The is of 1 22 🐛", Concepts: []string{"bug"}},
		"[parsehttprequest httpserver2go gamma3delta4 alpha1beta2]": {Title: "HTTPServer2go gamma3delta4 alpha1beta2 parseHTTPRequest"},
	} {
		if got := fmt.Sprint(terms(o)); got != want {
			t.Errorf("%s: %s, want %s", o.Title, got, want)
		}
	}
}

// counting counts the searches.
type counting struct {
	Searcher
	n   *int
	err error
}

func (c counting) Search(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.Hit, error) {
	*c.n++
	if c.err != nil {
		return nil, c.err
	}
	return c.Searcher.Search(ctx, text, f, limit)
}

func TestLookingForNeighboursIsBounded(t *testing.T) {
	s := newStore(t)
	o := memory.Observation{Title: "", ID: 1}
	for i := range 1000 {
		o.Title += fmt.Sprintf("name_%d ", i)
		o.Concepts = append(o.Concepts, fmt.Sprintf("concept_%d", i))
		o.FilesModified = append(o.FilesModified, fmt.Sprintf("dir/file_%d.go", i))
	}
	n := 0
	if _, err := Related(t.Context(), counting{s, &n, nil}, o, 10); err != nil || n != maxTerms+1 {
		t.Errorf("%d searches, %v", n, err)
	}
	sick := errors.New("disk on fire")
	if _, err := Related(t.Context(), counting{s, &n, sick}, o, 10); !errors.Is(err, sick) {
		t.Errorf("got %v", err)
	}
	// What the index finds no word in is passed over.
	if hits, err := Related(t.Context(), counting{s, &n, store.ErrEmptyQuery}, o, 10); err != nil || len(hits) != 0 {
		t.Errorf("%q, %v", titles(hits), err)
	}
}
