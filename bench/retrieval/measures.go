package main

import (
	"math"
	"slices"
	"time"
)

// found is what a search gave.
type found struct {
	ids  []string // best first
	sure bool     // the first is good enough to be told unasked
	took time.Duration
}

// figures are the sums over the questions of a set.
type figures struct {
	n                                   int // questions that have an answer
	recall5, recall10, reciprocal, ndcg float64

	unanswerable, injected int // questions without an answer, and those that got one that was sure
	sure, sureRight        int // answers that were sure, and of these those that are right
	pairs, newerFirst      int // answers and outdated documents, and where the answer is first
	took                   []time.Duration
}

// add counts the answer to a question.
func (f *figures) add(q question, a found) {
	f.took = append(f.took, a.took)
	if len(q.Relevant) == 0 {
		f.unanswerable++
		if a.sure {
			f.injected++
		}
		return
	}
	f.n++
	if a.sure {
		f.sure++
		if slices.Contains(q.Relevant, a.ids[0]) {
			f.sureRight++
		}
	}
	hits5, hits10, gain, first := 0, 0, 0.0, 0
	for i, id := range a.ids[:min(10, len(a.ids))] {
		if !slices.Contains(q.Relevant, id) {
			continue
		}
		hits10++
		if i < 5 {
			hits5++
		}
		if first == 0 {
			first = i + 1
		}
		gain += discount(i)
	}
	ideal := 0.0
	for i := range min(10, len(q.Relevant)) {
		ideal += discount(i)
	}
	f.recall5 += float64(hits5) / float64(len(q.Relevant))
	f.recall10 += float64(hits10) / float64(len(q.Relevant))
	if first > 0 {
		f.reciprocal += 1 / float64(first)
	}
	f.ndcg += gain / ideal
	for _, old := range q.Outdated {
		f.pairs++
		if place(a.ids, q.Relevant[0]) < place(a.ids, old) {
			f.newerFirst++
		}
	}
}

// discount is what a right answer in a place is worth, from 0 on.
func discount(at int) float64 { return 1 / math.Log2(float64(at)+2) }

// place gives where an id stands, behind all when it does not.
func place(ids []string, id string) int {
	if i := slices.Index(ids, id); i >= 0 {
		return i
	}
	return len(ids)
}

// mean gives a sum over the questions that have an answer as a mean.
func (f *figures) mean(sum float64) float64 { return sum / float64(max(f.n, 1)) }

// percentile gives the time within which so many of a hundred searches were answered.
func (f *figures) percentile(p int) time.Duration {
	if len(f.took) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(f.took))
	return sorted[min(len(sorted)*p/100, len(sorted)-1)]
}
