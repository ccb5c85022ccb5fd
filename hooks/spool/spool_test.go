package spool

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestDeliveredEventsAreWholeUniqueAndInOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool 排队")
	var names []string
	for i := range 100 {
		name, err := Deliver(dir, fmt.Appendf(nil, "payload %d", i))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if !slices.IsSorted(names) {
		t.Error("names are not in the order of delivery")
	}
	listed, err := List(dir)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(listed)
	if !slices.Equal(listed, names) {
		t.Fatalf("listed %d names, want the %d delivered", len(listed), len(names))
	}
	for i, name := range names {
		b, err := Read(dir, name)
		if want := fmt.Sprintf("payload %d", i); err != nil || string(b) != want {
			t.Fatalf("event %d reads %q, %v; want %q", i, b, err, want)
		}
	}
}

func TestFilesAreForTheOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	name, err := Deliver(dir, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, NewDir(dir): 0o700, filepath.Join(NewDir(dir), name): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
}

func TestProbingLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	if err := Probe(dir); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"tmp", "new"} {
		if left, err := os.ReadDir(filepath.Join(dir, sub)); err != nil || len(left) != 0 {
			t.Errorf("%s/ holds %v, %v", sub, left, err)
		}
	}
}

func TestAFailedDeliveryLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	// new/ is a file: the rename must fail whoever the user is.
	if err := os.WriteFile(filepath.Join(dir, "new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Deliver(dir, []byte("{}")); err == nil {
		t.Fatal("delivered into a folder that is none")
	}
	if err := Probe(dir); err == nil {
		t.Error("Probe found nothing wrong")
	}
	left, err := os.ReadDir(filepath.Join(dir, "tmp"))
	if err != nil || len(left) != 0 {
		t.Errorf("tmp/ holds %v, %v after a failure", left, err)
	}
}

func TestManyWritersNeverCollide(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 200 {
				name := NameAt(time.Now(), w*1000+i)
				if err := DeliverAs(dir, name, []byte(name)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	names, err := List(dir)
	if err != nil || len(names) != 1600 {
		t.Fatalf("%d events, %v; want 1600", len(names), err)
	}
}

func TestTimeReadsWhatNameAtWrote(t *testing.T) {
	at := time.Date(2026, 11, 30, 8, 15, 42, 123456789, time.UTC)
	name := NameAt(at, 42)
	if want := "1796026542123456789-00042"; name != want {
		t.Errorf("NameAt = %q, want %q", name, want)
	}
	if got, ok := Time(name); !ok || !got.Equal(at) {
		t.Errorf("Time(%q) = %v, %v; want %v", name, got, ok, at)
	}
	for _, bad := range []string{"", "x", "123-1", "1796026542123456789", "1796026542123456789-", "17960265421234567x9-1", "1796026542123456789-x", "9999999999999999999-1", ".DS_Store"} {
		if got, ok := Time(bad); ok {
			t.Errorf("Time(%q) = %v, accepted", bad, got)
		}
	}
}

func TestPutAsideTakesAnEventOutOfTheQueue(t *testing.T) {
	dir := t.TempDir()
	name, err := Deliver(dir, []byte("rubbish"))
	if err != nil {
		t.Fatal(err)
	}
	if err := PutAside(dir, name); err != nil {
		t.Fatal(err)
	}
	if empty, err := Empty(dir); !empty || err != nil {
		t.Errorf("Empty = %v, %v after the only event was put aside", empty, err)
	}
	if bad, err := ListBad(dir); err != nil || !slices.Equal(bad, []string{name}) {
		t.Errorf("ListBad = %v, %v; want %s", bad, err, name)
	}
}

func TestSweepRemovesOnlyOldRemains(t *testing.T) {
	dir := t.TempDir()
	if err := Create(dir); err != nil {
		t.Fatal(err)
	}
	old, young := filepath.Join(dir, "tmp", NameAt(time.Now(), 1)), filepath.Join(dir, "tmp", NameAt(time.Now(), 2))
	for _, p := range []string{old, young} {
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * tmpAge)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	if n, err := Sweep(dir); n != 1 || err != nil {
		t.Errorf("Sweep = %d, %v; want 1", n, err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("a file that is being written is gone: %v", err)
	}
}

func TestWhatOthersLeaveInTheSpoolIsPassedOver(t *testing.T) {
	dir := t.TempDir()
	if err := Create(dir); err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(NewDir(dir), name) }
	if err := os.Mkdir(in(NameAt(time.Now(), 1)), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".DS_Store", "note.txt", ".#1796026542123456789-00042"} {
		if err := os.WriteFile(in(name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("me@host.1:1", in(NameAt(time.Now(), 2))); err != nil {
		t.Logf("no links here: %v", err)
	}
	if empty, err := Empty(dir); !empty || err != nil {
		t.Errorf("Empty = %v, %v", empty, err)
	}
	name, err := Deliver(dir, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := List(dir); err != nil || !slices.Equal(got, []string{name}) {
		t.Errorf("List = %v, %v; want the one event %s", got, err, name)
	}
	if empty, err := Empty(dir); empty || err != nil {
		t.Errorf("Empty = %v, %v with an event", empty, err)
	}
}

func TestASpoolThatDoesNotExistIsEmpty(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	if empty, err := Empty(dir); !empty || err != nil {
		t.Errorf("Empty = %v, %v", empty, err)
	}
	if names, err := List(dir); len(names) != 0 || err != nil {
		t.Errorf("List = %v, %v", names, err)
	}
}

func TestASignOfLifeCountsOnlyWhileFresh(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sign")
	if fresh(path, time.Minute) {
		t.Error("fresh without a file")
	}
	if err := touch(path); err != nil {
		t.Fatal(err)
	}
	for age, want := range map[time.Duration]bool{0: true, 30 * time.Second: true, 2 * time.Minute: false, -24 * time.Hour: false} {
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		if got := fresh(path, time.Minute); got != want {
			t.Errorf("a sign of age %s: %v, want %v", age, got, want)
		}
	}
}

func TestAWorkerThatIsAboutToStartCountsAsAlive(t *testing.T) {
	dir := t.TempDir()
	if WorkerAlive(dir) {
		t.Error("alive in an empty data directory")
	}
	if err := touch(filepath.Join(dir, StartingFile)); err != nil {
		t.Fatal(err)
	}
	if !WorkerAlive(dir) {
		t.Error("a second worker would be started")
	}
	past := time.Now().Add(-2 * startingStale)
	if err := os.Chtimes(filepath.Join(dir, StartingFile), past, past); err != nil {
		t.Fatal(err)
	}
	if WorkerAlive(dir) {
		t.Error("alive, though the worker that was started never came")
	}
}

func TestTheWorkersEnvironmentHoldsNoSecrets(t *testing.T) {
	got := workerEnv([]string{
		"HOME=/home/dev", "PATH=/usr/bin", "CMEM_PROVIDER=gemini", "CMEM_DISABLED=1",
		"ANTHROPIC_API_KEY=sk-ant-x", "CLAUDE_CODE_MESSAGING_TOKEN=t", "AWS_SECRET_ACCESS_KEY=k", "GITHUB_TOKEN=g", "NOVALUE",
	})
	if want := []string{"HOME=/home/dev", "PATH=/usr/bin", "CMEM_PROVIDER=gemini"}; !slices.Equal(got, want) {
		t.Errorf("workerEnv = %v, want %v", got, want)
	}
	if strings.Contains(strings.Join(got, " "), "sk-ant") {
		t.Error("a key reached the worker")
	}
}
