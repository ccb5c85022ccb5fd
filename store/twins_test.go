package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

// delivery is an event as the spool names it: two deliveries of one event differ
// in their id and, by a moment, in their time.
func delivery(id string, after time.Duration, e memory.Event) memory.Event {
	e.ID, e.CreatedAt = id, noon.Add(after)
	if e.SessionID == "" {
		e.SessionID = "s1"
	}
	e.Project = webshop
	return e
}

func call(id string) memory.Event {
	return memory.Event{
		Name: memory.EventPostToolUse, PromptID: "p1", ToolName: "Bash", ToolUseID: id,
		ToolInput: []byte(`{"command":"go test ./... # 测试 🧪"}`), ToolResponse: []byte(`{"stdout":"ok"}`), Raw: []byte(`{"tool":"` + id + `"}`),
	}
}

func with(e memory.Event, change func(*memory.Event)) memory.Event {
	change(&e)
	return e
}

func TestAHookRegisteredTwiceStoresEachEventOnce(t *testing.T) {
	prompt := memory.Event{Name: memory.EventUserPromptSubmit, PromptID: "p1", Prompt: "继续", Raw: []byte(`{"prompt":"继续"}`)}
	nameless := with(prompt, func(e *memory.Event) { e.PromptID = "" })
	numberless := with(call("call_0"), func(e *memory.Event) { e.PromptID = "" })
	stop := memory.Event{Name: memory.EventStop, PromptID: "p1", LastAssistantMessage: "Done.", Raw: []byte(`{"last":"Done."}`)}
	start := memory.Event{Name: memory.EventSessionStart, Source: "resume", Raw: []byte(`{"source":"resume"}`)}
	cases := map[string]struct {
		a, b  memory.Event
		apart time.Duration
		want  int // events that are stored
	}{
		"a tool call": {call("t1"), call("t1"), 3 * time.Millisecond, 1},
		"a tool call whose second hook was held up":       {call("t1"), call("t1"), 20 * time.Minute, 1},
		"a tool call, the second payload written apart":   {call("t1"), with(call("t1"), func(e *memory.Event) { e.Raw = []byte(`{ "tool" : "t1" }`) }), time.Millisecond, 1},
		"parallel calls that do the same":                 {call("t1"), call("t2"), time.Millisecond, 2},
		"before and after a call":                         {with(call("t1"), func(e *memory.Event) { e.Name = memory.EventPreToolUse }), call("t1"), time.Millisecond, 2},
		"a gateway that counts calls from one each turn":  {call("call_0"), with(call("call_0"), func(e *memory.Event) { e.PromptID = "p2" }), time.Minute, 2},
		"a gateway that gives every call the same number": {call("call_0"), with(call("call_0"), func(e *memory.Event) { e.ToolResponse = []byte(`{"stdout":"FAIL"}`) }), time.Second, 2},
		"a call of a client that numbers no prompts":      {numberless, numberless, 900 * time.Millisecond, 1},
		"such a call again, a turn later":                 {numberless, numberless, time.Minute, 2},
		"the same id in another session":                  {call("t1"), with(call("t1"), func(e *memory.Event) { e.SessionID = "s2" }), time.Millisecond, 2},
		"the same id in a subagent":                       {call("t1"), with(call("t1"), func(e *memory.Event) { e.AgentID = "a1" }), time.Millisecond, 2},
		"a prompt":                                        {prompt, prompt, 900 * time.Millisecond, 1},
		"the same words, typed twice":                     {prompt, with(prompt, func(e *memory.Event) { e.PromptID = "p2" }), time.Millisecond, 2},
		"a prompt of a client that numbers none":          {nameless, nameless, time.Millisecond, 1},
		"the same words, typed again to such a client":    {nameless, nameless, 3 * time.Second, 2},
		"the end of a turn":                               {stop, stop, 300 * time.Millisecond, 1},
		"the ends of two turns":                           {stop, with(stop, func(e *memory.Event) { e.Raw = []byte(`{"last":"Done.","prompt_id":"p2"}`) }), 300 * time.Millisecond, 2},
		"a session that is resumed again":                 {start, start, 5 * time.Second, 2},
		"events without anything in them":                 {memory.Event{Name: memory.EventStop}, memory.Event{Name: memory.EventStop}, 0, 2},
	}
	for name, c := range cases {
		for order, ids := range map[string][2]string{"in order": {"1-1", "1-2"}, "the later one first": {"1-2", "1-1"}} {
			t.Run(name+", "+order, func(t *testing.T) {
				a, b := delivery(ids[0], 0, c.a), delivery(ids[1], c.apart, c.b)
				if order != "in order" {
					a, b = b, a
				}
				// In one transaction, in two of them, and in two of two programs.
				together, apart, path := newStore(t), newStore(t), ""
				added, err := together.AddEvents(t.Context(), []memory.Event{a, b})
				if err != nil || added != c.want {
					t.Errorf("in one transaction: %d stored, want %d (%v)", added, c.want, err)
				}
				first, err := apart.AddEvents(t.Context(), []memory.Event{a})
				if err != nil {
					t.Fatal(err)
				}
				path = apart.Path()
				if err := apart.Close(); err != nil {
					t.Fatal(err)
				}
				next := openStore(t, path)
				second, err := next.AddEvents(t.Context(), []memory.Event{b})
				if err != nil || first+second != c.want {
					t.Errorf("by two programs: %d stored, want %d (%v)", first+second, c.want, err)
				}
				// A worker that died before it removed the files meets both again.
				if again, err := next.AddEvents(t.Context(), []memory.Event{b, a}); err != nil || again != 0 {
					t.Errorf("drained again: %d stored (%v)", again, err)
				}
				if n, err := next.Doubled(t.Context(), noon.Add(-time.Hour)); err != nil || n != 2-c.want {
					t.Errorf("%d events are known to have come twice, want %d (%v)", n, 2-c.want, err)
				}
				if n, err := next.Doubled(t.Context(), noon.Add(time.Hour)); err != nil || n != 0 {
					t.Errorf("%d events came twice later (%v)", n, err)
				}
			})
		}
	}
}

