package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
	"cmem/store"
	"cmem/themes"
)

// field is one part of a memory in a form.
type field struct {
	name    string
	hint    string
	area    *area
	initial string // what it began with
	asText  func(o *memory.Observation) *string
	asList  func(o *memory.Observation) *[]string
}

func (f *field) changed() bool { return f.area.text() != f.initial }

// set gives the field the part of o that it is for.
func (f *field) set(o memory.Observation) {
	if f.asText != nil {
		f.initial = *f.asText(&o)
	} else {
		f.initial = strings.Join(*f.asList(&o), "\n")
	}
	f.area = newArea(f.initial, f.area.one)
	f.initial = f.area.text()
}

// put writes the field into its part of o.
func (f *field) put(o *memory.Observation) {
	if f.asText != nil {
		*f.asText(o) = strings.TrimRight(f.area.text(), " \n")
	} else {
		*f.asList(o) = f.area.list()
	}
}

// newFields gives the fields that a memory is typed in.
func newFields() []*field {
	text := func(name, hint string, one bool, of func(o *memory.Observation) *string) *field {
		return &field{name: name, hint: hint, area: newArea("", one), asText: of}
	}
	list := func(name, hint string, of func(o *memory.Observation) *[]string) *field {
		return &field{name: name, hint: hint, area: newArea("", false), asList: of}
	}
	return []*field{
		text("type", strings.Join(memory.ObservationTypes(), ", ")+", or a word of your own", true,
			func(o *memory.Observation) *string { return &o.Type }),
		text("title", "what is to be remembered, in one line", true, func(o *memory.Observation) *string { return &o.Title }),
		text("subtitle", "what to know at a glance besides", true, func(o *memory.Observation) *string { return &o.Subtitle }),
		text("narrative", "what happened and why; as many lines as you like", false,
			func(o *memory.Observation) *string { return &o.Narrative }),
		list("facts", "one a line", func(o *memory.Observation) *[]string { return &o.Facts }),
		list("concepts", "one a line", func(o *memory.Observation) *[]string { return &o.Concepts }),
		list("tags", "one a line", func(o *memory.Observation) *[]string { return &o.Tags }),
		list("changed", "files that were changed, one a line", func(o *memory.Observation) *[]string { return &o.FilesModified }),
		list("read", "files that were read, one a line", func(o *memory.Observation) *[]string { return &o.FilesRead }),
	}
}

// form is a window in which a memory is typed: one that there is, or a new one.
type form struct {
	title   string
	fields  []*field
	at      int                // the field with the cursor
	before  memory.Observation // as it was; its id is 0 for a new one
	loading bool               // what it edits is still being read
	saving  bool               // the store has not answered yet
	wrong   string             // why it could not be saved
	over    bool               // what others changed meanwhile is replaced: the person knows
	top     int                // first row in sight
	places  []place            // of the last drawing, for the mouse
}

// place says which row of which field a line of the form shows.
type place struct{ field, row int }

func (f *form) scope() scope { return inForm }

// openEdit edits the selected observation in a form.
func (m *model) openEdit() tea.Cmd {
	item, cmd, ok := m.oneToEdit()
	if !ok {
		return cmd
	}
	f := &form{title: "Edit " + idOf(item.Kind, item.ID), fields: newFields(), at: 1, loading: true}
	m.overlays = append(m.overlays, f)
	return m.cmds.readForForm(f, item.ID)
}

// oneToEdit gives the observation that is to be edited, or says why none can be.
func (m *model) oneToEdit() (memory.Item, tea.Cmd, bool) {
	a := m.aim()
	if len(a.observations) == 1 {
		return a.observations[0], nil, true
	}
	return memory.Item{}, m.say(themes.Muted,
		fmt.Sprintf("%s are marked, and they are edited one at a time: %s clears the marks.",
			capital(nameOf(a.observations)), m.keys.of(actBack, inPanes))), false
}

// openAdd writes a new memory in a form.
func (m *model) openAdd() tea.Cmd {
	filter, _ := m.filter()
	project := filter.Project
	if project == "" {
		project = m.subject().project
	}
	if project == "" {
		return m.say(themes.Muted, fmt.Sprintf("Choose the project that it is for first: %s.", m.keys.of(actProjects, inPanes)))
	}
	f := &form{title: "New memory · " + m.projectLabel(project), fields: newFields(), at: 1}
	f.fill(memory.Observation{Project: project, Type: memory.TypeDecision})
	m.overlays = append(m.overlays, f)
	return nil
}

func (f *form) fill(o memory.Observation) {
	f.before, f.loading = o, false
	for _, field := range f.fields {
		field.set(o)
	}
}

// formArrived brings what the form edits.
func (m *model) formArrived(msg formMsg) tea.Cmd {
	if msg.err != nil {
		m.remove(msg.form)
		return m.notRead("It could not be read for editing", msg.id, msg.err)
	}
	msg.form.fill(msg.observation)
	return nil
}

