package store

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Other forms in which what a person looks for can stand: a place in a file without
// its line, a version without its v, a commit in fewer characters.

// minHash is how many characters of a commit are worth to be one.
const minHash = 7

// shortHashes are the lengths to which commits are cut.
var shortHashes = []int{7, 8, 10, 12}

// kindred gives the phrases of such forms of a word without wide script.
func (w queryWord) kindred() []expr {
	atoms := w.atoms()
	switch {
	case len(atoms) == 1 && isHash(atoms[0]):
		forms := []expr{phraseOf(atoms[0], true)}
		for _, n := range shortHashes {
			if n < len(atoms[0]) {
				forms = append(forms, phraseOf(atoms[0][:n], false))
			}
		}
		return forms
	case len(w.compounds) < 2:
		return nil
	case w.isVersion():
		if bare := strings.TrimLeft(atoms[0], "vV"); bare != atoms[0] {
			return []expr{w.phrase(slices.Concat([]string{bare}, atoms[1:]))}
		}
		return []expr{w.phrase(slices.Concat([]string{"v" + atoms[0]}, atoms[1:]))}
	}
	if n := w.lineNumbers(); n > 0 {
		return []expr{phraseOf(strings.Join(atoms[:len(atoms)-n], " "), false)}
	}
	return nil
}

// isHash reports whether a word is a commit or another sum in hexadecimal digits.
func isHash(s string) bool {
	letters, digits := 0, 0
	for _, r := range s {
		switch {
		case '0' <= r && r <= '9':
			digits++
		case 'a' <= r && r <= 'f', 'A' <= r && r <= 'F':
			letters++
		default:
			return false
		}
	}
	return letters > 0 && digits > 0 && letters+digits >= minHash
}

// isVersion reports whether a word is one like v1.2.3 or 1.2.3-rc1.
func (w queryWord) isVersion() bool {
	first, second := w.compounds[0].atoms[0], w.compounds[1].atoms[0]
	return isNumber(strings.TrimLeft(first, "vV")) && len(first) <= 4 && isNumber(second) &&
		strings.Contains(w.text, first+"."+second)
}

// lineNumbers gives how many atoms at the end of the word are a line, or a line and
// a column, of the file before them.
func (w queryWord) lineNumbers() (n int) {
	rest := strings.TrimRight(w.text, ":),.;")
	for n < 2 && len(w.compounds)-n > 2 {
		last := w.compounds[len(w.compounds)-1-n]
		before, found := strings.CutSuffix(rest, ":"+last.atoms[0])
		if len(last.atoms) > 1 || !isNumber(last.atoms[0]) || !found {
			break
		}
		rest = before
		n++
	}
	return n
}

func isNumber(s string) bool {
	return s != "" && utf8.RuneCountInString(s) == len(s) && strings.Trim(s, "0123456789") == ""
}
