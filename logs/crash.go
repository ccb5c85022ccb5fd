package logs

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/gofrs/flock"
)

const (
	crashName = "crash.txt"
	maxCrash  = 64 << 10 // of its text is read
	maxPlaces = 12       // of its stack are logged
)

// ownWords begin what the runtime says in its own words.
var ownWords = []string{
	"fatal error: ", "SIG", "unexpected fault address", "panic: runtime error: ", "panic: interface conversion: ",
	"panic: assignment to entry in nil map", "panic: close of ", "panic: send on closed channel",
}

// CatchCrashes has the runtime write what kills this process, a panic or a fatal
// error, to a file in dir as well: a process without a terminal dies unseen
// otherwise. ReportCrashes logs it later.
func CatchCrashes(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, crashName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = debug.SetCrashOutput(f, debug.CrashOptions{})
	if cerr := f.Close(); err == nil { // the runtime has a handle of its own
		err = cerr
	}
	return err
}

// ReportCrashes logs the crash that CatchCrashes has caught in dir since the last
// call, and forgets it. Where there is none it costs one look at the file system.
func ReportCrashes(dir string, log *slog.Logger) {
	path := filepath.Join(dir, crashName)
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return
	}
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	if locked, err := lock.TryLock(); err != nil || !locked {
		return // the next one reports it
	}
	defer lock.Close() //nolint:errcheck // the lock goes with the process at the latest
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close() //nolint:errcheck // what matters is that it was emptied
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return // another process was faster
	}
	text := make([]byte, min(info.Size(), maxCrash))
	if _, err := f.ReadAt(text, 0); err != nil {
		return
	}
	// A process that runs holds the file open, so it is emptied and not removed.
	if err := f.Truncate(0); err != nil {
		return // rather later than again and again
	}
	why, stack := crash(text)
	log.Error("a process of cmem crashed", KindKey, Crashed, ErrorKey, why, "at", info.ModTime().UTC().Format(timeLayout), "stack", stack)
}

// crash gives what the runtime wrote about a crash: why it happened, and the
// first places of the stack. The words of a panic that is not the runtime's own
// may quote anything, and are left out.
func crash(text []byte) (why, stack string) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n") // further lines of a panic's words are indented
		for _, own := range ownWords {
			if strings.HasPrefix(line, own) {
				return line, shortStack(text)
			}
		}
		if strings.HasPrefix(line, "goroutine ") {
			break
		}
	}
	return "panic", shortStack(text)
}

// shortStack gives the first places of the first stack in text that has any, from
// the place of the panic on: a file and a line each, none of the runtime's own.
func shortStack(text []byte) string {
	var places []string
	inStack := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "goroutine ") && strings.HasSuffix(line, ":"):
			inStack = true
		case !inStack:
		case line == "" && len(places) == 0:
			inStack = false // a stack of the runtime's alone
		case line == "" || len(places) == maxPlaces:
			return strings.Join(places, "\n")
		case strings.HasPrefix(line, "panic("):
			places = places[:0] // what stands above it recovered
		case strings.HasPrefix(line, "\t") && !strings.Contains(line, "/src/runtime/") && !strings.HasPrefix(line, "\truntime/"):
			places = append(places, strings.TrimSpace(line))
		}
	}
	return strings.Join(places, "\n")
}
