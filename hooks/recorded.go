package hooks

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

//go:embed testdata/sessions/*.jsonl
var recordedFiles embed.FS

// Recorded is one hook payload of a recorded session and when it came.
type Recorded struct {
	At      time.Time       `json:"at"`
	Payload json.RawMessage `json:"payload"`
}

// RecordedSessions gives the payloads of the sessions that were recorded from a
// real Claude Code client and ship in the binary, all in order of time. They are
// what `cmem demo` replays and what tests judge compression by.
func RecordedSessions() ([]Recorded, error) {
	names, err := fs.Glob(recordedFiles, "testdata/sessions/*.jsonl")
	if err != nil {
		return nil, err
	}
	var all []Recorded
	for _, name := range names {
		b, err := recordedFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(bytes.NewReader(b))
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			var r Recorded
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				return nil, fmt.Errorf("recorded session %s, line %d: %w", name, n, err)
			}
			all = append(all, r)
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("recorded session %s: %w", name, err)
		}
	}
	slices.SortStableFunc(all, func(a, b Recorded) int { return a.At.Compare(b.At) })
	return all, nil
}
