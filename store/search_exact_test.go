package store

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// babble stores rows observations of random words, of which the first are common
// and the last rare, in projects of very different sizes.
func babble(t *testing.T, s *Store, seed uint64, rows int) []memory.Observation {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 11))
	vocabulary := strings.Fields(`test order user cart the refund refunds refunding orderService order_service getTest parseHTTPRequest2
		数据库连接池在高并发下会超时 缓存失效 用Redis缓存 支付 🎉 naïve façade E0042 src/cart/total.go --no-verify checkout payment`)
	word := func() string {
		if rng.IntN(6) == 0 {
			return fmt.Sprintf("%c%c%c%d", 'a'+rng.IntN(3), "aeiou"[rng.IntN(5)], "nrst"[rng.IntN(4)], rng.IntN(40))
		}
		// The smaller the number, the likelier.
		return vocabulary[int(float64(len(vocabulary))*math.Pow(rng.Float64(), 2))]
	}
	sentence := func(n int) string {
		words := make([]string, 1+rng.IntN(n))
		for i := range words {
			words[i] = word()
		}
		return strings.Join(words, " ") + "."
	}
	var b Bundle
	for i := range rows {
		project := "/large"
		switch {
		case i%97 == 0:
			project = "/small"
		case i%7 == 0:
			project = "/middling"
		}
		o := memory.Observation{
			SessionID: project, Project: project, CreatedAt: noon.Add(time.Duration(rng.IntN(rows)) * time.Minute),
			Type: memory.ObservationTypes()[rng.IntN(6)], Title: sentence(4), Subtitle: sentence(6), Narrative: fmt.Sprint(sentence(30), " ", sentence(20), " Nr ", i),
			Facts: []string{sentence(5), `say "` + sentence(3) + `"`}, Concepts: []string{"testing"}, FilesModified: []string{"src/" + word() + ".go"},
		}
		if i%211 == 5 {
			o.Tags = []string{"重要", "later on"}
		}
		b.Observations = append(b.Observations, o)
	}
	if _, err := s.Import(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	list, err := s.ListObservations(t.Context(), memory.Filter{}, memory.Cursor{}, rows)
	if err != nil || len(list) != rows {
		t.Fatalf("%d observations (%v)", len(list), err)
	}
	return list
}

// babbleQueries are texts with common and rare words, unfinished ones and phrases.
var babbleQueries = []string{
	"test ", "test order ", "user cart the refund ", "refund", "ref", "re", "te", "a", "ba", "cet1", "cet1 ", "bat7 test ", "bat7 or",
	"orderService ", "orderServ", "order_service getTest ", "parseHTTP", "parseHTTPRequest2 test", "get test ", "E0042 ", "e004", "naive ", "FACADE",
	"数据库 ", "数", "连接池 test ", "缓存", "redis", "支付 order", `"test order" `, `"order test" cart `, `"数据库连接池" test`, "total.go ", "no-verify ",
	"nowhere ", "nowhere test ", "nowhere bat7 数据库 ", "zzz", "src/cart", "payment checkout refunds façade E0042 ",
}

func TestScoresAndSnippetsAreThoseOfTheIndex(t *testing.T) {
	slow(t)
	s := newStore(t)
	s.scored = 1_000_000
	babble(t, s, 1, 400)
	for _, text := range babbleQueries {
		q, err := parseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		type known struct {
			score   float64
			snippet string
		}
		index := map[int64]known{}
		rows, err := all(t.Context(), s.read, func(r row) (k struct {
			id int64
			known
		}, err error,
		) {
			var columns [4]string
			err = r.Scan(&k.id, &k.score, &columns[0], &columns[1], &columns[2], &columns[3])
			for _, c := range columns {
				if strings.ContainsRune(c, memory.MatchStart) {
					k.snippet = oneLine(factsText.Replace(c), len(c))
					break
				}
			}
			return k, err
		}, `SELECT rowid, -rank, snippet(observations_fts, 2, char(0xE000), char(0xE001), '…', 24), snippet(observations_fts, 3, char(0xE000), char(0xE001), '…', 24),
			snippet(observations_fts, 1, char(0xE000), char(0xE001), '…', 24), snippet(observations_fts, 0, char(0xE000), char(0xE001), '…', 24)
			FROM observations_fts WHERE observations_fts MATCH ?`, q.whole.String())
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range rows {
			index[k.id] = k.known
		}
		g, err := s.newGathering(t.Context(), observationWords, q, memory.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		if err := g.gather(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := g.score(t.Context()); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, c := range g.found {
			if c.reading != 0 {
				continue
			}
			n++
			want, ok := index[c.id]
			if !ok || math.Abs(c.score-want.score) > 1e-9*want.score {
				t.Fatalf("%q: observation %d scores %v, in the index %v (%v)", text, c.id, c.score, want.score, ok)
			}
			o, err := s.Observation(t.Context(), c.id)
			if err != nil {
				t.Fatal(err)
			}
			if got := g.matcher.snippet(o, 0); got != want.snippet {
				t.Fatalf("%q: snippet %q\nthe index has %q", text, got, want.snippet)
			}
		}
		if n != len(index) {
			t.Errorf("%q: %d observations, the index has %d", text, n, len(index))
		}
	}
}

func TestColumnWeightsAreThoseOfTheIndex(t *testing.T) {
	s := newStore(t)
	have, err := one(t.Context(), s.read, scanText, observationWords.query(ranking))
	if err != nil {
		t.Fatal(err)
	}
	var weights []string
	for _, w := range columnWeights {
		weights = append(weights, fmt.Sprintf("%.1f", w))
	}
	if want := "bm25(" + strings.Join(weights, ", ") + ")"; have != want {
		t.Errorf("the index ranks by %s, we by %s", have, want)
	}
}

// An unfinished word finds what the index finds for its beginning.
func TestEveryReadingFindsWhatTheIndexFinds(t *testing.T) {
	slow(t)
	s := newStore(t)
	s.scored = 1_000_000
	babble(t, s, 2, 400)
	for _, text := range babbleQueries {
		q, err := parseQuery(text)
		if err != nil {
			t.Fatal(err)
		}
		var want []int64
		for _, e := range []expr{q.whole, q.all, q.any} {
			more, err := all(t.Context(), s.read, scanNumber, "SELECT rowid FROM observations_fts WHERE observations_fts MATCH ?", e.String())
			if err != nil {
				t.Fatal(err)
			}
			if e.String() == q.any.String() && len(want) > 0 {
				break
			}
			want = append(want, more...)
		}
		slices.Sort(want)
		want = slices.Compact(want)
		for _, f := range []memory.Filter{{}, {Project: "/large"}} {
			hits, err := s.Search(t.Context(), text, f, -1)
			if err != nil {
				t.Fatal(err)
			}
			var got []int64
			for _, h := range hits {
				got = append(got, h.Observation.ID)
			}
			slices.Sort(got)
			if f.Project == "" && !slices.Equal(got, want) {
				t.Errorf("%q finds %d observations, the index %d", text, len(got), len(want))
			}
		}
	}
}
