// Package static gives texts a meaning without a model: a table of word vectors,
// English and Chinese, is part of the program. It asks nobody, downloads nothing
// and reads no file. How the table was made says NOTICE.md.
//
// A text is encoded twice: as one vector, the weighted mean of its words, which
// finds texts on the same subject; and as the list of its words, each of which can
// then be held against each word of a search (see Query), which is what makes a
// small table useful.
package static

import (
	_ "embed"
	"encoding/binary"
	"math"
	"strings"
	"sync"
)

//go:embed table.bin
var table string

const (
	// ID names the table and how texts are encoded with it. Encodings of different
	// IDs cannot be compared.
	ID = "static/32k-192/v1"
	// Dims is how many numbers a vector has.
	Dims = 192

	magic  = "CMEMVEC1"
	header = len(magic) + 3*4
)

// words is the table as it is used.
type words struct {
	number map[string]uint16
	scale  []float32 // of the row's bytes
	weight []float32 // of the word in a mean: the commoner, the less
	rows   string    // Dims signed bytes a word
}

// load reads the table. It takes some ten milliseconds, so that only who searches
// by meaning pays for it.
var load = sync.OnceValue(func() *words {
	count := int(number(len(magic)))
	if table[:len(magic)] != magic || number(len(magic)+4) != Dims {
		panic("the embedded table is not of the form that this program reads")
	}
	names := table[header : header+int(number(len(magic)+8))]
	rest := table[header+len(names):]
	w := &words{number: make(map[string]uint16, count), scale: make([]float32, count), weight: make([]float32, count)}
	i := 0
	for name := range strings.SplitSeq(names, "\n") {
		w.number[name] = uint16(i)
		i++
	}
	for i := range count {
		w.scale[i] = math.Float32frombits(binary.LittleEndian.Uint32([]byte(rest[4*i : 4*i+4])))
		w.weight[i] = float32(rest[4*count+i]) / 255
	}
	w.rows = rest[5*count:]
	return w
})

// number reads a number of the table's header.
func number(at int) uint32 { return binary.LittleEndian.Uint32([]byte(table[at : at+4])) }

// known gives how many words the table has.
func (w *words) known() int { return len(w.scale) }

// row gives the bytes of a word's vector; each is a signed number.
func (w *words) row(i int) string { return w.rows[i*Dims : (i+1)*Dims] }

// similarity gives the cosine of two words of the table.
func (w *words) similarity(a, b int) float32 {
	x, y := w.row(a), w.row(b)
	var s0, s1 int32
	for i := 0; i < Dims; i += 2 {
		s0 += int32(int8(x[i])) * int32(int8(y[i]))
		s1 += int32(int8(x[i+1])) * int32(int8(y[i+1]))
	}
	return float32(s0+s1) * w.scale[a] * w.scale[b]
}

// endings are what is taken off a word that is not in the table.
var endings = [...]string{"s", "es", "ed", "ing", "d", "ly"}

// find gives the number of a word or, when only another form of it is in the
// table, of that form.
func (w *words) find(word string) (uint16, bool) {
	if i, ok := w.number[word]; ok {
		return i, true
	}
	for _, e := range endings {
		root, cut := strings.CutSuffix(word, e)
		if !cut || len(root) < 3 {
			continue
		}
		if i, ok := w.number[root]; ok {
			return i, true
		}
		if e == "ing" || e == "ed" {
			if i, ok := w.number[root+"e"]; ok {
				return i, true
			}
		}
	}
	return 0, false
}
