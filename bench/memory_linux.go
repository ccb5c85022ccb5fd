package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// memoryOf gives the memory that a running process holds now and the most that
// it has held, in bytes. The usage that the system tells about an ended child
// would be no use: there its peak is at least that of the parent.
func memoryOf(pid int) (now, peak int64, err error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.SplitSeq(string(raw), "\n") {
		name, value, _ := strings.Cut(line, ":")
		kilobytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(value, "kB")), 10, 64)
		if err != nil {
			continue
		}
		switch name {
		case "VmRSS":
			now = kilobytes * 1024
		case "VmHWM":
			peak = kilobytes * 1024
		}
	}
	return now, peak, nil
}
