package cli

import "syscall"

const fullDisk = syscall.Errno(112) // ERROR_DISK_FULL
