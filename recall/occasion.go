package recall

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cmem/memory"
	"cmem/store"
)

// Occasion says for whom memories are looked for that are worth to be told unasked.
type Occasion struct {
	Project   string // project key
	SessionID string // its own memories are not told to a session
	MaxTokens int    // what the block may cost, estimated
	// Search is what is searched with besides a text and where; it must not have to wait
	// for a provider.
	Search Query
	// Told reports whether the session was told a memory before; nil for none.
	Told func(id int64) bool
}

// FileSource is what looking for the memories of a file needs of the store.
type FileSource interface {
	// Mentions gives the observations that read or changed a file, newest first.
	Mentions(ctx context.Context, paths []string, f memory.Filter, limit int) ([]store.Mention, error)
	Observations(ctx context.Context, ids []int64) ([]memory.Observation, error)
}

const (
	// mostTold is how many memories are told at a time.
	mostTold = 3
	// mentionsWeighed is how many of the newest mentions of a file are compared.
	mentionsWeighed = 120
	// manyFiles is how many files a memory names that says little about each of them.
	manyFiles = 12
	// searchedFor is how many results of a search may be good enough.
	searchedFor = 10
)

// ForFile gives what is worth to be told when a file is opened: what changed it or
// learned something from it. paths are the ways in which its path may be written down,
// the one to be shown first. The same store gives the same.
func ForFile(ctx context.Context, src FileSource, paths []string, o Occasion) (Telling, error) {
	if len(paths) == 0 {
		return Telling{}, nil
	}
	mentions, err := src.Mentions(ctx, paths, memory.Filter{Project: o.Project}, mentionsWeighed)
	if err != nil {
		return Telling{}, err
	}
	mentions = slices.DeleteFunc(mentions, func(m store.Mention) bool {
		return !o.mayTell(m.ID, m.SessionID) || worth(m) <= 0 && !m.Pinned
	})
	slices.SortStableFunc(mentions, func(a, b store.Mention) int {
		switch {
		case a.Pinned != b.Pinned && a.Pinned:
			return -1
		case a.Pinned != b.Pinned:
			return 1
		}
		return cmp.Or(cmp.Compare(worth(b), worth(a)), b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	var ids []int64
	for _, m := range mentions[:min(mostTold, len(mentions))] {
		ids = append(ids, m.ID)
	}
	list, err := src.Observations(ctx, ids)
	if err != nil {
		return Telling{}, err
	}
	return Telling{of: "file", about: paths[0], list: list, max: o.MaxTokens}, nil
}

// worth says how much a memory says about a file that it mentions; 0 is nothing: that a
// file was read, or that it was one of very many, helps nobody.
func worth(m store.Mention) int {
	if m.Files > manyFiles {
		return 0
	}
	points := 0
	switch m.Type {
	case memory.TypeDecision, memory.TypeBugfix:
		points = 3
	case memory.TypeDiscovery:
		points = 2
	}
	if m.Modified {
		points += 2
	}
	return points
}

// SearchSource is what searching for an occasion needs of the store.
type SearchSource interface {
	Searcher
	HybridSource
}

// ForPrompt gives what is worth to be told with a prompt: what is about the same beyond
// doubt.
func ForPrompt(ctx context.Context, src SearchSource, prompt string, o Occasion) (Telling, error) {
	text := searchable(beginning(prompt))
	if utf8.RuneCountInString(text) < shortestPrompt(text) {
		return Telling{}, nil
	}
	found, _, err := sure(ctx, src, text, o)
	if err != nil {
		return Telling{}, err
	}
	return Telling{of: "prompt", list: found[:min(mostTold, len(found))], words: text, max: o.MaxTokens}, nil
}

// shortestPrompt is how many characters a prompt has that may have a subject.
func shortestPrompt(text string) int {
	if strings.ContainsFunc(text, isWide) {
		return 6
	}
	return 15
}

// mostOfPrompt is how many bytes of a prompt are searched for: people begin with what it
// is about.
const mostOfPrompt = 600

func beginning(prompt string) string {
	if len(prompt) > mostOfPrompt {
		prompt = strings.ToValidUTF8(prompt[:mostOfPrompt], "")
	}
	return prompt
}

// sure gives the memories that a search is sure of and that may be told, and the best
// relevance there is.
func sure(ctx context.Context, src SearchSource, text string, o Occasion) (list []memory.Observation, best float64, err error) {
	q := o.Search
	q.Text, q.Filter, q.Limit = text, onlyObservations(o.Project), searchedFor
	answer, err := Search(ctx, src, q)
	if errors.Is(err, store.ErrEmptyQuery) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	for _, r := range answer.Results {
		best = max(best, r.Score.Relevance)
		if r.Score.Relevance >= Sure && o.mayTell(r.ID, r.SessionID) {
			list = append(list, *r.Observation)
		}
	}
	return list, best, nil
}

// onlyObservations is where it is looked for what may be told. What was asked or summed up
// before is no news.
func onlyObservations(project string) memory.Filter {
	return memory.Filter{Project: project, Kinds: []memory.ItemKind{memory.KindObservation}}
}

// mayTell reports whether a memory of a session may be told.
func (o Occasion) mayTell(id int64, session string) bool {
	return (session == "" || session != o.SessionID) && (o.Told == nil || !o.Told(id))
}

// searchable gives a text without what the language of searches would take for more than
// words: quotes, and a minus or a star at a word.
func searchable(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || unicode.IsSpace(r) || strings.ContainsRune("\"“”«»`", r) })
	for i, w := range words {
		w = strings.TrimRight(w, "*")
		if isUnwanted(w) {
			w = strings.TrimLeft(w, "-")
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}

// Telling is what may be told. The zero Telling is nothing.
type Telling struct {
	of    string // "file", "error" or "prompt"
	about string // what it is about, as far as it has a name
	list  []memory.Observation
	words string // of what is being done: what has to do with them is told first
	max   int    // tokens
}

// IDs gives the memories that may be told, best first.
func (t Telling) IDs() []int64 {
	ids := make([]int64, len(t.list))
	for i, o := range t.list {
		ids[i] = o.ID
	}
	return ids
}

// Fitting gives those of them that one block has room for, best first. The others may be
// told another time.
func (t Telling) Fitting() []int64 {
	return Telling{list: t.fitting(t.list)}.IDs()
}

// fitting gives those of a list whose titles fit into one block.
func (t Telling) fitting(list []memory.Observation) []memory.Observation {
	var chosen []memory.Observation
	for _, o := range list {
		more := append(slices.Clone(chosen), o)
		if memory.EstimateTokens(t.write(more, make([]string, len(more)))) <= t.most() {
			chosen = more
		}
	}
	return chosen
}

// most is how many tokens a block may cost.
func (t Telling) most() int {
	if t.max <= 0 {
		return math.MaxInt
	}
	return t.max
}

// Block writes the block that tells those of the memories with the ids, as much of them
// as the tokens allow; "" for none. Of what is in Fitting it leaves none out.
func (t Telling) Block(ids []int64) string {
	list := t.fitting(slices.DeleteFunc(slices.Clone(t.list), func(o memory.Observation) bool {
		return !slices.Contains(ids, o.ID)
	}))
	if len(list) == 0 {
		return ""
	}
	titles := t.write(list, make([]string, len(list)))
	return t.write(list, t.details(list, t.most()-memory.EstimateTokens(titles)))
}
