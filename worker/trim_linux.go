package worker

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// span is a part of the address space.
type span struct{ start, size uintptr }

// programPages finds where the program's own file is mapped, parts that were written
// to excepted.
var programPages = sync.OnceValue(func() []span {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return nil
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // opened for reading
	return spansOf(bufio.NewScanner(f), filepath.Clean(exe))
})

// spansOf reads from the kernel's table of mappings those of the file at path that
// cannot be written to and of which no page was ever changed.
func spansOf(table *bufio.Scanner, path string) []span {
	var found []span
	var now span
	for table.Scan() {
		fields := strings.Fields(table.Text())
		if len(fields) >= 6 && strings.Join(fields[5:], " ") == path && strings.Contains(fields[0], "-") {
			now = span{}
			from, to, _ := strings.Cut(fields[0], "-")
			start, err1 := strconv.ParseUint(from, 16, 64)
			end, err2 := strconv.ParseUint(to, 16, 64)
			if err1 == nil && err2 == nil && strings.HasPrefix(fields[1], "r-") {
				now = span{uintptr(start), uintptr(end - start)}
			}
			continue
		}
		if len(fields) >= 5 && strings.Contains(fields[0], "-") {
			now = span{} // another file's, or nobody's
		}
		if len(fields) == 3 && fields[0] == "Anonymous:" && fields[1] == "0" && now.size > 0 {
			found = append(found, now)
			now = span{}
		}
	}
	return found
}

// trim gives the pages of the program's file back that are mapped into this process.
// Most of them were only needed at the start, and the kernel maps more than it is
// asked for. What is needed again is found in the system's cache of the file.
func trim() {
	for _, s := range programPages() {
		// An error means that they stay, which is no harm.
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, s.start, s.size, syscall.MADV_DONTNEED)
	}
}
