package recall

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"cmem/llm"
	"cmem/memory"
)

const (
	// askPatience is how long a search waits for a provider.
	askPatience = 2 * time.Second
	// askPause is how long a provider that failed is not asked again, doubled with each
	// failure up to askLongPause.
	askPause, askLongPause = 15 * time.Second, 10 * time.Minute
	// maxRemembered bounds the searches of which the vectors are kept.
	maxRemembered = 200
)

// SearchEmbedder gives the directions of search texts; *llm.VectorModel is one.
type SearchEmbedder interface {
	Name() string
	// Is reports whether the id of encodings is one of this model.
	Is(id string) bool
	Query(ctx context.Context, text string) (id string, vector []int8, err error)
}

// Asked is a provider's embedding model. Each search is one call, unless the same was
// asked before; a provider that fails is left alone for a while. It is safe for
// concurrent use, and best kept for as long as the process lives.
func Asked(by SearchEmbedder) Model {
	return &asked{by: by, patience: askPatience, vectors: map[string]remembered{}}
}

type asked struct {
	by       SearchEmbedder
	patience time.Duration

	mu       sync.Mutex
	vectors  map[string]remembered
	failures int
	last     error     // why the provider is left alone
	until    time.Time // and how long
}

type remembered struct {
	id     string
	vector []int8
}

func (a *asked) name() string { return a.by.Name() }

func (a *asked) id(ctx context.Context, src MeaningSource) (string, error) {
	names, err := src.EmbeddingModels(ctx)
	if i := slices.IndexFunc(names, a.by.Is); err == nil && i >= 0 {
		return names[i], nil
	}
	return "", err
}

func (a *asked) compare(ctx context.Context, src MeaningSource, id, text string, _ func(string) float64) (comparison, error) {
	r, err := a.vectorOf(ctx, text)
	if err != nil {
		return nil, err
	}
	if r.id != id {
		return nil, errors.New("its vectors have another length than those of the memories, which will be encoded anew")
	}
	sample, err := src.SomeMeanings(ctx, id, sampleSize)
	if err != nil {
		return nil, errors.New("a sample of the encodings could not be read")
	}
	c := byVector{query: r.vector, length: lengthOf(r.vector)}
	c.calibrate(sample)
	return c, nil
}

// vectorOf gives the vector of a search text. Its error is a sentence of ours: what a
// server says has no place in an answer that a model reads.
func (a *asked) vectorOf(ctx context.Context, text string) (remembered, error) {
	a.mu.Lock()
	r, known := a.vectors[text]
	last, wait := a.last, time.Now().Before(a.until)
	a.mu.Unlock()
	switch {
	case known:
		return r, nil
	case wait:
		return r, last
	}
	short, cancel := context.WithTimeout(ctx, a.patience)
	defer cancel()
	id, vector, err := a.by.Query(short, text)
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		why := failureOf(err, short.Err() != nil)
		if llm.KindOf(err) == llm.KindRequest {
			return r, why // this search is to blame, not the provider
		}
		a.last = why
		a.until = time.Now().Add(min(askPause<<min(a.failures, 8), askLongPause))
		a.failures++
		return r, a.last
	}
	a.failures, a.until = 0, time.Time{}
	if len(a.vectors) >= maxRemembered {
		clear(a.vectors)
	}
	r = remembered{id, vector}
	a.vectors[text] = r
	return r, nil
}

// failureOf says in a few words why a provider gave no vector.
func failureOf(err error, late bool) error {
	var e *llm.Error
	isOurs := errors.As(err, &e)
	switch {
	case isOurs && e.Kind == llm.KindAuth && e.Status == 0:
		return errors.New("its settings are not complete; `cmem doctor` says what is missing")
	case isOurs && e.Kind == llm.KindAuth:
		return errors.New("it does not accept the key, the model or the address")
	case isOurs && e.Kind == llm.KindRateLimit:
		return errors.New("it limits the number of calls")
	case isOurs && e.Kind == llm.KindRequest:
		return errors.New("it refuses this search")
	case isOurs && e.Kind == llm.KindAnswer:
		return errors.New("its answer cannot be read")
	case late:
		return errors.New("it did not answer within " + askPatience.String())
	}
	return errors.New("it cannot be reached")
}

// How cosines become scores. With one model unrelated texts have a cosine of 0.1, with
// another one of 0.7, because all of its vectors have something in common. How much
// shows a sample of the memories, of which a quarter at least has nothing to do with a
// search. If the cosines of unrelated texts lie as those of chance do, that quarter ends
// 0.67 of their deviation below their mean, and a sixteenth 1.53: so both tell where the
// mean is, and one deviation above it, up to where a cosine is worth nothing. What is left
// to 1 counts in full from alikeShare of it on: more have only texts that are nearly the
// same.
const (
	sampleSize  = 128
	alikeShare  = 0.6
	smallSample = 8
	// The distances from a quarter to the mean, and to a deviation above it, in distances
	// between a sixteenth and a quarter.
	toMean, toNothing = 0.78, 1.95
)

// byVector compares by the cosine of two vectors.
type byVector struct {
	query  []int8
	length float64
	// nothing is the cosine that is worth 0, full one that is worth 1.
	nothing, full float64
}

func (c *byVector) calibrate(sample []memory.Meaning) {
	var cosines []float64
	for _, m := range sample {
		if x, ok := c.cosine(m.Vector); ok {
			cosines = append(cosines, x)
		}
	}
	slices.Sort(cosines)
	n := len(cosines)
	mean, nothing := 0.0, 0.0
	switch {
	case n == 1:
		// What is common cannot be told from one memory: half is a guess.
		mean, nothing = 0.5, 0.5
	case n > 0 && n < smallSample:
		mean, nothing = cosines[0], cosines[0]
	case n > 0:
		quarter := cosines[n/4]
		step := quarter - cosines[n/16]
		mean, nothing = quarter+toMean*step, quarter+toNothing*step
	}
	const most = 0.98 // of copies alone nothing can be told
	mean, nothing = min(mean, most), min(nothing, most)
	c.nothing, c.full = nothing, nothing+alikeShare*(1-mean)
}

func (c byVector) vector() []int8 { return c.query }

func (c byVector) isKnown() bool { return true }

func (c byVector) near(m memory.Meaning) (float64, bool) {
	x, ok := c.cosine(m.Vector)
	if !ok {
		return 0, false
	}
	return min(1, max(0, (x-c.nothing)/(c.full-c.nothing))), true
}

func (c byVector) cosine(v []int8) (float64, bool) {
	if len(v) == 0 || len(v) != len(c.query) || c.length == 0 {
		return 0, false
	}
	dot, square := int64(0), int64(0)
	for i, x := range c.query {
		y := int64(v[i])
		dot += int64(x) * y
		square += y * y
	}
	if square == 0 {
		return 0, false
	}
	return float64(dot) / c.length / math.Sqrt(float64(square)), true
}

func lengthOf(v []int8) float64 {
	sum := int64(0)
	for _, x := range v {
		sum += int64(x) * int64(x)
	}
	return math.Sqrt(float64(sum))
}
