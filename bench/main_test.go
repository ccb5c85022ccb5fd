package main

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"
)

func TestSizesAreReadAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string]int{"7": 7, "1k": 1000, "10k": 10_000, "1M": 1_000_000, "1500": 1500} {
		got, err := parseSize(text)
		if err != nil || got != want {
			t.Errorf("parseSize(%q) = %d, %v; want %d", text, got, err, want)
		}
		if name := sizeName(got); name != text {
			t.Errorf("sizeName(%d) = %q, want %q", got, name, text)
		}
	}
	for _, text := range []string{"", "k", "-1", "0", "1kM", "1G", "10 k"} {
		if n, err := parseSize(text); err == nil {
			t.Errorf("parseSize(%q) = %d, want an error", text, n)
		}
	}
}

func TestDistributionOfKnownValues(t *testing.T) {
	tests := []struct {
		values []float64
		want   Dist
	}{
		{nil, Dist{}},
		{[]float64{4}, Dist{4, 4}},
		{[]float64{3, 1, 2}, Dist{2, 2.9}},
		{[]float64{4, 1, 3, 2}, Dist{2.5, 3.85}},
	}
	for _, tt := range tests {
		got := distOf(tt.values)
		if math.Abs(got.Median-tt.want.Median) > 1e-9 || math.Abs(got.P95-tt.want.P95) > 1e-9 {
			t.Errorf("distOf(%v) = %v, want %v", tt.values, got, tt.want)
		}
	}
}

func TestContendersRunInTurnsAndAreComparedWithTheSmallestStore(t *testing.T) {
	var order strings.Builder
	runs := func(mark string, wall time.Duration) func(context.Context) (sample, error) {
		return func(context.Context) (sample, error) {
			order.WriteString(mark)
			return sample{wall: wall, cpu: wall / 2, peak: 2_000_000}, nil
		}
	}
	b := &bench{}
	err := b.race(context.Background(), "tui", 2, []contender{
		{name: "frame", observations: 1000, against: "frame", run: runs("a", 10*time.Millisecond)},
		{name: "frame", observations: 1_000_000, against: "frame", run: runs("b", 12*time.Millisecond)},
		{name: "bare", run: runs("c", time.Millisecond)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := order.String(), "abc"+"bca"+"cab"+"abc"; got != want {
		t.Errorf("they ran in the order %s, want %s", got, want)
	}
	big := b.Rows[1]
	if big.Runs != 2 || big.WallMS.Median != 12 || big.PeakMB != 2 || big.Against != "frame at 1k" ||
		math.Abs(big.WallRatio-1.2) > 1e-9 || math.Abs(big.CPURatio-1.2) > 1e-9 || big.PeakRatio != 1 {
		t.Errorf("row = %+v", big)
	}
	if bare := b.Rows[2]; bare.Against != "" || bare.WallRatio != 0 {
		t.Errorf("row = %+v", bare)
	}
}

func TestSlowContenderDropsOut(t *testing.T) {
	slow, quick := 0, 0
	b := &bench{}
	err := b.race(context.Background(), "search", 50, []contender{
		{name: "slow", run: func(context.Context) (sample, error) { slow++; return sample{wall: 10 * time.Second}, nil }},
		{name: "quick", run: func(context.Context) (sample, error) { quick++; return sample{wall: time.Millisecond}, nil }},
	})
	if err != nil {
		t.Fatal(err)
	}
	if slow != minRuns || quick != warmUps+50 {
		t.Errorf("the slow one ran %d times and the quick one %d, want %d and %d", slow, quick, minRuns, warmUps+50)
	}
}

func TestReportHasATableForEachPart(t *testing.T) {
	r := results{
		Machine: machine{OS: "linux", Arch: "amd64", CPUs: 2, Go: "go1.26", Time: time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)},
		Rows: []Row{
			{Part: "hooks", Name: "bare program", Runs: 60, WallMS: Dist{5, 6.25}, CPUMS: Dist{3, 4}},
			{Part: "hooks", Name: "PostToolUse", Runs: 60, WallMS: Dist{9, 12.5}, CPUMS: Dist{6, 7}, Against: "bare program", WallRatio: 1.8, CPURatio: 2},
			{Part: "search", Name: "rare word", Observations: 1000, Runs: 15, WallMS: Dist{40, 50}},
			{Part: "search", Name: "rare word", Observations: 1_000_000, Runs: 15, WallMS: Dist{41, 1234}},
		},
		Figures: []Figure{{"storm", "hooks", 111, "a second"}},
	}
	var b strings.Builder
	if err := r.writeMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	want := `linux/amd64, 2 CPUs, go1.26, 2026-11-30 08:00:00 UTC

## hooks

| what | store | runs | wall ms | p95 | CPU ms | p95 | wall × | CPU × | of |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| bare program |  | 60 | 5.00 | 6.25 | 3.00 | 4.00 |  |  |  |
| PostToolUse |  | 60 | 9.00 | 12.5 | 6.00 | 7.00 | 1.80 | 2.00 | bare program |

## search

| wall ms (p95) | 1k | 1M |
| --- | ---: | ---: |
| rare word | 40.0 (50.0) | 41.0 (1234) |

## storm

| | | |
| --- | ---: | --- |
| hooks | 111 | a second |
`
	if b.String() != want {
		t.Errorf("report is:\n%s\nwant:\n%s", b.String(), want)
	}
}
