package recall

import (
	"context"
	"fmt"
	"strings"

	"cmem/llm/static"
	"cmem/memory"
)

// Model is an embedding model by which the meanings of a search and of memories are
// compared: BuiltIn, or one that is asked.
type Model interface {
	// name says to people which it is.
	name() string
	// id gives by what the store calls the model's encodings, "" where it has none.
	id(ctx context.Context, src MeaningSource) (string, error)
	// compare prepares a search text to be held against the encodings with this id. An
	// error is a sentence for people.
	compare(ctx context.Context, src MeaningSource, id, text string, rarity func(word string) float64) (comparison, error)
}

// comparison is a search text, ready to be held against many encodings.
type comparison interface {
	// vector is what the nearest encodings are looked for by.
	vector() []int8
	// near says how near an encoding is, from 0 to 1: what is about something else has
	// about 0 with every model. Not all can be compared.
	near(m memory.Meaning) (score float64, ok bool)
	// isKnown reports whether the model knows any of the words, not their letters only.
	isKnown() bool
}

// A model that is still encoding is searched by as soon as it has the share of
// enoughEncoded, or lacks no more than fewDue.
const (
	enoughEncoded = 0.95
	fewDue        = 20
)

// choose takes the first of the models that can be used now. Why another one could not
// is a note.
func (g *gathering) choose(ctx context.Context, src MeaningSource, models []Model, text string) error {
	if models == nil {
		models = []Model{BuiltIn()}
	}
	rarity := func(w string) float64 { return g.rarity[w] }
	passedOver := ""
	for i, m := range models {
		isLast := i == len(models)-1
		id, have, due, err := stateOf(ctx, src, m)
		if err != nil {
			return err
		}
		enough := float64(have) >= enoughEncoded*float64(have+due) || due <= fewDue && have > due
		switch {
		case isLast && have == 0 && due > 0:
			g.notes = append(g.notes, passedOver+"Searched by words only: no memory is encoded yet for being found by its meaning; cmem does so in the background.")
			return nil
		case isLast && have == 0:
			return nil
		case !isLast && (have == 0 || !enough):
			if have+due > 0 {
				passedOver += fmt.Sprintf("Searching by meaning with %s is still being prepared: %d of %d memories are encoded. ", m.name(), have, have+due)
			}
			continue
		}
		g.meant, err = m.compare(ctx, src, id, text, rarity)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			g.meant = nil
			passedOver += fmt.Sprintf("Not searched by meaning with %s: %v. ", m.name(), err)
			continue
		}
		g.model = id
		if passedOver != "" {
			g.notes = append(g.notes, passedOver+"Searched with "+m.name()+" instead.")
		}
		if due > 0 {
			g.notes = append(g.notes, fmt.Sprintf("Searching by meaning is still being prepared: %d of %d memories are encoded, the others were searched by words only.", have, have+due))
		}
		return nil
	}
	if passedOver != "" {
		g.notes = append(g.notes, passedOver+"Searched by words only.")
	}
	return nil
}

// stateOf gives how much of the store a model has encoded.
func stateOf(ctx context.Context, src MeaningSource, m Model) (id string, have, due int64, err error) {
	if id, err = m.id(ctx, src); err != nil {
		return "", 0, 0, err
	}
	have, due, err = src.MeaningState(ctx, id) // for "" all are due
	return id, have, due, err
}

// BuiltIn is the table of word vectors that is part of the program. It asks nobody.
func BuiltIn() Model { return builtIn{} }

type builtIn struct{}

func (builtIn) name() string { return "the built-in table of words" }

func (builtIn) id(context.Context, MeaningSource) (string, error) { return static.ID, nil }

func (builtIn) compare(_ context.Context, _ MeaningSource, _, text string, rarity func(string) float64) (comparison, error) {
	return byTable{static.NewQuery(text, rarity)}, nil
}

// byTable compares by the mean of the words and by the words themselves.
type byTable struct{ query *static.Query }

func (b byTable) vector() []int8 { return b.query.Vector() }

func (b byTable) isKnown() bool { return b.query.Known() }

func (b byTable) near(m memory.Meaning) (float64, bool) {
	return b.query.Score(static.Encoding{Vector: m.Vector, Words: m.Words}), true
}

// maxEncoded is how many bytes of a text are encoded for a comparison.
const maxEncoded = 2000

// encode gives the encoding of a text, of which the store keeps none.
func (byTable) encode(text string) memory.Meaning {
	if len(text) > maxEncoded {
		text = strings.ToValidUTF8(text[:maxEncoded], "")
	}
	e := static.Encode(text)
	return memory.Meaning{Vector: e.Vector, Words: e.Words}
}
