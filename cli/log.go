package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"cmem/config"
)

const (
	logFile     = "cmem.log"
	logKeep     = "cmem.log.1" // the one before
	logMaxBytes = 4 << 20
)

// fileLog is a log in the data directory: JSON lines, one file and the one
// before it.
type fileLog struct {
	*slog.Logger
	file *os.File
}

// newLog opens the log. Without a place to write there is no log, and no error:
// a hook has nobody to tell.
func newLog(cfg *config.Config) *fileLog {
	discard := &fileLog{Logger: slog.New(slog.DiscardHandler)}
	if err := os.MkdirAll(cfg.Logs(), 0o700); err != nil {
		return discard
	}
	path := filepath.Join(cfg.Logs(), logFile)
	if info, err := os.Stat(path); err == nil && info.Size() > logMaxBytes {
		// Two processes may both rename; then one log of the two is lost, no event.
		_ = os.Rename(path, filepath.Join(cfg.Logs(), logKeep))
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return discard
	}
	level := slog.LevelInfo
	if err := level.UnmarshalText([]byte(cfg.String("log.level"))); err != nil {
		level = slog.LevelInfo
	}
	handler := slog.NewJSONHandler(f, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, at slog.Attr) slog.Attr {
		if at.Key == slog.TimeKey {
			at.Value = slog.StringValue(at.Value.Time().UTC().Format("2006-01-02T15:04:05.000Z"))
		}
		return at
	}})
	return &fileLog{Logger: slog.New(handler).With("pid", os.Getpid()), file: f}
}

func (l *fileLog) close() {
	if l.file != nil {
		_ = l.file.Close() // every line was written when it was logged
	}
}

// logLine is one line of the log, as far as doctor shows it.
type logLine struct {
	Time  time.Time `json:"time"`
	Level string    `json:"level"`
	Msg   string    `json:"msg"`
	Error string    `json:"error"`
}

const logTail = 256 << 10

// recentProblems gives the newest warnings and errors of the log, oldest first,
// at most n, from the last part of the file.
func recentProblems(cfg *config.Config, n int) ([]logLine, error) {
	f, err := os.Open(filepath.Join(cfg.Logs(), logFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	if info, err := f.Stat(); err == nil && info.Size() > logTail {
		if _, err := f.Seek(-logTail, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	var found []logLine
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, logTail)
	for lines.Scan() {
		var l logLine
		if json.Unmarshal(lines.Bytes(), &l) != nil || l.Level != "ERROR" && l.Level != "WARN" {
			continue // a line that was cut by the seek, or a quiet one
		}
		if found = append(found, l); len(found) > n {
			found = found[1:]
		}
	}
	return found, lines.Err()
}
