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
