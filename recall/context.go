package recall

import (
	"context"
	"fmt"
	"time"

	"cmem/memory"
)

// ContextSource is what the context block needs of the store.
type ContextSource interface {
	ListObservations(ctx context.Context, f memory.Filter, after memory.Cursor, limit int) ([]memory.Observation, error)
	RecentSummaries(ctx context.Context, f memory.Filter, limit int) ([]memory.Summary, error)
}

// Sources of a starting session.
const (
	SourceStartup = "startup"
	SourceResume  = "resume"
	SourceClear   = "clear"
	SourceCompact = "compact"
	SourceFork    = "fork"
)

// Request says for whom a context block is made and how large it may be.
type Request struct {
	Project     string // project key
	ProjectName string // short name for people and models
	SessionID   string // the session that starts
	Source      string // SourceStartup and so on; an unknown one counts as startup
	Limits      Limits
}

// Limits bound a context block.
type Limits struct {
	Observations int // rows of the index at most
	Sessions     int // how many past sessions a startup looks back
	MaxChars     int // characters of the whole block at most, UTF-16 code units
}

// Block is a context block and what it holds.
type Block struct {
	Text  string
	Stats Stats
}

// Stats says what a context block holds, what it costs and what it saves. Token
// counts are estimates (memory.EstimateTokens).
type Stats struct {
	Observations int            `json:"observations"`
	Sessions     int            `json:"sessions"`
	ByType       map[string]int `json:"by_type"`
	// Tokens is what the block itself costs.
	Tokens int `json:"tokens"`
	// ReadTokens is what reading every listed observation whole would cost.
	ReadTokens int `json:"read_tokens"`
	// SourceTokens is what the events cost from which the observations were made.
	SourceTokens int `json:"source_tokens"`
	// Saved is what the block saves against replaying those events.
	Saved int `json:"saved_tokens"`
	// DepthDays is how many days lie between the oldest and the newest listed observation.
	DepthDays int `json:"depth_days"`
	// Cut is how many observations were within reach but past MaxChars.
	Cut int `json:"cut"`
}

const (
	pinnedMax       = 5
	globalMax       = 8
	compactSessions = 20
)

// Context gives the context block for a session that starts. The same store and
// request give the same block, byte for byte: it holds absolute times and reads
// no clock, so that the providers' prompt caches hold. A project without
// memories gets one friendly line.
func Context(ctx context.Context, src ContextSource, r Request) (Block, error) {
	m, err := gather(ctx, src, r)
	if err != nil {
		return Block{}, err
	}
	return write(m, r), nil
}

// write gives the block of what was gathered.
func write(m material, r Request) Block {
	if len(m.observations)+len(m.pinned)+len(m.global) == 0 && m.summary == nil {
		text := placeholder(r.ProjectName)
		return Block{Text: text, Stats: Stats{ByType: map[string]int{}, Tokens: memory.EstimateTokens(text)}}
	}
	return fit(m, r)
}

// material is what a block is written from, newest first.
type material struct {
	pinned       []entry
	global       []entry // what counts in every project, of whichever it is
	observations []entry
	summary      *memory.Summary

	// How they were chosen, for Plan.
	reach    memory.Filter        // whose newest observations were listed
	listed   []memory.Observation // these, before sessions and pins took some away
	sessions int                  // past sessions at most; 0 where they do not bound
}

// isOwn reports whether a resumed session gets what it did itself.
func (m material) isOwn() bool { return m.reach.SessionID != "" }

// entry is an observation with its line of the index, which is written once
// however often the block is tried.
type entry struct {
	memory.Observation
	line   string // without id and time
	tokens int    // what reading it whole costs
}

func entries(obs []memory.Observation) []entry {
	all := make([]entry, len(obs))
	for i, o := range obs {
		tokens := o.ReadTokens()
		all[i] = entry{o, row(o, tokens), tokens}
	}
	return all
}

