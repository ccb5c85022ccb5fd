package static

import (
	"math"
	"slices"
)

const (
	// maxQueryWords bounds what a comparison costs.
	maxQueryWords = 32
	// leastNear is the similarity from which on a word stands for another, and
	// leastAlike that from which on one does that begins alike.
	leastNear  = 0.35
	leastAlike = 0.6
	// shortestStem is how many bytes two words begin with alike at least, unless one
	// of them is the other's beginning.
	shortestStem = 4
	// The parts of Score; docs/search.md has what they were measured with.
	meanWeight, softWeight = 0.4, 0.6
)

// Query is a search text, ready to be compared with many encodings. It is for one
// goroutine.
type Query struct {
	w      *words
	vector []int8
	length float64 // of vector
	words  []queryWord
	sum    float64 // of the rarities

	// slot is where a word of the table stands in near, 0 for one that was not met yet,
	// and near has for each slot what it counts for each word of the search.
	slot []uint16
	near []float32
	best []float32 // of the text that is looked at, for each word
}

type queryWord struct {
	text    string
	number  uint16
	rarity  float64
	isKnown bool // it is in the table
	packed  packed
	scale   float32
}

// Words gives the words of a text by which it is searched for: each once, without
// those that say nothing, and of an endless text the first.
func Words(text string) []string {
	var list []string
	for _, t := range Tokens(text) {
		if IsStop(t) || slices.Contains(list, t) {
			continue
		}
		if list = append(list, t); len(list) == maxQueryWords {
			break
		}
	}
	return list
}

// NewQuery prepares a search text. rarity says how much it means that a text holds
// a word, its inverse document frequency; nil takes all for equally rare.
func NewQuery(text string, rarity func(word string) float64) *Query {
	w := load()
	q := &Query{w: w, vector: Encode(text).Vector}
	q.length = length(q.vector)
	for _, t := range Words(text) {
		one := queryWord{text: t, number: w.numberOf(t), rarity: 1}
		if rarity != nil {
			one.rarity = rarity(t)
		}
		if one.isKnown = int(one.number) < w.known(); one.isKnown {
			one.packed, one.scale = packForward(w.row(int(one.number))), w.scale(int(one.number))
		}
		q.words = append(q.words, one)
		q.sum += one.rarity
	}
	q.best = make([]float32, len(q.words))
	return q
}

// Known reports whether the table has a word of the search: of others it knows the
// letters only.
func (q *Query) Known() bool {
	return slices.ContainsFunc(q.words, func(w queryWord) bool { return w.isKnown })
}

// Vector gives the mean of the search's words, nil where it has none.
func (q *Query) Vector() []int8 { return q.vector }

// Score says how near an encoded text is, from 0 to 1.
func (q *Query) Score(e Encoding) float64 {
	return meanWeight*max(0, q.Mean(e.Vector)) + softWeight*q.Soft(e.Words)
}

// Mean gives the cosine of the two texts' vectors.
func (q *Query) Mean(vector []int8) float64 {
	if len(vector) != Dims || q.length == 0 {
		return 0
	}
	dot, square := int32(0), int32(0)
	for i, x := range q.vector {
		y := int32(vector[i])
		dot += int32(x) * y
		square += y * y
	}
	if square == 0 {
		return 0
	}
	return float64(dot) / q.length / math.Sqrt(float64(square))
}

// Soft gives how much of the search a text says in these or in similar words, from
// 0 to 1: for each word of the search the nearest one of the text, weighted by how
// rare it is. A word is near another by its meaning, or because it begins alike:
// migrate, migration.
func (q *Query) Soft(numbers []uint16) float64 {
	if q.sum == 0 {
		return 0
	}
	clear(q.best)
	for _, n := range numbers {
		if int(n) >= q.w.known() {
			break // words that are not in the table
		}
		for i, x := range q.nearOf(n) {
			q.best[i] = max(q.best[i], x)
		}
	}
	score := 0.0
	for i := range q.words {
		w := &q.words[i]
		if !w.isKnown {
			if _, there := slices.BinarySearch(numbers, w.number); there {
				score += w.rarity
				continue
			}
		}
		score += w.rarity * float64(q.best[i])
	}
	return score / q.sum
}

// nearOf gives what a word of the table counts for each word of the search: the
// square of its similarity, 0 where that is small.
func (q *Query) nearOf(number uint16) []float32 {
	k := len(q.words)
	if q.slot == nil {
		q.slot = make([]uint16, q.w.known())
		q.near = make([]float32, k, 64*k)
	}
	if at := int(q.slot[number]); at > 0 {
		return q.near[at*k : (at+1)*k]
	}
	at := len(q.near) / max(k, 1)
	q.slot[number] = uint16(at)
	row, name, scale := packBackward(q.w.row(int(number))), q.w.name(int(number)), q.w.scale(int(number))
	for i := range q.words {
		w := &q.words[i]
		if w.number == number {
			q.near = append(q.near, 1)
			continue
		}
		x := alike(w.text, name)
		if w.isKnown {
			if s := float32(dot(&w.packed, &row)) * w.scale * scale; s > leastNear {
				x = max(x, s)
			}
		}
		q.near = append(q.near, x*x)
	}
	return q.near[at*k : (at+1)*k]
}

// alike gives how much of two words is the beginning that they share, 0 where that
// says little.
func alike(a, b string) float32 {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n < shortestStem && (n < shortestStem-1 || n < min(len(a), len(b))) {
		return 0
	}
	if x := 2 * float32(n) / float32(len(a)+len(b)); x > leastAlike {
		return x
	}
	return 0
}

func length(v []int8) float64 {
	sum := int64(0)
	for _, x := range v {
		sum += int64(x) * int64(x)
	}
	return math.Sqrt(float64(sum))
}
