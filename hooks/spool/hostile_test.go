package spool

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAnEventOfAnotherProcessIsNeverReplaced(t *testing.T) {
	dir := t.TempDir()
	// As after a clock was set back: the names that this process would give next are
	// taken, by events that wait and by one that is being written.
	taken := time.Now().UnixNano() + int64(time.Hour)
	for i := range int64(3) {
		if err := DeliverAs(dir, nameAt(taken+i, os.Getpid()), []byte("theirs")); err != nil {
			t.Fatal(err)
		}
	}
	half := nameAt(taken+3, os.Getpid())
	if err := os.WriteFile(filepath.Join(dir, tmpDir, half), []byte("being written"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := lastNano
	defer func() { lastNano = before }()
	lastNano = taken - 1
	name, err := Deliver(dir, []byte("ours"))
	if err != nil {
		t.Fatal(err)
	}
	if want := nameAt(taken+4, os.Getpid()); name != want {
		t.Errorf("delivered as %s, want %s", name, want)
	}
	for i := range int64(3) {
		if b, err := Read(dir, nameAt(taken+i, os.Getpid())); err != nil || string(b) != "theirs" {
			t.Errorf("event %d reads %q, %v", i, b, err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, tmpDir)); err != nil || len(left) != 1 {
		t.Errorf("tmp/ holds %v, %v; want what the other one is writing", left, err)
	}
}

func TestASyncedEventIsDeliveredLikeAnyOther(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool 同步")
	name, err := DeliverSynced(dir, []byte("payload"))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := Read(dir, name); err != nil || string(b) != "payload" {
		t.Errorf("reads %q, %v", b, err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, tmpDir)); err != nil || len(left) != 0 {
		t.Errorf("tmp/ holds %v, %v", left, err)
	}
}

func TestNoFileOfAnotherSizeThanAnEventIsRead(t *testing.T) {
	dir := t.TempDir()
	if err := Create(dir); err != nil {
		t.Fatal(err)
	}
	name := NameAt(time.Now(), 1)
	path := filepath.Join(NewDir(dir), name)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := Read(dir, name); err != nil || len(b) != 0 {
		t.Errorf("an empty file reads as %d bytes, %v", len(b), err)
	}
	if err := os.Truncate(path, MaxEvent+1); err != nil { // sparse
		t.Fatal(err)
	}
	if b, err := Read(dir, name); !errors.Is(err, ErrTooLarge) || b != nil {
		t.Errorf("a huge file reads as %d bytes, %v", len(b), err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir, name); err == nil {
		t.Error("a folder was read")
	}
}

func TestNamesThatOnlyLookLikeOursArePassedOver(t *testing.T) {
	dir := t.TempDir()
	if err := Create(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		strings.Repeat("1", 255), "1796026542123456789-" + strings.Repeat("0", 200), "1796026542123456789-1 ", "１７９６０２６５４２１２３４５６７８９-1",
		"1796026542123456789-1\n", "-796026542123456789-00001", "9223372036854775808-00001", "1796026542123456789-00001.json", "事件",
	} {
		if err := os.WriteFile(filepath.Join(NewDir(dir), name), []byte("x"), 0o600); err != nil {
			t.Logf("not to be had here: %v", err)
		}
	}
	early, late := "0000000000000000000-00001", "9223372036854775807-00001"
	for _, name := range []string{late, early} {
		if err := DeliverAs(dir, name, []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	names, err := List(dir)
	slices.Sort(names)
	if err != nil || !slices.Equal(names, []string{early, late}) {
		t.Errorf("List = %q, %v", names, err)
	}
	if n, oldest, err := Waiting(dir); n != 2 || oldest != early || err != nil {
		t.Errorf("Waiting = %d, %s, %v", n, oldest, err)
	}
}

func TestARestingWorkerIsNotWoken(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, RestingFile)
	if err := os.WriteFile(path, []byte("the store has schema version 99\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Waking would start this test's own binary and leave a mark.
	if err := Wake(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, StartingFile)); err == nil {
		t.Error("a worker was started")
	}
	for _, age := range []time.Duration{2 * RestFor, -24 * time.Hour} {
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		if fresh(path, RestFor) {
			t.Errorf("it still rests after %s", age)
		}
	}
}

// Whatever stands in a spool, a name is an event's or not by its own looks, and what
// is read is what was delivered.
func FuzzSpoolNamesAndFiles(f *testing.F) {
	for _, name := range []string{
		"1796026542123456789-00042", "0000000000000000000-00000", "9223372036854775807-4294967295", "9223372036854775808-1",
		".#1796026542123456789-1", "1796026542123456789-", "../../etc/passwd", "a/b", "", "1796026542123456789-1\x00", "事件-1",
	} {
		f.Add(name, []byte(`{"hook_event_name":"Stop"}`))
	}
	f.Add("1796026542123456789-00042", []byte{})
	f.Fuzz(func(t *testing.T, name string, payload []byte) {
		at, ours := Time(name)
		if !ours {
			return
		}
		if strings.ContainsAny(name, `/\`) || len(name) > maxName {
			t.Fatalf("%q is taken for an event: it leads out of the spool", name)
		}
		if at.Location() != time.UTC || at.UnixNano() < 0 {
			t.Fatalf("%q is of %v", name, at)
		}
		if got := nameAt(at.UnixNano(), 0)[:19]; got != name[:19] {
			t.Fatalf("%q is of %v, whose name begins with %s", name, at, got)
		}
		dir := t.TempDir()
		if err := DeliverAs(dir, name, payload); err != nil {
			t.Fatal(err)
		}
		if names, err := List(dir); err != nil || !slices.Equal(names, []string{name}) {
			t.Fatalf("delivered %q, listed %q, %v", name, names, err)
		}
		if b, err := Read(dir, name); err != nil || !bytes.Equal(b, payload) {
			t.Fatalf("%d bytes came back of %d, %v", len(b), len(payload), err)
		}
		if err := PutAside(dir, name); err != nil {
			t.Fatal(err)
		}
		if empty, err := Empty(dir); err != nil || !empty {
			t.Fatalf("put aside and still waiting (%v)", err)
		}
	})
}

func TestALargeSpoolIsCountedWithoutHoldingItsNames(t *testing.T) {
	dir := t.TempDir()
	if err := Create(dir); err != nil {
		t.Fatal(err)
	}
	const events = 2000
	begin := time.Now()
	for i := range events {
		if err := os.WriteFile(filepath.Join(NewDir(dir), NameAt(begin, i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n, oldest, err := Waiting(dir)
	if n != events || oldest != NameAt(begin, 0) || err != nil {
		t.Errorf("Waiting = %d, %s, %v", n, oldest, err)
	}
	seen := 0
	if err := Each(dir, func(string) bool { seen++; return seen < 10 }); err != nil || seen != 10 {
		t.Errorf("Each went on for %d names after it was told to stop at 10 (%v)", seen, err)
	}
	var names []string
	if err := Each(dir, func(name string) bool { names = append(names, name); return true }); err != nil || len(names) != events {
		t.Fatalf("Each gave %d names, %v", len(names), err)
	}
	slices.Sort(names)
	for i, name := range names {
		if want := NameAt(begin, i); name != want {
			t.Fatalf("name %d is %s, want %s", i, name, want)
		}
	}
}
