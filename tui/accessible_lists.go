package tui

import (
	"errors"
	"fmt"
	"strings"

	"cmem/memory"
)

// memories lists what the search and the filters take, newest first or by rank.
func (t *teller) memories() spokenList {
	q := parseQuery(t.typed, t.now())
	l := spokenList{title: "Memories", empty: "There are none yet. `cmem install` connects cmem to Claude Code."}
	project := t.project
	switch q.project {
	case "":
	case "all":
		project = ""
	default: // search has made sure that there is one
		if projects, err := t.cmds.allProjects(t.ctx); err == nil {
			project, _ = findProject(projects, q.project)
		}
	}
	f := q.filter(project)
	l.title += " of " + t.projectWords(project)
	if !q.isEmpty() {
		l.title, l.empty = "Found for "+t.typed+" in "+t.projectWords(project), "Nothing was found."
	}
	if q.text != "" {
		l.read = func(page int) ([]entry, bool, error) {
			items, byWords, err := t.cmds.spokenHits(t.ctx, q.text, f)
			shown, more := pageOf(items, page)
			out := t.entries(shown)
			for n := max(byWords-page*spokenPage, 0); n < len(out); n++ {
				out[n].text = "near in meaning, " + out[n].text
			}
			return out, more, err
		}
		return l
	}
	cursors := []memory.Cursor{{}}
	l.read = func(page int) ([]entry, bool, error) {
		items, more, err := t.cmds.memoryPage(t.ctx, f, cursors[page])
		if err == nil && more {
			cursors = append(cursors[:page+1], items[len(items)-1].Cursor())
		}
		return t.entries(items), more, err
	}
	return l
}

// pageOf gives a page of a list that is there as a whole.
func pageOf[T any](list []T, page int) (shown []T, more bool) {
	from := min(page*spokenPage, len(list))
	to := min(from+spokenPage, len(list))
	return list[from:to], to < len(list)
}

func (t *teller) entries(items []memory.Item) []entry {
	out := make([]entry, len(items))
	for n, i := range items {
		out[n] = entry{text: t.sentence(i), item: i, open: func() error { return t.details(i) }}
	}
	return out
}

func (t *teller) projectWords(key string) string {
	if key == "" {
		return "all projects"
	}
	return projectName(key)
}

// sessions lists sessions, newest first.
func (t *teller) sessions() spokenList {
	cursors := []memory.Cursor{{}}
	l := spokenList{title: "Sessions of " + t.projectWords(t.project), empty: "There are none yet."}
	l.read = func(page int) ([]entry, bool, error) {
		list, more, err := t.cmds.sessionPage(t.ctx, memory.Filter{Project: t.project}, cursors[page])
		if err != nil {
			return nil, false, err
		}
		out := make([]entry, len(list))
		for n, s := range list {
			title := s.Title
			if title == "" {
				title = "session " + cleanLine(s.ID[:min(len(s.ID), 8)])
			}
			parts := []string{t.when(s.CreatedAt), title, count(s.PromptCount, "prompt"), count(s.ObservationCount, "observation")}
			if t.project == "" {
				parts = append(parts, "in "+projectName(s.Project))
			}
			if s.Status == memory.SessionActive {
				parts = append(parts, "active")
			}
			id := s.ID
			out[n] = entry{text: strings.Join(parts, ", "), open: func() error { return t.search("session:" + id) }}
		}
		if more {
			last := list[len(list)-1]
			cursors = append(cursors[:page+1], memory.Cursor{EpochMS: last.CreatedAt.UnixMilli(), ID: last.RowID})
		}
		return out, more, nil
	}
	return l
}

// projects lists projects, the most recently active first.
func (t *teller) projects() spokenList {
	l := spokenList{title: "Projects", empty: "There are none yet."}
	l.read = func(page int) ([]entry, bool, error) {
		list, err := t.cmds.allProjects(t.ctx)
		shown, more := pageOf(list, page)
		out := make([]entry, len(shown))
		for n, p := range shown {
			text := fmt.Sprintf("%s, %s, %s", projectName(p.Key), count(p.Observations, "memory"), count(p.Sessions, "session"))
			if !p.LastActive.IsZero() {
				text += ", last active " + age(p.LastActive, t.now())
			}
			key := p.Key
			out[n] = entry{text: text, open: func() error {
				t.project, t.typed = key, ""
				t.begin(t.memories())
				return nil
			}}
		}
		return out, more, err
	}
	return l
}

