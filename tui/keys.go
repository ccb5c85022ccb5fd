package tui

import (
	"charm.land/bubbles/v2/key"
)

// action names what a key does. The names are words a person can read, and
// type in settings.json to give an action other keys.
type action string

const (
	actQuit     action = "quit"
	actSuspend  action = "suspend"
	actHelp     action = "help"
	actPalette  action = "palette"
	actFilter   action = "filter"
	actUnfilter action = "remove-last-filter"
	actStatuses action = "show-archived"
	actProjects action = "projects"
	actFind     action = "find-session"
	actTheme    action = "theme"
	actMouse    action = "mouse"
	actReload   action = "reload"
	actSwitch   action = "next-pane"
	actBefore   action = "previous-pane"
	actNarrower action = "list-narrower"
	actWider    action = "list-wider"

	actTimeline     action = "view-timeline"
	actSessions     action = "view-sessions"
	actSearch       action = "view-search"
	actProjectList  action = "view-projects"
	actStats        action = "view-stats"
	actQueue        action = "view-queue"
	actContext      action = "view-context"
	actWhy          action = "view-why"
	actNextView     action = "next-view"
	actPreviousView action = "previous-view"

	actDown     action = "down"
	actUp       action = "up"
	actHalfDown action = "half-page-down"
	actHalfUp   action = "half-page-up"
	actPageDown action = "page-down"
	actPageUp   action = "page-up"
	actFirst    action = "first"
	actLast     action = "last"
	actOpen     action = "open"
	actBack     action = "back"
	actNewest   action = "newest"
	actReadDown action = "details-down"
	actReadUp   action = "details-up"
	actRaw      action = "raw-events"

	actMark       action = "mark"
	actMarkRange  action = "mark-range"
	actMarkAll    action = "mark-all"
	actPin        action = "pin"
	actTag        action = "tag"
	actEdit       action = "edit"
	actEditor     action = "edit-in-editor"
	actArchive    action = "archive"
	actWrong      action = "mark-wrong"
	actSupersede  action = "supersede"
	actExpire     action = "expire"
	actMerge      action = "merge"
	actDelete     action = "delete"
	actUndo       action = "undo"
	actAdd        action = "add"
	actCopy       action = "copy"
	actCopyID     action = "copy-id"
	actExport     action = "export"
	actOpenFile   action = "open-file"
	actTranscript action = "open-transcript"
	actResume     action = "resume-session"
	actRetry      action = "retry"
	actInstall    action = "install"

	actAccept       action = "accept"
	actLeave        action = "leave"
	actSave         action = "save"
	actNextField    action = "next-field"
	actFieldBefore  action = "field-before"
	actComplete     action = "complete"
	actCompleteBack action = "complete-back"
	actYes          action = "yes"
	actNo           action = "no"
	actLeft         action = "char-left"
	actRight        action = "char-right"
	actHome         action = "line-start"
	actEnd          action = "line-end"
	actErase        action = "erase"
	actEraseNext    action = "erase-next"
	actEraseWord    action = "erase-word"
	actEraseAll     action = "erase-to-start"
)

// scope says where a binding applies.
type scope int

const (
	inPanes   scope = iota // a pane has the keys
	inFilter               // the filter line has the keys
	inHelp                 // the help is open
	inChoice               // a window with a list is open
	inTyping               // a window in which a line is typed is open
	inForm                 // a form with several fields is open
	inConfirm              // a question that is answered with yes or no
	scopes
)

// binding is one entry of the key map: the keys, what they do, where they
// apply and why they may not be of use just now. Help, hints, the palette and
// the documentation are made from it.
type binding struct {
	action action
	keys   key.Binding
	group  string // headline in the help
	help   string // what it does, for the help
	hint   string // one word for the status line; empty to keep it out
	scopes []scope
	// disabled gives the reason why the key can't be used, or "". Nil for always.
	disabled func(situation) string
}

var (
	panes   = []scope{inPanes}
	lists   = []scope{inPanes, inHelp, inChoice}
	windows = []scope{inHelp, inChoice}
	lines   = []scope{inFilter, inTyping}
	writing = []scope{inFilter, inTyping, inForm}
	inForms = []scope{inForm}
)

