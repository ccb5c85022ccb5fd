package secrets

// words finds a set of words in a text, in any case of ASCII letters, in one pass.
// Nearly every place of a text is done with after a look at two of its bytes.
type words struct {
	pairs  [1 << 16 / 64]uint64 // the pairs of bytes that words begin with
	starts map[uint16][]word
}

type word struct {
	text string // in lower case
	of   []int  // whom it belongs to
}

// add adds a word of at least two bytes.
func (w *words) add(text string, of int) {
	if w.starts == nil {
		w.starts = map[uint16][]word{}
	}
	text = lowered(text)
	pair := uint16(text[0])<<8 | uint16(text[1])
	w.pairs[pair/64] |= 1 << (pair % 64)
	list := w.starts[pair]
	for i := range list {
		if list[i].text == text {
			list[i].of = append(list[i].of, of)
			return
		}
	}
	w.starts[pair] = append(list, word{text, []int{of}})
}

// find calls do with every word and its place in s, in the order of places, until
// it says no.
func find[T string | []byte](w *words, s T, do func(word, int) bool) {
	if len(s) < 2 {
		return
	}
	a := lower[s[0]]
	for i := 1; i < len(s); i++ {
		b := lower[s[i]]
		pair := uint16(a)<<8 | uint16(b)
		a = b
		if w.pairs[pair/64]&(1<<(pair%64)) == 0 {
			continue
		}
		for _, x := range w.starts[pair] {
			if begins(s[i-1:], x.text) && !do(x, i-1) {
				return
			}
		}
	}
}

// begins reports whether s begins with a word in lower case.
func begins[T string | []byte](s T, word string) bool {
	if len(s) < len(word) {
		return false
	}
	for i := 2; i < len(word); i++ {
		if lower[s[i]] != word[i] {
			return false
		}
	}
	return true
}

// has reports whether s has one of the words.
func has[T string | []byte](w *words, s T) bool {
	found := false
	find(w, s, func(word, int) bool { found = true; return false })
	return found
}

// lower is every byte with ASCII letters in lower case.
var lower = func() (table [256]byte) {
	for i := range table {
		table[i] = byte(i)
		if i >= 'A' && i <= 'Z' {
			table[i] = byte(i) + 'a' - 'A'
		}
	}
	return table
}()

func lowered(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = lower[b[i]]
	}
	return string(b)
}
