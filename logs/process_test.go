package logs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gofrs/flock"
)

const (
	writerDir  = "CMEM_TEST_LOG_DIR"
	writerName = "CMEM_TEST_LOG_WRITER"
	crashDir   = "CMEM_TEST_CRASH_DIR"
	crashText  = "CMEM_TEST_CRASH_TEXT"

	writers    = 6
	eachWriter = 400
	rotateAt   = 64 << 10
)

// TestMain is also the processes that these tests start.
func TestMain(m *testing.M) {
	if dir := os.Getenv(writerDir); dir != "" {
		writeLines(dir, os.Getenv(writerName))
		os.Exit(0)
	}
	if dir := os.Getenv(crashDir); dir != "" {
		if err := CatchCrashes(dir); err != nil {
			panic(err)
		}
		done := make(chan struct{})
		go crashIn(os.Getenv(crashText))
		<-done
	}
	os.Exit(m.Run())
}

func writeLines(dir, name string) {
	f := &file{dir: dir, max: rotateAt}
	for i := range eachWriter {
		line := fmt.Sprintf(`{"time":"2026-11-30T12:00:00.000Z","level":"WARN","msg":"记录 %s %d","pad":"%s"}`+"\n", name, i, strings.Repeat("x", i%300))
		if _, err := f.Write([]byte(line)); err != nil {
			panic(err)
		}
	}
}

// Six processes write and rotate at once: no line is torn, the lines of each stand
// in their order, and the last line is there.
func TestProcessesThatLogAtOnceTearNoLine(t *testing.T) {
	dir := t.TempDir()
	var cmds []*exec.Cmd
	for w := range writers {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), writerDir+"="+dir, writerName+"="+strconv.Itoa(w))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	old, now := rawLines(t, filepath.Join(dir, oldName)), rawLines(t, filepath.Join(dir, fileName))
	if len(old) == 0 {
		t.Fatal("the log was not rotated: the test does not test")
	}
	next := map[string]int{}
	for _, raw := range append(old, now...) {
		if raw == "" {
			continue // who looked while another wrote believed that a line was torn
		}
		l, ok := parseLine([]byte(raw))
		var name string
		var i int
		if _, err := fmt.Sscanf(l.Message, "记录 %s %d", &name, &i); !ok || err != nil || len(l.Field("pad")) != i%300 {
			t.Fatalf("a torn line: %q", raw)
		}
		if i < next[name] {
			t.Fatalf("writer %s: line %d after line %d", name, i, next[name]-1)
		}
		next[name] = i + 1
	}
	if !slices.Contains(slices.Collect(maps.Values(next)), eachWriter) {
		t.Errorf("nobody's last line is there: %v", next)
	}
}

