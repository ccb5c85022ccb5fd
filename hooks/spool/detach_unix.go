//go:build unix

package spool

import "syscall"

// detached gives a child its own session: it outlives the hook and the host,
// and no signal to their terminal or process group reaches it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// maxInherited bounds the files of the host that are looked at.
const maxInherited = 256

// keepFiles has no child of this process inherit what the host left open: whoever
// waits for the end of a pipe of the host's would wait for the worker.
func keepFiles() {
	for fd := 3; fd < maxInherited; fd++ {
		syscall.CloseOnExec(fd)
	}
}
