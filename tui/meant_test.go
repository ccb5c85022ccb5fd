package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// meaningSource has three memories with the word and one that says it otherwise.
func meaningSource() (source *fakeSource, other int64) {
	source = demoSource()
	add := func(n int, title string) int64 {
		source.add(memory.Observation{
			SessionID: "5f3a9c1e-0001", Project: webshop, Type: memory.TypeChange, Status: memory.StatusActive,
			Title: title, CreatedAt: testNow().Add(time.Duration(-n) * time.Minute),
		})
		for id, o := range source.observations {
			if o.Title == title {
				return id
			}
		}
		panic("not added: " + title)
	}
	held := add(1, "Zertifikat number one")
	add(2, "Zertifikat number two")
	other = add(3, "TLS 证书过期 🔒")
	source.meanings = map[string][]int64{"Zertifikat": {held, other}, "abgelaufen": {other}}
	return source, other
}

// searched opens the browser on a source and searches it for a text.
func searched(t *testing.T, source Source, width int, text string) *harness {
	t.Helper()
	o := demoOptions()
	o.Source = source
	h := open(t, o, width, 30)
	h.keys("/")
	h.text(text)
	h.keys("enter")
	return h
}

func TestWhatMeansTheSameStandsBelowWhatHoldsTheWords(t *testing.T) {
	source, _ := meaningSource()
	h := searched(t, source, 120, "Zertifikat")
	frame := h.frame()
	places := make([]int, 0, 4)
	for _, want := range []string{"number one", "number two", "Near in meaning ─", "TLS 证书过期"} {
		places = append(places, strings.Index(frame, want))
	}
	for i := range places {
		if places[i] < 0 || i > 0 && places[i] < places[i-1] {
			t.Fatalf("places %v in\n%s", places, frame)
		}
	}
	h.see("2 found, 1 near", "meaning")
	h.keys("G")
	if got := h.selectedTitle(); got != "TLS 证书过期 🔒" {
		t.Errorf("the last row is %q", got)
	}
	// What is done to all of a search is not done to what only means the same.
	h.keys("*")
	if len(h.m.marks) != 2 {
		t.Errorf("%d are marked", len(h.m.marks))
	}
}

func TestASearchWithoutAWordThatIsHeldShowsWhatMeansTheSame(t *testing.T) {
	source, other := meaningSource()
	h := searched(t, source, 80, "abgelaufen")
	if item, ok := h.m.list.selected(); !ok || item.ID != other {
		t.Fatalf("selected %v in\n%s", item, h.frame())
	}
	h.see("0 found, 1 near", "Near in meaning")
	h.keys("/", "ctrl+u")
	h.text("Zertifikat unbekannt")
	h.keys("enter")
	if n := len(h.m.list.items); n != 0 {
		t.Errorf("%d rows of the search before are left", n)
	}
}

func TestMeaningsComeWhereAllWordsAreShown(t *testing.T) {
	source, other := meaningSource()
	for n := range 100 {
		source.add(memory.Observation{
			SessionID: "5f3a9c1e-0001", Project: webshop, Type: memory.TypeChange, Status: memory.StatusActive,
			Title: fmt.Sprintf("Zertifikat %d", n), CreatedAt: testNow().Add(time.Duration(-n) * time.Hour),
		})
	}
	h := searched(t, source, 80, "Zertifikat")
	if h.m.list.byWords != len(h.m.list.items) {
		t.Fatal("what means the same stands between hits that are not shown yet")
	}
	h.keys("G", "G", "G")
	if item, _ := h.m.list.selected(); item.ID != other {
		t.Errorf("the last row is %q of %d", item.Title, len(h.m.list.items))
	}
}

func TestAFailingSearchByMeaningLeavesTheWords(t *testing.T) {
	source, _ := meaningSource()
	source.meantErr = errors.New("the encodings \x1b[31mcannot be read")
	h := searched(t, source, 120, "Zertifikat")
	h.see("number one", "Found by words only; by meaning: the encodings")
}

func TestTheBrowserFindsAMemoryInOtherWords(t *testing.T) {
	source := realStore(t)
	if _, _, err := source.Add(t.Context(), memory.Observation{Project: webshop, Type: memory.TypeBugfix, Title: "Certificates expired", Narrative: "The TLS certificate of the gateway had expired; renewed it."}); err != nil {
		t.Fatal(err)
	}
	encodeAll(t, source)
	h := searched(t, source, 120, "证书过期")
	h.see("Near in meaning", "Certificates expired")
}

func TestTheAccessibleModeReadsWhatMeansTheSameLast(t *testing.T) {
	source, _ := meaningSource()
	o := demoOptions()
	o.Source = source
	out := typeIn(t, o, "/ Zertifikat")
	for _, want := range []string{"1. change", "Zertifikat number one", "2. change", "3. near in meaning, change, ", "TLS 证书过期"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if strings.Contains(out, "2. near in meaning") {
		t.Errorf("what holds the word is read as near\n%s", out)
	}
}
