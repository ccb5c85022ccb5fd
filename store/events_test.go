package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// day tells a session as its events come: each call is a second later.
type day struct {
	session string
	n       int
	events  []memory.Event
}

func (d *day) add(name string, change ...func(*memory.Event)) *day {
	d.n++
	at := noon.Add(time.Duration(d.n) * time.Second)
	e := memory.Event{
		ID: fmt.Sprintf("%s-%06d", d.session, d.n), CreatedAt: at, Agent: "claude-code", Name: name, SessionID: d.session,
		CWD: webshop + "/src", Project: webshop, Branch: "main",
		Raw: fmt.Appendf(nil, `{"hook_event_name":%q,"n":%d}`, name, d.n),
	}
	for _, c := range change {
		c(&e)
	}
	d.events = append(d.events, e)
	return d
}

func (d *day) prompt(text, id string) *day {
	return d.add(memory.EventUserPromptSubmit, func(e *memory.Event) { e.Prompt, e.PromptID = text, id })
}

func (d *day) tool(name, promptID string) *day {
	return d.add(memory.EventPostToolUse, func(e *memory.Event) { e.ToolName, e.PromptID = name, promptID })
}

func (d *day) store(t *testing.T, s *Store) *day {
	t.Helper()
	if _, err := s.AddEvents(t.Context(), d.events); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestEventsAreStoredOnce(t *testing.T) {
	s := newStore(t)
	d := (&day{session: "s1"}).add(memory.EventSessionStart).prompt("修复购物车 🛒", "p1").tool("Edit", "p1").add(memory.EventStop)
	for round, want := range []int{4, 0, 0} {
		added, err := s.AddEvents(t.Context(), d.events)
		if err != nil || added != want {
			t.Errorf("round %d: %d added, want %d (%v)", round, added, want, err)
		}
	}
	if prompts, err := s.SessionPrompts(t.Context(), "s1"); err != nil || len(prompts) != 1 || prompts[0].Text != "修复购物车 🛒" {
		t.Errorf("prompts %v (%v)", prompts, err)
	}
	totals, err := s.Totals(t.Context(), webshop)
	if err != nil || totals.Events != 4 || totals.Prompts != 1 || totals.Sessions != 1 {
		t.Errorf("totals %+v (%v)", totals, err)
	}
}

func TestOneBadEventStoresNothing(t *testing.T) {
	s := newStore(t)
	d := (&day{session: "s1"}).prompt("first", "p1")
	events := slices.Concat(d.events, []memory.Event{{SessionID: "s1"}}) // it has no id
	if added, err := s.AddEvents(t.Context(), events); err == nil || added != 0 {
		t.Errorf("%d added, error %v", added, err)
	}
	if totals, err := s.Totals(t.Context(), ""); err != nil || totals.Events != 0 || totals.Prompts != 0 {
		t.Errorf("%+v (%v)", totals, err)
	}
}

func TestEventsKnowTheirPrompt(t *testing.T) {
	s := newStore(t)
	(&day{session: "s1"}).
		add(memory.EventSessionStart).               // 0: before the first
		prompt("one", "p1").tool("Read", "p1").      // 1 1
		prompt("two", "p2").tool("Edit", "p1").      // 2, and 1: it says so itself
		tool("Bash", "").tool("Grep", "unheard-of"). // 2 2: the latest
		prompt("<task-notification>done", "p3").     // 3
		prompt("two", "p2").                         // reported twice: not stored again
		prompt("three, same id as before", "p2").    // 4
		add(memory.EventStop).store(t, s)            // 4
	events, err := s.RawEvents(t.Context(), "s1", -1, "", 100)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, e := range events {
		got[e.ID] = e.PromptNumber
	}
	for i, want := range []int{0, 1, 1, 2, 1, 2, 2, 3, 0, 4, 4} {
		if id := fmt.Sprintf("s1-%06d", i+1); got[id] != want {
			t.Errorf("event %s belongs to prompt %d, want %d", id, got[id], want)
		}
	}
	prompts, err := s.SessionPrompts(t.Context(), "s1")
	if err != nil || len(prompts) != 4 {
		t.Fatalf("%d prompts (%v)", len(prompts), err)
	}
	for i, p := range prompts {
		if p.Number != i+1 || p.Machine != (i == 2) || p.Project != webshop {
			t.Errorf("prompt %+v", p)
		}
	}
	if v, err := s.Session(t.Context(), "s1"); err != nil || v.PromptCount != 4 || v.Title != "one" {
		t.Errorf("session %+v (%v)", v, err)
	}
	if p, err := s.Prompt(t.Context(), prompts[1].ID); err != nil || !reflect.DeepEqual(p, prompts[1]) {
		t.Errorf("prompt %+v (%v)", p, err)
	}
}

func TestSessionFollowsItsEvents(t *testing.T) {
	s := newStore(t)
	d := (&day{session: "s1"}).add(memory.EventSessionStart).prompt("go", "p1").add(memory.EventSessionEnd).store(t, s)
	v, err := s.Session(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	if v.Status != memory.SessionCompleted || !v.CompletedAt.Equal(d.events[2].CreatedAt) || !v.CreatedAt.Equal(d.events[0].CreatedAt) ||
		v.Project != webshop || v.CWD != webshop+"/src" || v.GitBranch != "main" || v.Agent != "claude-code" {
		t.Errorf("after its end: %+v", v)
	}

	late := d.events[1]
	late.ID, late.Name, late.CWD = "late", memory.EventNotification, "/elsewhere"
	if _, err := s.AddEvents(t.Context(), []memory.Event{late}); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Session(t.Context(), "s1"); err != nil || v.Status != memory.SessionCompleted || v.CWD == "/elsewhere" {
		t.Errorf("after an event that came late: %+v (%v)", v, err)
	}

	d.add(memory.EventSessionStart, func(e *memory.Event) { e.Source = "resume"; e.Branch = "" }).store(t, s)
	if v, err := s.Session(t.Context(), "s1"); err != nil || v.Status != memory.SessionActive || !v.CompletedAt.IsZero() || v.GitBranch != "main" {
		t.Errorf("after it was resumed: %+v (%v)", v, err)
	}
}

func TestEventWithoutSessionOrProjectIsKept(t *testing.T) {
	s := newStore(t)
	if added, err := s.AddEvents(t.Context(), []memory.Event{{ID: "1", Name: "New\x00Event", CWD: "/tmp/x", Raw: []byte("{}")}}); err != nil || added != 1 {
		t.Fatalf("%d added (%v)", added, err)
	}
	events, err := s.RawEvents(t.Context(), unknownSession, 0, "", 10)
	if err != nil || len(events) != 1 || events[0].Name != "New\uFFFDEvent" || !events[0].CreatedAt.Equal(s.now()) {
		t.Errorf("%+v (%v)", events, err)
	}
	if v, err := s.Session(t.Context(), unknownSession); err != nil || v.Project != "/tmp/x" {
		t.Errorf("%+v (%v)", v, err)
	}
}

func TestPayloadsComeBackToTheByte(t *testing.T) {
	s := newStore(t)
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	payloads := [][]byte{
		nil, []byte("{}"), []byte("{\"a\":\"\x00\xff\\ud800\"}"), noise,
		bytes.Repeat([]byte(`{"tool_response":"五百万行的日志"}`), 200_000),
	}
	d := &day{session: "s1"}
	for _, p := range payloads {
		d.add(memory.EventPostToolUse, func(e *memory.Event) { e.Raw = p })
	}
	d.store(t, s)
	events, err := s.RawEvents(t.Context(), "s1", 0, "", 10)
	if err != nil || len(events) != len(payloads) {
		t.Fatalf("%d events (%v)", len(events), err)
	}
	for i, e := range events {
		if !bytes.Equal(e.Payload, payloads[i]) {
			t.Errorf("payload %d: %d bytes came back from %d", i, len(e.Payload), len(payloads[i]))
		}
	}
	size, err := number(t.Context(), s.read, "SELECT length(payload) FROM events WHERE event_id = ?", events[4].ID)
	if err != nil || size > int64(len(payloads[4])/100) {
		t.Errorf("%d bytes are stored as %d (%v)", len(payloads[4]), size, err)
	}
}

func TestDamagedPayloadIsAnErrorThatNamesTheEvent(t *testing.T) {
	s := newStore(t)
	(&day{session: "s1"}).tool("Edit", "").store(t, s)
	mustExec(t, sqliteDB(t, s), "UPDATE events SET payload = x'0badcafe'")
	if _, err := s.RawEvents(t.Context(), "s1", 0, "", 10); err == nil || !strings.Contains(err.Error(), "s1-000001") {
		t.Errorf("error %v", err)
	}
}

func TestRawEventsArePagedInOrder(t *testing.T) {
	s := newStore(t)
	d := &day{session: "s1"}
	for p := range 3 {
		d.prompt("prompt", fmt.Sprint("p", p))
		for range 5 {
			d.tool("Bash", fmt.Sprint("p", p))
		}
	}
	(&day{session: "s2"}).tool("Bash", "").store(t, s)
	d.store(t, s)
	for _, prompt := range []int{-1, 2} {
		var got []string
		after := ""
		for {
			page, err := s.RawEvents(t.Context(), "s1", prompt, after, 4)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page {
				got = append(got, e.ID)
				after = e.ID
			}
			if len(page) < 4 {
				break
			}
		}
		var want []string
		for i, e := range d.events {
			if prompt < 0 || i/6+1 == prompt {
				want = append(want, e.ID)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("prompt %d: %v, want %v", prompt, got, want)
		}
	}
}

func TestStoryIsTheNewestTellingEventsInOrder(t *testing.T) {
	s := newStore(t)
	(&day{session: "s1"}).
		tool("TodoWrite", "").tool("Bash", "").add(memory.EventSubagentStop).tool("Edit", "").
		tool("TodoWrite", "").add(memory.EventNotification).add(memory.EventStop).store(t, s)
	events, err := s.StoryEvents(t.Context(), "s1", 3)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		got = append(got, e.ID[len(e.ID)-1:])
	}
	if strings.Join(got, " ") != "3 5 7" {
		t.Errorf("events %v, want 3 5 7", got)
	}
}

func TestPayloadsAreDroppedOnlyWhenTheirBatchIsDone(t *testing.T) {
	s := newStore(t)
	(&day{session: "done"}).tool("Edit", "").add(memory.EventStop).store(t, s)
	if _, err := s.GroupEvents(t.Context(), noon, time.Hour, 10); err != nil {
		t.Fatal(err)
	}
	batches, err := s.PendingBatches(t.Context(), noon, 10)
	if err != nil || len(batches) != 1 {
		t.Fatalf("%d batches (%v)", len(batches), err)
	}
	if _, err := s.FinishBatch(t.Context(), batches[0].ID, nil, memory.BatchDone); err != nil {
		t.Fatal(err)
	}
	(&day{session: "waiting"}).tool("Edit", "").store(t, s)
	for before, want := range map[time.Time]int{noon: 0, noon.Add(time.Hour): 2} {
		if n, err := s.DropPayloads(t.Context(), before, 10); err != nil || n != want {
			t.Errorf("before %s: %d dropped, want %d (%v)", before, n, want, err)
		}
	}
	for session, kept := range map[string]bool{"done": false, "waiting": true} {
		events, err := s.RawEvents(t.Context(), session, 0, "", 10)
		if err != nil || len(events) == 0 || (events[0].Payload != nil) != kept {
			t.Errorf("%s: %+v (%v)", session, events, err)
		}
	}
}
