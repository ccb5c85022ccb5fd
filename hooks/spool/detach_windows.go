package spool

import "syscall"

// Process creation flags of the Windows API that package syscall does not name.
const (
	detachedProcess = 0x00000008 // no console
	createNoWindow  = 0x08000000
)

// detached gives a child no console, no window and a process group of its own.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess | createNoWindow,
	}
}

// keepFiles has nothing to do: a child inherits only the handles that it is given.
func keepFiles() {}
