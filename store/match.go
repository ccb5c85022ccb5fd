package store

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"
)

// indexedColumns are what the index holds of a row, in its order.
const indexedColumns = "title, subtitle, narrative, facts, concepts, files, tokens"

// columnWeights say how much a word counts in each of the indexedColumns: those
// that the index itself is set to.
var columnWeights = [7]float64{3.0, 1.5, 1.0, 1.5, 1.5, 2.0, 1.0}

// titleColumns are the first of the indexedColumns: title and subtitle.
const titleColumns = 2

// matcher holds the text of rows against the readings of a search. It finds in
// them what the index would find, without asking it: the index can count and list
// the rows with a word fast, but not say how well one of them matches.
type matcher struct {
	readings []reading
	excluded []matchNode    // of which none may be true of a row
	words    map[string]int // which word of at
	begins   []beginning
	wanted   *[1 << 16]bool // the first two bytes of all of them
	phrases  []matchPhrase
	known    map[string]int // the number of a phrase
	// pairsInTitles counts pairs of wide script in titles and subtitles, too. The index
	// knows them by its tokens only, where each stands once.
	pairsInTitles bool
	index         *wordIndex // whose rows it reads
	scan          wordScanner
	at            [][]int32 // where in the current column each word stands
	freq          []float64 // of the current row: how often each phrase stands in it, weighted
}

// reading is one of the ways in which a search text is understood.
type reading struct {
	root    matchNode
	phrases []int // those in it, one that stands in it twice twice
}

type matchNode struct {
	op     operator
	kids   []matchNode
	phrase int
}

// beginning is the unfinished last word of a phrase.
type beginning struct {
	text []byte
	word int
}

type matchPhrase struct {
	words []int
	expr  expr
}

// newMatcher prepares for rows to be held against the readings.
func newMatcher(readings ...expr) *matcher {
	m := &matcher{words: map[string]int{}, known: map[string]int{}, wanted: new([1 << 16]bool), index: observationWords}
	for _, e := range readings {
		var r reading
		r.root = m.compile(e, &r)
		m.readings = append(m.readings, r)
	}
	m.freq = make([]float64, len(m.phrases))
	return m
}

// exclude prepares for rows to be left out of which one of the list is true.
func (m *matcher) exclude(list []expr) {
	var r reading // what is excluded is in none
	for _, e := range list {
		m.excluded = append(m.excluded, m.compile(e, &r))
	}
	m.freq = make([]float64, len(m.phrases))
}

// countToo adds to what is counted for a reading, not to what makes it true.
func (m *matcher) countToo(reading int, list []expr) {
	for _, e := range list {
		m.compile(e, &m.readings[reading])
	}
	m.freq = make([]float64, len(m.phrases))
}

// another gives a matcher of the same readings, for another goroutine.
func (m *matcher) another() *matcher {
	return &matcher{
		readings: m.readings, excluded: m.excluded, words: m.words, begins: m.begins, wanted: m.wanted, phrases: m.phrases,
		pairsInTitles: m.pairsInTitles, index: m.index,
		at: make([][]int32, len(m.at)), freq: make([]float64, len(m.freq)),
	}
}

func (m *matcher) compile(e expr, r *reading) matchNode {
	if e.op != opPhrase {
		n := matchNode{op: e.op}
		for _, kid := range e.kids {
			n.kids = append(n.kids, m.compile(kid, r))
		}
		return n
	}
	key := e.String()
	i, ok := m.known[key]
	if !ok {
		i = len(m.phrases)
		m.known[key] = i
		p := matchPhrase{expr: e}
		for j, w := range e.words {
			p.words = append(p.words, m.word(w, e.open && j == len(e.words)-1))
		}
		m.phrases = append(m.phrases, p)
	}
	r.phrases = append(r.phrases, i)
	return matchNode{phrase: i}
}

// word gives the number of a word, or of the beginning of one.
func (m *matcher) word(w string, open bool) int {
	n := len(m.at)
	if open {
		m.begins = append(m.begins, beginning{[]byte(w), n})
	} else {
		if i, ok := m.words[w]; ok {
			return i
		}
		m.words[w] = n
	}
	m.at = append(m.at, nil)
	m.want(w)
	return n
}

// want notes how words begin that have the stem, or begin with it. A stem begins as
// its word does, but for an i that was a y: it is the last letter then.
func (m *matcher) want(stem string) {
	switch {
	case len(stem) == 1:
		for c := range 1 << 8 {
			m.wanted[int(stem[0])<<8|c] = true
		}
	case stem[1] == 'i':
		m.wanted[int(stem[0])<<8|'y'] = true
		fallthrough
	default:
		m.wanted[int(stem[0])<<8|int(stem[1])] = true
	}
}

