package logs

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

const (
	chunk   = 64 << 10
	maxLine = 256 << 10 // a longer one is none of ours
	// strays is how many lines before Query.Since end the search for older ones: a
	// clock that was wrong for a while leaves a few among the others.
	strays = 200
)

// Query says which lines are wanted.
type Query struct {
	Last  int // the newest so many; negative: all
	Level slog.Level
	Since time.Time // zero: from the beginning
}

func (q Query) wants(at time.Time, level slog.Level) bool {
	return level >= q.Level && !at.Before(q.Since)
}

// read gives the line raw if it is wanted. What is not is not read to its end.
func (q Query) read(raw []byte) (l Line, wanted bool) {
	if at, level, ok := head(raw); ok && !q.wants(at, level) {
		return Line{}, false
	}
	l, ok := parseLine(raw)
	return l, ok && q.wants(l.Time, l.Level)
}

// Place is where in the log a reader has arrived.
type Place struct {
	file os.FileInfo // nil: nothing has been read
	at   int64       // in that file, at the beginning of a line
}

// Read hands the wanted lines of the log in dir to each, oldest first, and gives
// the place after them, for Follow. It looks for them from the end and holds one
// line at a time. No log at all is an empty one.
func Read(dir string, q Query, each func(Line) error) (Place, error) {
	files, err := open(dir)
	if err != nil {
		return Place{}, err
	}
	defer func() {
		for _, f := range files {
			_ = f.Close() // opened for reading
		}
	}()
	first, from, err := q.begin(files)
	if err != nil {
		return Place{}, err
	}
	var end Place
	for i, f := range files {
		at := int64(0)
		switch {
		case i < first:
			continue
		case i == first:
			at = from
		}
		if end, err = forward(f, at, q, each); err != nil {
			return Place{}, err
		}
	}
	return end, nil
}

// open gives the files of the log that there are, the older first.
func open(dir string) ([]*os.File, error) {
	var files []*os.File
	for _, name := range []string{fileName, oldName} {
		f, err := os.Open(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			for _, f := range files {
				_ = f.Close() // opened for reading
			}
			return nil, err
		}
		if len(files) == 1 && same(f, files[0]) {
			// It was renamed just now. What came after it is for who follows.
			_ = f.Close() // opened for reading
			continue
		}
		files = append([]*os.File{f}, files...)
	}
	return files, nil
}

func same(a, b *os.File) bool {
	ia, erra := a.Stat()
	ib, errb := b.Stat()
	return erra == nil && errb == nil && os.SameFile(ia, ib)
}

// begin gives the file and the place in it where the wanted lines begin.
func (q Query) begin(files []*os.File) (file int, at int64, err error) {
	if q.Last == 0 {
		if len(files) == 0 {
			return 0, 0, nil
		}
		info, err := files[len(files)-1].Stat()
		if err != nil {
			return 0, 0, err
		}
		return len(files) - 1, wholeLines(files[len(files)-1], info.Size()), nil
	}
	if q.Last < 0 && q.Since.IsZero() {
		return 0, 0, nil
	}
	found, older := 0, 0
	file = len(files)
	for i := len(files) - 1; i >= 0; i-- {
		info, err := files[i].Stat()
		if err != nil {
			return 0, 0, err
		}
		err = backward(files[i], info.Size(), func(raw []byte, start int64) bool {
			time, level, ok := head(raw)
			switch {
			case ok && time.Before(q.Since):
				older++
				return older < strays
			case ok && !q.wants(time, level):
				return true
			case ok && q.Last < 0: // nothing is counted: what is torn shows itself later
				file, at = i, start
				return true
			}
			if _, wanted := q.read(raw); wanted {
				found++
				file, at = i, start
			}
			return q.Last < 0 || found < q.Last
		})
		if err != nil {
			return 0, 0, err
		}
		if older >= strays || q.Last > 0 && found >= q.Last {
			break
		}
	}
	if file == len(files) && file > 0 { // none is wanted: the place is the end
		q.Last = 0
		return q.begin(files)
	}
	return file, at, nil
}

// wholeLines gives the place after the last whole line before end.
func wholeLines(f io.ReaderAt, end int64) int64 {
	buf := make([]byte, min(end, maxLine))
	n, err := f.ReadAt(buf, end-int64(len(buf)))
	if err != nil && !errors.Is(err, io.EOF) {
		return end
	}
	return end - int64(len(buf)) + int64(bytes.LastIndexByte(buf[:n], '\n')+1)
}

// backward hands the lines before end to each, the last first, with the place
// where each begins, until each reports false. It holds a chunk and a line.
func backward(f io.ReaderAt, end int64, each func(line []byte, start int64) bool) error {
	var rest []byte // of a line, whose beginning has not been read yet
	for end > 0 {
		n := min(end, chunk)
		buf := make([]byte, n, int(n)+len(rest))
		if _, err := f.ReadAt(buf, end-n); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		buf = append(buf, rest...)
		end -= n
		for {
			i := bytes.LastIndexByte(buf, '\n')
			if i < 0 {
				break
			}
			if line := buf[i+1:]; len(line) > 0 && !each(line, end+int64(i)+1) {
				return nil
			}
			buf = buf[:i]
		}
		if rest = buf; len(rest) > maxLine {
			rest = nil
		}
	}
	if len(rest) > 0 {
		each(rest, 0)
	}
	return nil
}

// forward hands the wanted whole lines of f from at on to each, and gives the
// place after them.
func forward(f *os.File, at int64, q Query, each func(Line) error) (Place, error) {
	info, err := f.Stat()
	if err != nil {
		return Place{}, err
	}
	if _, err := f.Seek(at, io.SeekStart); err != nil {
		return Place{}, err
	}
	in := bufio.NewReaderSize(f, maxLine)
	skipping := false // within a line that is too long
	for {
		raw, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			at += int64(len(raw))
			skipping = true
			continue
		case errors.Is(err, io.EOF):
			return Place{info, at}, nil // what is left is being written
		case err != nil:
			return Place{}, err
		}
		at += int64(len(raw))
		if skipping {
			skipping = false
			continue
		}
		if l, wanted := q.read(raw); wanted {
			l.JSON = bytes.Clone(l.JSON) // raw is the reader's
			if err := each(l); err != nil {
				return Place{}, err
			}
		}
	}
}
