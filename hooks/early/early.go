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
	c, ok := scan(in.Payload)
	if !ok || string(c.event) == sessionStart || string(c.event) == retold {
		return false
	}
	s, ok := readSettings(getenv)
	if !ok {
		return false
	}
	if _, err := os.Stat(s.dir + sep + PrivateTurns); !os.IsNotExist(err) {
		return false // some session is in a turn of which nothing is recorded
	}
	if s.tells(c) {
		return false
	}
	if string(c.event) == preToolUse {
		return true // not recorded: what the tool did its outcome tells
	}
	put := spool.Deliver
	if s.synced {
		put = spool.DeliverSynced
	}
	if _, err := put(s.dir+sep+"spool", in.Payload); err != nil {
		return false // main tries again and says what is wrong
	}
	// A worker that cannot be started now is started by the next hook: the event is safe.
	_ = spool.Wake(s.dir)
	return true
}

// sessionStart is the event that main always answers.
const sessionStart = "SessionStart"

// retold is the event in which the host tells a whole conversation anew, private turns
// and all; main leaves that out.
const retold = "PostCompact"

const (
	sep           = string(os.PathSeparator)
	settingsFile  = "settings.json"
	stampFile     = "fast.stamp"
	stampMaxBytes = 4096
)

// settings is what this path has to know of the person's settings.
type settings struct {
	dir    string // the data directory
	synced bool   // its spool is synced
	// When memories are told unasked.
	atFile, atFailure, atPrompt bool
}

// apart are the settings that send every hook the long way when the environment has
// them: what they say takes a parser.
var apart = [...]string{
	"CMEM_EXCLUDE", "CMEM_EXCLUDE_PATHS", "CMEM_SKIP_TOOLS", "CMEM_SPOOL_SYNC",
	"CMEM_RECALL_FILE", "CMEM_RECALL_FAILURE", "CMEM_RECALL_PROMPT",
}

// readSettings gives the settings, when that takes no parser: either there are none,
// or main has read them, found nothing else
// that concerns this path (no exclusion, no skipped tool) and left a stamp that holds
// them and has the settings file's modification time. Editing the settings by hand
// thus ends the fast path until main has read them again.
func readSettings(getenv func(string) string) (s settings, ok bool) {
	for _, name := range apart {
		if getenv(name) != "" {
			return settings{}, false
		}
	}
	base := getenv("CMEM_DATA_DIR")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil || home == "" {
			return settings{}, false
		}
		base = home + sep + ".cmem"
	}
	if !isAbs(base) {
		return settings{}, false
	}
	file, err := os.Stat(base + sep + settingsFile)
	if os.IsNotExist(err) {
		return settings{dir: base, atFile: true, atFailure: true}, true
	}
	if err != nil {
		return settings{}, false
	}
	return readStamp(base+sep+stampFile, file.ModTime())
}

// readStamp gives what the stamp says, if the stamp is of that moment: the data
// directory, and behind it a word for each setting that is not as usual.
func readStamp(path string, of time.Time) (s settings, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return settings{}, false
	}
	defer f.Close() //nolint:errcheck // opened for reading
	info, err := f.Stat()
	if err != nil || !info.ModTime().Equal(of) || info.Size() > stampMaxBytes {
		return settings{}, false
	}
	b, err := io.ReadAll(f)
	if err != nil {
		return settings{}, false
	}
	dir, rest := cutNUL(string(b))
	s = settings{dir: dir, atFile: true, atFailure: true}
	for rest != "" {
		var word string
		switch word, rest = cutNUL(rest); word {
		case "sync":
			s.synced = true
		case "no-file":
			s.atFile = false
		case "no-failure":
			s.atFailure = false
		case "prompt":
			s.atPrompt = true
		default:
			return settings{}, false // of another version
		}
	}
	return s, isAbs(dir)
}

// cutNUL cuts a text at its first NUL.
func cutNUL(text string) (before, after string) {
	for i := range len(text) {
		if text[i] == 0 {
			return text[:i], text[i+1:]
		}
	}
	return text, ""
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
