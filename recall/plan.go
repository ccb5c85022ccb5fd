package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cmem/memory"
)

// ErrChanged says that an observation was changed or deleted since it was read.
var ErrChanged = errors.New("it was changed meanwhile")

// PlanSource is what explaining a context block needs of the store.
type PlanSource interface {
	ContextSource
	CountObservations(ctx context.Context, f memory.Filter) (int, error)
}

// ContextPlan is a context block with the reasons for it.
type ContextPlan struct {
	// Block is what Context gives for the same request, byte for byte.
	Block  Block
	Budget Budget
	// Summary is the summary in the block, nil when none is.
	Summary *memory.Summary
	// Considered are the project's observations, newest first, whatever their
	// status: all that are in the block and the newest others.
	Considered []ContextEntry
	// More says that there are older ones than Considered tells of.
	More bool
}

// Budget is what a context block uses of what it may use.
type Budget struct {
	Chars           int `json:"chars"` // UTF-16 code units
	MaxChars        int `json:"max_chars"`
	Tokens          int `json:"tokens"` // estimated, of the whole block
	Observations    int `json:"observations"`
	MaxObservations int `json:"max_observations"` // without the pinned ones
	Pinned          int `json:"pinned"`           // pinned ones among Observations
	MaxPinned       int `json:"max_pinned"`
	Sessions        int `json:"sessions"`
	// MaxSessions is how many past sessions may be in the block, 0 where a resumed
	// session gets what it did itself.
	MaxSessions int `json:"max_sessions"`
	// Cut is how many observations were within reach but past MaxChars.
	Cut int `json:"cut"`
}

// ContextEntry is an observation with the reason why it is in a context block or not.
type ContextEntry struct {
	Item   memory.Item // Tokens is what reading it whole costs
	In     bool
	Reason Reason
}

const (
	// maxConsidered bounds how many observations a plan tells of besides those that
	// are within the block's reach.
	maxConsidered = 500
	// maxTies bounds how many observations of one millisecond are told apart.
	maxTies = 1000
)

// Plan gives the block that Context gives for the request, and why each
// observation of the project is in it or not.
func Plan(ctx context.Context, src ContextSource, r Request) (ContextPlan, error) {
	m, err := gather(ctx, src, r)
	if err != nil {
		return ContextPlan{}, err
	}
	c := newChoice(m, r)
	p := ContextPlan{Block: c.block, Budget: c.budget(), Summary: m.summary}

	everything := memory.Filter{Project: r.Project, Global: true, Statuses: everyStatus(), IncludeExpired: true}
	all, err := src.ListObservations(ctx, everything, memory.Cursor{}, maxConsidered+1)
	if err != nil {
		return ContextPlan{}, fmt.Errorf("list what the context block was chosen from: %w", err)
	}
	if len(all) > maxConsidered {
		all, p.More = all[:maxConsidered], true
	}
	all = c.withReach(all)
	rank := 0 // among those that can be taken
	ids := make(map[string]int64, len(all))
	for _, o := range all {
		if o.UID != "" {
			ids[o.UID] = o.ID
		}
		why, settled := c.reason(o)
		if c.isEligible(o) && (r.Project == "" || o.Project == r.Project) {
			rank++
		}
		if !settled {
			if len(m.listed) < r.Limits.Observations || rank <= len(m.listed) {
				rank-- // it came while the plan was made
				continue
			}
			why = Reason{Kind: ReasonOlder, N: rank, Of: r.Limits.Observations}
		}
		p.Considered = append(p.Considered, newEntry(o, why))
	}
	for i, e := range p.Considered {
		p.Considered[i].Reason.ByID = ids[e.Reason.By]
	}
	return p, nil
}

// WhyContext says why an observation, of whatever age, is in the block of the
// request or not. The error is ErrChanged when o is not what the store has any more.
func WhyContext(ctx context.Context, src PlanSource, r Request, o memory.Observation) (ContextEntry, error) {
	m, err := gather(ctx, src, r)
	if err != nil {
		return ContextEntry{}, err
	}
	why, settled := newChoice(m, r).reason(o)
	if !settled {
		rank, err := rankOf(ctx, src, m.reach, o)
		if err != nil {
			return ContextEntry{}, err
		}
		why = Reason{Kind: ReasonOlder, N: rank, Of: r.Limits.Observations}
	}
	return newEntry(o, why), nil
}

// rankOf gives the place of o among the observations that f takes, newest first,
// counted from 1.
func rankOf(ctx context.Context, src PlanSource, f memory.Filter, o memory.Observation) (int, error) {
	f.After = o.CreatedAt.Truncate(time.Millisecond).Add(time.Millisecond)
	newer, err := src.CountObservations(ctx, f)
	if err != nil {
		return 0, fmt.Errorf("count newer observations than %d: %w", o.ID, err)
	}
	f.After, f.Before = f.After.Add(-time.Millisecond), f.After
	// What one batch gave has one time: the newer ids come first.
	ties, err := src.ListObservations(ctx, f, memory.Cursor{}, maxTies)
	if err != nil {
		return 0, fmt.Errorf("list the observations of the time of %d: %w", o.ID, err)
	}
	found := len(ties) == maxTies
	for _, t := range ties {
		found = found || t.ID == o.ID
		if t.ID > o.ID {
			newer++
		}
	}
	if !found {
		return 0, fmt.Errorf("rank observation %d: %w", o.ID, ErrChanged)
	}
	return newer + 1, nil
}