// isWanted reports whether a word can be one of those that are looked for.
func (m *matcher) isWanted(word []byte) bool {
	second := 0
	if len(word) > 1 {
		second = int(word[1])
	}
	return m.wanted[int(word[0])<<8|second]
}

// read counts the phrases in a row and gives its length in words.
func (m *matcher) read(columns *[7]string) (size int) {
	clear(m.freq)
	for c, text := range columns {
		size += m.readColumn(text, c)
	}
	return size
}

func (m *matcher) readColumn(text string, column int) (size int) {
	found := false
	pairs := m.pairsInTitles && column < m.index.titles
	m.scan.reset(text)
	for ; m.scan.next(); size++ {
		if pairs && m.scan.word[0] >= utf8.RuneSelf {
			found = m.readPairs(size) || found
		}
		if !m.isWanted(m.scan.word) {
			continue
		}
		w := stem(m.scan.word)
		if i, ok := m.words[string(w)]; ok {
			m.at[i] = append(m.at[i], int32(size))
			found = true
		}
		for _, b := range m.begins {
			if bytes.HasPrefix(w, b.text) {
				m.at[b.word] = append(m.at[b.word], int32(size))
				found = true
			}
		}
	}
	if !found {
		return size
	}
	for i, p := range m.phrases {
		m.freq[i] += m.index.weights[column] * float64(m.count(p.words))
	}
	for i := range m.at {
		m.at[i] = m.at[i][:0]
	}
	return size
}

// readPairs notes the pairs of wide script in the word at a place.
func (m *matcher) readPairs(at int) (found bool) {
	var before []byte
	for rest := m.scan.word; len(rest) > 0; {
		_, n := utf8.DecodeRune(rest)
		if len(before) > 0 {
			if i, ok := m.words[string(before)+string(rest[:n])]; ok {
				m.at[i] = append(m.at[i], int32(at))
				found = true
			}
		}
		before, rest = rest[:n], rest[n:]
	}
	return found
}

// count tells how often the words stand in the column one after the other.
func (m *matcher) count(words []int) (n int) {
	if len(words) == 0 {
		return 0
	}
	first := m.at[words[0]]
	if len(words) == 1 {
		return len(first)
	}
search:
	for _, at := range first {
		for i, w := range words[1:] {
			if _, found := slices.BinarySearch(m.at[w], at+int32(i)+1); !found {
				continue search
			}
		}
		n++
	}
	return n
}

// narrowest gives the first reading that the row last read satisfies; ok says
// whether there is one.
func (m *matcher) narrowest() (reading int, ok bool) {
	if slices.ContainsFunc(m.excluded, m.holds) {
		return 0, false
	}
	for i, r := range m.readings {
		if m.holds(r.root) {
			return i, true
		}
	}
	return 0, false
}

// matches reports whether a row satisfies one of the readings.
func (m *matcher) matches(columns *[7]string) bool {
	m.read(columns)
	_, ok := m.narrowest()
	return ok
}

func (m *matcher) holds(n matchNode) bool {
	switch n.op {
	case opAll:
		return !slices.ContainsFunc(n.kids, func(kid matchNode) bool { return !m.holds(kid) })
	case opAny:
		return slices.ContainsFunc(n.kids, m.holds)
	}
	return m.freq[n.phrase] > 0
}

// frequencies gives how often the phrases of a reading stand in the row last read,
// weighted, in the order of reading.phrases.
func (m *matcher) frequencies(reading int) []float64 {
	list := make([]float64, len(m.readings[reading].phrases))
	for i, p := range m.readings[reading].phrases {
		list[i] = m.freq[p]
	}
	return list
}

// rarity is what a phrase that stands in n of rows rows says about one of them:
// the idf of bm25 as FTS5 takes it.
func rarity(n, rows float64) float64 {
	const least = 1e-6 // even what stands in most rows counts something
	return max(math.Log((rows-n+0.5)/(n+0.5)), least)
}

// bm25 scores a row as the ranking function of FTS5 does: freq is how often each
// phrase stands in it, weighted, rare their rarities, length the row's length in
// words beside the average one.
func bm25(freq, rare []float64, length float64) (score float64) {
	const k1, b = 1.2, 0.75
	for i, n := range freq {
		score += rare[i] * n * (k1 + 1) / (n + k1*(1-b+b*length))
	}
	return score
}
