package store

import (
	"os"
	"slices"
	"testing"
	"time"

	"cmem/memory"
)

// benchSearches are texts as they stand in the field while somebody types: of the
// generated store and of the one that the program in bench makes.
var benchSearches = []string{
	"babale", "AppendAccountBy", "E0042", "case 4711", // rare
	"taveka", "module042", "getTest", // middling
	"test", "user order", "error change", // common
	"re", "ref", "refun", "te", "ap", "case 47", "test re", // unfinished
	"kubernetes babale", "kubernetes test order", "kubernetes", // some word is nowhere
	"测试", "测", "分支", "请求文件", "数据库", // wide script
	`"the order"`, `"account by"`, // phrases
	"why does the checkout test of the user order fail after the cache change in the payment module", // pasted
}

// BenchmarkSearchAsTyped tells the first, the median and the 95th percentile of
// each search, in milliseconds. CMEM_BENCH_DB names a store to measure instead of
// the generated one; it is opened for reading only.
func BenchmarkSearchAsTyped(b *testing.B) {
	path := os.Getenv("CMEM_BENCH_DB")
	if path == "" {
		path = benchStore(b)
	}
	s, err := OpenReadOnly(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	}()
	projects, err := s.Projects(b.Context())
	if err != nil || len(projects) == 0 {
		b.Fatalf("%d projects (%v)", len(projects), err)
	}
	slices.SortFunc(projects, func(a, b memory.Project) int { return b.Observations - a.Observations })
	newest, err := s.ListObservations(b.Context(), memory.Filter{}, memory.Cursor{}, 1)
	if err != nil {
		b.Fatal(err)
	}
	last := newest[0].CreatedAt
	filters := []struct {
		name string
		f    memory.Filter
	}{
		{"all", memory.Filter{}},
		{"large-project", memory.Filter{Project: projects[0].Key}},
		{"small-project", memory.Filter{Project: projects[len(projects)-1].Key}},
		{"middling-project", memory.Filter{Project: projects[min(len(projects)-1, 30)].Key}},
		{"type", memory.Filter{Types: []string{memory.TypeDecision}}},
		{"after", memory.Filter{After: last.AddDate(0, 0, -1)}},
		{"before", memory.Filter{Before: last.AddDate(-1, 0, 0)}},
		{"tag", memory.Filter{Tags: []string{"no-such-tag"}}},
	}
	for _, f := range filters {
		for _, text := range benchSearches {
			name := text
			if len(name) > 24 {
				name = "pasted"
			}
			b.Run(f.name+"/"+name, func(b *testing.B) {
				var took []time.Duration
				rows := 0
				for b.Loop() {
					from := time.Now()
					hits, err := s.Search(b.Context(), text, f.f, 30)
					if err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(from))
					rows = len(hits)
				}
				ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
				b.ReportMetric(ms(took[0]), "first-ms")
				slices.Sort(took)
				b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
				b.ReportMetric(ms(took[len(took)*95/100]), "p95-ms")
				b.ReportMetric(float64(rows), "rows")
			})
		}
	}
}

// mixedSearches are whole texts of every kind: rare, middling and common words,
// identifiers, paths, phrases, Chinese, a question and what is nowhere.
var mixedSearches = []string{
	"babale", "AppendAccountBy", "E0042", "taveka", "module042", "getTest", // rare and middling
	"test", "user order", "error change", "test -order", "refun*", // common
	"kubernetes babale", "kubernetes test order", "kubernetes", // some word is nowhere
	"测试", "分支", "请求文件", "数据库连接池", // wide script
	`"the order"`, `"account by"`, // phrases
	"internal/cache/order.go:120", "src/user/address_test.go", // paths
	"why does the checkout test of the user order fail after the cache change in the payment module",
}

// BenchmarkMatch tells what the ranking by any word takes for each of the mix, and
// what ORDER BY bm25 takes for the same words, in milliseconds. CMEM_BENCH_DB is as
// for BenchmarkSearchAsTyped.
func BenchmarkMatch(b *testing.B) {
	path := os.Getenv("CMEM_BENCH_DB")
	if path == "" {
		path = benchStore(b)
	}
	s, err := OpenReadOnly(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	}()
	for _, text := range mixedSearches {
		q, err := parseQuery(text + " ")
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text[:min(len(text), 27)], func(b *testing.B) {
			var took []time.Duration
			hits := 0
			for b.Loop() {
				from := time.Now()
				m, err := s.Match(b.Context(), text, memory.Filter{}, 20)
				if err != nil {
					b.Fatal(err)
				}
				took, hits = append(took, time.Since(from)), len(m.Hits)
			}
			from := time.Now()
			if _, err := all(b.Context(), s.read, scanNumber, "SELECT rowid FROM observations_fts WHERE observations_fts MATCH ? ORDER BY rank LIMIT 20", q.any.String()); err != nil {
				b.Fatal(err)
			}
			plain := time.Since(from)
			ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
			slices.Sort(took)
			b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
			b.ReportMetric(ms(took[len(took)*95/100]), "p95-ms")
			b.ReportMetric(ms(plain), "bm25-ms")
			b.ReportMetric(float64(hits), "rows")
		})
	}
}
