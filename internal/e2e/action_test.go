package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cmem/memory"
	"cmem/project"
	"cmem/store"
)

// What is told at an action must stand in the very next request, once, and nowhere
// before: the model reads it with the tool's result.
func TestRealClientIsToldOfAFileAndAnErrorWhenItMeetsThem(t *testing.T) {
	h := newHouse(t, realClient(t))
	h.cmem(t, "install", "--force") // the binary is in a temporary folder
	key := project.Find(h.stage.Project).Key
	db, err := store.Open(t.Context(), filepath.Join(h.data, "cmem.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []memory.Observation{
		{Type: memory.TypeDecision, Title: "重试最多三次", Narrative: "The catalogue asked for at most three attempts.", FilesModified: []string{"client.go"}},
		{Type: memory.TypeBugfix, Title: "ERR_CATALOGUE_DOWN while it is being deployed", Narrative: "The catalogue answers 503 for a minute; wait and ask again."},
	} {
		o.Project, o.CreatedAt = key, time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
		if _, _, err := db.Add(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	h.play(t, h.scene(t, "open-again"))
	requests := h.stage.API.Requests()
	var blocks []int // in each request of the conversation
	var last string
	for _, r := range requests {
		var body any
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		if last = strings.Join(texts(body), "\n"); strings.Contains(last, "look at the client again") {
			blocks = append(blocks, strings.Count(last, "<cmem-recall"))
		}
	}
	if len(blocks) != 4 || blocks[0] != 0 || blocks[1] != 1 || blocks[2] != 1 || blocks[3] != 2 {
		t.Fatalf("the requests hold %v blocks; want none, one after the file, the same, and one more after the error:\n%s", blocks, last)
	}
	for _, want := range []string{
		`<cmem-recall of="file" about="client.go">`, "重试最多三次", "at most three attempts",
		`<cmem-recall of="error">`, "ERR_CATALOGUE_DOWN while it is being deployed", "wait and ask again",
	} {
		if !strings.Contains(last, want) {
			t.Errorf("the model is not told %q:\n%s", want, last)
		}
	}
	h.waitUntilNoProcessIsLeft(t)
}
