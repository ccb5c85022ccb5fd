package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"cmem/memory"
)

const (
	// textVersion names the way in which a text is made of an observation.
	textVersion = "t1"
	// mostDims is how many numbers a vector may have.
	mostDims = 4096

	firstTexts, mostTexts = 8, 64  // in one call: few at first, for a server may be slow
	mostChars             = 60_000 // in one call
	// windowTokens is the length of a text that most models read whole.
	windowTokens = 1500
	// leastTokens is the length to which a refused text is shortened at most.
	leastTokens = 200
)

// sample is a text that every model takes: where it is refused, the texts of the
// call before are not to blame.
const sample = "memory of a software project"

// VectorModel embeds observations and searches with a provider's model. It is safe
// for concurrent use.
type VectorModel struct {
	source Vectorizer
	clean  func(string) string
	texts  atomic.Int32 // in the next call
}

// NewVectorModel gives a model that sends no text before clean has gone over it.
func NewVectorModel(source Vectorizer, clean func(string) string) *VectorModel {
	m := &VectorModel{source: source, clean: clean}
	m.texts.Store(firstTexts)
	return m
}

// Name gives the provider and the model.
func (m *VectorModel) Name() string { return m.source.Name() }

// Is reports whether id is one of this model, with vectors of whatever length.
func (m *VectorModel) Is(id string) bool {
	dims, ok := strings.CutPrefix(id, m.Name()+"@")
	dims, version, _ := strings.Cut(dims, "/")
	_, err := strconv.Atoi(dims)
	return ok && err == nil && version == textVersion
}

// idOf names the model with the length of its vectors.
func (m *VectorModel) idOf(dims int) string {
	return fmt.Sprintf("%s@%d/%s", m.Name(), dims, textVersion)
}

// Encoded is what a model made of observations.
type Encoded struct {
	// Model is what the meanings are compared by; empty when there are none.
	Model string
	// Meanings are of the observations that were dealt with. One without a vector has
	// no words, or is refused.
	Meanings []memory.Meaning
	// Refused are the observations whose text the provider does not take, however
	// short, while it takes others.
	Refused []int64
}

// AtOnce gives how many observations are worth giving to Embed.
func (m *VectorModel) AtOnce() int { return int(m.texts.Load()) }

// ID asks the provider for the length of its vectors and gives the model's full name.
func (m *VectorModel) ID(ctx context.Context) (string, error) {
	n, err := m.dims(ctx)
	if err != nil {
		return "", err
	}
	return m.idOf(n), nil
}

// dims asks for a text that cannot be refused for what it says.
func (m *VectorModel) dims(ctx context.Context) (int, error) {
	vectors, err := m.ask(ctx, []string{sample}, ForStorage)
	var e *Error
	if errors.As(err, &e) && e.Kind == KindRequest { // so the settings are to blame
		err = &Error{Provider: e.Provider, Kind: KindAuth, Status: e.Status, Err: fmt.Errorf("it refuses every text: %w", e.Err)}
	}
	if err != nil {
		return 0, err
	}
	return len(vectors[0]), nil
}

// Query gives the direction of a search text, and the full name of the model.
func (m *VectorModel) Query(ctx context.Context, text string) (id string, vector []int8, err error) {
	vectors, err := m.ask(ctx, []string{cutToTokens(m.clean(text), windowTokens)}, ForSearch)
	if err != nil {
		return "", nil, err
	}
	return m.idOf(len(vectors[0])), quantise(vectors[0]), nil
}

// Embed deals with the first of the observations, as many as one call takes. Beside an
// error it gives what was made before: what to blame for a failure is found out by
// asking for less, so that one text never holds up the others.
func (m *VectorModel) Embed(ctx context.Context, list []memory.Observation) (Encoded, error) {
	var (
		out   Encoded
		ids   []int64
		texts []string
		chars = 0
	)
	for _, o := range list[:min(len(list), m.AtOnce())] {
		text := cutToTokens(m.clean(textOf(o)), windowTokens)
		if chars += len(text); chars > mostChars && len(texts) > 0 {
			break
		}
		if strings.TrimSpace(text) == "" {
			out.Meanings = append(out.Meanings, memory.Meaning{ID: o.ID})
			continue
		}
		ids, texts = append(ids, o.ID), append(texts, text)
	}
	if len(texts) == 0 {
		return out, nil
	}
	vectors, err := m.askAll(ctx, texts)
	for i, v := range vectors {
		switch {
		case v == nil: // not dealt with
			continue
		case len(v) == 0:
			out.Refused = append(out.Refused, ids[i])
		case out.Model == "":
			out.Model = m.idOf(len(v))
		case out.Model != m.idOf(len(v)):
			return Encoded{}, m.wrong("its vectors have different lengths")
		}
		out.Meanings = append(out.Meanings, memory.Meaning{ID: ids[i], Vector: quantise(v)})
	}
	return out, err
}

