package tui

import (
	"strings"
	"sync"

	"cmem/memory"
	"cmem/recall"
	"cmem/themes"
)

// hit is what a search found, with where and why.
type hit struct {
	observation memory.Observation
	snippet     line          // the neighbourhood of the first match outside of the title, matches lit
	why         func() string // "title · file"; for the few hits that are on the screen
	forms       []string      // the words that matched, in the form in which they stand there
}

// hitOf makes a search's hit harmless and ready to be drawn.
func hitOf(text string, h memory.Hit) hit {
	found := hit{observation: cleanObservation(h.Observation)}
	found.why = sync.OnceValue(func() string { return cleanLine(recall.WhyHit(text, h).String()) })
	snippet := cleanSnippet(h.Snippet)
	found.forms = forms(snippet)
	plain := strings.NewReplacer(string(memory.MatchStart), "", string(memory.MatchEnd), "").Replace(snippet)
	if !strings.Contains(found.observation.Title, strings.Trim(plain, "… ")) {
		found.snippet = litSnippet(snippet)
	}
	return found
}

// meantOf is hitOf for a hit that need not hold a word of the search.
func meantOf(text string, h memory.Hit) hit {
	found := hitOf(text, h)
	found.why = sync.OnceValue(func() string {
		r := recall.WhyHit(text, h)
		if len(r.Fields)+len(r.Parts) == 0 {
			return "meaning"
		}
		return cleanLine(r.String())
	})
	return found
}

// litSnippet turns a snippet, in which the matched words are between marks, into
// spans in which they are lit.
func litSnippet(snippet string) line {
	var out line
	for snippet != "" {
		before, rest, found := strings.Cut(snippet, string(memory.MatchStart))
		if before != "" {
			out = append(out, span{themes.Muted, before})
		}
		if !found {
			break
		}
		word, after, _ := strings.Cut(rest, string(memory.MatchEnd))
		if word != "" {
			out = append(out, span{themes.Match, word})
		}
		snippet = after
	}
	return out
}
