//go:build unix

package cli

import "syscall"

const fullDisk = syscall.ENOSPC
