package store

import (
	"strings"
	"unicode/utf8"
)

// wordScanner takes a text apart as the index does, whose tokenizer is "porter
// unicode61 remove_diacritics 2": so that a row that has been read can be held
// against a search without asking the index.
type wordScanner struct {
	text       string
	at         int    // where to go on
	start, end int    // of the current word, in bytes
	word       []byte // the current word, folded and not yet cut to its stem
}

// asciiLetters are the letters of ASCII, folded; 0 is none.
var asciiLetters = func() (t [utf8.RuneSelf]byte) {
	for c := byte('0'); c <= '9'; c++ {
		t[c] = c
	}
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = c, c
	}
	return t
}()

// reset begins with another text.
func (w *wordScanner) reset(text string) {
	w.text, w.at = text, 0
}

// next goes to the next word; false says that there is none.
func (w *wordScanner) next() bool {
	text, i := w.text, w.at
	for ; ; i++ {
		if i >= len(text) {
			w.at = i
			return false
		}
		if c := text[i]; c < utf8.RuneSelf {
			if asciiLetters[c] != 0 {
				break
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if isIndexLetter(r) {
			break
		}
		i += n - 1
	}
	w.start, w.word = i, w.word[:0]
	for i < len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			if asciiLetters[c] == 0 {
				break
			}
			w.word = append(w.word, asciiLetters[c])
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if isIndexLetter(r) {
			w.word = utf8.AppendRune(w.word, foldIndexLetter(r))
		} else if !strings.ContainsRune(droppedMarks, r) {
			break
		}
		i += n
	}
	w.end, w.at = i, i
	return true
}