func gather(ctx context.Context, src ContextSource, r Request) (material, error) {
	var m material
	var obs []memory.Observation
	filter := memory.Filter{Project: r.Project}
	if r.Source == SourceResume && r.SessionID != "" {
		// A resumed session brings its own transcript; what helps is what it did.
		own := memory.Filter{Project: r.Project, SessionID: r.SessionID}
		did, err := src.ListObservations(ctx, own, memory.Cursor{}, r.Limits.Observations)
		if err != nil {
			return m, fmt.Errorf("list the session's observations: %w", err)
		}
		if len(did) > 0 {
			obs, filter = did, own
			m.listed = did
		}
	}
	if obs == nil {
		all, err := src.ListObservations(ctx, filter, memory.Cursor{}, r.Limits.Observations)
		if err != nil {
			return m, fmt.Errorf("list the project's observations: %w", err)
		}
		m.sessions = r.Limits.Sessions
		if r.Source == SourceCompact {
			m.sessions = max(m.sessions, compactSessions)
		}
		m.listed, obs = all, ofSessions(all, m.sessions)
	}
	m.reach = filter
	pinned, err := src.ListObservations(ctx, memory.Filter{Project: r.Project, PinnedOnly: true}, memory.Cursor{}, pinnedMax)
	if err != nil {
		return m, fmt.Errorf("list the pinned observations: %w", err)
	}
	obs = without(obs, pinned)
	var global []memory.Observation
	if !m.isOwn() {
		everywhere := memory.Filter{Scopes: []memory.Scope{memory.ScopeGlobal, memory.ScopeTeam}}
		if global, err = src.ListObservations(ctx, everywhere, memory.Cursor{}, globalMax); err != nil {
			return m, fmt.Errorf("list what counts in every project: %w", err)
		}
		global = without(global, pinned)
		obs = without(obs, global)
	}
	m.pinned, m.global, m.observations = entries(pinned), entries(global), entries(obs)

	summaries, err := src.RecentSummaries(ctx, filter, 1)
	if err != nil {
		return m, fmt.Errorf("read the last summary: %w", err)
	}
	// An older summary is told by the observations that came after it.
	if len(summaries) > 0 && !summaries[0].CreatedAt.Before(newest(obs)) {
		m.summary = &summaries[0]
	}
	return m, nil
}

// ofSessions keeps the observations, newest first, of the first n sessions met.
func ofSessions(obs []memory.Observation, n int) []memory.Observation {
	seen := map[string]bool{}
	for i, o := range obs {
		if !seen[o.SessionID] && len(seen) == n {
			return obs[:i]
		}
		seen[o.SessionID] = true
	}
	return obs
}

func without(obs, drop []memory.Observation) []memory.Observation {
	if len(drop) == 0 {
		return obs
	}
	ids := make(map[int64]bool, len(drop))
	for _, o := range drop {
		ids[o.ID] = true
	}
	kept := make([]memory.Observation, 0, len(obs))
	for _, o := range obs {
		if !ids[o.ID] {
			kept = append(kept, o)
		}
	}
	return kept
}

func newest(obs []memory.Observation) time.Time {
	if len(obs) == 0 {
		return time.Time{}
	}
	return obs[0].CreatedAt
}

// fit writes the block with as many observations, newest kept, as MaxChars allows.
func fit(m material, r Request) Block {
	all := m.observations
	// Mostly all fit. The block grows with every row, so that otherwise the largest
	// number that fits can be found by halving.
	best := render(m, r)
	if chars(best.Text) <= r.Limits.MaxChars {
		return best
	}
	low, high := 0, len(all)-1
	best = render(m.withObservations(nil), r)
	for low < high {
		mid := (low + high + 1) / 2
		b := render(m.withObservations(all[:mid]), r)
		if chars(b.Text) <= r.Limits.MaxChars {
			low, best = mid, b
		} else {
			high = mid - 1
		}
	}
	best.Stats.Cut = len(all) - low
	return best
}

func (m material) withObservations(obs []entry) material {
	m.observations = obs
	return m
}

// chars counts UTF-16 code units, as the host does for its limit.
func chars(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// NoMemories is a ContextSource for a machine that has no store yet.
type NoMemories struct{}

// ListObservations gives none.
func (NoMemories) ListObservations(context.Context, memory.Filter, memory.Cursor, int) ([]memory.Observation, error) {
	return nil, nil
}

// RecentSummaries gives none.
func (NoMemories) RecentSummaries(context.Context, memory.Filter, int) ([]memory.Summary, error) {
	return nil, nil
}