func TestTwinsMakeNoSecondPrompt(t *testing.T) {
	s := newStore(t)
	var events []memory.Event
	for i, text := range []string{"continue", "continue", "继续"} {
		for copies := range 2 {
			id := string(rune('a'+i)) + string(rune('0'+copies))
			events = append(events, delivery(id, time.Duration(i)*time.Second, memory.Event{
				Name: memory.EventUserPromptSubmit, PromptID: string(rune('a' + i)), Prompt: text, Raw: []byte(`{}`),
			}))
		}
	}
	if added, err := s.AddEvents(t.Context(), events); err != nil || added != 3 {
		t.Fatalf("%d stored (%v)", added, err)
	}
	prompts, err := s.SessionPrompts(t.Context(), "s1")
	if err != nil || len(prompts) != 3 {
		t.Errorf("prompts %+v (%v)", prompts, err)
	}
}

func TestTwinsAreFoundByAnIndex(t *testing.T) {
	s := newStore(t)
	got := plan(t, s, `SELECT id FROM events
		WHERE created_at_epoch / 3600000 IN (?, ?, ?) AND fingerprint = ? AND abs(created_at_epoch - ?) <= ? LIMIT 1`, 1, 2, 3, []byte("x"), 4, 5)
	if !strings.Contains(got, "events_by_fingerprint (<expr>=? AND fingerprint=?)") {
		t.Errorf("plan:\n%s", got)
	}
	got = plan(t, s, "SELECT count(*) FROM events WHERE twin <> '' AND created_at_epoch >= ?", 1)
	if !strings.Contains(got, "events_doubled") {
		t.Errorf("plan:\n%s", got)
	}
}

// A clock that is set back between a prompt and its tools gives the tools the
// earlier names, and events are taken in by their names.
func TestToolsThatCameBeforeTheirPromptBelongToIt(t *testing.T) {
	s := newStore(t)
	day := (&day{session: "s1"}).prompt("before", "p1").add(memory.EventStop)
	for i, e := range day.events {
		day.events[i].CreatedAt = e.CreatedAt.Add(-48 * time.Hour)
		day.events[i].ID = "0" + e.ID
	}
	day.store(t, s)
	later := (&jumps{}).at(noon.Add(-24*time.Hour), "1", "p2", memory.EventPostToolUse).at(noon.Add(-23*time.Hour), "2", "p2", memory.EventStop).
		at(noon, "3", "p2", memory.EventUserPromptSubmit)
	if _, err := s.AddEvents(t.Context(), later.events); err != nil {
		t.Fatal(err)
	}
	events, err := s.RawEvents(t.Context(), "s1", 2, "", 10)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	if !slices.Equal(ids, []string{"1", "2", "3"}) {
		t.Errorf("the second prompt has the events %v", ids)
	}
}

// jumps tells a session at times that jump.
type jumps struct{ events []memory.Event }

func (d *jumps) at(at time.Time, id, prompt, name string) *jumps {
	d.events = append(d.events, memory.Event{
		ID: id, CreatedAt: at, Name: name, SessionID: "s1", Project: webshop, PromptID: prompt, Prompt: prompt, Raw: []byte(`{"id":"` + id + `"}`),
	})
	return d
}

