package main

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestTargetsCompareWithMiniAndWithTheSmallestStore(t *testing.T) {
	good := func(name string, observations int, factor float64) *screenProgram {
		ms := []float64{10 * factor}
		return &screenProgram{
			name: name, observations: observations, starts: [2][]float64{ms, ms}, shown: [2][]float64{ms, ms},
			quits: []float64{20}, keys: ms, lasts: ms, frames: []float64{500}, all: []float64{1500},
			filter: []float64{30}, slowest: "修复", burst: 100, cpu: 0.5, memory: 40,
		}
	}
	fill := func(change func(small, big *screenProgram)) []Target {
		b := &bench{}
		programs := []*screenProgram{good("mini", 0, 1), good("cmem", 1000, 1.1), good("cmem", 1_000_000, 1.1)}
		change(programs[1], programs[2])
		b.tellScreens(programs)
		return b.Targets
	}
	missed := func(targets []Target) (names []string) {
		for _, target := range targets {
			if !target.Met {
				names = append(names, target.Name)
			}
		}
		return names
	}
	tests := []struct {
		name   string
		change func(small, big *screenProgram)
		want   []string
	}{
		{"all met", func(_, _ *screenProgram) {}, nil},
		{"slow start", func(_, big *screenProgram) { big.starts[0] = []float64{21} }, []string{"first frame at 1M, of mini's"}},
		{"a mute terminal waited for", func(_, big *screenProgram) { big.starts[1] = []float64{2000} },
			[]string{"first frame on a mute terminal at 1M, of mini's"}},
		{"slow keys", func(_, big *screenProgram) { big.keys = []float64{12.1} }, []string{"key to frame at 1M, p95, of mini's"}},
		{"slow search", func(_, big *screenProgram) { big.filter = []float64{51} }, []string{"letter in the filter line to results at 1M, p95"}},
		{"many bytes on the small store", func(small, _ *screenProgram) { small.frames = []float64{601} }, []string{"bytes a cursor move, its frame"}},
		{"a lost key", func(small, _ *screenProgram) { small.lost = true }, []string{"bursts of 200 keys that lost one"}},
		{"restless", func(small, big *screenProgram) { small.idleBytes, big.cpu = 1, 1.2 }, []string{"bytes written while idle", "CPU while idle"}},
		{"memory that grows", func(_, big *screenProgram) { big.memory = 53 }, []string{"memory at 1M, of 1k"}},
		{"slow end", func(small, _ *screenProgram) { small.quits = []float64{60} }, []string{"quit, p95"}},
		{"something left", func(_, big *screenProgram) { big.left = []string{"mode 25 off"} }, []string{"left over in the terminal"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			targets := fill(tt.change)
			if got := missed(targets); !slices.Equal(got, tt.want) {
				t.Errorf("missed %q, want %q", got, tt.want)
			}
		})
	}
	for _, target := range fill(func(_, _ *screenProgram) {}) {
		if target.Name == "first frame at 1M, of mini's" && math.Abs(target.Value-1.1) > 1e-9 {
			t.Errorf("target = %+v, want 1.1 times mini's", target)
		}
	}
}

func TestTargetsStandInTheReport(t *testing.T) {
	r := results{Targets: []Target{
		{"tui", "quit, p95", 7.5, 50, "ms", true, ""},
		{"tui", "left over in the terminal", 1, 0, "", false, "mode 25 off"},
	}}
	var b strings.Builder
	if err := r.writeMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	want := `
## tui

| target | found | at most | | met | |
| --- | ---: | ---: | --- | --- | --- |
| quit, p95 | 7.50 | 50.0 | ms | yes |  |
| left over in the terminal | 1.00 | 0 |  | **no** | mode 25 off |
`
	if _, got, _ := strings.Cut(b.String(), "UTC\n"); got != want {
		t.Errorf("report is:\n%s\nwant:\n%s", got, want)
	}
}
