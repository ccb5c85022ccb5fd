package tui

import (
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
)

// action names what a key does. The names are words a person can read.
type action string

const (
	actQuit      action = "quit"
	actSuspend   action = "suspend"
	actHelp      action = "help"
	actFilter    action = "filter"
	actProjects  action = "projects"
	actTheme     action = "theme"
	actMouse     action = "mouse"
	actReload    action = "reload"
	actSwitch    action = "switch-pane"
	actNarrower  action = "list-narrower"
	actWider     action = "list-wider"
	actDown      action = "down"
	actUp        action = "up"
	actHalfDown  action = "half-page-down"
	actHalfUp    action = "half-page-up"
	actPageDown  action = "page-down"
	actPageUp    action = "page-up"
	actFirst     action = "first"
	actLast      action = "last"
	actOpen      action = "open"
	actBack      action = "back"
	actNewest    action = "newest"
	actReadDown  action = "details-down"
	actReadUp    action = "details-up"
	actCopy      action = "copy"
	actCopyID    action = "copy-id"
	actAccept    action = "accept"
	actLeave     action = "leave"
	actLeft      action = "char-left"
	actRight     action = "char-right"
	actHome      action = "line-start"
	actEnd       action = "line-end"
	actErase     action = "erase"
	actEraseNext action = "erase-next"
	actEraseWord action = "erase-word"
	actEraseAll  action = "erase-to-start"
)

// scope says where a binding applies.
type scope int

const (
	inPanes    scope = iota // list or details have the keys
	inFilter                // the filter line has the keys
	inHelp                  // the help is open
	inProjects              // the list of projects is open
)

// situation is what decides whether a binding can be used just now.
type situation struct {
	two      bool // list and details stand side by side
	selected bool // there is a selected memory
	filtered bool // a filter or search is on
	focus    pane
}

// binding is one entry of the key map: the keys, what they do, where they
// apply and why they may not be of use just now. Help, hints and documentation
// are made from it.
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

func noSelection(s situation) string {
	if !s.selected {
		return "nothing is selected"
	}
	return ""
}

func onePane(s situation) string {
	if !s.two {
		return "there is one pane only"
	}
	return ""
}

func nothingToLeave(s situation) string {
	if s.focus == listPane && !s.filtered {
		return "nothing to go back from"
	}
	return ""
}

var (
	panes    = []scope{inPanes}
	lists    = []scope{inPanes, inHelp, inProjects}
	overlays = []scope{inHelp, inProjects}
)

