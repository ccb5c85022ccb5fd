package store

import (
	"testing"

	"cmem/memory"
)

func TestAnIndexThatKnowsLessThanWhatIsStoredIsTold(t *testing.T) {
	s := newStore(t)
	for _, x := range wordIndexes {
		if known, err := s.IndexKnows(t.Context(), x.kind); err != nil || !known {
			t.Errorf("an empty store: %s known %v (%v)", x.name, known, err)
		}
	}
	if _, err := s.Import(t.Context(), Bundle{
		Observations: []memory.Observation{{SessionID: "s", Project: webshop, CreatedAt: noon, Title: "购物车的总价 🛒", Narrative: "n"}},
		Summaries:    []memory.Summary{{UID: "u1", SessionID: "s", Project: webshop, CreatedAt: noon, Request: "Fix \"the\" cart"}},
		Prompts:      []memory.Prompt{{SessionID: "s", Project: webshop, Number: 1, CreatedAt: noon, Text: "why 为什么 is the total negative?"}},
	}); err != nil {
		t.Fatal(err)
	}
	for _, x := range wordIndexes {
		if known, err := s.IndexKnows(t.Context(), x.kind); err != nil || !known {
			t.Errorf("%s known %v (%v)", x.name, known, err)
		}
		if err := s.transact(t.Context(), func(w tx) error {
			_, err := w.exec(t.Context(), "INSERT INTO "+x.name+" ("+x.name+") VALUES ('delete-all')")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if known, err := s.IndexKnows(t.Context(), x.kind); err != nil || known {
			t.Errorf("an emptied %s: known %v (%v)", x.name, known, err)
		}
	}
	if _, err := s.IndexKnows(t.Context(), "mood"); err == nil {
		t.Error("a kind that is none has an index")
	}
}
