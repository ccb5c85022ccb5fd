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
// that really changed as they were, for Restore. The error is ErrNotFound with
// the id that is missing, or ErrDuplicate when two of a session would say the
// same.
func (s *Store) Edit(ctx context.Context, ids []int64, e memory.Edit) (before memory.Snapshot, err error) {
	err = s.transact(ctx, func(t tx) error {
		successor := ""
		if e.SupersededBy != nil && *e.SupersededBy != 0 {
			o, err := observationIn(ctx, t, *e.SupersededBy)
			if err != nil {
				return err
			}
			successor = o.UID
		}
		return s.change(ctx, t, &before, ids, func(o *memory.Observation) error {
			if successor != "" && successor == o.UID {
				return errors.New("it cannot be superseded by itself")
			}
			return applyEdit(o, e, successor)
		})
	})
	if err != nil {
		return memory.Snapshot{}, fmt.Errorf("edit %d observations: %w", len(ids), err)
	}
	return before, nil
}

// applyEdit changes o as e says.
func applyEdit(o *memory.Observation, e memory.Edit, successor string) error {
	set(&o.Pinned, e.Pinned)
	set(&o.Weight, e.Weight)
	set(&o.Subtitle, e.Subtitle)
	set(&o.Narrative, e.Narrative)
	set(&o.Facts, e.Facts)
	set(&o.Concepts, e.Concepts)
	set(&o.FilesRead, e.FilesRead)
	set(&o.FilesModified, e.FilesModified)
	set(&o.ValidUntil, e.ValidUntil)
	if o.Weight <= 0 || math.IsInf(o.Weight, 0) || math.IsNaN(o.Weight) {
		return fmt.Errorf("weight %v: it must be more than 0", o.Weight)
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
// and tags of all, the longest narrative when it has none, and is pinned when any
// was; the others are superseded by it. It gives the rows as they were, for
// Restore. The error is ErrNotFound with the id that is missing.
func (s *Store) Merge(ctx context.Context, keep int64, others []int64) (before memory.Snapshot, err error) {
	others = slices.DeleteFunc(slices.Clone(others), func(id int64) bool { return id == keep })
	err = s.transact(ctx, func(t tx) error {
		var merged []memory.Observation
		for _, id := range others {
			o, err := observationIn(ctx, t, id)
			if err != nil {
				return err
			}
			merged = append(merged, o)
		}
		successor := ""
		err := s.change(ctx, t, &before, []int64{keep}, func(o *memory.Observation) error {
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
		return memory.Snapshot{}, fmt.Errorf("merge %d observations into %d: %w", len(others), keep, err)
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
	return keep
}

func observationIn(ctx context.Context, t tx, id int64) (memory.Observation, error) {
	o, err := one(ctx, t, scanObservation, "SELECT "+observationColumns+" FROM observations WHERE id = ?", id)
	if err != nil {
		return o, fmt.Errorf("observation %d: %w", id, err)
	}
	return o, nil
}

// change lets apply change each of the observations, and saves the rows of those
// that it did change before.
func (s *Store) change(ctx context.Context, t tx, before *memory.Snapshot, ids []int64, apply func(*memory.Observation) error) error {
	done := map[int64]bool{}
	for _, id := range ids {
		if done[id] {
			continue
		}
		done[id] = true
		old, err := observationIn(ctx, t, id)
		if err != nil {
			return err
		}
		o := old
		if err := apply(&o); err != nil {
			return fmt.Errorf("observation %d: %w", id, err)
		}
		if o = asStored(o); reflect.DeepEqual(o, asStored(old)) {
			continue
		}
		if err := save(ctx, t, before, "observations", nil, "id = ?", id); err != nil {
			return err
		}
		o.EditedAt = s.now()
		if err := updateObservation(ctx, t, o); err != nil {
			return fmt.Errorf("observation %d: %w", id, err)
		}
	}
	return nil
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

// updateObservation writes what can be edited of an observation as asStored gives
// it, with what is made from it. The triggers do the rest.
func updateObservation(ctx context.Context, t tx, o memory.Observation) error {
	until, untilEpoch := nullTime(o.ValidUntil)
	edited, editedEpoch := nullTime(o.EditedAt)
	o.ContentHash = contentHash(o)
	_, err := t.exec(ctx, `UPDATE observations SET type = ?, title = ?, subtitle = ?, narrative = ?,
			facts = ?, concepts = ?, files_read = ?, files_modified = ?, tags = ?, tokens = ?, tokens_read = ?,
			status = ?, status_reason = ?, superseded_by = ?, pinned = ?, weight = ?,
			valid_until = ?, valid_until_epoch = ?, edited_at = ?, edited_at_epoch = ?, content_hash = ?
		WHERE id = ?`,
		o.Type, o.Title, o.Subtitle, o.Narrative,
		encodeList(o.Facts), encodeList(o.Concepts), encodeList(o.FilesRead), encodeList(o.FilesModified), encodeList(o.Tags),
		searchTokens(o), o.ReadTokens(),
		cmp.Or(o.Status, memory.StatusActive), o.StatusReason, o.SupersededBy, o.Pinned, o.Weight,
		until, untilEpoch, edited, editedEpoch, o.ContentHash, o.ID)
	if !isDuplicate(err) {
		return err
	}
	other, err := number(ctx, t, "SELECT id FROM observations WHERE session_id = ? AND content_hash = ?", o.SessionID, o.ContentHash)
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: observation %d", ErrDuplicate, other)
}
