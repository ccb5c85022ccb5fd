package static

import (
	"math"
	"slices"
)

const (
	// maxQueryWords bounds what a comparison costs.
	maxQueryWords = 32
	// least is the similarity from which on a word stands for another.
	least = 0.35
	// The parts of Score; measured, see docs/search.md.
	meanWeight, softWeight = 0.4, 0.6
	unset                  = float32(-2) // no cosine
)

// Query is a search text, ready to be compared with many encodings. It is for one
// goroutine.
type Query struct {
	w      *words
	vector []int8
	length float64 // of vector
	words  []queryWord
	sum    float64 // of the rarities
}

type queryWord struct {
	number uint16
	rarity float64
	// near is the similarity to each word of the table, unset where it was not asked
	// for yet; nil for a word that is not in the table.
	near []float32
}

// NewQuery prepares a search text. rarity says how much it means that a text holds
// a word, its inverse document frequency; nil takes all for equally rare.
func NewQuery(text string, rarity func(word string) float64) *Query {
	w := load()
	q := &Query{w: w, vector: Encode(text).Vector}
	q.length = length(q.vector)
	var seen []string
	for _, t := range Tokens(text) {
		if IsStop(t) || slices.Contains(seen, t) || len(seen) == maxQueryWords {
			continue
		}
		seen = append(seen, t)
		one := queryWord{number: w.numberOf(t), rarity: 1}
		if rarity != nil {
			one.rarity = rarity(t)
		}
		if int(one.number) < w.known() {
			one.near = make([]float32, w.known())
			for i := range one.near {
				one.near[i] = unset
			}
		}
		q.words = append(q.words, one)
		q.sum += one.rarity
	}
	return q
}

// Score says how near an encoded text is, from 0 to 1.
func (q *Query) Score(e Encoding) float64 {
	return meanWeight*max(0, q.Mean(e.Vector)) + softWeight*q.Soft(e.Words)
}

// Mean gives the cosine of the two texts' vectors.
func (q *Query) Mean(vector []int8) float64 {
	if len(vector) != Dims || q.length == 0 {
		return 0
	}
	dot := int64(0)
	for i, x := range q.vector {
		dot += int64(x) * int64(vector[i])
	}
	l := length(vector)
	if l == 0 {
		return 0
	}
	return float64(dot) / q.length / l
}

// Soft gives how much of the search a text says in these or in similar words, from
// 0 to 1: for each word of the search the nearest one of the text, weighted by how
// rare it is.
func (q *Query) Soft(numbers []uint16) float64 {
	if q.sum == 0 {
		return 0
	}
	score := 0.0
	for i := range q.words {
		w := &q.words[i]
		if _, there := slices.BinarySearch(numbers, w.number); there {
			score += w.rarity
			continue
		}
		if w.near == nil {
			continue
		}
		best := float32(0)
		for _, n := range numbers {
			if int(n) >= q.w.known() {
				break // words that are not in the table
			}
			if w.near[n] == unset {
				w.near[n] = q.w.similarity(int(w.number), int(n))
			}
			best = max(best, w.near[n])
		}
		if best > least {
			score += w.rarity * float64(best) * float64(best)
		}
	}
	return score / q.sum
}

func length(v []int8) float64 {
	sum := int64(0)
	for _, x := range v {
		sum += int64(x) * int64(x)
	}
	return math.Sqrt(float64(sum))
}