// askAll gives the vectors of texts: nil for one that could not be asked for, an empty
// one for one that is refused.
func (m *VectorModel) askAll(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := m.ask(ctx, texts, ForStorage)
	if err == nil {
		m.texts.Store(min(2*m.texts.Load(), mostTexts))
		return vectors, nil
	}
	if !mayBeTexts(err) || ctx.Err() != nil {
		if KindOf(err) == KindTemporary { // not reached, or too slow for so much
			m.texts.Store(max(m.texts.Load()/4, 1))
		}
		return nil, err
	}
	if _, err := m.dims(ctx); err != nil {
		return nil, err
	}
	vectors = make([][]float32, len(texts))
	return vectors, m.askParts(ctx, texts, vectors)
}

// askParts asks for ever fewer of the texts, which failed together, and fills in their
// vectors.
func (m *VectorModel) askParts(ctx context.Context, texts []string, vectors [][]float32) error {
	if len(texts) == 1 {
		return m.askShorter(ctx, texts[0], vectors)
	}
	half := len(texts) / 2
	for _, part := range [][2]int{{0, half}, {half, len(texts)}} {
		some, into := texts[part[0]:part[1]], vectors[part[0]:part[1]]
		got, err := m.ask(ctx, some, ForStorage)
		if err == nil {
			copy(into, got)
			continue
		}
		if !mayBeTexts(err) || ctx.Err() != nil {
			return err
		}
		if err := m.askParts(ctx, some, into); err != nil {
			return err
		}
	}
	return nil
}

// askShorter asks for a text that failed once more, and for less of it, since it may
// be too long.
func (m *VectorModel) askShorter(ctx context.Context, text string, into [][]float32) error {
	for tokens := memory.EstimateTokens(text); ; tokens = max(tokens/2, leastTokens) {
		text = cutToTokens(text, tokens)
		got, err := m.ask(ctx, []string{text}, ForStorage)
		if err == nil {
			copy(into, got)
			return nil
		}
		if !mayBeTexts(err) || ctx.Err() != nil {
			return err
		}
		if tokens <= leastTokens {
			into[0] = []float32{}
			return nil
		}
	}
}

// mayBeTexts reports whether a call may have failed for one of its texts. Servers that
// stumble over one answer 500, too.
func mayBeTexts(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Kind == KindRequest || e.Kind == KindAnswer || e.Kind == KindTemporary && e.Status >= 500
}

// ask makes one call and looks at what it gives.
func (m *VectorModel) ask(ctx context.Context, texts []string, use Use) ([][]float32, error) {
	vectors, err := m.source.Vectors(ctx, texts, use)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, m.wrong(fmt.Sprintf("it gave %d vectors for %d texts", len(vectors), len(texts)))
	}
	for _, v := range vectors {
		if len(v) == 0 || len(v) > mostDims {
			return nil, m.wrong(fmt.Sprintf("a vector has %d numbers; 1 to %d can be kept", len(v), mostDims))
		}
		if len(v) != len(vectors[0]) {
			return nil, m.wrong("its vectors have different lengths")
		}
		zero := true
		for _, x := range v {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return nil, m.wrong("a vector has numbers that are none")
			}
			zero = zero && x == 0
		}
		if zero {
			return nil, m.wrong("a vector is zero and so has no direction")
		}
	}
	return vectors, nil
}

func (m *VectorModel) wrong(what string) error {
	provider, _, _ := strings.Cut(m.Name(), "/")
	return &Error{Provider: provider, Kind: KindAnswer, Err: errors.New(what)}
}

// quantise keeps the direction of a vector, in a byte a number.
func quantise(v []float32) []int8 {
	most := float32(0)
	for _, x := range v {
		most = max(most, x, -x)
	}
	if most == 0 {
		return nil
	}
	out := make([]int8, len(v))
	for i, x := range v {
		out[i] = int8(math.Round(float64(x) / float64(most) * math.MaxInt8))
	}
	return out
}

// textOf gives what is embedded of an observation.
func textOf(o memory.Observation) string {
	var parts []string
	for _, list := range [][]string{{o.Title, o.Subtitle, o.Narrative}, o.Facts, o.Concepts, o.Tags, o.FilesModified, o.FilesRead} {
		for _, s := range list {
			if s = strings.TrimSpace(plain(s)); s != "" {
				parts = append(parts, s)
			}
		}
	}
	return strings.Join(parts, "\n")
}

// cutToTokens gives the beginning of a text with so many tokens at most, whole words
// where there are some.
func cutToTokens(text string, tokens int) string {
	if len(text) <= tokens { // a token has a byte at least
		return text
	}
	end, space := len(text), 0
	cost := 0 // in quarters of a token
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:]) // a byte that is no text counts as a sign
		if cost += 4 * memory.EstimateTokens(string(r)); r < 0x2E80 {
			cost -= 3
		}
		if cost > 4*tokens {
			end = i
			break
		}
		switch {
		case r == ' ' || r == '\n':
			space = i
		case r >= 0x2E80: // a word may end behind each
			space = i + width
		}
		i += width
	}
	if end < len(text) && space > end/2 {
		end = space
	}
	return text[:end]
}
