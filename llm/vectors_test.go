package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// teller is an embedding model whose vectors say how long the text was, and that fails
// as it is told.
type teller struct {
	dims  int
	fails func(texts []string) error
	makes func(texts []string) [][]float32 // instead
	calls [][]string
	uses  []Use
}

func (s *teller) Name() string { return "openai/test:1@x" }

func (s *teller) Vectors(_ context.Context, texts []string, use Use) ([][]float32, error) {
	s.calls, s.uses = append(s.calls, slices.Clone(texts)), append(s.uses, use)
	if s.fails != nil {
		if err := s.fails(texts); err != nil {
			return nil, err
		}
	}
	if s.makes != nil {
		return s.makes(texts), nil
	}
	var out [][]float32
	for _, t := range texts {
		v := make([]float32, s.dims)
		v[0], v[1] = float32(len(t)), -100
		out = append(out, v)
	}
	return out, nil
}

func failing(kind Kind, status int) error {
	return &Error{Provider: "openai", Kind: kind, Status: status, Err: errors.New("refused")}
}

func unmasked(s string) string { return s }

func observations(titles ...string) []memory.Observation {
	list := make([]memory.Observation, len(titles))
	for i, t := range titles {
		list[i] = memory.Observation{ID: int64(i + 1), Title: t}
	}
	return list
}

func TestObservationsAreEmbeddedAsAllThatTheySayWithoutSecretsAndControlCharacters(t *testing.T) {
	s := &teller{dims: 4}
	m := NewVectorModel(s, func(text string) string { return strings.ReplaceAll(text, "hunter2", "[secret]") })
	got, err := m.Embed(t.Context(), []memory.Observation{
		{ID: 7, Title: "支付回调 🛒", Subtitle: "\x1b[31mred", Narrative: "password hunter2", Facts: []string{"port=1"}, Concepts: []string{"auth"}, Tags: []string{"v2"}, FilesModified: []string{"a.go"}, FilesRead: []string{"b.go"}},
		{ID: 8},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"支付回调 🛒\nred\npassword [secret]\nport=1\nauth\nv2\na.go\nb.go"}; len(s.calls) != 1 || !slices.Equal(s.calls[0], want) || s.uses[0] != ForStorage {
		t.Errorf("asked for %q", s.calls)
	}
	if got.Model != "openai/test:1@x@4/t1" || len(got.Meanings) != 2 || len(got.Refused) != 0 {
		t.Fatalf("got %+v", got)
	}
	for _, g := range got.Meanings {
		switch {
		case g.ID == 7 && (len(g.Vector) != 4 || g.Vector[1] != -127 || g.Vector[0] <= 0 || g.Words != nil):
			t.Errorf("the vector is %v", g)
		case g.ID == 8 && g.Vector != nil:
			t.Errorf("one without words has %v", g)
		}
	}
}

func TestAnIDIsOfAModelWithWhateverLength(t *testing.T) {
	m := NewVectorModel(&teller{dims: 3}, unmasked)
	for id, want := range map[string]bool{
		"openai/test:1@x@3/t1": true, "openai/test:1@x@4096/t1": true, "openai/test:1@x@3/t0": false, "openai/test:1@3/t1": false, "static/32k-192/v1": false, "": false, "openai/test:1@x@/t1": false,
	} {
		if got := m.Is(id); got != want {
			t.Errorf("%q: %v", id, got)
		}
	}
	if id, err := m.ID(t.Context()); err != nil || id != "openai/test:1@x@3/t1" {
		t.Errorf("%q, %v", id, err)
	}
}

func TestASearchIsEmbeddedAsSuch(t *testing.T) {
	s := &teller{dims: 3}
	id, v, err := NewVectorModel(s, strings.ToUpper).Query(t.Context(), "who signs in")
	if err != nil || id != "openai/test:1@x@3/t1" || len(v) != 3 || s.uses[0] != ForSearch || s.calls[0][0] != "WHO SIGNS IN" {
		t.Errorf("%q %v %v, asked %v as %v", id, v, err, s.calls, s.uses)
	}
}

func TestCallsGrowWhileTheySucceedAndShrinkWhenTheServerIsTooSlow(t *testing.T) {
	s := &teller{dims: 2}
	m := NewVectorModel(s, unmasked)
	list := observations(slices.Repeat([]string{"a"}, 100)...)
	var sizes []int
	for i := range 6 {
		if s.fails = nil; i == 4 {
			s.fails = func([]string) error { return failing(KindTemporary, 0) }
		}
		got, err := m.Embed(t.Context(), list)
		if (err != nil) != (i == 4) {
			t.Fatal(i, err)
		}
		sizes = append(sizes, len(s.calls[len(s.calls)-1]))
		if err == nil && len(got.Meanings) != sizes[i] {
			t.Errorf("%d of %d were made", len(got.Meanings), sizes[i])
		}
	}
	if want := []int{8, 16, 32, 64, 64, 16}; !slices.Equal(sizes, want) {
		t.Errorf("calls of %v texts, want %v", sizes, want)
	}
	long := observations(slices.Repeat([]string{strings.Repeat("word ", 1200)}, 100)...)
	s.calls = nil
	if _, err := m.Embed(t.Context(), long); err != nil || len(s.calls[0]) != 10 {
		t.Errorf("%d texts of 6,000 characters in a call (%v), want 10", len(s.calls[0]), err)
	}
}

func TestATextThatIsRefusedDoesNotHoldUpTheOthers(t *testing.T) {
	for name, failure := range map[string]error{"refused": failing(KindRequest, 400), "an answer that makes no sense": failing(KindAnswer, 0), "a server that stumbles": failing(KindTemporary, 500)} {
		s := &teller{dims: 2, fails: func(texts []string) error {
			if slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, "bad") }) {
				return failure
			}
			return nil
		}}
		got, err := NewVectorModel(s, unmasked).Embed(t.Context(), observations("a", "b", "bad 坏", "d", "e"))
		if err != nil || !slices.Equal(got.Refused, []int64{3}) || len(got.Meanings) != 5 || got.Meanings[2].ID != 3 || got.Meanings[2].Vector != nil || got.Meanings[4].Vector == nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if len(s.calls) > 10 {
			t.Errorf("%s: %d calls", name, len(s.calls))
		}
	}
}

