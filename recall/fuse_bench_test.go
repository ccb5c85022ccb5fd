package recall

import (
	"fmt"
	"testing"

	"cmem/llm/static"
	"cmem/memory"
)

// BenchmarkScores is what a search costs beyond what the store does: 500 candidates,
// 60 of which are compared whole.
func BenchmarkScores(b *testing.B) {
	subjects := []string{"payment webhook", "cart total", "login session", "thumbnail cache", "库存超卖", "invoice number", "search index", "deploy pipeline"}
	verbs := []string{"retries", "rejects", "times out in", "is rewritten for", "logs", "slows down", "测试", "is cached by"}
	var list []*candidate
	for i := range 500 {
		o := note(int64(i+1), i%90, fmt.Sprintf("%s %s queue%d", subjects[i%8], verbs[i/8%8], i))
		o.Narrative = fmt.Sprintf("In handleStep%d the %s of module%d %s the %s after %d attempts; see ERR_STEP_%d.", i, subjects[i/3%8], i%97, verbs[i/5%8], subjects[i/7%8], i, i)
		o.FilesModified = []string{fmt.Sprintf("internal/part%d/step_%d.go", i%40, i)}
		e := static.Encode(textOf(o))
		list = append(list, &candidate{id: o.ID, hit: memory.Hit{Observation: o}, keyword: float64(i % 7), meaning: &memory.Meaning{ID: o.ID, Vector: e.Vector, Words: e.Words}})
	}
	text := "why does the payment callback retry after a timeout"
	b.ReportAllocs()
	for b.Loop() {
		g := &gathering{ideal: 12, words: static.Words(text), meant: byTable{static.NewQuery(text, nil)}}
		for _, c := range list {
			one := *c
			one.near, _ = g.meant.near(*c.meaning)
			g.candidates = append(g.candidates, &one)
		}
		s := newScorer(g, Query{Now: today})
		for _, c := range g.candidates {
			c.words = s.share(c.keyword)
			c.score.Relevance = s.relevance(c)
		}
		fold(s.score(g.candidates[:60], nil), DefaultLimit)
	}
}
