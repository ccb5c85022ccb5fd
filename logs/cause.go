package logs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// CauseOf gives the cause of an error of the operating system, "" for any other.
func CauseOf(err error) Cause {
	switch {
	case err == nil:
		return ""
	case isAny(err, fullErrors):
		return DiskFull
	case isAny(err, readOnlyErrors):
		return ReadOnlyDisk
	case isAny(err, faultErrors):
		return DiskFault
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return TooManyFiles
	case errors.Is(err, fs.ErrPermission):
		return NoPermission
	case errors.Is(err, fs.ErrNotExist):
		return Gone
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return Deadline
	}
	return ""
}

func isAny(err error, of []syscall.Errno) bool {
	for _, e := range of {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
