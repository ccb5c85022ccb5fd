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
	"hash/maphash"
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

// words is the table as it is used: where its parts stand in the program's own
// bytes, and an index of its words.
type words struct {
	names   string   // in the order of their numbers, a line feed after each but the last
	starts  []uint32 // of the names, and one behind the last
	scales  string   // of the rows' bytes, four bytes each
	weights string   // of the words in a mean, a byte each: the commoner, the less
	rows    string   // Dims signed bytes a word

	seed  maphash.Seed
	slots []uint16 // the word's number where its hash points or behind, noWord for none
}

const noWord = math.MaxUint16

// load reads the table. It takes a millisecond or two, so that only who searches by
// meaning pays for it.
var load = sync.OnceValue(func() *words { return index(table) })

func index(table string) *words {
	count := int(number(table, len(magic)))
	if table[:len(magic)] != magic || number(table, len(magic)+4) != Dims || count >= noWord {
		panic("the embedded table is not of the form that this program reads")
	}
	w := &words{names: table[header : header+int(number(table, len(magic)+8))], starts: make([]uint32, 0, count+1), seed: maphash.MakeSeed()}
	rest := table[header+len(w.names):]
	w.scales, w.weights, w.rows = rest[:4*count], rest[4*count:5*count], rest[5*count:]
	size := 2
	for size < 2*count {
		size *= 2
	}
	w.slots = make([]uint16, size)
	for i := range w.slots {
		w.slots[i] = noWord
	}
	at := 0
	for name := range strings.SplitSeq(w.names, "\n") {
		slot := w.slotOf(name)
		for w.slots[slot] != noWord {
			slot = (slot + 1) % size
		}
		w.slots[slot] = uint16(len(w.starts))
		w.starts = append(w.starts, uint32(at))
		at += len(name) + 1
	}
	w.starts = append(w.starts, uint32(at))
	return w
}

// number reads four bytes, the smallest first.
func number(s string, at int) uint32 {
	return uint32(s[at]) | uint32(s[at+1])<<8 | uint32(s[at+2])<<16 | uint32(s[at+3])<<24
}

// slotOf gives where a word stands in the index, or before.
func (w *words) slotOf(name string) int {
	return int(maphash.String(w.seed, name) & uint64(len(w.slots)-1))
}

// known gives how many words the table has.
func (w *words) known() int { return len(w.weights) }

// name gives a word of the table.
func (w *words) name(i int) string { return w.names[w.starts[i] : w.starts[i+1]-1] }

// row gives the bytes of a word's vector; each is a signed number.
func (w *words) row(i int) string { return w.rows[i*Dims : (i+1)*Dims] }

// scale gives what the bytes of a row are multiplied with for a vector of length 1.
func (w *words) scale(i int) float32 { return math.Float32frombits(number(w.scales, 4*i)) }

// weight gives what a word counts in a mean, from 0 to 1.
func (w *words) weight(i int) float32 { return float32(w.weights[i]) / math.MaxUint8 }

// numbered gives the number of a word of the table.
func (w *words) numbered(name string) (uint16, bool) {
	for slot := w.slotOf(name); ; slot = (slot + 1) & (len(w.slots) - 1) {
		i := w.slots[slot]
		if i == noWord || w.name(int(i)) == name {
			return i, i != noWord
		}
	}
}

// endings are what is taken off a word that is not in the table.
var endings = [...]string{"s", "es", "ed", "ing", "d", "ly"}

// find gives the number of a word or, when only another form of it is in the
// table, of that form.
func (w *words) find(word string) (uint16, bool) {
	if i, ok := w.numbered(word); ok {
		return i, true
	}
	for _, e := range endings {
		root, cut := strings.CutSuffix(word, e)
		if !cut || len(root) < 3 {
			continue
		}
		if i, ok := w.numbered(root); ok {
			return i, true
		}
		if e == "ing" || e == "ed" {
			if i, ok := w.numbered(root + "e"); ok {
				return i, true
			}
		}
	}
	return 0, false
}
