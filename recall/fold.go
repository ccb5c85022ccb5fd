package recall

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"unicode"

	"cmem/llm/static"
	"cmem/memory"
)

const (
	// nearlySame is the share of the words of two observations together that both have
	// when one is folded under the other.
	nearlySame = 0.85
	// fewWords is how many words say too little to be compared so: they must be the same.
	fewWords = 8
)

// fold gives the first results, those that say nearly the same as a better one
// under it, and whether there are more.
func fold(list []*candidate, most int) (results []Result, more bool) {
	shown := make([]*candidate, 0, most)
	for _, c := range list {
		i := slices.IndexFunc(shown, c.isNearly)
		if i >= 0 {
			results[i].Folded = append(results[i].Folded, c.id)
			continue
		}
		if len(results) == most {
			return results, true
		}
		results, shown = append(results, c.result()), append(shown, c)
	}
	return results, false
}

// isNearly reports whether two candidates say nearly the same. Most do not score
// alike, so that their texts need not be looked at.
func (c *candidate) isNearly(other *candidate) bool {
	const alike = 0.15 // nearlySame leaves no more room for the parts of the score
	if c.kind() != other.kind() || c.hit.Observation.Project != other.hit.Observation.Project ||
		math.Abs(c.score.Keyword-other.score.Keyword) > alike || math.Abs(c.score.Semantic-other.score.Semantic) > alike ||
		float64(min(c.size, other.size)) < (1-2*alike)*float64(max(c.size, other.size)) {
		return false
	}
	for _, x := range []*candidate{c, other} {
		if x.said == nil {
			x.said = saidBy(x.hit.Observation)
		}
	}
	return c.said.isNearly(other.said)
}

// said is what an observation says, for being compared with others.
type said struct {
	words []uint32 // hashes, sorted, each once
	// figures are the words with a digit, in the order in which they stand: another
	// version, port or limit is another memory.
	figures []string
}

func saidBy(o memory.Observation) *said {
	text := strings.Join(append([]string{o.Title, o.Subtitle, o.Narrative}, o.Facts...), "\n")
	s := &said{}
	for w := range static.TokenSeq(text) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(w)) // a hash does not fail
		s.words = append(s.words, h.Sum32())
	}
	slices.Sort(s.words)
	s.words = slices.Compact(s.words)
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isWordRune(r) }) {
		if strings.ContainsFunc(w, unicode.IsDigit) {
			s.figures = append(s.figures, w)
		}
	}
	return s
}

// isNearly reports whether two observations say nearly the same.
func (s *said) isNearly(other *said) bool {
	a, b := s.words, other.words
	if len(a) == 0 || len(b) == 0 || !slices.Equal(s.figures, other.figures) {
		return false
	}
	if len(a) < fewWords || len(b) < fewWords {
		return slices.Equal(a, b)
	}
	if float64(min(len(a), len(b))) < nearlySame*float64(max(len(a), len(b))) {
		return false
	}
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			both, i, j = both+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(both) >= nearlySame*float64(len(a)+len(b)-both)
}