// Two processes that rotate at once must not throw the log away: with room for all
// lines in two files, all are there.
func TestProcessesThatRotateAtOnceLoseNoLine(t *testing.T) {
	for round := range 20 {
		dir := t.TempDir()
		// A little below the limit, so that the first lines of all rotate.
		f := &file{dir: dir, max: 1 << 20}
		full := strings.Repeat("x", int(f.max)-20) + "\n"
		if _, err := f.Write([]byte(full)); err != nil {
			t.Fatal(err)
		}
		begin, done := make(chan struct{}), make(chan error)
		for range 8 {
			go func() {
				own := &file{dir: dir, max: f.max} // as a process of its own has
				<-begin
				_, err := own.Write([]byte(`{"msg":"a line that does not fit"}` + "\n"))
				done <- err
			}()
		}
		close(begin)
		for range 8 {
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		old, now := lineCount(t, filepath.Join(dir, oldName)), lineCount(t, filepath.Join(dir, fileName))
		if old+now != 9 {
			t.Fatalf("round %d: %d lines in the old file and %d in the new, want 9 in all", round, old, now)
		}
	}
}

// Who comes late to a rotation, or while another process is at it, does nothing.
func TestARotationIsDoneOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, fileName)
	write := func(size int) {
		t.Helper()
		if err := os.WriteFile(path, bytes.Repeat([]byte("x"), size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	size := func(path string) int64 {
		t.Helper()
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return -1
		}
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	old := filepath.Join(dir, oldName)

	write(1000)
	lock := flock.New(filepath.Join(dir, lockName))
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	rotate(dir, 1000)
	if size(path) != 1000 || size(old) != -1 {
		t.Errorf("while another process is at it: %d and %d bytes", size(path), size(old))
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	rotate(dir, 1000)
	if size(path) != -1 || size(old) != 1000 {
		t.Errorf("rotated: %d and %d bytes", size(path), size(old))
	}
	write(10)
	rotate(dir, 1000)
	if size(path) != 10 || size(old) != 1000 {
		t.Errorf("rotated too late: %d and %d bytes; the one before is lost", size(path), size(old))
	}
}

// lineCount gives the number of lines of a file, however long they are.
func lineCount(t *testing.T, path string) int {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(b), "\n")
}

func TestACrashIsToldInTheRuntimesOwnWordsOnly(t *testing.T) {
	const stack = "\ngoroutine 1 [running]:\nmain.f(0x1)\n\t/src/cmem/worker/drain.go:12 +0x1\nruntime.g()\n\t/go/src/runtime/proc.go:3 +0x2\n\ngoroutine 2 [select]:\nmain.h()\n\t/src/cmem/other.go:1 +0x1\n"
	const own = "/src/cmem/worker/drain.go:12 +0x1"
	for text, want := range map[string][2]string{
		"panic: runtime error: index out of range [5] with length 3 [recovered]\n" + stack:                                    {"panic: runtime error: index out of range [5] with length 3 [recovered]", own},
		"fatal error: concurrent map writes\n" + stack:                                                                        {"fatal error: concurrent map writes", own},
		"runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow\n" + stack:                       {"fatal error: stack overflow", own},
		"SIGABRT: abort\nPC=0x1 m=0\n\ngoroutine 0 gp=0x1 [idle]:\nruntime.futex()\n\t/go/src/runtime/sys.s:1 +0x1\n" + stack: {"SIGABRT: abort", own},
		"panic: interface conversion: interface {} is string, not int\n" + stack:                                              {"panic: interface conversion: interface {} is string, not int", own},
		"panic: send on closed channel\n" + stack:                                                                             {"panic: send on closed channel", own},
		"panic: the prompt 秘密\n" + stack:                                                                                      {"panic", own},
		"panic: main.E{s:\"panic: runtime error: 秘密\"}\n" + stack:                                                             {"panic", own},
		"panic: the prompt\n\tfatal error: 秘密\n" + stack:                                                                      {"panic", own},
		"秘密": {"panic", ""},
		"":   {"panic", ""},
	} {
		if why, stack := crash([]byte(text)); why != want[0] || stack != want[1] {
			t.Errorf("%q is told as %q at %q, want %q", text, why, stack, want)
		}
	}
}

// crashIn ends the process as a fault of ours would, outside of main's goroutine.
func crashIn(text string) {
	if text != "" {
		panic(text)
	}
	crashWith(nil)
}

func TestACrashOfABackgroundProcessIsLoggedOnce(t *testing.T) {
	for text, want := range map[string]string{
		"":                "panic: assignment to entry in nil map",
		"a payload: 秘密标记": "panic",
	} {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), crashDir+"="+dir, crashText+"="+text)
		if err := cmd.Run(); err == nil {
			t.Fatal("the process did not crash")
		}
		log := New(Options{Dir: dir, By: "worker", Tell: plain})
		ReportCrashes(dir, log)
		ReportCrashes(dir, log)
		got := lines(t, dir, Query{Last: -1})
		if len(got) != 1 || got[0].Kind != Crashed || got[0].Error != want || !strings.Contains(got[0].Field("stack"), "process_test.go:") {
			t.Errorf("crash %q is told as %+v, want %q, once, with its place", text, got, want)
		}
		b, err := os.ReadFile(filepath.Join(dir, fileName))
		if err != nil || strings.Contains(string(b), "秘密标记") {
			t.Errorf("%v; the log quotes the panic: %s", err, b)
		}
		if info, err := os.Stat(filepath.Join(dir, crashName)); err != nil || info.Size() != 0 {
			t.Errorf("the crash is still kept: %d bytes, %v", info.Size(), err)
		}
	}
}

func crashWith(none map[string]int) { none["x"] = 1 }
