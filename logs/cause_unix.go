//go:build unix

package logs

import "syscall"

var (
	fullErrors     = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}
	readOnlyErrors = []syscall.Errno{syscall.EROFS}
	faultErrors    = []syscall.Errno{syscall.EIO, syscall.ESTALE}
)
