package wreck

import (
	"bytes"
	"os"
	"testing"
)

func open(file, log []byte) *File {
	return Open(bytes.NewReader(file), int64(len(file)), bytes.NewReader(log), int64(len(log)))
}

// small is a database of small pages with a log, as SQLite has written it.
func small(t testing.TB) (file, log []byte) {
	t.Helper()
	file, err := os.ReadFile("testdata/small.db")
	if err != nil {
		t.Fatal(err)
	}
	if log, err = os.ReadFile("testdata/small.db-wal"); err != nil {
		t.Fatal(err)
	}
	return file, log
}

func TestRowsComeFromTheFileAndItsLog(t *testing.T) {
	file, log := small(t)
	for _, tt := range []struct {
		name string
		log  []byte
		want int
	}{{"with its log", log, 27}, {"without it", nil, 24}} {
		f, n := open(file, tt.log), 0
		for r := range f.Rows([]uint32{f.Schema()[0].Root}) {
			if r.Root > 0 && len(r.Values) == 3 {
				n++
			}
		}
		if n != tt.want {
			t.Errorf("%s: %d rows, want %d", tt.name, n, tt.want)
		}
	}
}

// FuzzFile holds that no bytes at all make the reader crash, hang or read without
// an end.
func FuzzFile(f *testing.F) {
	file, log := small(f)
	f.Add(file, log)
	f.Add(file, []byte{})
	f.Add(file[512:], log)
	f.Add([]byte(magic), []byte{})
	f.Add([]byte{}, log)
	f.Add([]byte("这不是数据库"), []byte("also nicht"))
	f.Fuzz(func(t *testing.T, file, log []byte) {
		w := open(file, log)
		var roots []uint32
		for _, o := range w.Schema() {
			roots = append(roots, o.Root)
			w.Entries(o.Root)
		}
		n := 0
		for range w.Rows(roots) {
			// A cell takes at least its place in the list of its page.
			if n++; n > len(file)+len(log) {
				t.Fatal("more rows than can be")
			}
		}
	})
}
