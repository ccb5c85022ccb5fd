package recall

import (
	"context"
	"errors"
	"fmt"

	"cmem/memory"
	"cmem/store"
)

// ErrIndex says that the search index does not know what is stored, so that what
// it finds and does not find means nothing.
var ErrIndex = errors.New("the search index is behind what is stored; `cmem doctor --fix` rebuilds it")

// probeWord is how many runes the word has at most that the index is asked for.
const probeWord = 40

// probe asks the index for a word of the newest observation. The error is ErrIndex
// when it does not know it.
func probe(ctx context.Context, src MissSource) error {
	var behind error
	// Twice, because an observation may be changed between reading it and asking.
	for range 2 {
		newest, err := src.ListObservations(ctx, anywhere, memory.Cursor{}, 1)
		if err != nil {
			return fmt.Errorf("read the newest observation: %w", err)
		}
		if len(newest) == 0 {
			return nil
		}
		o := newest[0]
		word := ""
		for _, text := range []string{o.Title, o.Narrative, o.Subtitle} {
			if word = longestWord(text, probeWord); word != "" {
				break
			}
		}
		if word == "" {
			return nil
		}
		// The space says that the word is whole.
		missing, err := src.MissingWords(ctx, word+" ", o.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("ask the search index for observation %d: %w", o.ID, err)
		}
		if err == nil && len(missing) == 0 {
			return nil
		}
		behind = fmt.Errorf("observation %d: %w", o.ID, ErrIndex)
	}
	return behind
}