func TestAClockThatWasSetBackDoesNotStopASession(t *testing.T) {
	s := newStore(t)
	now := noon
	s.now = func() time.Time { return now }
	ahead := (&jumps{}).at(noon.Add(365*24*time.Hour), "9", "p1", memory.EventUserPromptSubmit)
	if _, err := s.AddEvents(t.Context(), ahead.events); err != nil {
		t.Fatal(err)
	}
	back := (&jumps{}).at(noon, "1", "p1", memory.EventPostToolUse).at(noon.Add(time.Second), "2", "p1", memory.EventSessionEnd)
	if _, err := s.AddEvents(t.Context(), back.events); err != nil {
		t.Fatal(err)
	}
	v, err := s.Session(t.Context(), "s1")
	if err != nil || v.Status != memory.SessionCompleted || !v.LastEventAt.Equal(noon.Add(time.Second)) {
		t.Errorf("session %+v (%v)", v, err)
	}
}

func TestEventsOfAClockThatRanAheadAreGrouped(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"by a year": 365 * 24 * time.Hour, "by a day": 24 * time.Hour} {
		s := newStore(t)
		d := (&jumps{}).at(noon.Add(ahead), "1", "p1", memory.EventUserPromptSubmit).at(noon.Add(ahead), "2", "p1", memory.EventPostToolUse)
		if _, err := s.AddEvents(t.Context(), d.events); err != nil {
			t.Fatal(err)
		}
		if n, err := s.GroupEvents(t.Context(), noon, 30*time.Second, 60); err != nil || n != 1 {
			t.Errorf("%s: %d batches, want 1 (%v)", name, n, err)
		}
		// Those that come after the clock was set right wait for their end as ever.
		d = (&jumps{}).at(noon, "3", "p1", memory.EventPostToolUse)
		if _, err := s.AddEvents(t.Context(), d.events); err != nil {
			t.Fatal(err)
		}
		for after, want := range map[time.Duration]int{time.Second: 0} {
			if n, err := s.GroupEvents(t.Context(), noon.Add(after), 30*time.Second, 60); err != nil || n != want {
				t.Errorf("%s, %s later: %d batches, want %d (%v)", name, after, n, want, err)
			}
		}
		if n, err := s.GroupEvents(t.Context(), noon.Add(time.Minute), 30*time.Second, 60); err != nil || n != 1 {
			t.Errorf("%s, a minute later: %d batches, want 1 (%v)", name, n, err)
		}
	}
}

func TestARetryThatAWrongClockSetIsDueWhenTheClockIsRight(t *testing.T) {
	s := newStore(t)
	(&day{session: "s1"}).prompt("go", "p1").tool("Edit", "p1").add(memory.EventStop).store(t, s)
	if _, err := s.GroupEvents(t.Context(), noon, 0, 60); err != nil {
		t.Fatal(err)
	}
	batches, err := s.PendingBatches(t.Context(), noon, 10)
	if err != nil || len(batches) != 1 {
		t.Fatalf("%v (%v)", batches, err)
	}
	for next, want := range map[time.Duration]int{10 * time.Minute: 0, time.Hour: 0, 24 * time.Hour: 1, 365 * 24 * time.Hour: 1, -time.Minute: 1} {
		if err := s.RetryBatch(t.Context(), batches[0].ID, "busy", noon.Add(next)); err != nil {
			t.Fatal(err)
		}
		if due, err := s.PendingBatches(t.Context(), noon, 10); err != nil || len(due) != want {
			t.Errorf("due in %s: %d batches now, want %d (%v)", next, len(due), want, err)
		}
	}
}

func TestGroupingNothingWritesNothing(t *testing.T) {
	s := newStore(t)
	(&day{session: "s1"}).prompt("go", "p1").store(t, s)
	before, err := number(t.Context(), s.read, "PRAGMA data_version")
	if err != nil {
		t.Fatal(err)
	}
	// Somebody else is writing: what only looks does not wait for him.
	other := sqliteDB(t, s)
	mustExec(t, other, "BEGIN IMMEDIATE")
	if n, err := s.GroupEvents(t.Context(), noon, time.Hour, 60); err != nil || n != 0 {
		t.Errorf("%d batches (%v)", n, err)
	}
	mustExec(t, other, "ROLLBACK")
	if after, err := number(t.Context(), s.read, "PRAGMA data_version"); err != nil || after != before {
		t.Errorf("data version %d, before %d (%v)", after, before, err)
	}
}
