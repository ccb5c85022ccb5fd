package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bars are what is reached at least, a little less than what was measured: see
// docs/search.md. The first is R@5, the second MRR.
var bars = map[string]map[string][2]float64{
	"webshop":    {"": {0.83, 0.70}, "identifier": {1, 1}, "crosslingual": {0.80, 0.55}, "paraphrase": {0.66, 0.55}},
	"lighthouse": {"": {0.87, 0.79}, "identifier": {1, 1}, "error": {1, 1}, "path": {1, 1}, "chinese": {0.95, 0.90}, "zh-en": {0.60, 0.55}, "en-zh": {0.85, 0.70}, "negation": {0.95, 0.95}, "summary": {0.80, 0.70}, "prompt": {0.80, 0.80}},
}

func TestMemoriesAreFoundAsWellAsTheyWere(t *testing.T) {
	if testing.Short() {
		t.Skip("fills two stores and searches them some hundred times")
	}
	sets, err := readSets("testdata")
	if err != nil {
		t.Fatal(err)
	}
	met := 0
	for _, s := range sets {
		o, err := measure(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for kind, bar := range bars[s.Name] {
			f := o.figures[byBoth][kind]
			if f == nil {
				t.Errorf("%s has no question of the kind %q", s.Name, kind)
				continue
			}
			met++
			if got := f.mean(f.recall5); got < bar[0] {
				t.Errorf("%s %s: R@5 is %.3f, the bar %.3f", s.Name, kind, got, bar[0])
			}
			if got := f.mean(f.reciprocal); got < bar[1] {
				t.Errorf("%s %s: MRR is %.3f, the bar %.3f", s.Name, kind, got, bar[1])
			}
		}
		both, words := o.figures[byBoth][""], o.figures[byKeyword][""]
		if both.mean(both.recall5) < words.mean(words.recall5)-0.01 {
			t.Errorf("%s: words alone find more: R@5 %.3f, with meaning %.3f", s.Name, words.mean(words.recall5), both.mean(both.recall5))
		}
		if both.injected > 0 {
			t.Errorf("%s: %d of %d searches without an answer give one that is sure", s.Name, both.injected, both.unanswerable)
		}
		if wrong := both.sure - both.sureRight; wrong*5 > both.sure {
			t.Errorf("%s: %d of %d answers that are sure are wrong", s.Name, wrong, both.sure)
		}
	}
	if want := len(bars["webshop"]) + len(bars["lighthouse"]); met != want {
		t.Errorf("%d bars were looked at, want %d", met, want)
	}
}

func TestFiguresAreCountedAsTheyAreDefined(t *testing.T) {
	var f figures
	f.add(question{Relevant: []string{"a", "b"}, Outdated: []string{"x"}}, found{ids: []string{"x", "a", "c", "d", "e", "b"}, sure: true, took: time.Second})
	f.add(question{Relevant: []string{"a"}, Outdated: []string{"x"}}, found{ids: []string{"a", "x"}, sure: true, took: 3 * time.Second})
	f.add(question{}, found{ids: []string{"a"}, sure: true, took: 2 * time.Second})
	f.add(question{}, found{})
	for name, c := range map[string][2]float64{
		"R@5": {f.mean(f.recall5), 0.75}, "R@10": {f.mean(f.recall10), 1}, "MRR": {f.mean(f.reciprocal), 0.75},
		// The first has its answers in places 2 and 6, where they could be in 1 and 2.
		"nDCG@10": {f.mean(f.ndcg), (1 + (0.63093+0.35621)/(1+0.63093)) / 2},
		"sure":    {float64(f.sure), 2}, "right": {float64(f.sureRight), 1},
		"unanswerable": {float64(f.unanswerable), 2}, "injected": {float64(f.injected), 1},
		"pairs": {float64(f.pairs), 2}, "newer first": {float64(f.newerFirst), 1},
		"p50": {f.percentile(50).Seconds(), 2}, "p95": {f.percentile(95).Seconds(), 3},
	} {
		if d := c[0] - c[1]; d > 1e-4 || d < -1e-4 {
			t.Errorf("%s is %v, want %v", name, c[0], c[1])
		}
	}
}

func TestSetsOfBothFormsAreRead(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.json", `{"name": "plain", "groups": [{"docs": [{"id": "1", "title": "t", "body": "b", "facts": "f g", "files": "x.go y.go"}], "queries": [{"query": "q", "relevant": ["1"]}]}]}`)
	write("b.json", `{"docs": [{"id": "1", "type": "decision", "title": "t", "narrative": "n", "facts": ["f", "g"], "concepts": ["c"], "files": ["x.go"], "created_at": "2026-02-03T00:00:00Z"}], "queries": []}`)
	write("note.txt", "no set")
	sets, err := readSets(folder)
	if err != nil || len(sets) != 2 {
		t.Fatalf("%d sets, %v", len(sets), err)
	}
	plain, _ := sets[0].Groups[0].memories()
	if o := plain.Observations[0]; sets[0].Name != "plain" || o.Narrative != "b" || len(o.Facts) != 1 || strings.Join(o.FilesModified, " ") != "x.go y.go" {
		t.Errorf("%s: %+v", sets[0].Name, o)
	}
	fields, now := sets[1].Groups[0].memories()
	if o := fields.Observations[0]; sets[1].Name != "b" || o.Type != "decision" || o.Narrative != "n" || len(o.Facts) != 2 || o.Concepts[0] != "c" || !now.After(o.CreatedAt) || o.CreatedAt.Month() != time.February {
		t.Errorf("%s: %+v", sets[1].Name, o)
	}
	write("c.json", `{"docs": [{"id": "1"}], "queries": [{"id": "q7", "query": "q", "relevant": ["2"]}]}`)
	if _, err := readSets(folder); err == nil || !strings.Contains(err.Error(), "q7") {
		t.Errorf("a set with an answer that is not there is read: %v", err)
	}
	if _, err := readSets(t.TempDir()); err == nil {
		t.Error("a folder without sets is no error")
	}
}
