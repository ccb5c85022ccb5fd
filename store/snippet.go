package store

import (
	"cmp"
	"slices"
	"strings"

	"cmem/memory"
)

// snippetWords is how long the piece of text is that shows a match.
const snippetWords = 24

// factsText turns a piece of a JSON array of strings into a line for people.
var factsText = strings.NewReplacer(`["`, "", `"]`, "", `","`, " · ", `\"`, `"`, `\\`, `\`)

// snippet gives the piece of o in which most of what a reading looks for stands,
// as one line in which the matched words are marked; "" when it is in none of the
// texts that are shown.
func (m *matcher) snippet(o memory.Observation, reading int) string {
	for i, text := range []string{o.Narrative, encodeList(o.Facts), o.Subtitle, o.Title} {
		piece := m.mark(text, reading)
		if piece == "" {
			continue
		}
		if i == 1 {
			piece = factsText.Replace(piece)
		}
		return oneLine(piece, len(piece))
	}
	return ""
}

// placedWord is where a word of a text stands, in bytes.
type placedWord struct{ start, end int }

// placedPhrase is where a phrase stands: from a word to the one after its last.
type placedPhrase struct{ phrase, from, to int }

// mark cuts the best piece out of a text and marks the phrases of a reading in it,
// "" when there are none.
func (m *matcher) mark(text string, reading int) string {
	words, phrases := m.place(text, reading)
	if len(phrases) == 0 {
		return ""
	}
	first := bestPiece(text, words, phrases)
	last := min(first+snippetWords, len(words)) // not in it
	var b strings.Builder
	at := 0
	if first > 0 {
		b.WriteRune('…')
		at = words[first].start
	}
	for i := 0; i < len(phrases); {
		from, to := phrases[i].from, phrases[i].to
		for i++; i < len(phrases) && phrases[i].from < to; i++ {
			to = max(to, phrases[i].to) // they overlap
		}
		if from, to = max(from, first), min(to, last); from >= to {
			continue
		}
		b.WriteString(text[at:words[from].start])
		b.WriteRune(memory.MatchStart)
		b.WriteString(text[words[from].start:words[to-1].end])
		b.WriteRune(memory.MatchEnd)
		at = words[to-1].end
	}
	if last == len(words) {
		b.WriteString(text[at:])
	} else {
		b.WriteString(text[at:words[last-1].end])
		b.WriteRune('…')
	}
	return b.String()
}

// place finds the words of a text and the phrases of a reading among them, in
// their order.
func (m *matcher) place(text string, reading int) (words []placedWord, phrases []placedPhrase) {
	var found []string // the stems
	m.scan.reset(text)
	for m.scan.next() {
		words = append(words, placedWord{m.scan.start, m.scan.end})
		found = append(found, string(stem(m.scan.word)))
	}
	for _, p := range m.readings[reading].phrases {
		e := m.phrases[p].expr
		for at := 0; len(e.words) > 0 && at+len(e.words) <= len(found); at++ {
			if e.standsIn(found[at : at+len(e.words)]) {
				phrases = append(phrases, placedPhrase{p, at, at + len(e.words)})
			}
		}
	}
	slices.SortStableFunc(phrases, func(a, b placedPhrase) int { return cmp.Compare(a.from, b.from) })
	return words, phrases
}

// standsIn reports whether the words, as many as the phrase has, are the phrase.
func (e expr) standsIn(words []string) bool {
	for i, w := range e.words {
		switch {
		case words[i] == w:
		case e.open && i == len(words)-1 && strings.HasPrefix(words[i], w):
		default:
			return false
		}
	}
	return true
}

// bestPiece gives the word with which the piece should begin: the one that has most
// different phrases in it, if possible from the beginning of a sentence.
func bestPiece(text string, words []placedWord, phrases []placedPhrase) (first int) {
	const different, again, sentence, beginning = 1000, 1, 100, 120
	value := func(from int) (score, firstHit, afterHits int) {
		seen := map[int]bool{}
		firstHit = -1
		for _, p := range phrases {
			if p.from < from || p.from >= from+snippetWords {
				continue
			}
			if seen[p.phrase] {
				score += again
			} else {
				score += different
			}
			seen[p.phrase] = true
			if firstHit < 0 {
				firstHit = p.from
			}
			afterHits = p.to
		}
		return score, firstHit, afterHits
	}
	sentences := sentenceStarts(text, words)
	best := 0
	for _, p := range phrases {
		score, hit, after := value(p.from)
		if score > best {
			best = score
			// In the middle, as far as the text reaches.
			first = max(0, min(hit-(snippetWords-(after-hit))/2, len(words)-snippetWords))
		}
		if len(words) <= snippetWords {
			continue
		}
		i, _ := slices.BinarySearch(sentences, p.from+1)
		start := sentences[i-1]
		if start == p.from {
			continue
		}
		score, _, _ = value(start)
		if score += sentence; start == 0 {
			score += beginning - sentence
		}
		if score > best {
			best, first = score, start
		}
	}
	return first
}

// sentenceStarts gives the words with which a sentence begins; the first is one.
func sentenceStarts(text string, words []placedWord) []int {
	list := []int{0}
	for i := 1; i < len(words); i++ {
		between := text[words[i-1].end:words[i].start]
		if trimmed := strings.TrimRight(between, " \t\r\n"); len(trimmed) < len(between) &&
			(strings.HasSuffix(trimmed, ".") || strings.HasSuffix(trimmed, ":")) {
			list = append(list, i)
		}
	}
	return list
}

// markWide gives the neighbourhood of the first run of wide script that stands
// in o, marked, "" when there is none.
func markWide(o memory.Observation, runs []string) string {
	const around = 30 // runes before and after
	for _, run := range runs {
		for _, text := range slices.Concat([]string{o.Narrative}, o.Facts, []string{o.Subtitle, o.Title}) {
			before, after, found := strings.Cut(text, run)
			if !found {
				continue
			}
			b, a := []rune(before), []rune(after)
			head, tail := "", ""
			if len(b) > around {
				head, b = "…", b[len(b)-around:]
			}
			if len(a) > around {
				tail, a = "…", a[:around]
			}
			line := head + string(b) + string(memory.MatchStart) + run + string(memory.MatchEnd) + string(a) + tail
			return oneLine(line, len(line))
		}
	}
	return ""
}
