package export

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"cmem/memory"
)

func write(t *testing.T, src Source, opts Options) string {
	t.Helper()
	var b strings.Builder
	if _, err := Write(context.Background(), src, &b, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDocumentReadsWell(t *testing.T) {
	tests := []struct {
		name string
		opts Options
	}{
		{"all.md", Options{}},
		{"everything.md", Options{Filter: Everything(memory.Filter{})}},
		{"project.md", Options{Filter: memory.Filter{Project: blog}}},
		{"types.md", Options{Filter: memory.Filter{Types: []string{memory.TypeDecision}, After: at("2026-11-30T00:00:00Z")}}},
		{"zone.md", Options{Filter: memory.Filter{SessionID: login}, Location: time.FixedZone("UTC+8", 8*60*60)}},
		{"nothing.md", Options{Filter: memory.Filter{Project: "/nowhere"}}},
		{"all.jsonl", Options{Format: JSON}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { golden(t, tt.name, write(t, sample(), tt.opts)) })
	}
}

func TestWriteCountsWhatItWrote(t *testing.T) {
	var last, total int
	got, err := Write(context.Background(), sample(), &strings.Builder{}, Options{Progress: func(done, of int) {
		if done < last {
			t.Errorf("progress went back from %d to %d", last, done)
		}
		last, total = done, of
	}})
	if err != nil {
		t.Fatal(err)
	}
	if want := (Counts{Sessions: 2, Prompts: 3, Observations: 3, Summaries: 1}); got != want {
		t.Errorf("counts = %+v, want %+v", got, want)
	}
	if last != 3 || total != 3 {
		t.Errorf("last progress = %d of %d, want 3 of 3", last, total)
	}
}

// readJSON gives back the rows of a JSON export.
func readJSON(t *testing.T, text string) *fakeSource {
	t.Helper()
	src := &fakeSource{}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		var head struct {
			Kind, Format string
			Version      int
		}
		decode := func(v any) {
			if err := json.Unmarshal(lines.Bytes(), v); err != nil {
				t.Fatalf("%v in %s", err, lines.Bytes())
			}
		}
		decode(&head)
		switch head.Kind {
		case "header":
			if head.Format != "cmem-export" || head.Version != 1 {
				t.Errorf("header is %+v", head)
			}
		case "session":
			src.sessions = append(src.sessions, memory.Session{})
			decode(&src.sessions[len(src.sessions)-1])
		case "prompt":
			src.prompts = append(src.prompts, memory.Prompt{})
			decode(&src.prompts[len(src.prompts)-1])
		case "observation":
			src.observations = append(src.observations, memory.Observation{})
			decode(&src.observations[len(src.observations)-1])
		case "summary":
			src.summaries = append(src.summaries, memory.Summary{})
			decode(&src.summaries[len(src.summaries)-1])
		default:
			t.Errorf("unknown kind %q", head.Kind)
		}
	}
	return src
}

func TestJSONLosesNothing(t *testing.T) {
	src := sample()
	src.sessions = append(src.sessions, memory.Session{ID: "silent", Project: webshop, CreatedAt: at("2026-11-30T09:00:00Z")})
	src.prompts[0].Text += "\x1b[2J\u009b2J\u2028\u202e\U000e0041</script>\\ 🎉"
	text := write(t, src, Options{Format: JSON, Filter: Everything(memory.Filter{})})
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || obeyed(r) }) {
		t.Error("a control character stands in the JSON as it is")
	}
	got := readJSON(t, text)
	byID := func(rows []memory.Observation) map[int64]memory.Observation {
		m := map[int64]memory.Observation{}
		for _, r := range rows {
			m[r.ID] = r
		}
		return m
	}
	if !reflect.DeepEqual(byID(got.observations), byID(src.observations)) {
		t.Errorf("observations = %+v", got.observations)
	}
	if !reflect.DeepEqual(got.sessions, src.sessions) {
		t.Errorf("sessions = %+v", got.sessions)
	}
	if !reflect.DeepEqual(got.summaries, src.summaries) {
		t.Errorf("summaries = %+v", got.summaries)
	}
	// Prompts come session by session.
	if want := []memory.Prompt{src.prompts[0], src.prompts[2], src.prompts[1]}; !reflect.DeepEqual(got.prompts, want) {
		t.Errorf("prompts = %+v", got.prompts)
	}
}