// notRead says why an observation cannot be edited. One that is gone is marked no longer.
func (m *model) notRead(what string, id int64, err error) tea.Cmd {
	switch {
	case isCancelled(err):
		return nil
	case errors.Is(err, store.ErrNotFound):
		_, said := m.forget([]memory.Ref{{Kind: memory.KindObservation, ID: id}})
		return m.report(themes.Bad, what+": "+said)
	}
	return m.report(themes.Bad, what+": "+cleanLine(err.Error()))
}

func (f *form) typed(_ *model, text string) tea.Cmd { //nolint:unparam // a method of typing, of which that of choice gives a command
	if !f.loading && !f.saving {
		f.fields[f.at].area.insert(text)
		f.wrong = ""
	}
	return nil
}

func (f *form) act(m *model, a action) tea.Cmd {
	if f.loading || f.saving {
		return nil
	}
	field := f.fields[f.at]
	switch a {
	case actSave:
		return f.save(m)
	case actNextField:
		f.step(1)
	case actFieldBefore:
		f.step(-1)
	case actAccept:
		if field.area.one {
			f.step(1)
			return nil
		}
		field.area.goal = -1
		field.area.split()
		f.wrong = ""
	default:
		if !field.area.edit(m.cells, a) {
			switch {
			case a == actDown && f.at+1 < len(f.fields):
				f.step(1)
			case a == actUp && f.at > 0:
				f.step(-1)
			}
			return nil
		}
		f.wrong = ""
	}
	return nil
}

// step goes to another field, round about.
func (f *form) step(n int) {
	f.at = (f.at + n + len(f.fields)) % len(f.fields)
}

func (f *form) dirty() bool {
	return !f.loading && slices.ContainsFunc(f.fields, (*field).changed)
}

// left asks before what was typed gets lost: the form comes back below the question.
func (f *form) left(m *model) {
	if !f.dirty() || f.saving {
		return
	}
	m.overlays = append(m.overlays, f, &question{
		title: "Discard", text: "Discard what you typed?", danger: true,
		yes: func(m *model) tea.Cmd {
			m.remove(f)
			return m.say(themes.Muted, "Discarded; nothing was changed.")
		},
	})
}

// save gives the store what was typed. The form stays until it has it.
func (f *form) save(m *model) tea.Cmd {
	if !f.dirty() {
		m.remove(f)
		return m.say(themes.Muted, "Nothing was changed.")
	}
	o := f.before
	for _, field := range f.fields {
		if field.changed() {
			field.put(&o)
		}
	}
	o.Type, o.Title = strings.TrimSpace(o.Type), strings.TrimSpace(o.Title)
	for n, field := range f.fields {
		if (field.name == "title" && o.Title == "") || (field.name == "type" && o.Type == "") {
			f.at, f.wrong = n, "a memory needs a "+field.name
			return nil
		}
	}
	f.saving = true
	if f.before.ID == 0 {
		s := &change{todo: "add a memory", form: f}
		m.push(s)
		return m.begin(s, false, m.cmds.create(s, o))
	}
	e, what := difference(f.before, o)
	if !f.over {
		e.Since = &f.before.EditedAt
	}
	name := idOf(memory.KindObservation, o.ID)
	s := &change{did: "Changed " + what + " of " + name, todo: "change " + name, form: f}
	s.gone = itemKey{memory.KindObservation, o.ID}
	m.push(s)
	return m.begin(s, false, m.cmds.edit(s, []int64{o.ID}, e))
}

// failed says why the store did not take it.
func (f *form) failed(err error) {
	f.saving = false
	f.wrong = cleanLine(err.Error())
	if errors.Is(err, store.ErrChanged) {
		f.over = true
		f.wrong = "somebody else changed it meanwhile; saving again replaces that"
	}
}

// difference gives the edit that makes one observation of another, and the names
// of the fields that it changes.
func difference(before, after memory.Observation) (e memory.Edit, what string) {
	var names []string
	text := func(name string, into **string, was, is string) {
		if was != is {
			*into = &is
			names = append(names, name)
		}
	}
	list := func(name string, into **[]string, was, is []string) {
		if !slices.Equal(was, is) {
			*into = &is
			names = append(names, name)
		}
	}
	text("type", &e.Type, before.Type, after.Type)
	text("title", &e.Title, before.Title, after.Title)
	text("subtitle", &e.Subtitle, before.Subtitle, after.Subtitle)
	text("narrative", &e.Narrative, before.Narrative, after.Narrative)
	list("facts", &e.Facts, before.Facts, after.Facts)
	list("concepts", &e.Concepts, before.Concepts, after.Concepts)
	list("files", &e.FilesModified, before.FilesModified, after.FilesModified)
	list("files read", &e.FilesRead, before.FilesRead, after.FilesRead)
	lacks := func(list []string) func(string) bool {
		return func(s string) bool { return !slices.Contains(list, s) }
	}
	e.AddTags = only(after.Tags, lacks(before.Tags))
	e.RemoveTags = only(before.Tags, lacks(after.Tags))
	if len(e.AddTags)+len(e.RemoveTags) > 0 {
		names = append(names, "tags")
	}
	return e, sentence(names)
}

func only(list []string, keep func(string) bool) []string {
	var out []string
	for _, s := range list {
		if keep(s) {
			out = append(out, s)
		}
	}
	return out
}
