package tui

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"cmem/memory"
)

// spokenHelp is what can be typed.
var spokenHelp = []string{
	"a number: read that entry whole, or open it",
	"n: next page",
	"p: page before",
	"/ and words: search and filter, for example: / retry type:bugfix after:7d",
	"/ alone: end the search",
	"timeline: all memories, the newest first",
	"sessions: sessions; a number shows what happened in one",
	"projects: projects; a number shows that one's memories",
	"all: the memories of all projects",
	"queue: what waits for the worker",
	"context: what the next session of this project will be given",
	"pin and a number: pin or unpin",
	"archive and a number: archive, or bring back",
	"delete and a number: delete, after a question",
	"undo: take the last change back",
	"help: this",
	"quit: leave",
}

// answer does what a line says and reports whether it was quit.
func (t *teller) answer(line string) (quit bool, err error) {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	if search, is := strings.CutPrefix(line, "/"); is {
		return false, t.search(strings.TrimSpace(search))
	}
	switch word = strings.ToLower(word); word {
	case "":
		t.say("Type a number, n for the next page, or help.")
	case "h", "help", "?":
		t.say("You can type:")
		for _, l := range spokenHelp {
			t.say("%s", l)
		}
	case "q", "quit", "exit":
		return true, nil
	case "n", "next":
		if !t.more {
			return false, errors.New("there is no next page")
		}
		t.read(t.page + 1)
	case "p", "previous":
		if t.page == 0 {
			return false, errors.New("this is the first page")
		}
		t.read(t.page - 1)
	case "search":
		return false, t.search(rest)
	case "timeline", "t":
		t.typed = ""
		t.begin(t.memories())
	case "all":
		t.project = ""
		t.begin(t.memories())
	case "sessions":
		t.begin(t.sessions())
	case "projects":
		t.begin(t.projects())
	case "queue":
		t.queue()
	case "context":
		return false, t.context()
	case "views":
		t.say("There are timeline, sessions, projects, queue and context.")
	case "pin":
		return false, t.change(rest, "pin")
	case "archive":
		return false, t.change(rest, "archive")
	case "delete":
		return false, t.delete(rest)
	case "undo", "u":
		return false, t.takeBack()
	default:
		if _, err := strconv.Atoi(strings.TrimSuffix(word, ".")); err != nil {
			return false, fmt.Errorf("%q is nothing that can be typed here; help tells what is", word)
		}
		e, err := t.numbered(word)
		if err != nil {
			return false, err
		}
		return false, e.open()
	}
	return false, nil
}

// search shows what the words and filters find; without any, everything.
func (t *teller) search(typed string) error {
	q := parseQuery(typed, t.now())
	if why := q.wrong(); why != "" {
		return errors.New(why)
	}
	if q.project != "" && q.project != "all" {
		projects, err := t.cmds.allProjects(t.ctx)
		if err != nil {
			return err
		}
		if _, found := findProject(projects, q.project); !found {
			return fmt.Errorf("no project is called %s", q.project)
		}
	}
	t.typed = typed
	t.begin(t.memories())
	return nil
}

// change pins or unpins, archives or brings back.
func (t *teller) change(number, what string) error {
	e, err := t.numbered(number)
	if err != nil {
		return err
	}
	if e.item.Kind != memory.KindObservation {
		return errors.New("only observations can be changed so")
	}
	now, err := t.cmds.whole(t.ctx, e.item)
	if err != nil {
		return err
	}
	o := now.observation
	var edit memory.Edit
	var did string
	switch {
	case what == "pin":
		pinned := !o.Pinned
		edit.Pinned, did = &pinned, "Pinned"
		if !pinned {
			did = "Unpinned"
		}
	case o.Status == memory.StatusActive:
		status := memory.StatusArchived
		edit.Status, did = &status, "Archived"
	default:
		status := memory.StatusActive
		edit.Status, did = &status, "Brought back"
	}
	before, err := t.cmds.changeNow(t.ctx, o.ID, edit)
	if err != nil {
		return err
	}
	t.did(did+" "+idOf(memory.KindObservation, o.ID)+", "+o.Title, before)
	return nil
}

// delete deletes after a question that names what would be lost.
func (t *teller) delete(number string) error {
	e, err := t.numbered(number)
	if err != nil {
		return err
	}
	if e.item.Kind == "" {
		return errors.New("only memories can be deleted")
	}
	name := strings.ToLower(kindName(e.item.Kind)) + " " + idOf(e.item.Kind, e.item.ID) + ", " + e.item.Title
	sure, _, err := t.ask("Delete the " + name + "? Type yes to delete it: ")
	if err != nil {
		return err
	}
	if !strings.EqualFold(sure, "yes") {
		t.say("Nothing was deleted.")
		return nil
	}
	before, err := t.cmds.deleteNow(t.ctx, e.item)
	if err != nil {
		return err
	}
	t.did("Deleted the "+name, before)
	return nil
}

// did says what was done and reads the page again, which may be another one now.
func (t *teller) did(what string, before memory.Snapshot) {
	if t.undo = append(t.undo, spokenChange{what, before}); len(t.undo) > maxUndo {
		t.undo = t.undo[1:]
	}
	t.say("%s. Type undo to take it back.", what)
	t.read(t.page)
}

func (t *teller) takeBack() error {
	if len(t.undo) == 0 {
		return errors.New("there is nothing to take back")
	}
	last := t.undo[len(t.undo)-1]
	if err := t.cmds.restoreNow(t.ctx, last.before); err != nil {
		return err
	}
	t.undo = t.undo[:len(t.undo)-1]
	t.say("Taken back: %s.", last.did)
	t.read(t.page)
	return nil
}
