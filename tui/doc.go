// Package tui is the memory browser: a timeline of what an assistant
// remembers beside the details of the selected memory.
//
// One Bubble Tea model (model.go) owns layout, focus and the overlays. Panes
// are plain structs with methods; drawing is done by pure functions that make
// lines of spans; a span has text and a role, and what a role looks like is
// known to package themes alone. Every key is data (keys.go), every message
// is named in messages.go.
//
// Update does no I/O. What reaches the store stands in commands.go and nowhere
// else, and all text is made harmless there, at the door. SQL, colours and
// the host's formats must never be in this package.
package tui
