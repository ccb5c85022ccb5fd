package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/themes"
)

// askAbove is how many memories an action that can be taken back changes
// without asking.
const askAbove = 20

// maxListed is how many examples a question lists.
const maxListed = 5

// change does an action that changes memories, and reports whether it is one.
func (m *model) change(a action) (tea.Cmd, bool) {
	switch a {
	case actMark:
		return m.toggleMark(), true
	case actMarkRange:
		return m.markRange(), true
	case actMarkAll:
		return m.markAll(), true
	case actPin:
		return m.pin(), true
	case actTag:
		return m.askTags(), true
	case actEdit:
		return m.openEdit(), true
	case actEditor:
		return m.openEditor(), true
	case actArchive:
		return m.archive(), true
	case actWrong:
		m.askWrong()
	case actSupersede:
		return m.chooseSuccessor(), true
	case actExpire:
		m.askExpiry()
	case actMerge:
		return m.askMerge(), true
	case actDelete:
		m.askDelete()
	case actUndo:
		return m.undoLast(), true
	case actAdd:
		return m.openAdd(), true
	default:
		return nil, false
	}
	return nil, true
}

// aim is what an action that only observations know acts on.
type aim struct {
	observations []memory.Item
	others       []memory.Item // prompts and summaries among the marked ones: they are left out
}

// aim sorts the targets by whether they are observations.
func (m *model) aim() aim {
	var a aim
	for _, i := range m.targets() {
		if i.Kind == memory.KindObservation {
			a.observations = append(a.observations, i)
		} else {
			a.others = append(a.others, i)
		}
	}
	return a
}

func (a aim) ids() []int64 { return idsOf(a.observations) }

func idsOf(items []memory.Item) []int64 {
	ids := make([]int64, 0, len(items))
	for _, i := range items {
		ids = append(ids, i.ID)
	}
	return ids
}

// project gives the project that all have, empty when they have several.
func (a aim) project() string {
	project := a.observations[0].Project
	for _, i := range a.observations {
		if i.Project != project {
			return ""
		}
	}
	return project
}

// step begins a change of them: did and todo are its words, both with a verb for
// a mark, as in "Archived %s", and left says what the others have not.
func (a aim) step(did, todo, left string) *change {
	name := nameOf(a.observations)
	s := &change{did: fmt.Sprintf(did, name), todo: fmt.Sprintf(todo, name), acted: keysOf(a.observations, a.others)}
	if len(a.observations) > 0 {
		s.gone = keyOf(a.observations[0])
	}
	if n := len(a.others); n > 0 {
		verb := "has"
		if n > 1 {
			verb = "have"
		}
		s.note = fmt.Sprintf("; %s %s %s", countKinds(a.others), verb, left)
	}
	return s
}

// allAre reports whether all of them are so.
func (a aim) allAre(so func(memory.Item) bool) bool {
	return !slices.ContainsFunc(a.observations, func(i memory.Item) bool { return !so(i) })
}

func keysOf(lists ...[]memory.Item) []itemKey {
	var keys []itemKey
	for _, list := range lists {
		for _, i := range list {
			keys = append(keys, keyOf(i))
		}
	}
	return keys
}

// nameOf names memories for a sentence: one by its id, several by how many of
// what they are.
func nameOf(items []memory.Item) string {
	if len(items) == 1 {
		return idOf(items[0].Kind, items[0].ID)
	}
	return countKinds(items)
}

// countKinds says how many of what they are.
func countKinds(items []memory.Item) string {
	n := map[memory.ItemKind]int{}
	for _, i := range items {
		n[i.Kind]++
	}
	var parts []string
	for _, k := range []struct {
		kind memory.ItemKind
		noun string
	}{{memory.KindObservation, "observation"}, {memory.KindSummary, "summary"}, {memory.KindPrompt, "prompt"}} {
		if n[k.kind] > 0 {
			parts = append(parts, count(n[k.kind], k.noun))
		}
	}
	return sentence(parts)
}

// sentence joins words as a sentence lists them.
func sentence(parts []string) string {
	out := ""
	for n, p := range parts {
		switch {
		case n == 0:
		case n == len(parts)-1:
			out += " and "
		default:
			out += ", "
		}
		out += p
	}
	return out
}

