package local

import (
	"unicode"
)

// language is the language that an observation is told in.
type language int

const (
	english language = iota
	chinese
)

// say picks the wording of a language.
func (l language) say(en, zh string) string {
	if l == chinese {
		return zh
	}
	return en
}

// languageOf gives the language of the first of the texts that has any words.
// A text is Chinese when it has more Han characters than words of letters: so an
// English request that quotes a Chinese string stays English, and a Chinese one
// full of identifiers stays Chinese. A text with Kana is told in English.
func languageOf(texts ...string) language {
	for _, s := range texts {
		han, kana, words, inWord := 0, 0, 0, false
		for _, r := range head(s, 8<<10) {
			switch {
			case unicode.Is(unicode.Han, r):
				han++
				inWord = false
			case unicode.In(r, unicode.Hiragana, unicode.Katakana):
				kana++
				inWord = false
			case unicode.IsLetter(r):
				if !inWord {
					words++
				}
				inWord = true
			case r == '_' || r == '.' || r == '/' || r == '-' || unicode.IsDigit(r):
				// Parts of one identifier or path.
			default:
				inWord = false
			}
		}
		if han+words+kana == 0 {
			continue
		}
		if han > words && kana == 0 {
			return chinese
		}
		return english
	}
	return english
}

// hasHan reports whether s has a Han character.
func hasHan(s string) bool {
	for _, r := range s {
		if unicode.Is(unicode.Han, r) {
			return true
		}
	}
	return false
}

// wide reports whether a terminal shows r in two cells.
func wide(r rune) bool {
	return r >= 0x1100 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
		r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFF60 || r >= 0x1F300 && r <= 0x1FAFF)
}

// cells counts the terminal cells of s, near enough for cutting a title.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n++
		if wide(r) {
			n++
		}
	}
	return n
}
