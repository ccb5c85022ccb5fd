package early

import (
	"io"
	"os"
)

// At some calls main tells what is remembered of what is being done. Most calls are none
// of them, and which ones is told here: a process that opens the store costs several
// times what one that need not costs.

// The events at which main may tell something.
const (
	preToolUse         = "PreToolUse"
	postToolUseFailure = "PostToolUseFailure"
	userPromptSubmit   = "UserPromptSubmit"
)

// ToldDir is the folder of the data directory with a file for each session that was told
// something.
const ToldDir = "told"

// MaxTold is how many bytes of such a file count. A session with more was told enough.
const MaxTold = 32 << 10

// storeFile is the store's name in the data directory.
const storeFile = "cmem.db"

// OpensFile reports whether a tool opens or changes one file, which its input names.
func OpensFile(tool string) bool {
	switch tool {
	case "Read", "Edit", "Write", "MultiEdit", "NotebookEdit":
		return true
	}
	return false
}

// RunsCommand reports whether a tool runs a command.
func RunsCommand(tool string) bool { return tool == "Bash" }

// tells reports whether main may have something to tell at a call. The hooks package
// goes by the same rules, and some more.
func (s settings) tells(c call) bool {
	switch string(c.event) {
	case preToolUse:
		if !s.atFile || !OpensFile(string(c.tool)) || len(c.file) == 0 {
			return false
		}
	case postToolUseFailure:
		if !s.atFailure || !RunsCommand(string(c.tool)) {
			return false
		}
	case userPromptSubmit:
		if !s.atPrompt {
			return false
		}
	default:
		return false
	}
	if len(c.agent) > 0 {
		return false // agents are told nothing
	}
	if _, err := os.Stat(s.dir + sep + storeFile); os.IsNotExist(err) {
		return false
	}
	return string(c.event) != preToolUse || !s.wasAsked(c)
}

// wasAsked reports whether the session has opened the file before, and what there was to
// tell was told then.
func (s settings) wasAsked(c call) bool {
	f, err := os.Open(ToldFile(s.dir, c.session))
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // opened for reading
	told, err := io.ReadAll(io.LimitReader(f, MaxTold))
	if err != nil {
		return false
	}
	mark := FileMark(c.file)
	for at := 0; at < len(told); at++ {
		from := at
		for at < len(told) && told[at] != '\n' {
			at++
		}
		if string(told[from:at]) == mark {
			return true
		}
	}
	return false
}

// ToldFile gives the path of the file with what a session was told. Its name says
// nothing about the session.
func ToldFile(dataDir string, session []byte) string {
	return dataDir + sep + ToldDir + sep + hash(session)
}

// FileMark is the line in a session's file which says that it has opened a file and was
// told what there is to tell. The path is given as it stands in the payload, between the
// quotes.
func FileMark(path []byte) string { return "f" + hash(path) }

// hash is FNV-1a in hexadecimal digits; the package hash/fnv may not be imported here.
func hash(b []byte) string {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	const digits = "0123456789abcdef"
	var out [16]byte
	for i := range out {
		out[i] = digits[h>>60]
		h <<= 4
	}
	return string(out[:])
}
