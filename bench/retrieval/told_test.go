package main

import (
	"slices"
	"testing"
)

// toldBars are how often something is told at least where there is something to tell, and
// how often at most what is told first is wrong. Where there is nothing, nothing may be
// told.
var toldBars = map[string]struct{ failures, wrongFailures, prompts int }{
	"webshop":    {failures: 15, wrongFailures: 1, prompts: 5},
	"lighthouse": {failures: 17, wrongFailures: 0, prompts: 4},
}

func TestWhatIsToldUnaskedIsRight(t *testing.T) {
	if testing.Short() {
		t.Skip("fills two stores")
	}
	sets, err := readSets("testdata")
	if err != nil {
		t.Fatal(err)
	}
	met := 0
	for _, s := range sets {
		bar, ok := toldBars[s.Name]
		if !ok {
			continue
		}
		met++
		a, err := readActions("testdata", s.Name)
		if err != nil || a == nil {
			t.Fatalf("actions of %s: %v, %v", s.Name, a, err)
		}
		failures, prompts, err := tellUnasked(t.Context(), s.Groups[0], a)
		if err != nil {
			t.Fatal(err)
		}
		if failures.unanswerable < 20 || prompts.unanswerable < 7 {
			t.Fatalf("%s: %d failures and %d prompts have no answer: that measures nothing", s.Name, failures.unanswerable, prompts.unanswerable)
		}
		if failures.told < bar.failures || prompts.told < bar.prompts {
			t.Errorf("%s: something is told after %d failing commands and with %d prompts, the bars are %d and %d (missed: %q, %q)",
				s.Name, failures.told, prompts.told, bar.failures, bar.prompts, failures.missed, prompts.missed)
		}
		if failures.injected+prompts.injected > 0 {
			t.Errorf("%s: something is told where there is nothing to tell: %q, %q", s.Name, failures.wrong, prompts.wrong)
		}
		if failures.mistaken() > bar.wrongFailures || prompts.mistaken() > 0 {
			t.Errorf("%s: what is told first is wrong: %q, %q", s.Name, failures.wrong, prompts.wrong)
		}
	}
	if met != len(toldBars) {
		t.Errorf("%d sets were looked at, want %d", met, len(toldBars))
	}
}

func TestTellingIsCountedAsItIsDefined(t *testing.T) {
	var c telling
	c.add("right", []string{"a", "b"}, []string{"b", "x"})
	c.add("wrong", []string{"a"}, []string{"x", "a"})
	c.add("missed", []string{"a"}, nil)
	c.add("injected", nil, []string{"x"})
	c.add("silent", nil, nil)
	if c.answered != 3 || c.told != 2 || c.right != 1 || c.unanswerable != 2 || c.injected != 1 || c.besides != 3 || c.mistaken() != 2 ||
		!slices.Equal(c.missed, []string{"missed"}) || !slices.Equal(c.wrong, []string{"wrong", "injected"}) {
		t.Errorf("counted %+v", c)
	}
}