// defaultKeys is every binding, in the order of the help.
var defaultKeys = []binding{
	{action: actTimeline, keys: bind("1"), group: "Views", help: "timeline: all that happened, by day and session", scopes: panes},
	{action: actSessions, keys: bind("2"), group: "Views", help: "sessions, each with its story", scopes: panes},
	{action: actSearch, keys: bind("3"), group: "Views", help: "search", scopes: panes},
	{action: actProjectList, keys: bind("4"), group: "Views", help: "projects", scopes: panes},
	{action: actStats, keys: bind("5"), group: "Views", help: "statistics", scopes: panes},
	{action: actQueue, keys: bind("6"), group: "Views", help: "queue: what waits, the worker, failures", scopes: panes},
	{action: actContext, keys: bind("7"), group: "Views", help: "context: what the next session will be given", scopes: panes},
	{action: actWhy, keys: bind("8", "W"), group: "Views", help: "why: what this search did not show", scopes: panes, disabled: noSearch},
	{action: actNextView, keys: bind("]"), group: "Views", help: "next view", scopes: panes},
	{action: actPreviousView, keys: bind("["), group: "Views", help: "view before", scopes: panes},

	{action: actDown, keys: bind("j", "down"), group: "Move", help: "down", scopes: lists},
	{action: actUp, keys: bind("k", "up"), group: "Move", help: "up", scopes: lists},
	{action: actHalfDown, keys: bind("ctrl+d"), group: "Move", help: "half a page down", scopes: lists},
	{action: actHalfUp, keys: bind("ctrl+u"), group: "Move", help: "half a page up", scopes: lists},
	{action: actPageDown, keys: bind("pgdown", "ctrl+f"), group: "Move", help: "a page down", scopes: lists},
	{action: actPageUp, keys: bind("pgup", "ctrl+b"), group: "Move", help: "a page up", scopes: lists},
	{action: actFirst, keys: bind("g", "home"), group: "Move", help: "to the top: the newest", scopes: lists},
	{action: actLast, keys: bind("G", "end"), group: "Move", help: "to the end: the oldest", scopes: lists},
	{action: actNewest, keys: bind("n"), group: "Move", help: "to what is new", scopes: panes},

	{action: actOpen, keys: bind("enter", "l", "right"), group: "Read", help: "open: the details, a story, a project; in the details what is near", hint: "open", scopes: panes, disabled: nothingToOpen},
	{action: actBack, keys: bind("esc", "h", "left"), group: "Read", help: "back; then clear the marks, the filter", scopes: panes, disabled: nothingToLeave},
	{action: actReadDown, keys: bind("J", "shift+down"), group: "Read", help: "scroll the details from the list", scopes: panes, disabled: onePane},
	{action: actReadUp, keys: bind("K", "shift+up"), group: "Read", help: "scroll them back", scopes: panes, disabled: onePane},
	{action: actRaw, keys: bind("z"), group: "Read", help: "show or hide the raw events behind it; of the context, its text", scopes: panes, disabled: noEvents},
	{action: actOpenFile, keys: bind("o"), group: "Read", help: "open a file of it in the editor", scopes: panes, disabled: noSelection},
	{action: actTranscript, keys: bind("O"), group: "Read", help: "open the session's transcript in the editor", scopes: panes, disabled: noSession},
	{action: actResume, keys: bind("r"), group: "Read", help: "resume the session in its directory", scopes: panes, disabled: noSession},

	{action: actFilter, keys: bind("/"), group: "Find", help: "search and filter as you type", hint: "search", scopes: panes},
	{action: actUnfilter, keys: bind("backspace", "X"), group: "Find", help: "remove the last filter", scopes: panes, disabled: noFilter},
	{action: actStatuses, keys: bind("."), group: "Find", help: "show archived, superseded, wrong and expired ones too", scopes: panes},
	{action: actFind, keys: bind("S"), group: "Find", help: "find a session by a few letters", scopes: panes},
	{action: actProjects, keys: bind("p"), group: "Find", help: "switch project", hint: "project", scopes: panes},
	{action: actReload, keys: bind("ctrl+r", "f5"), group: "Find", help: "read everything anew", scopes: panes},

	{action: actMark, keys: bind("space"), group: "Change", help: "mark or unmark, for the actions below", scopes: panes, disabled: noSelection},
	{action: actMarkRange, keys: bind("V"), group: "Change", help: "mark from the last mark to here", scopes: panes, disabled: noRange},
	{action: actMarkAll, keys: bind("*"), group: "Change", help: "mark all that were found, or none", scopes: panes, disabled: noMany},
	{action: actPin, keys: bind("P"), group: "Change", help: "pin or unpin", scopes: panes, disabled: noObservation},
	{action: actTag, keys: bind("T"), group: "Change", help: "add and remove tags", scopes: panes, disabled: noObservation},
	{action: actEdit, keys: bind("e"), group: "Change", help: "edit", hint: "edit", scopes: panes, disabled: notOne},
	{action: actEditor, keys: bind("E"), group: "Change", help: "edit in the editor", scopes: panes, disabled: notOne},
	{action: actArchive, keys: bind("a"), group: "Change", help: "archive, or bring back", hint: "archive", scopes: panes, disabled: noObservation},
	{action: actWrong, keys: bind("w"), group: "Change", help: "mark as wrong, and say why", scopes: panes, disabled: noObservation},
	{action: actSupersede, keys: bind("s"), group: "Change", help: "mark as superseded by another", scopes: panes, disabled: noObservation},
	{action: actExpire, keys: bind("v"), group: "Change", help: "set how long it is valid", scopes: panes, disabled: noObservation},
	{action: actMerge, keys: bind("m"), group: "Change", help: "merge the marked ones into the selected", scopes: panes, disabled: notMany},
	{action: actDelete, keys: bind("d", "delete"), group: "Change", help: "delete", hint: "delete", scopes: panes, disabled: noSelection},
	{action: actUndo, keys: bind("u"), group: "Change", help: "take the last change back", scopes: panes, disabled: nothingToUndo},
	{action: actAdd, keys: bind("c", "+"), group: "Change", help: "add a memory by hand", scopes: panes},
	{action: actCopy, keys: bind("y"), group: "Change", help: "copy as Markdown", hint: "copy", scopes: panes, disabled: noSelection},
	{action: actCopyID, keys: bind("Y"), group: "Change", help: "copy the id", scopes: panes, disabled: noSelection},
	{action: actExport, keys: bind("x"), group: "Change", help: "export to a Markdown file", scopes: panes, disabled: noSelection},
	{action: actRetry, keys: bind("R"), group: "Change", help: "try what failed again, in the queue", hint: "retry", scopes: panes, disabled: notQueue},
	{action: actInstall, keys: bind("I"), group: "Change", help: "connect cmem to Claude Code", scopes: panes},

	{action: actSwitch, keys: bind("tab"), group: "Screen", help: "next pane", scopes: panes, disabled: noOtherPane},
	{action: actBefore, keys: bind("shift+tab"), group: "Screen", help: "pane before", scopes: panes, disabled: noOtherPane},
	{action: actNarrower, keys: bind("<"), group: "Screen", help: "move the border beside this pane to the left", scopes: panes, disabled: onePane},
	{action: actWider, keys: bind(">"), group: "Screen", help: "move it to the right", scopes: panes, disabled: onePane},
	{action: actTheme, keys: bind("t"), group: "Screen", help: "choose a theme", scopes: panes},
	{action: actMouse, keys: bind("M"), group: "Screen", help: "release or take the mouse, to select text", scopes: panes},
	{action: actSuspend, keys: bind("ctrl+z"), group: "Screen", help: "suspend", scopes: []scope{inPanes, inFilter, inHelp, inChoice, inTyping, inForm, inConfirm}},
	{action: actPalette, keys: bind(":", "ctrl+p"), group: "Screen", help: "every action by its name", hint: "actions", scopes: panes},
	{action: actHelp, keys: bind("?", "f1"), group: "Screen", help: "this help", hint: "help", scopes: panes},
	{action: actQuit, keys: bind("q", "ctrl+c"), group: "Screen", help: "quit", hint: "quit", scopes: panes},

	{action: actAccept, keys: bind("enter"), group: "While typing", help: "accept; in the filter line, go to what was found", hint: "accept", scopes: lines},
	{action: actLeave, keys: bind("esc"), group: "While typing", help: "leave; a filter stays", hint: "leave", scopes: lines},
	{action: actComplete, keys: bind("tab"), group: "While typing", help: "complete the word; again for the next way", hint: "complete", scopes: lines, disabled: noWords},
	{action: actCompleteBack, keys: bind("shift+tab"), group: "While typing", help: "complete it the way before", scopes: lines, disabled: noWords},
	{action: actDown, keys: bind("down", "ctrl+n"), group: "While typing", help: "next row", scopes: lines},
	{action: actUp, keys: bind("up", "ctrl+p"), group: "While typing", help: "row before", scopes: lines},
	{action: actLeft, keys: bind("left", "ctrl+b"), group: "While typing", help: "a character left", scopes: writing},
	{action: actRight, keys: bind("right", "ctrl+f"), group: "While typing", help: "a character right", scopes: writing},
	{action: actHome, keys: bind("home", "ctrl+a"), group: "While typing", help: "to its start", scopes: writing},
	{action: actEnd, keys: bind("end", "ctrl+e"), group: "While typing", help: "to its end", scopes: writing},
	{action: actErase, keys: bind("backspace", "ctrl+h"), group: "While typing", help: "erase a character", scopes: writing},
	{action: actEraseNext, keys: bind("delete", "ctrl+d"), group: "While typing", help: "erase the next one", scopes: writing},
	{action: actEraseWord, keys: bind("ctrl+w", "alt+backspace"), group: "While typing", help: "erase a word", scopes: writing},
	{action: actEraseAll, keys: bind("ctrl+u"), group: "While typing", help: "erase to the start", scopes: writing},
	{action: actResume, keys: bind("ctrl+r"), group: "While typing", help: "resume the session, in the finder", scopes: []scope{inTyping}, disabled: noFinder},
	{action: actQuit, keys: bind("ctrl+c"), group: "While typing", help: "quit", scopes: lines},

	{action: actSave, keys: bind("ctrl+s"), group: "In a form", help: "save what was typed", hint: "save", scopes: inForms},
	{action: actLeave, keys: bind("esc", "ctrl+c"), group: "In a form", help: "leave it; changes are asked about", hint: "leave", scopes: inForms},
	{action: actNextField, keys: bind("tab"), group: "In a form", help: "next field", hint: "next field", scopes: inForms},
	{action: actFieldBefore, keys: bind("shift+tab"), group: "In a form", help: "field before", scopes: inForms},
	{action: actAccept, keys: bind("enter"), group: "In a form", help: "a new line; in a field of one line, the next field", scopes: inForms},
	{action: actDown, keys: bind("down", "ctrl+n"), group: "In a form", help: "a line down", scopes: inForms},
	{action: actUp, keys: bind("up", "ctrl+p"), group: "In a form", help: "a line up", scopes: inForms},

	{action: actAccept, keys: bind("enter", "l", "right"), group: "In a window", help: "choose", hint: "choose", scopes: []scope{inChoice}},
	{action: actLeave, keys: bind("esc", "q", "h", "left"), group: "In a window", help: "close it", hint: "close", scopes: windows},
	{action: actYes, keys: bind("y"), group: "In a window", help: "yes, to a question", hint: "yes", scopes: []scope{inConfirm}},
	{action: actNo, keys: bind("n", "esc", "q"), group: "In a window", help: "no, to a question", hint: "no", scopes: []scope{inConfirm}},
	{action: actQuit, keys: bind("ctrl+c"), group: "In a window", help: "quit", scopes: []scope{inHelp, inChoice, inConfirm}},
}

// bind gives keys, as Bubble Tea names them, for a binding.
func bind(keys ...string) key.Binding { return key.NewBinding(key.WithKeys(keys...)) }

// reason gives why the binding can't be used in this situation, or "".
func (b binding) reason(s situation) string {
	if b.disabled == nil {
		return ""
	}
	return b.disabled(s)
}

// keyName gives a key as it is shown to a person.
func keyName(pressed string) string {
	if name, ok := shownKeys[pressed]; ok {
		return name
	}
	return pressed
}

var shownKeys = map[string]string{
	"down": "↓", "up": "↑", "left": "←", "right": "→",
	"shift+down": "shift+↓", "shift+up": "shift+↑",
	"pgdown": "page down", "pgup": "page up", "f1": "F1", "f5": "F5",
}
