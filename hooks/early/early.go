// Package early answers the hook calls that need no answer before main runs.
//
// Go initialises every linked package before main, and what the finished
// product links (a database, a terminal UI, gRPC) costs tens of milliseconds on
// every tool call. The language fixes the order: packages are sorted by import
// path, and again and again the first whose imports are all initialised is
// next (https://go.dev/ref/spec#Package_initialization). This package's path
// begins with "cmem" and it imports only what package os needs anyway, so its
// init runs right after that of os, ahead of everything heavy: it reads the
// payload, delivers it to the spool, wakes the worker and exits.
//
// It decides one thing only: whether this call can be delivered as it is. In
// every other case it declines, keeping what it read for main, and main walks
// the long way to the same spool.Deliver. Nothing may be imported here but os,
// time, errors, io, syscall and hooks/spool; a test holds both rules.
package early

import (
	"io"
	"os"
	"time"

	"cmem/hooks/spool"
)

// MaxPayload is how many bytes of a payload are kept; the rest is read and
// dropped, so that the host never sees a broken pipe.
const MaxPayload = 32 << 20

// PrivateTurns is the folder of the data directory that is there while a turn is
// private in some session; main makes it and knows whose it is.
const PrivateTurns = "private"

// Input is what the hook call had on standard input.
type Input struct {
	Payload []byte // at most MaxPayload bytes
	Size    int64  // bytes that were sent, also those past MaxPayload
	Err     error  // what went wrong while reading, io.EOF excepted
}

// declined is set when this process is a hook call that main has to finish.
var declined *Input

// Declined gives the input of a hook call that init left to main, or nil when
// the process is not a hook call.
func Declined() *Input { return declined }

func init() {
	if !isHookCall(os.Args) {
		return
	}
	in := Read(os.Stdin)
	if os.Getenv("CMEM_DISABLED") == "1" {
		os.Exit(0)
	}
	if deliver(in, os.Getenv) {
		os.Exit(0)
	}
	declined = &in
}

// isHookCall reports whether the process was started as a hook: `cmem` or `cmem
// hook`, with a pipe, a socket (Node gives its children one) or a file on
// standard input.
func isHookCall(args []string) bool {
	if len(args) != 1 && (len(args) != 2 || args[1] != "hook") {
		return false
	}
	info, err := os.Stdin.Stat()
	if err != nil {
		return false
	}
	mode := info.Mode()
	return mode.IsRegular() || mode&(os.ModeNamedPipe|os.ModeSocket) != 0
}

// Read takes all of r, keeping at most MaxPayload bytes.
func Read(r io.Reader) Input {
	in := Input{Payload: make([]byte, 0, 64<<10)}
	for {
		if len(in.Payload) == cap(in.Payload) {
			if len(in.Payload) >= MaxPayload {
				break
			}
			grown := make([]byte, len(in.Payload), min(4*cap(in.Payload), MaxPayload))
			copy(grown, in.Payload)
			in.Payload = grown
		}
		n, err := r.Read(in.Payload[len(in.Payload):cap(in.Payload)])
		in.Payload = in.Payload[:len(in.Payload)+n]
		if err != nil {
			if err != io.EOF {
				in.Err = err
			}
			in.Size = int64(len(in.Payload))
			return in
		}
	}
	rest, err := io.Copy(io.Discard, r)
	in.Size = int64(len(in.Payload)) + rest
	in.Err = err
	return in
}

// deliver puts the payload into the spool and wakes the worker. It reports
// false, having done nothing, when this call is not for the fast path.
func deliver(in Input, getenv func(string) string) bool {
	if in.Err != nil || in.Size != int64(len(in.Payload)) {
		return false
	}
	event, ok := scan(in.Payload)
	if !ok || needsAnswer(event) || string(event) == retold {
		return false
	}
	dir, synced, ok := dataDir(getenv)
	if !ok {
		return false
	}
	if _, err := os.Stat(dir + sep + PrivateTurns); !os.IsNotExist(err) {
		return false // some session is in a turn of which nothing is recorded
	}
	put := spool.Deliver
	if synced {
		put = spool.DeliverSynced
	}
	if _, err := put(dir+sep+"spool", in.Payload); err != nil {
		return false // main tries again and says what is wrong
	}
	// A worker that cannot be started now is started by the next hook: the event is safe.
	_ = spool.Wake(dir)
	return true
}

// needsAnswer reports whether main may have something to say to the event. The
// hooks package answers exactly these; a test there compares the two.
func needsAnswer(event []byte) bool { return string(event) == "SessionStart" }

// retold is the event in which the host tells a whole conversation anew, private turns
// and all; main leaves that out.
const retold = "PostCompact"

const (
	sep           = string(os.PathSeparator)
	settingsFile  = "settings.json"
	stampFile     = "fast.stamp"
	stampMaxBytes = 4096
)

// dataDir gives the data directory and whether its spool is synced, when that takes
// no parser: either there are no settings, or main has read them, found nothing else
// that concerns this path (no exclusion, no skipped tool) and left a stamp that holds
// the two and has the settings file's modification time. Editing the settings by hand
// thus ends the fast path until main has read them again.
func dataDir(getenv func(string) string) (dir string, synced, ok bool) {
	if getenv("CMEM_EXCLUDE") != "" || getenv("CMEM_EXCLUDE_PATHS") != "" || getenv("CMEM_SKIP_TOOLS") != "" || getenv("CMEM_SPOOL_SYNC") != "" {
		return "", false, false
	}
	base := getenv("CMEM_DATA_DIR")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil || home == "" {
			return "", false, false
		}
		base = home + sep + ".cmem"
	}
	if !isAbs(base) {
		return "", false, false
	}
	settings, err := os.Stat(base + sep + settingsFile)
	if os.IsNotExist(err) {
		return base, false, true
	}
	if err != nil {
		return "", false, false
	}
	return stampedDir(base+sep+stampFile, settings.ModTime())
}

// syncedMark stands after the directory in a stamp when events are synced.
const syncedMark = "\x00sync"

// stampedDir gives what the stamp says, if the stamp is of that moment.
func stampedDir(path string, of time.Time) (dir string, synced, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return "", false, false
	}
	defer f.Close() //nolint:errcheck // opened for reading
	info, err := f.Stat()
	if err != nil || !info.ModTime().Equal(of) || info.Size() > stampMaxBytes {
		return "", false, false
	}
	b, err := io.ReadAll(f)
	if err != nil {
		return "", false, false
	}
	dir = string(b)
	if rest := len(dir) - len(syncedMark); rest > 0 && dir[rest:] == syncedMark {
		dir, synced = dir[:rest], true
	}
	return dir, synced, isAbs(dir)
}

// isAbs reports whether path is absolute; path/filepath may not be imported here.
func isAbs(path string) bool {
	if len(path) == 0 {
		return false
	}
	if os.PathSeparator == '\\' {
		return len(path) > 2 && path[1] == ':' && os.IsPathSeparator(path[2])
	}
	return path[0] == '/'
}
