package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// activityOf gives the time that all threads of a running process have been on
// a CPU, to the nanosecond, and how often they waited for something: after
// each wait the process is woken.
func activityOf(pid int) (cpu time.Duration, waits int, err error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err == nil && len(threads) == 0 {
		err = fmt.Errorf("process %d: %w", pid, os.ErrProcessDone)
	}
	if err != nil {
		return 0, 0, err
	}
	for _, thread := range threads {
		raw, err := os.ReadFile(filepath.Join(thread, "schedstat"))
		if err != nil {
			continue // the thread has ended
		}
		if fields := strings.Fields(string(raw)); len(fields) > 0 {
			n, err := strconv.ParseInt(fields[0], 10, 64)
			if err != nil {
				return 0, 0, fmt.Errorf("read %s: %w", thread, err)
			}
			cpu += time.Duration(n)
		}
		if raw, err = os.ReadFile(filepath.Join(thread, "status")); err != nil {
			continue
		}
		if _, rest, ok := strings.Cut(string(raw), "\nvoluntary_ctxt_switches:"); ok {
			line, _, _ := strings.Cut(rest, "\n")
			n, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				return 0, 0, fmt.Errorf("read %s: %w", thread, err)
			}
			waits += n
		}
	}
	return cpu, waits, nil
}
