package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"cmem/memory"
)

// ownMounts, in the environment, says that this process may mount what it likes:
// nobody else sees it, and it is gone when the process is.
const ownMounts = "CMEM_TEST_OWN_MOUNTS"

// smallDisk mounts a file system of that size, in a process of its own that runs
// the test again. It reports false where the test has to end, for it has run there.
func smallDisk(t *testing.T, size string) (path string, here bool) {
	t.Helper()
	if os.Getenv(ownMounts) != "" {
		path = t.TempDir()
		if err := syscall.Mount("none", path, "tmpfs", 0, "mode=700,size="+size); err != nil {
			t.Skipf("no file system can be mounted here: %v", err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(path, syscall.MNT_DETACH) }) // else it goes with the process
		return path, true
	}
	var out bytes.Buffer
	var err error
	// Root needs no namespace of users, and others have only that way.
	for _, flags := range []uintptr{0, syscall.CLONE_NEWUSER} {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), ownMounts+"=1")
		cmd.Stdout, cmd.Stderr = &out, &out
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Cloneflags: flags, Pdeathsig: syscall.SIGKILL}
		if flags != 0 {
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
		}
		if err = cmd.Start(); err != nil {
			continue
		}
		if err = cmd.Wait(); err != nil {
			t.Errorf("in a process with mounts of its own: %v\n%s", err, out.String())
		}
		if bytes.Contains(out.Bytes(), []byte("--- SKIP")) {
			t.Skip(out.String())
		}
		return "", false
	}
	t.Skipf("this test needs a file system of its own, and neither root's way nor a user's to mount one is open here: %v", err)
	return "", false
}

// fill leaves nothing free on the disk until the function is called.
func fill(t *testing.T, disk string) (giveBack func()) {
	t.Helper()
	name := filepath.Join(disk, "ballast")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	page := make([]byte, os.Getpagesize())
	for err == nil {
		_, err = f.Write(page)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

// noRoomOn reports an error that does not say of the disk that it is full, and
// what to do.
func noRoomOn(t *testing.T, what, disk string, err error) {
	t.Helper()
	var full *NoRoomError
	if !errors.As(err, &full) || !strings.HasPrefix(full.Folder, disk) || !strings.Contains(err.Error(), "free some space and try again") {
		t.Errorf("%s: error %v, want one that says that the disk of %s is full", what, err, disk)
	}
}

// What does not fit on a disk is told; what was there stays whole, and the same
// works when there is room again.
func TestAFullDiskIsToldAndHarmsNothing(t *testing.T) {
	disk, here := smallDisk(t, "100m")
	if !here {
		return
	}
	path := filepath.Join(disk, "data", "cmem.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(pastStore(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}

	giveBack := fill(t, disk)
	_, err = Open(t.Context(), path)
	noRoomOn(t, "migrating", disk, err)
	if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, b) {
		t.Errorf("a migration without room changed the store (%v)", err)
	}
	giveBack()
	s := openStore(t, path)
	migrationBackup(t, path)

	heavy(t, s, 5<<20)
	giveBack = fill(t, disk)
	write := func(n int) error {
		_, err := s.AddEvents(t.Context(), []memory.Event{{ID: fmt.Sprint("late", n), SessionID: "late", CreatedAt: noon, Raw: bytes.Repeat([]byte(fmt.Sprint(n, "购物车")), 200_000)}})
		return err
	}
	for n := range 400 { // what the log has room for goes in
		if err = write(n); err != nil {
			break
		}
	}
	noRoomOn(t, "storing events", disk, err)
	before := contentOf(t, s)
	_, err = MakeBackup(t.Context(), path, "", false)
	noRoomOn(t, "backing up", disk, err)
	_, err = s.Compact(t.Context())
	noRoomOn(t, "compacting", disk, err)
	// The log cannot be written into the file. That is tried again later.
	if _, err := s.Housekeep(t.Context(), time.Second); err != nil {
		noRoomOn(t, "keeping house", disk, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), backupFolder, ".*")); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
	healthy(t, s)
	giveBack()

	if err := write(1000); err != nil {
		t.Error(err)
	}
	keepHouse(t, s, time.Second)
	if z := mustSizes(t, s); z.Log != 0 {
		t.Errorf("the log still has %d bytes", z.Log)
	}
	made, err := MakeBackup(t.Context(), path, "", false)
	if err != nil {
		t.Fatal(err)
	}
	after := contentOf(t, s)
	for table, rows := range before {
		for id := range rows {
			if after[table][id] == nil {
				t.Errorf("%s lost row %d", table, id)
			}
		}
	}
	healthy(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	giveBack = fill(t, disk)
	_, err = RestoreBackup(t.Context(), path, made.Path)
	noRoomOn(t, "restoring", disk, err)
	if err := os.Truncate(path, 4<<20); err != nil {
		t.Fatal(err)
	}
	giveBack()
	giveBack = fill(t, disk)
	_, err = Salvage(t.Context(), path)
	noRoomOn(t, "salvaging", disk, err)
	giveBack()
	saved, err := Salvage(t.Context(), path)
	if err != nil || saved.Rows() == 0 {
		t.Errorf("saved %+v (%v)", saved, err)
	}
	if _, err := RestoreBackup(t.Context(), path, made.Path); err != nil {
		t.Error(err)
	}
	healthy(t, openStore(t, path))
}
