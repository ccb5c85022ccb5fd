package tui

import (
	"cmem/memory"
	"cmem/themes"
)

// themesMsg brings the themes there are, with the person's own ones.
type themesMsg struct {
	set      themes.Set
	problems []string
	version  string
}

// aroundMsg brings the rows around one, for a list that opens there.
type aroundMsg struct {
	list         int
	key          itemKey
	items        []memory.Item // newest first
	atTop, atEnd bool
	newest       memory.Cursor // of the whole list
	err          error
}

// stateDueMsg says that the state may be remembered again.
type stateDueMsg struct{}

// stateSavedMsg says how remembering the state went.
type stateSavedMsg struct {
	state []byte
	err   error
}

// setupMsg brings what the machine has, for the first run.
type setupMsg struct {
	setup Setup
	err   error
}

// importedMsg says that an import has ended.
type importedMsg struct {
	command string
	err     error
}
