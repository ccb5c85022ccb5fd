package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"cmem/memory"
)

// reasonLength is how many runes of a reason are kept.
const reasonLength = 300

// Edit changes the observations with the ids, all or none, and gives the rows
// that really changed as they were, for Restore. The error is a *MissingError with
// the ids that are missing, ErrDuplicate when two of a session would say the same,
// or ErrReplaced. None can be superseded by one that it supersedes itself.
func (s *Store) Edit(ctx context.Context, ids []int64, e memory.Edit) (before memory.Snapshot, err error) {
	transact := s.transact
	if takesText(e) {
		transact = s.erasing(observationWords)
	}
	err = transact(ctx, func(t tx) error {
		asked, successor := ids, ""
		succeeded := e.SupersededBy != nil && *e.SupersededBy != 0
		if succeeded {
			asked = append(slices.Clone(ids), *e.SupersededBy)
		}
		if err := present(ctx, t, map[memory.ItemKind][]int64{memory.KindObservation: asked}); err != nil {
			return err
		}
		if succeeded {
			if successor, err = successorOf(ctx, t, ids, *e.SupersededBy); err != nil {
				return err
			}
		}
		return s.change(ctx, t, &before, ids, func(o *memory.Observation) error { return applyEdit(o, e, successor) })
	})
	if err != nil {
		return memory.Snapshot{}, fmt.Errorf("edit observations: %w", err)
	}
	return before, nil
}

// takesText reports whether e can take words away that a person wants gone.
func takesText(e memory.Edit) bool {
	return e.Title != nil || e.Subtitle != nil || e.Narrative != nil || e.Facts != nil || e.Concepts != nil ||
		e.FilesRead != nil || e.FilesModified != nil || len(e.RemoveTags) > 0
}

// successorOf gives the uid of the observation that shall supersede those with the
// ids. It must not lead back to one of them: all of the ring would be out of sight.
func successorOf(ctx context.Context, t tx, ids []int64, successor int64) (uid string, err error) {
	if slices.Contains(ids, successor) {
		return "", fmt.Errorf("observation %d: it cannot be superseded by itself", successor)
	}
	at, err := observationIn(ctx, t, successor)
	if err != nil {
		return "", err
	}
	uid = at.UID
	for seen := map[string]bool{}; at.Status == memory.StatusSuperseded && at.SupersededBy != "" && !seen[at.UID]; {
		seen[at.UID] = true
		next, err := one(ctx, t, scanObservation, "SELECT "+observationColumns+" FROM observations WHERE uid = ?", at.SupersededBy)
		if errors.Is(err, ErrNotFound) {
			break
		}
		if err != nil {
			return "", err
		}
		if slices.Contains(ids, next.ID) {
			return "", fmt.Errorf("observation %d: it is itself superseded by %d", successor, next.ID)
		}
		at = next
	}
	return uid, nil
}

// applyEdit changes o as e says.
func applyEdit(o *memory.Observation, e memory.Edit, successor string) error {
	if e.Since != nil && !o.EditedAt.Equal(*e.Since) {
		return ErrChanged
	}
	set(&o.Pinned, e.Pinned)
	set(&o.Weight, e.Weight)
	set(&o.Scope, e.Scope)
	set(&o.Subtitle, e.Subtitle)
	set(&o.Narrative, e.Narrative)
	set(&o.Facts, e.Facts)
	set(&o.Concepts, e.Concepts)
	set(&o.FilesRead, e.FilesRead)
	set(&o.FilesModified, e.FilesModified)
	set(&o.ValidUntil, e.ValidUntil)
	// Only a new one: what else came into the store must not stand in the way of
	// changing the rest.
	if w := e.Weight; w != nil && (*w <= 0 || math.IsInf(*w, 0) || math.IsNaN(*w)) {
		return fmt.Errorf("weight %v: it must be more than 0", *w)
	}
	if e.Scope != nil && !e.Scope.IsGlobal() && *e.Scope != memory.ScopeProject {
		return fmt.Errorf("there is no scope %q", *e.Scope)
	}
	if e.Type != nil {
		if o.Type = strings.TrimSpace(clean(*e.Type)); o.Type == "" {
			return errors.New("a memory needs a type")
		}
	}
	if e.Title != nil {
		if o.Title = *e.Title; strings.TrimSpace(clean(o.Title)) == "" {
			return errNoTitle
		}
	}
	if len(e.AddTags)+len(e.RemoveTags) > 0 {
		drop := decodeList(encodeList(e.RemoveTags))
		o.Tags = slices.DeleteFunc(union(o.Tags, e.AddTags), func(tag string) bool { return slices.Contains(drop, tag) })
	}
	return applyStatus(o, e, successor)
}

var errNoTitle = errors.New("a memory needs a title")

