package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

func TestAFileIsMentionedByWhatReadOrChangedItAndNothingElse(t *testing.T) {
	s := newStore(t)
	files := func(names ...string) []string { return names }
	for i, o := range []memory.Observation{
		{Title: "changed", FilesModified: files("src/购物车/价格 表.go", "b.go"), FilesRead: files("c.go")},
		{Title: "read", FilesRead: files("src/购物车/价格 表.go"), Pinned: true, Type: memory.TypeDiscovery},
		{Title: "longer", FilesModified: files("x/src/购物车/价格 表.go", "src/购物车/价格 表.go.bak", "src/购物车/价格_表.go")},
		{Title: "two that touch", FilesModified: files("src/购物车", "价格 表.go")},
		{Title: "words of it", Narrative: "src/购物车/价格 表.go"},
		{Title: "elsewhere", FilesModified: files("src/购物车/价格 表.go"), Project: "/home/dev/other", SessionID: "other"},
		{Title: "archived", FilesModified: files("src/购物车/价格 表.go"), Status: memory.StatusArchived},
		{Title: "as written elsewhere", FilesModified: files(`C:/x/a&b "c".go`)},
	} {
		o.CreatedAt = noon.Add(time.Duration(i) * time.Minute)
		remember(t, s, o)
	}
	of := func(limit int, paths ...string) (told []string) {
		t.Helper()
		list, err := s.Mentions(t.Context(), paths, memory.Filter{Project: webshop}, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			o, err := s.Observation(t.Context(), m.ID)
			if err != nil {
				t.Fatal(err)
			}
			if m.Pinned != o.Pinned || m.Type != o.Type || m.SessionID != o.SessionID || !m.CreatedAt.Equal(o.CreatedAt) || m.Files != len(o.FilesRead)+len(o.FilesModified) {
				t.Errorf("%+v is mentioned of %+v", m, o)
			}
			how := "read"
			if m.Modified {
				how = "changed"
			}
			told = append(told, o.Title+": "+how)
		}
		return told
	}
	const path = "src/购物车/价格 表.go"
	for _, tt := range []struct {
		limit int
		paths []string
		want  []string
	}{
		{10, []string{path}, []string{"read: read", "changed: changed"}},
		{1, []string{path}, []string{"read: read"}},
		{10, []string{"/abs/" + path, path, "b.go"}, []string{"read: read", "changed: changed"}},
		{10, []string{"c.go"}, []string{"changed: read"}},
		{10, []string{`C:/x/a&b "c".go`}, []string{"as written elsewhere: changed"}},
		{10, []string{"价格 表.go"}, []string{"two that touch: changed"}},
		{10, []string{"表.go", "go", "src", "src/购物车/价格", "SRC/购物车/价格 表.go", "", "🛒", `"`, "NEAR(src", "a OR b", "files:x", strings.Repeat("d/", 5000) + "x.go", "\x00"}, nil},
		{10, nil, nil},
	} {
		if got := of(tt.limit, tt.paths...); !slices.Equal(got, tt.want) {
			t.Errorf("of %.80q: %q, want %q", tt.paths, got, tt.want)
		}
	}
}

func TestAFileOfWhichAllWordsAreCommonIsFoundAmongTheNewest(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a store")
	}
	s := newStore(t)
	var list []memory.Observation
	for i := range rareInPaths + 500 { // the last one has the path
		list = append(list, memory.Observation{
			UID: fmt.Sprintf("%026d", i), SessionID: "s1", Project: webshop, Title: fmt.Sprint("t", i), CreatedAt: noon.Add(time.Duration(i) * time.Second),
			FilesModified: []string{[]string{"src/main.go", "go/src.main", "main/go.src"}[i%3]},
		})
	}
	for some := range slices.Chunk(list, 500) {
		if _, err := s.Import(t.Context(), Bundle{Observations: some}); err != nil {
			t.Fatal(err)
		}
	}
	found, err := s.Mentions(t.Context(), []string{"src/main.go"}, memory.Filter{Project: webshop}, 20)
	if err != nil || len(found) != 20 || !found[0].CreatedAt.Equal(list[len(list)-1].CreatedAt) {
		t.Errorf("found %d, %v", len(found), err)
	}
	for i := 1; i < len(found); i++ {
		if d := found[i-1].CreatedAt.Sub(found[i].CreatedAt); d != 3*time.Second {
			t.Errorf("number %d is %v older than the one before, want every third", i, d)
		}
	}
}

func TestAFileIsFoundHoweverOftenOtherProjectsHaveItsPath(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a store")
	}
	s := newStore(t)
	number := 0
	fill := func(n int, project string, path func(i int) string) {
		t.Helper()
		var list []memory.Observation
		for i := range n {
			number++
			list = append(list, memory.Observation{
				UID: fmt.Sprintf("%026d", number), SessionID: "of " + project, Project: project, Title: fmt.Sprint("t", number),
				CreatedAt: noon.Add(time.Duration(number) * time.Second), FilesModified: []string{path(i)},
			})
		}
		for some := range slices.Chunk(list, 500) {
			if _, err := s.Import(t.Context(), Bundle{Observations: some}); err != nil {
				t.Fatal(err)
			}
		}
	}
	const small, middle, large = "/home/dev/小店", "/home/dev/middle", "/home/dev/large"
	one := func(path string) func(int) string { return func(int) string { return path } }
	find := func(path, project string, want int) {
		t.Helper()
		found, err := s.Mentions(t.Context(), []string{project + "/" + path, path}, memory.Filter{Project: project}, 120)
		if err != nil || len(found) != want {
			t.Errorf("in %s %d mention %s, %v; want %d", project, len(found), path, err, want)
		}
		for _, m := range found {
			if m.SessionID != "of "+project {
				t.Errorf("of %s is found what stands in %s", project, m.SessionID)
			}
		}
	}
	fill(3, small, one("src/main.go"))
	fill(1500, large, one("src/main.go"))
	find("src/main.go", small, 3) // its words are rare

	fill(ownLookedAt+1, middle, func(i int) string { return []string{"README.md", "src/main.go"}[min(i, 1)] })
	fill(2, small, one("README.md"))
	fill(3000, large, func(i int) string { return []string{"src/main.go", "README.md"}[i%2] })
	fill(ownListed, large, one("README.md"))
	find("src/main.go", small, 3)
	find("README.md", small, 2)
	find("README.md", middle, 1) // it has too many rows to look at each
	find("README.md", large, 120)
	find("src/main.go", large, 120) // behind all that are listed of it
	find("src/main.go", "/home/dev/none", 0)
}