func TestMemoryOfAProjectIsFoundInASessionOfAnother(t *testing.T) {
	src := sample()
	src.observations[2].Project = "/home/dev/projects/lib"
	got := write(t, src, Options{Filter: memory.Filter{Project: "/home/dev/projects/lib"}})
	if !strings.Contains(got, "Keeps tokens for 15 minutes") {
		t.Errorf("the observation is missing in:\n%s", got)
	}
}

func TestFailedExportLeavesTheFileAsItWas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memories.md")
	if err := os.WriteFile(path, []byte("before"), 0o644); err != nil {
		t.Fatal(err)
	}
	src := sample()
	src.err = errors.New("disk on fire")
	if _, err := WriteFile(context.Background(), src, path, Options{}); !errors.Is(err, src.err) {
		t.Errorf("error = %v, want %v", err, src.err)
	}
	assertFile(t, path, "before")
	assertNames(t, filepath.Dir(path), "memories.md")
}

func TestFileIsReplacedWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "memories.md")
	for range 2 { // the second time over the first
		if _, err := WriteFile(context.Background(), sample(), path, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	assertFile(t, path, write(t, sample(), Options{}))
	assertNames(t, dir, "memories.md")
	if runtime.GOOS == "windows" {
		return
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v, want 0600", info.Mode(), err)
	}
	link := filepath.Join(dir, "link.md")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteFile(context.Background(), sample(), link, Options{Format: JSON}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link was replaced: %v, %v", info.Mode(), err)
	}
	assertFile(t, path, write(t, sample(), Options{Format: JSON}))
}

func TestDeviceIsWrittenDirectly(t *testing.T) {
	if _, err := WriteFile(context.Background(), sample(), os.DevNull, Options{}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s became a file: %v", os.DevNull, err)
	}
}

// endless makes rows while they are read: n observations, 20 a session.
type endless struct{ n int }

func (e endless) session(i int) memory.Session {
	return memory.Session{ID: fmt.Sprintf("session-%06d", i), Title: "A session", Project: webshop, CreatedAt: time.UnixMilli(int64(i) * 1e6).UTC()}
}

func (e endless) ScanSessions(_ context.Context, f memory.Filter) iter.Seq2[memory.Session, error] {
	return func(yield func(memory.Session, error) bool) {
		first, last := 0, (e.n-1)/20
		if f.SessionID != "" {
			_, _ = fmt.Sscanf(f.SessionID, "session-%d", &first)
			last = first
		}
		for i := first; i <= last; i++ {
			if !yield(e.session(i), nil) {
				return
			}
		}
	}
}

func (e endless) ScanObservations(ctx context.Context, f memory.Filter) iter.Seq2[memory.Observation, error] {
	return func(yield func(memory.Observation, error) bool) {
		text := strings.Repeat("A narrative of some length. ", 40)
		for s, err := range e.ScanSessions(ctx, f) {
			if err != nil {
				yield(memory.Observation{}, err)
				return
			}
			for j := range 20 {
				o := memory.Observation{ID: int64(j), SessionID: s.ID, Project: s.Project, Type: "change", Title: "A title", Narrative: text + s.ID, CreatedAt: s.CreatedAt.Add(time.Duration(j) * time.Second)}
				if !yield(o, nil) {
					return
				}
			}
		}
	}
}

func (endless) ScanPrompts(context.Context, memory.Filter) iter.Seq2[memory.Prompt, error] {
	return func(func(memory.Prompt, error) bool) {}
}

func (endless) ScanSummaries(context.Context, memory.Filter) iter.Seq2[memory.Summary, error] {
	return func(func(memory.Summary, error) bool) {}
}

func (e endless) CountObservations(context.Context, memory.Filter) (int, error) { return e.n, nil }

type discard struct{ n int }

func (d *discard) Write(p []byte) (int, error) { d.n += len(p); return len(p), nil }

func TestHundredThousandObservationsDoNotFillTheMemory(t *testing.T) {
	peak := uint64(0)
	calls := 0
	var out discard
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	counts, err := Write(context.Background(), endless{100_000}, &out, Options{Progress: func(int, int) {
		if calls++; calls%10_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if counts.Observations != 100_000 || out.n < 100<<20 {
		t.Fatalf("wrote %+v, %d bytes; want 100,000 observations and more than 100 MB", counts, out.n)
	}
	if grown := int64(peak) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

func assertFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is:\n%s\nwant:\n%s", path, got, want)
	}
}

func assertNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}