// applyStatus changes the status of o and what explains it.
func applyStatus(o *memory.Observation, e memory.Edit, successor string) error {
	status := o.Status
	switch {
	case e.Status != nil:
		status = *e.Status
	case successor != "":
		status = memory.StatusSuperseded
	}
	if status != o.Status {
		o.StatusReason = "" // it was the other status's
	}
	switch status {
	case memory.StatusActive, memory.StatusArchived, memory.StatusInvalid:
		o.SupersededBy = ""
	case memory.StatusSuperseded:
	default:
		return fmt.Errorf("there is no status %q", status)
	}
	o.Status = status
	if e.SupersededBy != nil {
		o.SupersededBy = successor
	}
	set(&o.StatusReason, e.Reason)
	return nil
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// union gives the entries of the lists, each once, as the store keeps them.
func union(lists ...[]string) []string {
	var out []string
	for _, entry := range decodeList(encodeList(slices.Concat(lists...))) {
		if !slices.Contains(out, entry) {
			out = append(out, entry)
		}
	}
	return out
}

// Merge makes one observation of several: keep gets the facts, concepts, files
// and tags of all, the longest narrative when it has none, is pinned when any was,
// and is active whatever it was; the others are superseded by it. It gives the rows
// as they were, for Restore. The error is a *MissingError with the ids that are
// missing, or ErrReplaced.
func (s *Store) Merge(ctx context.Context, keep int64, others []int64) (before memory.Snapshot, err error) {
	others = slices.DeleteFunc(slices.Clone(others), func(id int64) bool { return id == keep })
	err = s.transact(ctx, func(t tx) error {
		ids := map[memory.ItemKind][]int64{memory.KindObservation: append([]int64{keep}, others...)}
		if err := present(ctx, t, ids); err != nil {
			return err
		}
		merged, err := observationsIn(ctx, t, others)
		if err != nil {
			return err
		}
		successor := ""
		err = s.change(ctx, t, &before, []int64{keep}, func(o *memory.Observation) error {
			successor = o.UID
			*o = mergedInto(*o, merged)
			return nil
		})
		if err != nil {
			return err
		}
		return s.change(ctx, t, &before, others, func(o *memory.Observation) error {
			o.Status, o.SupersededBy, o.StatusReason = memory.StatusSuperseded, successor, ""
			return nil
		})
	})
	if err != nil {
		return memory.Snapshot{}, fmt.Errorf("merge observations into %d: %w", keep, err)
	}
	return before, nil
}

// mergedInto gives keep with what the others have and it lacks.
func mergedInto(keep memory.Observation, others []memory.Observation) memory.Observation {
	longest := ""
	for _, o := range others {
		keep.Facts = union(keep.Facts, o.Facts)
		keep.Concepts = union(keep.Concepts, o.Concepts)
		keep.FilesRead = union(keep.FilesRead, o.FilesRead)
		keep.FilesModified = union(keep.FilesModified, o.FilesModified)
		keep.Tags = union(keep.Tags, o.Tags)
		keep.Pinned = keep.Pinned || o.Pinned
		if len(o.Narrative) > len(longest) {
			longest = o.Narrative
		}
	}
	if strings.TrimSpace(keep.Narrative) == "" {
		keep.Narrative = longest
	}
	// One that says what others said must not be out of sight as they are, least of
	// all superseded by one of them.
	keep.Status, keep.StatusReason, keep.SupersededBy = memory.StatusActive, "", ""
	return keep
}

func observationIn(ctx context.Context, t tx, id int64) (memory.Observation, error) {
	o, err := one(ctx, t, scanObservation, "SELECT "+observationColumns+" FROM observations WHERE id = ?", id)
	if err != nil {
		return o, fmt.Errorf("observation %d: %w", id, err)
	}
	return o, nil
}

// observationsIn gives the observations with the ids in the order of ids.
func observationsIn(ctx context.Context, t tx, ids []int64) ([]memory.Observation, error) {
	return all(ctx, t, scanObservation, "SELECT "+observationColumns+
		" FROM (SELECT key AS place, value AS wanted FROM json_each(?)) JOIN observations ON id = wanted ORDER BY place", encodeIDs(ids))
}

// changeAtOnce is how many rows a change of many holds in memory beside those that
// it saved.
const changeAtOnce = 2000

// change lets apply change each of the observations, and saves the rows of those
// that it did change before.
func (s *Store) change(ctx context.Context, t tx, before *memory.Snapshot, ids []int64, apply func(*memory.Observation) error) error {
	columns, err := columnsOf(ctx, t, "observations")
	if err != nil {
		return err
	}
	at := s.now()
	before.Left = append(before.Left, at.UnixMilli())
	var once []int64
	seen := make(map[int64]bool, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			once = append(once, id)
		}
	}
	for some := range slices.Chunk(once, changeAtOnce) {
		olds, err := observationsIn(ctx, t, some)
		if err != nil {
			return err
		}
		var changed []int64
		var changes [][2]memory.Observation
		for _, old := range olds {
			o := old
			if err := apply(&o); err != nil {
				return fmt.Errorf("observation %d: %w", o.ID, err)
			}
			old, o = asStored(old), asStored(o)
			if reflect.DeepEqual(o, old) {
				continue
			}
			o.EditedAt = at
			changed, changes = append(changed, o.ID), append(changes, [2]memory.Observation{old, o})
		}
		if err := save(ctx, t, before, "observations", columns, amongIDs, encodeIDs(changed)); err != nil {
			return err
		}
		all := updates{table: "observations"}
		for _, c := range changes {
			addUpdate(&all, c[0], c[1])
		}
		err = all.run(ctx, t, func(id any, err error) error {
			for _, c := range changes {
				if c[1].ID == id && isDuplicate(err) {
					err = duplicateOf(ctx, t, c[1])
				}
			}
			return fmt.Errorf("observation %d: %w", id, err)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// duplicateOf gives the error for o, which says what another observation says.
func duplicateOf(ctx context.Context, t tx, o memory.Observation) error {
	other, err := number(ctx, t, "SELECT id FROM observations WHERE session_id = ? AND content_hash = ?", o.SessionID, contentHash(o))
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: observation %d", ErrDuplicate, other)
}

// asStored gives o as it would be read back.
func asStored(o memory.Observation) memory.Observation {
	for _, text := range []*string{&o.Type, &o.Title, &o.Subtitle, &o.Narrative, &o.SupersededBy} {
		*text = clean(*text)
	}
	o.StatusReason = oneLine(clean(o.StatusReason), reasonLength)
	for _, l := range []*[]string{&o.Facts, &o.Concepts, &o.FilesRead, &o.FilesModified, &o.Tags} {
		*l = decodeList(encodeList(*l))
	}
	if !o.ValidUntil.IsZero() {
		o.ValidUntil = o.ValidUntil.UTC().Truncate(time.Millisecond)
	}
	return o
}

// addUpdate adds what makes o of old, both as asStored gives them, with what is made
// from it. The triggers do the rest. Only what differs is written: a text that is
// written is indexed anew, and that is slow.
func addUpdate(to *updates, old, o memory.Observation) {
	var columns []string
	var values []any
	put := func(differs bool, column string, value any) {
		if differs {
			columns, values = append(columns, column), append(values, value)
		}
	}
	list := func(column string, before, after []string) {
		put(!slices.Equal(before, after), column, encodeList(after))
	}
	until, untilEpoch := nullTime(o.ValidUntil)
	edited, editedEpoch := nullTime(o.EditedAt)
	put(o.Type != old.Type, "type", o.Type)
	put(o.Status != old.Status, "status", string(cmp.Or(o.Status, memory.StatusActive)))
	put(o.StatusReason != old.StatusReason, "status_reason", o.StatusReason)
	put(o.SupersededBy != old.SupersededBy, "superseded_by", o.SupersededBy)
	put(o.Pinned != old.Pinned, "pinned", o.Pinned)
	put(o.Weight != old.Weight, "weight", o.Weight)
	put(o.Scope != old.Scope, "scope", string(cmp.Or(o.Scope, memory.ScopeProject)))
	put(!o.ValidUntil.Equal(old.ValidUntil), "valid_until", until)
	put(!o.ValidUntil.Equal(old.ValidUntil), "valid_until_epoch", untilEpoch)
	put(true, "edited_at", edited)
	put(true, "edited_at_epoch", editedEpoch)
	put(o.Title != old.Title, "title", o.Title)
	put(o.Subtitle != old.Subtitle, "subtitle", o.Subtitle)
	put(o.Narrative != old.Narrative, "narrative", o.Narrative)
	list("facts", old.Facts, o.Facts)
	list("concepts", old.Concepts, o.Concepts)
	list("files_read", old.FilesRead, o.FilesRead)
	list("files_modified", old.FilesModified, o.FilesModified)
	list("tags", old.Tags, o.Tags)
	if !sameTexts(old, o) {
		put(true, "tokens", searchTokens(o))
		put(true, "tokens_read", o.ReadTokens())
		put(true, "content_hash", contentHash(o))
	}
	to.add(o.ID, columns, values)
}

// sameTexts reports whether two states of an observation say the same.
func sameTexts(a, b memory.Observation) bool {
	return a.Title == b.Title && a.Subtitle == b.Subtitle && a.Narrative == b.Narrative &&
		slices.Equal(a.Facts, b.Facts) && slices.Equal(a.Concepts, b.Concepts) && slices.Equal(a.Tags, b.Tags) &&
		slices.Equal(a.FilesRead, b.FilesRead) && slices.Equal(a.FilesModified, b.FilesModified)
}
