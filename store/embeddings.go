package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"cmem/memory"
)

const (
	// blockEntries is how many sketches a block has at most: a block is read whole,
	// and written whole for each one that is added.
	blockEntries = 512
	idBytes      = 8
)

// UseModel makes the store ready for the encodings of embedding models: of one that is
// new here all observations are due.
func (s *Store) UseModel(ctx context.Context, names ...string) error {
	known, err := s.EmbeddingModels(ctx)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(known, n) })
	if len(names) == 0 {
		return nil
	}
	err = s.transact(ctx, func(t tx) error {
		for _, name := range names {
			id, err := t.insert(ctx, "INSERT INTO embedding_models (name) VALUES (?)", name)
			if err != nil {
				return err
			}
			if _, err := t.exec(ctx, "INSERT INTO embeddings_due SELECT ?, id FROM observations", id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("use embedding model: %w", err)
	}
	return nil
}

// modelID gives the number of a model, 0 for one that the store does not use.
func modelID(ctx context.Context, q querier, name string) (int64, error) {
	id, err := number(ctx, q, "SELECT id FROM embedding_models WHERE name = ?", name)
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	return id, err
}

// MeaningState gives how many observations a model has encoded and how many are
// due. Of those only the first ten thousand are counted.
func (s *Store) MeaningState(ctx context.Context, model string) (have, due int64, err error) {
	const counted = 10_000
	err = func() error {
		id, err := modelID(ctx, s.read, model)
		if err != nil {
			return err
		}
		if id == 0 {
			due, err = number(ctx, s.read, "SELECT count(*) FROM (SELECT 1 FROM observations LIMIT ?)", counted)
			return err
		}
		if have, err = number(ctx, s.read, "SELECT encoded FROM embedding_models WHERE id = ?", id); err != nil {
			return err
		}
		due, err = number(ctx, s.read, "SELECT count(*) FROM (SELECT 1 FROM embeddings_due WHERE model = ? LIMIT ?)", id, counted)
		return err
	}()
	if err != nil {
		return 0, 0, fmt.Errorf("count encoded observations: %w", err)
	}
	return have, due, nil
}

// DueMeanings gives observations that a model is to encode, the newest first.
func (s *Store) DueMeanings(ctx context.Context, model string, limit int) ([]memory.Observation, error) {
	ids, err := all(ctx, s.read, scanNumber, `SELECT d.observation_id FROM embeddings_due AS d JOIN embedding_models AS m ON m.id = d.model
		WHERE m.name = ? ORDER BY d.observation_id DESC LIMIT ?`, model, limit)
	if err != nil {
		return nil, fmt.Errorf("list observations to encode: %w", err)
	}
	return s.Observations(ctx, ids)
}

// SaveMeanings stores what a model has made of observations and gives of how many. One
// that has changed since it was read, or is gone, is left out; it is due again if it is there.
func (s *Store) SaveMeanings(ctx context.Context, model string, read []memory.Observation, list []memory.Meaning) (saved int, err error) {
	byID := make(map[int64]memory.Meaning, len(list))
	for _, m := range list {
		byID[m.ID] = m
	}
	err = s.transact(ctx, func(t tx) error {
		saved = 0
		id, err := modelID(ctx, t, model)
		if err != nil {
			return err
		}
		if id == 0 {
			return fmt.Errorf("the store does not use the embedding model %s", model)
		}
		if err := dropGone(ctx, t); err != nil {
			return err
		}
		b := blockWriter{t: t, model: id}
		for _, project := range projectsOf(read) {
			var some []memory.Meaning
			for _, o := range read {
				m, ok := byID[o.ID]
				if o.Project != project || !ok {
					continue
				}
				if same, err := isAsRead(ctx, t, o); err != nil {
					return err
				} else if same {
					some = append(some, m)
				}
			}
			if err := b.save(ctx, project, some); err != nil {
				return err
			}
			saved += len(some)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("store the encodings of %d observations: %w", len(list), err)
	}
	return saved, nil
}

func projectsOf(list []memory.Observation) []string {
	var names []string
	for _, o := range list {
		names = append(names, o.Project)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// isAsRead reports whether the observation in the store still says what o says.
func isAsRead(ctx context.Context, t tx, o memory.Observation) (bool, error) {
	now, err := one(ctx, t, scanObservation, "SELECT "+observationColumns+" FROM observations WHERE id = ?", o.ID)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil && now.Project == o.Project && searchText(now) == searchText(o), err
}

// searchText is all that is encoded of an observation.
func searchText(o memory.Observation) string {
	s := encodeJSON([]string{o.Title, o.Subtitle, o.Narrative})
	for _, list := range [][]string{o.Facts, o.Concepts, o.Tags, o.FilesRead, o.FilesModified} {
		s += encodeJSON(append([]string{}, list...))
	}
	return s
}

// Meanings gives the encodings of those of the observations that a model has encoded.
func (s *Store) Meanings(ctx context.Context, model string, ids []int64) ([]memory.Meaning, error) {
	list, err := all(ctx, s.read, scanMeaning, `SELECT e.observation_id, e.vector, e.words
		FROM embedding_models AS m CROSS JOIN json_each(?) AS wanted CROSS JOIN embeddings AS e ON e.observation_id = wanted.value AND e.model = m.id
		WHERE m.name = ?`, encodeIDs(ids), model)
	if err != nil {
		return nil, fmt.Errorf("read encodings: %w", err)
	}
	return list, nil
}

func scanMeaning(r row) (m memory.Meaning, err error) {
	var vector, words []byte
	if err := r.Scan(&m.ID, &vector, &words); err != nil {
		return m, err
	}
	if len(vector) > 0 {
		m.Vector = make([]int8, len(vector))
		for i, b := range vector {
			m.Vector[i] = int8(b)
		}
	}
	m.Words = make([]uint16, len(words)/2)
	for i := range m.Words {
		m.Words[i] = binary.LittleEndian.Uint16(words[2*i:])
	}
	return m, nil
}

func vectorBytes(v []int8) []byte {
	b := make([]byte, len(v))
	for i, x := range v {
		b[i] = byte(x)
	}
	return b
}

func wordBytes(words []uint16) []byte {
	b := make([]byte, 0, 2*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint16(b, w)
	}
	return b
}
