package worker

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cmem/memory"
)

// childDir is set for a copy of this test binary that shall be a worker.
const childDir = "CMEM_TEST_WORKER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		local := &scripted{id: "local/test"}
		err := Run(context.Background(), Options{
			DataDir: dir, SpoolDir: filepath.Join(dir, "spool"), DB: filepath.Join(dir, "cmem.db"),
			Decode: decode, Locate: func(string) Place { return Place{} },
			Compressor: local, Local: local, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Before a file of the spool goes, what the database's log says of its event must be
// on the disk: otherwise a power cut could take both.
func TestNoEventLeavesTheSpoolBeforeItIsOnTheDisk(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not here")
	}
	if out, err := exec.Command(strace, "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not watch processes here: %v %s", err, out)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := newSetup(t)
	const events = drainCount + 44 // two transactions
	for i := range events {
		s.deliver(memory.Event{Name: memory.EventPostToolUse, ToolName: "Edit", ToolUseID: fmt.Sprint("t", i)})
	}
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command(strace, "-f", "-y", "-s", "0", "-o", trace,
		"-e", "trace=write,pwrite64,pwritev,ftruncate,fsync,fdatasync,unlink,unlinkat,rename,renameat,renameat2", exe)
	cmd.Env = append(os.Environ(), childDir+"="+s.DataDir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the worker under strace: %v\n%s", err, out)
	}
	f, err := os.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // opened for reading
	removed, written, unsynced := 0, 0, 0
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.Contains(line, "write") && strings.Contains(line, "cmem.db-wal>"):
			written++
			unsynced++
		case strings.Contains(line, "sync(") && strings.Contains(line, "cmem.db-wal>"):
			unsynced = 0
		case strings.Contains(line, "unlink") && strings.Contains(line, "spool/new/"):
			removed++
			if written == 0 || unsynced > 0 {
				t.Fatalf("event %d goes while %d of %d writes to the log are not synced:\n%s", removed, unsynced, written, line)
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if removed != events {
		t.Errorf("%d events were seen to go, want %d", removed, events)
	}
	if got := s.totals().Events; got != events {
		t.Errorf("%d events are stored, want %d", got, events)
	}
}

func TestOnlyUnchangedPagesOfTheProgramAreGivenBack(t *testing.T) {
	const table = `00400000-00ab0000 r-xp 00000000 fe:00 1 /opt/我的 tools/cmem
Rss:                 100 kB
Anonymous:             0 kB
VmFlags: rd ex
00ab0000-00c00000 r--p 006b0000 fe:00 1 /opt/我的 tools/cmem
Anonymous:             0 kB
00c00000-00c10000 r--p 00800000 fe:00 1 /opt/我的 tools/cmem
Anonymous:             4 kB
00c10000-00c20000 rw-p 00810000 fe:00 1 /opt/我的 tools/cmem
Anonymous:             0 kB
7f0000000000-7f0000100000 r-xp 00000000 fe:00 2 /usr/lib/libc.so.6
Anonymous:             0 kB
7f0000100000-7f0000200000 rw-p 00000000 00:00 0
Anonymous:             0 kB
`
	got := spansOf(bufio.NewScanner(strings.NewReader(table)), "/opt/我的 tools/cmem")
	want := []span{{0x400000, 0x6b0000}, {0xab0000, 0x150000}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("spans %x, want %x", got, want)
	}
	if len(programPages()) == 0 {
		t.Error("this program's own pages were not found")
	}
	// All of them in memory, then given back; what this very test needs comes again.
	mem, err := os.Open("/proc/self/mem")
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close() //nolint:errcheck // opened for reading
	for _, s := range programPages() {
		if _, err := io.Copy(io.Discard, io.NewSectionReader(mem, int64(s.start), int64(s.size))); err != nil {
			t.Fatal(err)
		}
	}
	before := residentFile(t)
	trim()
	if after := residentFile(t); after > before/2 {
		t.Errorf("%d kB of the program and other files are in memory, %d kB before", after, before)
	}
}

// residentFile gives how many kB of files are mapped into this process and in memory.
func residentFile(t *testing.T) (kB int) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "RssFile:")
	if _, err := fmt.Sscan(rest, &kB); err != nil {
		t.Fatal(err)
	}
	return kB
}
