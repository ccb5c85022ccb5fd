package static

import (
	"hash/fnv"
	"math"
	"slices"
)

// Encoding is a text as the table sees it.
type Encoding struct {
	// Vector has Dims numbers; its length says nothing, its direction what the text
	// is about. It is nil for a text without a word.
	Vector []int8
	// Words are the numbers of the text's words, sorted, each once. Those from the
	// table's size on stand for words that are not in it.
	Words []uint16
}

// maxWords bounds the words of a text that are kept: more say less and less.
const maxWords = 1024

// unknownWeight is that of a word that is not in the table, which is a rare one.
const unknownWeight = 0.6

// Encode gives the encoding of a text.
func Encode(text string) Encoding {
	w := load()
	times := map[string]int{}
	var order []string
	for _, t := range Tokens(text) {
		if times[t]++; times[t] == 1 {
			order = append(order, t)
		}
	}
	var e Encoding
	if len(order) == 0 {
		return e
	}
	var sum [Dims]float32
	for _, t := range order {
		n := float32(times[t])
		n = 2 * n / (n + 1) // the hundredth time says little more than the tenth
		i, ok := w.find(t)
		if !ok {
			addUnknown(&sum, t, n*unknownWeight)
		} else {
			x := n * w.weight(int(i)) * w.scale(int(i))
			row := w.row(int(i))
			for k := range sum {
				sum[k] += x * float32(int8(row[k]))
			}
		}
		if !IsStop(t) && len(e.Words) < maxWords {
			e.Words = append(e.Words, w.numberOf(t))
		}
	}
	slices.Sort(e.Words)
	e.Words = slices.Compact(e.Words)
	e.Vector = quantise(&sum)
	return e
}

// numberOf gives the number of a word, which for one that is not in the table is
// made from its letters: few others have the same.
func (w *words) numberOf(word string) uint16 {
	if i, ok := w.find(word); ok {
		return i
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(word)) // a hash does not fail
	return uint16(w.known() + int(h.Sum32()%uint32(math.MaxUint16+1-w.known())))
}

// addUnknown adds a direction made from the letters of a word that is not in the
// table, so that texts with the same or a similar name come near each other.
func addUnknown(sum *[Dims]float32, word string, weight float32) {
	const span, marks = 3, 8
	r := []rune("^" + word + "$")
	grams := len(r) - span + 1
	if grams <= 0 {
		return
	}
	step := weight / float32(math.Sqrt(float64(grams*marks)))
	for i := range grams {
		h := fnv.New64a()
		_, _ = h.Write([]byte(string(r[i : i+span])))
		x := h.Sum64()
		for range marks {
			x = x*6364136223846793005 + 1442695040888963407 // Knuth's MMIX generator
			if at := (x >> 20) % Dims; x>>63 == 0 {
				sum[at] += step
			} else {
				sum[at] -= step
			}
		}
	}
}

// quantise scales a vector to what a byte holds.
func quantise(v *[Dims]float32) []int8 {
	most := float32(0)
	for _, x := range v {
		most = max(most, x, -x)
	}
	if most == 0 {
		return nil
	}
	out := make([]int8, Dims)
	for i, x := range v {
		out[i] = int8(math.Round(float64(x / most * math.MaxInt8)))
	}
	return out
}
