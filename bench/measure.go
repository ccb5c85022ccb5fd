package main

import (
	"context"
	"slices"
	"time"
)

// A sample is what one run of something took.
type sample struct {
	wall time.Duration
	cpu  time.Duration // user and system; 0 where it was not measured
	peak int64         // most memory held at once, in bytes; 0 where unknown
}

// A contender is something that is measured side by side with others.
type contender struct {
	name         string
	observations int // in its store; 0 where that does not matter
	against      string
	run          func(context.Context) (sample, error)
}

const (
	warmUps  = 2                // rounds that do not count
	minRuns  = 5                // of a contender that is slow
	slowness = 20 * time.Second // after which a contender is slow
)

// race runs the contenders in turns, each round beginning with another one, and
// adds a row for each to the results. A contender that has used up its time
// drops out, so that one slow query does not hold up all.
func (b *bench) race(ctx context.Context, part string, rounds int, contenders []contender) error {
	samples := make([][]sample, len(contenders))
	spent := make([]time.Duration, len(contenders))
	for round := range warmUps + rounds {
		for i := range contenders {
			i = (i + round) % len(contenders)
			if len(samples[i]) >= minRuns && spent[i] > slowness {
				continue
			}
			s, err := contenders[i].run(ctx)
			if err != nil {
				return err
			}
			spent[i] += s.wall
			// What is slow warms itself up.
			if round >= warmUps || s.wall > time.Second {
				samples[i] = append(samples[i], s)
			}
		}
	}
	rows := make([]Row, len(contenders))
	for i, c := range contenders {
		rows[i] = newRow(part, c, samples[i])
	}
	for i, r := range rows {
		// Contenders on several stores come with the smallest first: that is the yardstick.
		if j := slices.IndexFunc(rows, func(y Row) bool { return y.Name == r.Against }); j >= 0 {
			rows[i].compare(rows[j])
		}
	}
	b.Rows = append(b.Rows, rows...)
	return nil
}

// Dist is how a series of measurements is spread.
type Dist struct {
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
}

func distOf(values []float64) Dist {
	if len(values) == 0 {
		return Dist{}
	}
	slices.Sort(values)
	return Dist{Median: percentile(values, 50), P95: percentile(values, 95)}
}

// percentile gives the p-th percentile of sorted values, by linear interpolation.
func percentile(sorted []float64, p float64) float64 {
	at := p / 100 * float64(len(sorted)-1)
	low := int(at)
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
