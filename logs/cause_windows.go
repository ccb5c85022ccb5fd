package logs

import "syscall"

// The numbers are those of winerror.h; package syscall names few of them.
var (
	fullErrors     = []syscall.Errno{39, 112}  // ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL
	readOnlyErrors = []syscall.Errno{19}       // ERROR_WRITE_PROTECT
	faultErrors    = []syscall.Errno{23, 1117} // ERROR_CRC, ERROR_IO_DEVICE
)
