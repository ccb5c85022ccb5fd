//go:build !windows

package tui

import "testing"

// An editor or an assistant has the terminal for itself, and the browser has it
// again afterwards.
func TestAGuestHasTheTerminalForAWhile(t *testing.T) {
	tm := start(t, "guest", 100, 30, false)
	tm.see("Timeline")
	tm.typed("r")
	tm.see("The guest is here. 客人")
	tm.typed("0\r")
	tm.see("Timeline", "Make the payment client survive timeouts")
	tm.typed("r")
	tm.see("The guest is here. 客人")
	tm.typed("3\r")
	tm.see("Timeline", "it ended with an error: exit status 3")
	tm.typed("q")
	tm.ends(0)
}