func newEntry(o memory.Observation, why Reason) ContextEntry {
	return ContextEntry{Item: itemOf(o), In: why.Kind.In(), Reason: why}
}

// itemOf gives the timeline row of an observation.
func itemOf(o memory.Observation) memory.Item {
	return memory.Item{
		Kind: memory.KindObservation, ID: o.ID, SessionID: o.SessionID, Project: o.Project, PromptNumber: o.PromptNumber,
		CreatedAt: o.CreatedAt, Type: o.Type, Title: o.Title, Subtitle: o.Subtitle, Tokens: o.ReadTokens(),
		Pinned: o.Pinned, Status: o.Status, Scope: scopeOf(o),
	}
}

// choice tells what became of each observation within the reach of a block.
type choice struct {
	material
	r      Request
	block  Block
	now    time.Time
	places map[int64]int // of those listed, newest first, from 1
	pins   map[int64]bool
	globes map[int64]bool // those that count in every project
	in     map[int64]bool // in the block and not pinned
	cut    map[int64]bool
}

func newChoice(m material, r Request) choice {
	c := choice{
		material: m, r: r, block: write(m, r), now: time.Now(),
		places: map[int64]int{}, pins: map[int64]bool{}, globes: map[int64]bool{}, in: map[int64]bool{}, cut: map[int64]bool{},
	}
	for i, o := range m.listed {
		c.places[o.ID] = i + 1
	}
	for _, o := range m.pinned {
		c.pins[o.ID] = true
	}
	for _, o := range m.global {
		c.globes[o.ID] = true
	}
	kept := len(m.observations) - c.block.Stats.Cut
	for i, o := range m.observations {
		if i < kept {
			c.in[o.ID] = true
		} else {
			c.cut[o.ID] = true
		}
	}
	return c
}

// reason says why o is in the block or not. It is not settled for an observation
// that is only too old: its rank has to be found.
func (c choice) reason(o memory.Observation) (why Reason, settled bool) {
	place, listed := c.places[o.ID]
	switch {
	case c.pins[o.ID]:
		return Reason{Kind: ReasonPinned}, true
	case c.globes[o.ID]:
		return Reason{Kind: ReasonGlobal}, true
	case c.in[o.ID] && c.isOwn():
		return Reason{Kind: ReasonOwn, N: place, Of: c.r.Limits.Observations}, true
	case c.in[o.ID]:
		return Reason{Kind: ReasonNewest, N: place, Of: c.r.Limits.Observations}, true
	case c.cut[o.ID]:
		return Reason{Kind: ReasonBudget, N: place, Of: c.r.Limits.MaxChars}, true
	case listed:
		return Reason{Kind: ReasonSessions, N: place, Of: c.sessions}, true
	case !c.applies(o):
		return Reason{Kind: ReasonOtherProject, Project: o.Project}, true
	}
	if why, out := ofStatus(o); out {
		return why, true
	}
	if why, out := ofExpiry(o, c.now); out {
		return why, true
	}
	switch {
	case !c.isEligible(o):
		return Reason{Kind: ReasonNotOwn}, true
	case c.r.Project != "" && o.Project != c.r.Project: // it counts here, too
		return Reason{Kind: ReasonGlobals, Of: globalMax}, true
	}
	return Reason{}, false
}

// isEligible reports whether o can be in the block if it is not too old.
func (c choice) isEligible(o memory.Observation) bool {
	_, gone := ofStatus(o)
	_, expired := ofExpiry(o, c.now)
	return !gone && !expired && c.applies(o) && (!c.isOwn() || o.SessionID == c.reach.SessionID)
}

// applies reports whether o is of the block's project, or counts in every one.
func (c choice) applies(o memory.Observation) bool {
	return c.r.Project == "" || o.Project == c.r.Project || o.Scope.IsGlobal()
}

func (c choice) budget() Budget {
	s := c.block.Stats
	return Budget{
		Chars: chars(c.block.Text), MaxChars: c.r.Limits.MaxChars, Tokens: s.Tokens,
		Observations: s.Observations, MaxObservations: c.r.Limits.Observations,
		Pinned: len(c.pinned), MaxPinned: pinnedMax,
		Sessions: s.Sessions, MaxSessions: c.sessions, Cut: s.Cut,
	}
}

// withReach adds what was within the block's reach to a list, newest first, that
// may not go back so far.
func (c choice) withReach(list []memory.Observation) []memory.Observation {
	known := make(map[int64]bool, len(list))
	for _, o := range list {
		known[o.ID] = true
	}
	add := func(o memory.Observation) {
		if !known[o.ID] {
			known[o.ID] = true
			list = append(list, o)
		}
	}
	for _, o := range c.listed {
		add(o)
	}
	for _, o := range slices.Concat(c.pinned, c.global) {
		add(o.Observation)
	}
	slices.SortStableFunc(list, func(a, b memory.Observation) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return list
}