func TestATextThatIsTooLongForTheModelIsShortened(t *testing.T) {
	s := &teller{dims: 2, fails: func(texts []string) error {
		if slices.ContainsFunc(texts, func(t string) bool { return memory.EstimateTokens(t) > 500 }) {
			return failing(KindRequest, 400)
		}
		return nil
	}}
	got, err := NewVectorModel(s, unmasked).Embed(t.Context(), observations(strings.Repeat("words and ", 1000), "short"))
	last := s.calls[len(s.calls)-2][0]
	if err != nil || len(got.Refused) != 0 || got.Meanings[0].Vector == nil || !strings.HasSuffix(last, "and") && !strings.HasSuffix(last, "words") {
		t.Errorf("%+v, %v; the last text ends in %q", got, err, last[max(0, len(last)-20):])
	}
}

func TestWhatIsDoneIsKeptWhenAProviderGivesUpInTheMiddle(t *testing.T) {
	n := 0
	s := &teller{dims: 2, fails: func(texts []string) error {
		if n++; n > 3 { // all, the sample, the first half
			return &Error{Provider: "openai", Kind: KindRateLimit, Status: 429, RetryAfter: time.Minute, Err: errors.New("slower")}
		}
		if len(texts) == 4 {
			return failing(KindRequest, 400)
		}
		return nil
	}}
	got, err := NewVectorModel(s, unmasked).Embed(t.Context(), observations("a", "b", "c", "d"))
	if KindOf(err) != KindRateLimit || len(got.Meanings) != 2 || got.Meanings[1].ID != 2 || len(got.Refused) != 0 || got.Model == "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAProviderThatRefusesEverythingHasWrongSettings(t *testing.T) {
	s := &teller{fails: func([]string) error { return failing(KindRequest, 400) }}
	m := NewVectorModel(s, unmasked)
	got, err := m.Embed(t.Context(), observations("a", "b"))
	if KindOf(err) != KindAuth || len(got.Meanings)+len(got.Refused) != 0 || len(s.calls) != 2 || !strings.Contains(err.Error(), "refuses every text: ") {
		t.Errorf("%+v, %v after %d calls", got, err, len(s.calls))
	}
	if _, err := m.ID(t.Context()); KindOf(err) != KindAuth {
		t.Errorf("%v", err)
	}
}