// commit makes a change of observations with its edit; for many it asks first.
func (m *model) commit(s *change, e memory.Edit, items []memory.Item) tea.Cmd {
	do := func(m *model) tea.Cmd {
		return m.carryOut(s, items, nameOf, func(items []memory.Item) tea.Cmd { return m.cmds.edit(s, idsOf(items), e) })
	}
	if len(items) <= askAbove {
		return do(m)
	}
	m.overlays = append(m.overlays, &question{
		title: "Change many", text: capital(s.todo) + "?", list: examples(items), yes: do,
	})
	return nil
}

// examples lists the first titles, and how many more there are.
func examples(items []memory.Item) []string {
	var out []string
	for _, i := range items[:min(len(items), maxListed)] {
		out = append(out, idOf(i.Kind, i.ID)+" "+i.Title)
	}
	if more := len(items) - maxListed; more > 0 {
		out = append(out, fmt.Sprintf("… and %s more", thousands(more)))
	}
	return out
}

func capital(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}

// pin pins, or unpins when all are pinned.
func (m *model) pin() tea.Cmd {
	a := m.aim()
	pinned := !a.allAre(func(i memory.Item) bool { return i.Pinned })
	s := a.step("Pinned %s", "pin %s", "nothing to pin")
	if !pinned {
		s = a.step("Unpinned %s", "unpin %s", "nothing to unpin")
	}
	return m.commit(s, memory.Edit{Pinned: &pinned}, a.observations)
}

// archive archives, or brings back when none is active.
func (m *model) archive() tea.Cmd {
	a := m.aim()
	status := memory.StatusArchived
	s := a.step("Archived %s", "archive %s", "nothing to archive")
	if a.allAre(func(i memory.Item) bool { return i.Status != "" && i.Status != memory.StatusActive }) {
		status = memory.StatusActive
		s = a.step("Brought %s back", "bring %s back", "nothing to bring back")
		s.shows = keyOf(a.observations[0])
	}
	return m.commit(s, memory.Edit{Status: &status}, a.observations)
}

// askMerge asks before the marked observations go into the selected one.
func (m *model) askMerge() tea.Cmd {
	keep := m.subject().item
	if keep.Kind != memory.KindObservation {
		return m.say(themes.Muted, "Select the observation that takes the marked ones in.")
	}
	a := m.aim()
	a.observations = slices.DeleteFunc(a.observations, func(i memory.Item) bool { return keyOf(i) == keyOf(keep) })
	if len(a.observations) == 0 {
		return m.say(themes.Muted, "Mark the observations that the selected one takes in.")
	}
	into := " into " + idOf(keep.Kind, keep.ID)
	s := a.step("Merged %s"+into, "merge %s"+into, "nothing to merge")
	s.acted = append(s.acted, keyOf(keep))
	s.shows = keyOf(keep)
	m.overlays = append(m.overlays, &question{
		title: "Merge",
		text: fmt.Sprintf("%s “%s”? It gains their facts, concepts, files and tags; they become superseded by it.",
			capital(s.todo), keep.Title),
		list: examples(a.observations),
		yes: func(m *model) tea.Cmd {
			return m.carryOut(s, a.observations, nameOf, func(items []memory.Item) tea.Cmd { return m.cmds.merge(s, keep.ID, idsOf(items)) })
		},
	})
	return nil
}

// askDelete asks before memories of any kind are deleted.
func (m *model) askDelete() {
	items := m.targets()
	if len(items) == 0 {
		return
	}
	name := countKinds(items)
	s := &change{did: "Deleted " + name, todo: "delete " + name, acted: keysOf(items), gone: keyOf(items[0])}
	text := "Delete " + name + "?"
	if key := m.keys.of(actUndo, inPanes); key != "" {
		text += " " + key + " takes it back, until you quit."
	}
	m.overlays = append(m.overlays, &question{
		title: "Delete", text: text, list: examples(items), danger: true,
		yes: func(m *model) tea.Cmd {
			return m.carryOut(s, items, countKinds, func(items []memory.Item) tea.Cmd { return m.cmds.remove(s, items) })
		},
	})
}
