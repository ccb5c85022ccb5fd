package recall

import (
	"math"
	"strings"

	"cmem/llm/static"
	"cmem/memory"
)

const (
	// shortestGram and longestGram are how many letters the pieces have in which the
	// words of a search are looked for.
	shortestGram = 3
	longestGram  = 4
	// maxGramText bounds the bytes of a text that are looked at.
	maxGramText = 2048

	gramBits = 12 // of the filter
)

// grams are the pieces of the words of a search, by which texts are found that have
// them in another form or in a longer word: timestamp, time_stamps.
type grams struct {
	number map[uint32]int
	weight []float64 // the square of the rarity of the word that it is from
	sum    float64   // of the weights
	times  []int32   // in the text that is looked at
	// filter tells in most cases that a piece is none of these.
	filter [1 << (gramBits - 6)]uint64
	runes  []rune
}

func newGrams(words []string, rarity map[string]float64) *grams {
	g := &grams{number: map[uint32]int{}}
	for _, w := range words {
		r := 1.0
		if rarity != nil {
			r = rarity[w]
		}
		g.each(w, func(h uint32) {
			i, ok := g.number[h]
			if !ok {
				i = len(g.weight)
				g.number[h], g.weight = i, append(g.weight, 0)
				g.filter[h>>(32-gramBits)>>6] |= 1 << (h >> (32 - gramBits) & 63)
			}
			g.weight[i] = max(g.weight[i], r*r)
		})
	}
	for _, w := range g.weight {
		g.sum += w
	}
	g.times = make([]int32, len(g.weight))
	return g
}

// share gives how much of the pieces a text has, more where they stand often, and
// of how many pieces the text consists.
func (g *grams) share(text string) (share float64, count int) {
	if g.sum == 0 {
		return 0, 0
	}
	clear(g.times)
	for t := range static.TokenSeq(text) {
		if static.IsStop(t) {
			continue
		}
		g.each(t, func(h uint32) {
			count++
			if g.filter[h>>(32-gramBits)>>6]>>(h>>(32-gramBits)&63)&1 == 0 {
				return
			}
			if i, ok := g.number[h]; ok {
				g.times[i]++
			}
		})
	}
	for i, n := range g.times {
		if n > 0 {
			share += g.weight[i] * (1 + math.Log(float64(n)))
		}
	}
	return share / g.sum, count
}

// each calls f with a hash of each piece of a word; its beginning and end count as
// letters.
func (g *grams) each(word string, f func(uint32)) {
	const prime = 16777619
	g.runes = append(g.runes[:0], '^')
	for _, r := range word {
		g.runes = append(g.runes, r)
	}
	g.runes = append(g.runes, '$')
	for i := range g.runes {
		h := uint32(2166136261)
		for n, r := range g.runes[i:min(i+longestGram, len(g.runes))] {
			h = (h ^ uint32(r)) * prime
			if n+1 >= shortestGram {
				f(h)
			}
		}
	}
}

// textOf gives what an observation says, of an endless one the beginning.
func textOf(o memory.Observation) string {
	parts := []string{o.Title, o.Subtitle, o.Narrative}
	for _, list := range [][]string{o.Facts, o.Concepts, o.Tags, o.FilesRead, o.FilesModified} {
		parts = append(parts, list...)
	}
	text := strings.Join(parts, "\n")
	if len(text) > maxGramText {
		text = strings.ToValidUTF8(text[:maxGramText], "")
	}
	return text
}
