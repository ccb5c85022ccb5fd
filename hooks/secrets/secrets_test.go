package secrets

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEveryRuleIsWhole(t *testing.T) {
	if v := set().version; !regexp.MustCompile(`^v8\.\d+\.\d+$`).MatchString(v) {
		t.Errorf("the rules are of version %q", v)
	}
	seen := map[string]bool{}
	for i := range set().rules {
		r := &set().rules[i]
		if seen[r.ID] {
			t.Errorf("rule %s is there twice", r.ID)
		}
		seen[r.ID] = true
		if len(r.Keywords) == 0 || slices.ContainsFunc(r.Keywords, func(k string) bool { return len(k) < 2 }) {
			t.Errorf("rule %s has the keywords %q", r.ID, r.Keywords)
		}
		r.expression() // panics when it is none
	}
	if len(seen) < 220 {
		t.Errorf("there are %d rules", len(seen))
	}
}

func TestWordsAreFoundInAnyCaseWhereTheyStand(t *testing.T) {
	var w words
	for i, text := range []string{"token", "tok", "密码", "://", "Key"} {
		w.add(text, i)
	}
	type place struct{ of, at int }
	var got []place
	find(&w, "x TOKEN 密码 http:// keY to", func(x word, at int) bool {
		got = append(got, place{x.of[0], at})
		return true
	})
	want := []place{{0, 2}, {1, 2}, {2, 8}, {3, 19}, {4, 23}}
	slices.SortFunc(got, func(a, b place) int { return (a.at-b.at)*10 + a.of - b.of })
	if !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	if !has(&w, "aTok") || has(&w, "to") || has(&w, []byte("ke y")) || has(&w, "") {
		t.Error("a word is not found, or found in parts")
	}
}

func TestASecretIsFoundInALongText(t *testing.T) {
	key := "ghp" + "_" + strings.Repeat("aB3x", 9)
	for _, filler := range []string{"x", "key ", "密码", "=", "\n"} {
		long := strings.Repeat(filler, 50_000)
		if got, want := Mask(long+" "+key+" "+long), long+" "+Mark+" "+long; got != want {
			t.Errorf("between %q: not masked, or more than that", filler)
		}
	}
	// A token may be longer than the piece that is looked at first.
	token := "eyJ" + strings.Repeat("aB3x", 30) + "." + "eyJ" + strings.Repeat("cD4y", 2000) + "." + strings.Repeat("eF5z", 10)
	if got := Mask("token " + token + " end"); got != "token "+Mark+" end" {
		t.Errorf("a token of %d bytes: %.80q", len(token), got)
	}
}

func TestMaskingWhatIsMaskedChangesNothing(t *testing.T) {
	for _, text := range []string{
		"DB_PASSWORD=" + Mark, "--password " + Mark, "password: " + Mark + "tail9999", Mark + Mark, "x[secret", "secret]: abc12345", "密码：" + Mark,
		"curl -u admin:" + Mark + " https://x", "postgres://a:" + Mark + "@h", "mysql -p" + Mark, `{"auth":"` + Mark + `"}`,
	} {
		once := Mask(text)
		if twice := Mask(once); twice != once {
			t.Errorf("%q became %q, and then %q", text, once, twice)
		}
	}
}

// A payload of a megabyte must not hold the worker up. The bound is far from what is
// measured (docs/privacy.md), for machines are slow and busy.
func TestAMegabyteIsMaskedInASecondOrSo(t *testing.T) {
	for name, text := range heavy(t) {
		start := time.Now()
		Mask(text)
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s: %s", name, took)
		}
	}
}

func FuzzMaskingIsStableAndKeepsJSONWhole(f *testing.F) {
	for _, seed := range []string{
		"password=hunter22", `{"api_key": "9f8e7d6c5b4a39281706"}`, "curl -u a:b c", "[secret][secret", "密码：x9x9x9", "eyJ.eyJ.", "a\x00b\xff=", "Authorization: token 0123456789abcdef",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := Mask(text)
		if twice := Mask(once); twice != once {
			t.Fatalf("%q became %q, and then %q", text, once, twice)
		}
		if strings.Count(once, Mark) == 0 && once != text {
			t.Fatalf("%q became %q: something went without a mark", text, once)
		}
		if once != text && !MayHold([]byte(text)) {
			t.Fatalf("the cheap look finds nothing in %q", text)
		}
		if b, err := json.Marshal(once); err != nil || !json.Valid(b) {
			t.Fatalf("%q is no text: %v", once, err)
		}
	})
}
