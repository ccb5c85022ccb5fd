package recall

import (
	"fmt"
	"strings"
	"time"

	"cmem/memory"
)

// ReasonKind says what kept a memory in or out.
type ReasonKind string

// Why an observation stands in a context block.
const (
	ReasonPinned ReasonKind = "pinned"
	ReasonNewest ReasonKind = "newest" // among the newest Of; it is the N-th
	ReasonOwn    ReasonKind = "own"    // of the session that is resumed
	ReasonGlobal ReasonKind = "global" // counts in every project
)

// Why it does not.
const (
	ReasonBudget   ReasonKind = "budget"   // past the Of characters of the block
	ReasonSessions ReasonKind = "sessions" // beyond the last Of sessions
	ReasonOlder    ReasonKind = "older"    // the N-th newest, and Of are taken
	ReasonNotOwn   ReasonKind = "not own"  // the resumed session gets only what it did itself
	// ReasonGlobals is that of one that counts in every project, beyond the newest Of
	// of these.
	ReasonGlobals ReasonKind = "globals"
)

// Why an observation is neither in a context block nor among the hits of a search.
const (
	ReasonExpired      ReasonKind = "expired"       // at At
	ReasonArchived     ReasonKind = "archived"      // for Note, when somebody said why
	ReasonSuperseded   ReasonKind = "superseded"    // by By or ByID, where known
	ReasonInvalid      ReasonKind = "invalid"       // marked wrong, for Note
	ReasonOtherProject ReasonKind = "other project" // Project
)

// Why it is not among the hits that are shown.
const (
	ReasonFilter ReasonKind = "filter" // the filter Filter with the values Words leaves it out
	ReasonRanked ReasonKind = "ranked" // the N-th best, and Of are shown; N is 0 below the first Of
	ReasonLacks  ReasonKind = "lacks"  // does not hold Words, and all words must match
)

// In reports whether the reason is one for standing in a context block.
func (k ReasonKind) In() bool {
	return k == ReasonPinned || k == ReasonNewest || k == ReasonOwn || k == ReasonGlobal
}

// Reason is one cause, for a program (Kind and the fields that its comment names)
// and for people (String). Text in it comes from the store as it is.
type Reason struct {
	Kind ReasonKind `json:"kind"`
	// N is a rank, counted from 1.
	N int `json:"n,omitempty"`
	// Of is the limit that N or the block is held against.
	Of int `json:"of,omitempty"`
	// At is when it expired.
	At      time.Time `json:"at,omitzero"`
	Project string    `json:"project,omitempty"` // its project key
	// Filter is the word of the filter: project, session, type, concept, tag, file,
	// branch, agent, after, before, status, expired or pinned.
	Filter string   `json:"filter,omitempty"`
	Words  []string `json:"words,omitempty"`
	Note   string   `json:"note,omitempty"` // why its status was changed
	// By is the UID of the observation that took its place, and ByID the id, 0 when
	// it was not met.
	By   string `json:"by,omitempty"`
	ByID int64  `json:"by_id,omitempty"`
}

// dateLayout is how a day reads in a sentence.
const dateLayout = "2 Jan 2006"

// String gives the reason as a short phrase for people. The date stands in the
// location of At, which is UTC unless a caller changes it.
func (r Reason) String() string {
	switch r.Kind {
	case ReasonPinned:
		return "pinned"
	case ReasonNewest:
		return "among the newest " + grouped(r.Of)
	case ReasonOwn:
		return "of the resumed session"
	case ReasonGlobal:
		return "counts in every project"
	case ReasonGlobals:
		return "beyond the newest " + grouped(r.Of) + " that count in every project"
	case ReasonBudget:
		return "cut: the block holds " + grouped(r.Of) + " characters"
	case ReasonSessions:
		if r.Of == 1 {
			return "older than the last session"
		}
		return "older than the last " + grouped(r.Of) + " sessions"
	case ReasonOlder:
		return ordinal(r.N) + " newest; " + grouped(r.Of) + " are taken"
	case ReasonNotOwn:
		return "not of the resumed session"
	case ReasonExpired:
		return "expired " + r.At.Format(dateLayout)
	case ReasonArchived:
		return noted("archived", r.Note)
	case ReasonSuperseded:
		if r.ByID != 0 {
			return fmt.Sprintf("superseded by #%d", r.ByID)
		}
		return "superseded"
	case ReasonInvalid:
		return noted("marked wrong", r.Note)
	case ReasonOtherProject:
		return "in another project: " + lastOf(r.Project)
	case ReasonFilter:
		return noted("filtered out by "+r.Filter, firstOf(r.Words, 3))
	case ReasonRanked:
		if r.N == 0 {
			return "ranked below the first " + grouped(r.Of)
		}
		return "ranked " + ordinal(r.N)
	case ReasonLacks:
		words := make([]string, len(r.Words))
		for i, w := range r.Words {
			words[i] = "“" + strings.Trim(w, `"`) + "”"
		}
		return "lacks " + firstOf(words, 3)
	}
	return string(r.Kind)
}

func noted(what, note string) string {
	if note == "" {
		return what
	}
	return what + ": " + note
}

// firstOf joins the first n of list and says how many more there are.
func firstOf(list []string, n int) string {
	if len(list) <= n {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s +%d", strings.Join(list[:n], ", "), len(list)-n)
}

// lastOf gives the last part of a path, by which people call a project.
func lastOf(key string) string {
	key = strings.TrimRight(key, `/\`)
	return key[strings.LastIndexAny(key, `/\`)+1:]
}

// ordinal writes 1st, 2nd, 3rd, 11th, 1,002nd.
func ordinal(n int) string {
	end := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			end = "st"
		case 2:
			end = "nd"
		case 3:
			end = "rd"
		}
	}
	return grouped(n) + end
}

// ofStatus says why an observation does not count any more, false for one that does.
func ofStatus(o memory.Observation) (Reason, bool) {
	switch o.Status {
	case memory.StatusArchived:
		return Reason{Kind: ReasonArchived, Note: o.StatusReason}, true
	case memory.StatusSuperseded:
		return Reason{Kind: ReasonSuperseded, Note: o.StatusReason, By: o.SupersededBy}, true
	case memory.StatusInvalid:
		return Reason{Kind: ReasonInvalid, Note: o.StatusReason}, true
	}
	return Reason{}, false
}

// everyStatus are all statuses, for lists that leave nothing out.
func everyStatus() []memory.Status {
	return []memory.Status{memory.StatusActive, memory.StatusArchived, memory.StatusSuperseded, memory.StatusInvalid}
}

// ofExpiry says that an observation is past its time, false for one that is not.
func ofExpiry(o memory.Observation, now time.Time) (Reason, bool) {
	if o.ValidUntil.IsZero() || o.ValidUntil.After(now) {
		return Reason{}, false
	}
	return Reason{Kind: ReasonExpired, At: o.ValidUntil}, true
}