// queue says how the worker is and what waits for it.
func (t *teller) queue() {
	s, known, err := t.cmds.workerNow(t.ctx)
	switch {
	case err != nil:
		t.say("How the worker is cannot be said: %s", cleanLine(err.Error()))
	case known:
		t.say("%s", workerSentence(s))
	}
	cursors := []int64{0}
	l := spokenList{title: "Queue", empty: "Nothing waits in the store."}
	l.read = func(page int) ([]entry, bool, error) {
		list, more, err := t.cmds.batchPage(t.ctx, cursors[page])
		if err != nil {
			return nil, false, err
		}
		out := make([]entry, len(list))
		for n, b := range list {
			text := fmt.Sprintf("%s of %s, since %s", count(b.Events, "event"), projectName(b.Project), t.when(b.CreatedAt))
			if b.Attempts > 0 {
				text += ", tried " + count(b.Attempts, "time")
			}
			problem := b.LastError
			out[n] = entry{text: text, open: func() error {
				if problem == "" {
					t.say("It has not failed yet.")
				} else {
					t.say("It failed last with: %s", problem)
				}
				return nil
			}}
		}
		if more {
			cursors = append(cursors[:page+1], list[len(list)-1].ID)
		}
		return out, more, nil
	}
	t.begin(l)
}

// workerSentence says how the worker is.
func workerSentence(s Status) string {
	out := "The worker rests."
	if s.Running {
		out = "The worker is at work."
	}
	out += " " + count(s.Waiting, "event") + " wait."
	if s.Bad > 0 {
		out += " " + count(s.Bad, "event") + " could not be read and were put aside."
	}
	if s.Paused != "" {
		out += " The provider is left alone for now: " + s.Paused + "."
	}
	if s.Problem != "" {
		out += " " + s.Problem
	}
	return out
}

// context lists what the next session of the project will be given.
func (t *teller) context() error {
	if t.project == "" {
		return errors.New("choose a project first: projects lists them")
	}
	considered, chars, most, err := t.cmds.nextContext(t.ctx, t.project)
	if err != nil {
		return err
	}
	l := spokenList{title: fmt.Sprintf("The next session of %s will be given %d of %d characters", projectName(t.project), chars, most), empty: "There is nothing to give it yet."}
	l.read = func(page int) ([]entry, bool, error) {
		shown, more := pageOf(considered, page)
		out := make([]entry, len(shown))
		for n, s := range shown {
			out[n] = entry{text: t.sentence(s.item) + ", " + s.note, item: s.item, open: func() error { return t.details(s.item) }}
		}
		return out, more, nil
	}
	t.begin(l)
	return nil
}

// details reads a memory whole.
func (t *teller) details(i memory.Item) error {
	c, err := t.cmds.whole(t.ctx, i)
	if err != nil {
		return err
	}
	t.say("%s %s, %s, %s.", kindName(i.Kind), idOf(i.Kind, i.ID), t.when(i.CreatedAt), t.projectWords(i.Project))
	switch i.Kind {
	case memory.KindPrompt:
		t.part("", c.prompt.Text)
	case memory.KindSummary:
		for _, p := range [][2]string{
			{"Asked for", c.summary.Request}, {"Looked into", c.summary.Investigated}, {"Learned", c.summary.Learned},
			{"Done", c.summary.Completed}, {"Next", c.summary.NextSteps}, {"Notes", c.summary.Notes},
		} {
			t.part(p[0], p[1])
		}
	default:
		t.observation(c.observation)
	}
	t.say("End of %s.", idOf(i.Kind, i.ID))
	return nil
}

func (t *teller) observation(o memory.Observation) {
	t.part("Type", o.Type)
	t.part("Title", o.Title)
	t.part("Subtitle", o.Subtitle)
	if o.Pinned {
		t.say("It is pinned.")
	}
	if o.Status != "" && o.Status != memory.StatusActive {
		t.part("Status", strings.Trim(string(o.Status)+", "+o.StatusReason, ", "))
	}
	if !o.ValidUntil.IsZero() {
		t.say("Valid until %s.", t.when(o.ValidUntil))
	}
	t.part("Story", o.Narrative)
	for n, f := range o.Facts {
		t.part(fmt.Sprintf("Fact %d", n+1), f)
	}
	t.part("Concepts", strings.Join(o.Concepts, ", "))
	t.part("Tags", strings.Join(o.Tags, ", "))
	t.part("Files changed", strings.Join(o.FilesModified, ", "))
	t.part("Files read", strings.Join(o.FilesRead, ", "))
	t.part("Made by", strings.Trim(o.Compressor+", "+o.Model, ", "))
	t.part("Branch", o.GitBranch)
}

// part says something under a name, if there is something.
func (t *teller) part(name, text string) {
	switch {
	case text == "":
	case name == "":
		t.say("%s", text)
	default:
		t.say("%s: %s", name, text)
	}
}
