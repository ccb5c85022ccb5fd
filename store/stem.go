package store

// stem cuts a folded word to the stem under which the index knows it, in place,
// by Porter's rules as the index's "porter" tokenizer applies them: to bytes, of
// which those beyond ASCII count as consonants.
func stem(w []byte) []byte {
	const longest = 64 // bytes; a longer one is no word of a language
	if len(w) < 3 || len(w) > longest {
		return w
	}
	w = cutPlural(w)
	w = cutPast(w)
	if n := len(w); w[n-1] == 'y' && hasVowel(w[:n-1]) {
		w[n-1] = 'i'
	}
	w = cutSuffix(w, doubleSuffixes, 1)
	w = cutSuffix(w, adjectiveSuffixes, 1)
	w = cutSuffix(w, lastSuffixes, 2)
	if n := len(w); w[n-1] == 'e' {
		if m := measure(w[:n-1]); m > 1 || m == 1 && !endsShort(w[:n-1]) {
			w = w[:n-1]
		}
	}
	if n := len(w); n > 1 && w[n-1] == 'l' && w[n-2] == 'l' && measure(w[:n-1]) > 1 {
		w = w[:n-1]
	}
	return w
}

// cutPlural is step 1a: caresses, ponies, cats.
func cutPlural(w []byte) []byte {
	n := len(w)
	switch {
	case w[n-1] != 's' || w[n-2] == 's':
		return w
	case w[n-2] != 'e':
		return w[:n-1]
	case n > 4 && w[n-4] == 's' && w[n-3] == 's', n > 3 && w[n-3] == 'i':
		return w[:n-2]
	}
	return w[:n-1]
}

// cutPast is step 1b: agreed, plastered, motoring.
func cutPast(w []byte) []byte {
	n := len(w)
	switch {
	case hasSuffix(w, "eed"):
		if measure(w[:n-3]) > 0 {
			w = w[:n-1]
		}
		return w
	case hasSuffix(w, "ed") && hasVowel(w[:n-2]):
		w = w[:n-2]
	case hasSuffix(w, "ing") && hasVowel(w[:n-3]):
		w = w[:n-3]
	default:
		return w
	}
	n = len(w)
	switch {
	case hasSuffix(w, "at"), hasSuffix(w, "bl"), hasSuffix(w, "iz"):
		return append(w, 'e')
	case n > 1 && !isVowel(w[n-1], false) && w[n-1] == w[n-2] && w[n-1] != 'l' && w[n-1] != 's' && w[n-1] != 'z':
		return w[:n-1]
	case measure(w) == 1 && endsShort(w):
		return append(w, 'e')
	}
	return w
}

// suffix is a rule: what stands for an ending.
type suffix struct{ from, to string }

// Steps 2, 3 and 4. The first ending that a word has decides, whether it is cut
// or not.
var (
	doubleSuffixes = []suffix{
		{"ational", "ate"}, {"tional", "tion"},
		{"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"logi", "log"},
		{"bli", "ble"}, {"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"},
		{"ization", "ize"}, {"ation", "ate"}, {"ator", "ate"},
		{"alism", "al"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"},
		{"aliti", "al"}, {"iviti", "ive"}, {"biliti", "ble"},
	}
	adjectiveSuffixes = []suffix{
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
	}
	lastSuffixes = []suffix{
		{"al", ""}, {"ance", ""}, {"ence", ""}, {"er", ""}, {"ic", ""}, {"able", ""}, {"ible", ""}, {"ant", ""},
		{"ement", ""}, {"ment", ""}, {"ent", ""}, {"ion", ""}, {"ou", ""}, {"ism", ""}, {"ate", ""}, {"iti", ""},
		{"ous", ""}, {"ive", ""}, {"ize", ""},
	}
)

// cutSuffix replaces the ending of a word when what is before it has at least the
// measure.
func cutSuffix(w []byte, rules []suffix, atLeast int) []byte {
	end := w[len(w)-1]
	for _, r := range rules {
		if r.from[len(r.from)-1] != end || !hasSuffix(w, r.from) {
			continue
		}
		root := w[:len(w)-len(r.from)]
		last := root[len(root)-1]
		if measure(root) >= atLeast && (r.from != "ion" || last == 's' || last == 't') {
			return append(root, r.to...)
		}
		return w
	}
	return w
}

// hasSuffix reports whether a word ends so and has more than that.
func hasSuffix(w []byte, s string) bool {
	return len(w) > len(s) && string(w[len(w)-len(s):]) == s
}

// isVowel reports whether c is a vowel; a y is one after a consonant.
func isVowel(c byte, afterConsonant bool) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	}
	return c == 'y' && afterConsonant
}

func hasVowel(w []byte) bool {
	for i, c := range w {
		if isVowel(c, i > 0) {
			return true
		}
	}
	return false
}

// measure is how many times a consonant follows a vowel.
func measure(w []byte) int {
	n := 0
	vowel, consonant := false, false // what the last one is
	for _, c := range w {
		was := vowel
		vowel = isVowel(c, consonant)
		consonant = !vowel
		if was && consonant {
			n++
		}
	}
	return n
}

// endsShort reports whether a word ends in consonant, vowel, consonant, the last
// of which is not w, x or y.
func endsShort(w []byte) bool {
	if n := len(w); n == 0 || w[n-1] == 'w' || w[n-1] == 'x' || w[n-1] == 'y' {
		return false
	}
	var a, b, c, consonant bool // a, b and c: whether the last three are consonants
	for _, x := range w {
		consonant = !isVowel(x, consonant)
		a, b, c = b, c, consonant
	}
	return a && !b && c
}