// keyMap is every binding, in the order of the help.
var keyMap = []binding{
	{action: actDown, keys: bind("j", "down"), group: "Move", help: "down, in the list or the details", scopes: lists},
	{action: actUp, keys: bind("k", "up"), group: "Move", help: "up", scopes: lists},
	{action: actHalfDown, keys: bind("ctrl+d"), group: "Move", help: "half a page down", scopes: lists},
	{action: actHalfUp, keys: bind("ctrl+u"), group: "Move", help: "half a page up", scopes: lists},
	{action: actPageDown, keys: bind("pgdown", "ctrl+f", "space"), group: "Move", help: "a page down", scopes: lists},
	{action: actPageUp, keys: bind("pgup", "ctrl+b"), group: "Move", help: "a page up", scopes: lists},
	{action: actFirst, keys: bind("g", "home"), group: "Move", help: "to the top: the newest", scopes: lists},
	{action: actLast, keys: bind("G", "end"), group: "Move", help: "to the end: the oldest", scopes: lists},
	{action: actNewest, keys: bind("n"), group: "Move", help: "to what is new", scopes: panes},

	{action: actOpen, keys: bind("enter", "l", "right"), group: "Read", help: "read the details", hint: "read", scopes: panes, disabled: noSelection},
	{action: actBack, keys: bind("esc", "h", "left"), group: "Read", help: "back; in the list, clear the filter", scopes: panes, disabled: nothingToLeave},
	{action: actReadDown, keys: bind("J", "shift+down"), group: "Read", help: "scroll the details from the list", scopes: panes, disabled: onePane},
	{action: actReadUp, keys: bind("K", "shift+up"), group: "Read", help: "scroll them back", scopes: panes, disabled: onePane},
	{action: actCopy, keys: bind("y"), group: "Read", help: "copy as Markdown", hint: "copy", scopes: panes, disabled: noSelection},
	{action: actCopyID, keys: bind("Y"), group: "Read", help: "copy the id", scopes: panes, disabled: noSelection},

	{action: actFilter, keys: bind("/"), group: "Find", help: "search and filter as you type", hint: "search", scopes: panes},
	{action: actProjects, keys: bind("p"), group: "Find", help: "switch project", hint: "project", scopes: panes},
	{action: actReload, keys: bind("ctrl+r", "f5"), group: "Find", help: "read everything anew", scopes: panes},

	{action: actSwitch, keys: bind("tab", "shift+tab"), group: "Screen", help: "other pane", scopes: panes},
	{action: actNarrower, keys: bind("<"), group: "Screen", help: "list narrower", scopes: panes, disabled: onePane},
	{action: actWider, keys: bind(">"), group: "Screen", help: "list wider", scopes: panes, disabled: onePane},
	{action: actTheme, keys: bind("t"), group: "Screen", help: "theme: system, light, dark", hint: "theme", scopes: panes},
	{action: actMouse, keys: bind("M"), group: "Screen", help: "release or take the mouse, to select text", scopes: panes},
	{action: actSuspend, keys: bind("ctrl+z"), group: "Screen", help: "suspend", scopes: []scope{inPanes, inFilter, inHelp, inProjects}},
	{action: actHelp, keys: bind("?", "f1"), group: "Screen", help: "this help", hint: "help", scopes: panes},
	{action: actQuit, keys: bind("q", "ctrl+c"), group: "Screen", help: "quit", hint: "quit", scopes: panes},

	{action: actAccept, keys: bind("enter"), group: "In the filter line", help: "go to what was found", hint: "to the list", scopes: []scope{inFilter}},
	{action: actLeave, keys: bind("esc", "tab"), group: "In the filter line", help: "leave it, the filter stays", hint: "leave", scopes: []scope{inFilter}},
	{action: actDown, keys: bind("down", "ctrl+n"), group: "In the filter line", help: "next row of the list", scopes: []scope{inFilter}},
	{action: actUp, keys: bind("up", "ctrl+p"), group: "In the filter line", help: "row before", scopes: []scope{inFilter}},
	{action: actLeft, keys: bind("left", "ctrl+b"), group: "In the filter line", help: "a character left", scopes: []scope{inFilter}},
	{action: actRight, keys: bind("right", "ctrl+f"), group: "In the filter line", help: "a character right", scopes: []scope{inFilter}},
	{action: actHome, keys: bind("home", "ctrl+a"), group: "In the filter line", help: "to its start", scopes: []scope{inFilter}},
	{action: actEnd, keys: bind("end", "ctrl+e"), group: "In the filter line", help: "to its end", scopes: []scope{inFilter}},
	{action: actErase, keys: bind("backspace", "ctrl+h"), group: "In the filter line", help: "erase a character", scopes: []scope{inFilter}},
	{action: actEraseNext, keys: bind("delete", "ctrl+d"), group: "In the filter line", help: "erase the next one", scopes: []scope{inFilter}},
	{action: actEraseWord, keys: bind("ctrl+w", "alt+backspace"), group: "In the filter line", help: "erase a word", scopes: []scope{inFilter}},
	{action: actEraseAll, keys: bind("ctrl+u"), group: "In the filter line", help: "erase to the start", hint: "clear", scopes: []scope{inFilter}},
	{action: actQuit, keys: bind("ctrl+c"), group: "In the filter line", help: "quit", scopes: []scope{inFilter}},

	{action: actAccept, keys: bind("enter", "l", "right"), group: "In the list of projects", help: "show this project", hint: "show", scopes: []scope{inProjects}},
	{action: actLeave, keys: bind("esc", "q", "?", "p", "h", "left"), group: "In a window", help: "close it", hint: "close", scopes: overlays},
	{action: actQuit, keys: bind("ctrl+c"), group: "In a window", help: "quit", scopes: overlays},
}

// bind gives keys, as Bubble Tea names them, for a binding.
func bind(keys ...string) key.Binding { return key.NewBinding(key.WithKeys(keys...)) }

// lookup finds the binding of a key in a scope.
func lookup(pressed fmt.Stringer, in scope) (binding, bool) {
	for _, b := range keyMap {
		if slices.Contains(b.scopes, in) && key.Matches(pressed, b.keys) {
			return b, true
		}
	}
	return binding{}, false
}

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
