//go:build unix

package spool

import "syscall"

// detached gives a child its own session: it outlives the hook and the host,
// and no signal to their terminal or process group reaches it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