func TestFailuresOfTheProviderAreOneCall(t *testing.T) {
	for _, kind := range []Kind{KindAuth, KindRateLimit} {
		s := &teller{fails: func([]string) error { return failing(kind, 401) }}
		if _, err := NewVectorModel(s, unmasked).Embed(t.Context(), observations("a", "b", "c")); KindOf(err) != kind || len(s.calls) != 1 {
			t.Errorf("%v after %d calls", err, len(s.calls))
		}
	}
}

func TestVectorsThatCannotBeComparedAreNotTaken(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, vectors := range map[string][][]float32{
		"too many": {{1}, {1}, {1}}, "none": nil, "empty": {{}, {}}, "too long": {make([]float32, 4097), make([]float32, 4097)},
		"of two lengths": {{1, 2}, {1, 2, 3}}, "no number": {{1, nan}, {1, 2}}, "no end": {{1, 2}, {inf, 2}}, "no direction": {{0, 0}, {1, 2}}, "one missing": {nil, {1, 2}},
	} {
		s := &teller{makes: func([]string) [][]float32 { return vectors }}
		got, err := NewVectorModel(s, unmasked).Embed(t.Context(), observations("a", "b"))
		if KindOf(err) != KindAnswer || len(got.Meanings) != 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestAServerThatEmbedsOneTextACallIsUsedSo(t *testing.T) {
	s := &teller{makes: func([]string) [][]float32 { return [][]float32{{1, 2}} }}
	if got, err := NewVectorModel(s, unmasked).Embed(t.Context(), observations("a", "b", "c")); err != nil || len(got.Meanings) != 3 || len(got.Refused) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestACancelledCallIsNoRefusal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &teller{fails: func([]string) error { cancel(); return failing(KindRequest, 400) }}
	if got, err := NewVectorModel(s, unmasked).Embed(ctx, observations("a", "b")); err == nil || len(got.Refused) != 0 || len(s.calls) != 1 {
		t.Errorf("%+v, %v after %d calls", got, err, len(s.calls))
	}
}

func TestATextIsCutAtAWord(t *testing.T) {
	for _, test := range []struct {
		text   string
		tokens int
		want   string
	}{
		{"short", 10, "short"}, {"one two three", 2, "one two"}, {"一二三四五", 3, "一二三"},
		{strings.Repeat("x", 100), 5, strings.Repeat("x", 20)}, {"🛒🛒🛒🛒", 2, "🛒🛒"}, {"", 5, ""},
	} {
		got := cutToTokens(test.text, test.tokens)
		if got != test.want || memory.EstimateTokens(got) > test.tokens {
			t.Errorf("%q cut to %d tokens is %q, want %q", test.text, test.tokens, got, test.want)
		}
	}
}

func TestAQuantisedVectorKeepsItsDirection(t *testing.T) {
	for _, v := range [][]float32{{0.001, -0.002, 0.0005}, {1e30, -1e30, 3e29}, {-1, 0, 0}} {
		q := quantise(v)
		dot, a, b := 0.0, 0.0, 0.0
		for i, x := range v {
			dot, a, b = dot+float64(x)*float64(q[i]), a+float64(x)*float64(x), b+float64(q[i])*float64(q[i])
		}
		if cosine := dot / math.Sqrt(a) / math.Sqrt(b); cosine < 0.9999 {
			t.Errorf("%v became %v: a cosine of %v", v, q, cosine)
		}
	}
}

func FuzzCutToTokens(f *testing.F) {
	f.Add("一 two 🛒", 2)
	f.Fuzz(func(t *testing.T, text string, tokens int) {
		if tokens < 0 || tokens > 1000 {
			return
		}
		if got := cutToTokens(text, tokens); !strings.HasPrefix(text, got) || memory.EstimateTokens(got) > tokens {
			t.Error(fmt.Sprintf("%q", got), tokens)
		}
	})
}
