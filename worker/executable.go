package worker

import (
	"os"
)

// executable remembers the file that this process was started from.
type executable struct {
	path string
	info os.FileInfo
}

func thisExecutable() executable {
	path, err := os.Executable()
	if err != nil {
		return executable{}
	}
	info, err := os.Stat(path)
	if err != nil {
		return executable{}
	}
	return executable{path, info}
}

// replaced reports whether another file stands in the place of this process's
// executable: cmem was upgraded and the new version shall take over. A file that
// is merely gone is no reason to leave.
func (e executable) replaced() bool {
	if e.info == nil {
		return false
	}
	now, err := os.Stat(e.path)
	if err != nil {
		return false
	}
	return !os.SameFile(now, e.info) || !now.ModTime().Equal(e.info.ModTime()) || now.Size() != e.info.Size()
}
