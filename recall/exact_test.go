package recall

import (
	"slices"
	"testing"
)

func TestASearchTextIsReadForItsMeaning(t *testing.T) {
	for text, want := range map[string]plainText{
		"retry of the cart":      {text: "retry of the cart", unquoted: "retry of the cart"},
		"cache -redis --dry-run": {text: "cache --dry-run", unquoted: "cache -redis --dry-run", unwanted: []string{"redis"}, names: []string{"dryrun"}},
		`the "cart total" is`:    {text: "the cart total is", unquoted: "the cart total is", isQuoted: true},
		`cart -"grand total" x`:  {text: "cart x", unquoted: `cart -"grand total" x`, unwanted: []string{"grand total"}},
		`an open " quote`:        {text: `an open " quote`, unquoted: `an open " quote`},
		"-1 -v -缓存":              {text: "-1 -v", unquoted: "-1 -v -缓存", unwanted: []string{"缓存"}},
		"":                       {},
	} {
		got := readText(text)
		if got.text != want.text || got.unquoted != want.unquoted || !slices.Equal(got.unwanted, want.unwanted) || got.isQuoted != want.isQuoted || !slices.Equal(got.names, want.names) {
			t.Errorf("%q is read as %+v, want %+v", text, got, want)
		}
	}
}

func TestNamesAreToldFromWords(t *testing.T) {
	for _, w := range []string{"orderService", "order_service", "pkg/a/b.go:120", "ERR_CONN_RESET", "ECONNRESET", "v1.2.3", "--dry-run", "x509", "a.b", "FileTailer::drain", "0b2322c", "40P01"} {
		if !isIdentifier(w) {
			t.Errorf("%q is no name", w)
		}
	}
	for _, w := range []string{"order", "Kubernetes", "HTTP", "ADR", "1.5", "2026", "well-known", "缓存", "用Redis缓存", "e", ""} {
		if isIdentifier(w) {
			t.Errorf("%q is a name", w)
		}
	}
}

func TestANameIsFoundInAllItsSpellingsButNotInLongerOnes(t *testing.T) {
	for name, texts := range map[string]map[string]bool{
		"orderService": {"the order_service fails": true, "OrderService.cancel()": true, "order-service": true, "用orderService下单": true,
			"orderServices": false, "my_order_service": false, "order": false},
		"pkg/a/b.go":     {"see pkg/a/b.go:120": true, `pkg\a\b.go`: true, "pkg/a/b.gox": false},
		"ERR_CONN_RESET": {"net::ERR_CONN_RESET (5)": true, "errConnReset": true, "ERR_CONN": false},
		"v1.2.3":         {"since v1.2.3.": true, "v1.2.30": false},
	} {
		for text, want := range texts {
			if got := holdsAny(text, readText(name).names); got != want {
				t.Errorf("%q holds %s: %v, want %v", text, name, got, want)
			}
		}
	}
	if holdsAny("anything", nil) {
		t.Error("a text holds no name")
	}
}

func TestPiecesOfWordsFindOtherFormsOfThem(t *testing.T) {
	g := newGrams([]string{"timestamp", "parse"}, map[string]float64{"timestamp": 3, "parse": 2})
	share := func(text string) float64 {
		s, _ := g.share(text)
		return s
	}
	if got := share("timestamp parse"); got < 0.999 || got > 1.001 {
		t.Errorf("the words themselves have %.3f, want 1", got)
	}
	for _, text := range []string{"parsing of time_stamps", "TimestampParser", "two timestamps"} {
		if got := share(text); got < 0.3 || got > 1 {
			t.Errorf("%q has %.3f of the pieces", text, got)
		}
	}
	if got := share("cart total of the shop 缓存"); got > 0.05 {
		t.Errorf("another text has %.3f of the pieces", got)
	}
	if got, n := newGrams(nil, nil).share("text"); got != 0 || n != 0 {
		t.Errorf("a search without words has %v of %d", got, n)
	}
}
