package main_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// ownMounts, in the environment, says that this process may mount what it likes:
// nobody else sees it, and it is gone when the process is.
const ownMounts = "CMEM_TEST_OWN_MOUNTS"

// withOwnMounts runs the test in a process with mounts of its own. It reports true
// there, and false where the test has to end, for that process has run it.
func withOwnMounts(t *testing.T) bool {
	t.Helper()
	if os.Getenv(ownMounts) != "" {
		return true
	}
	args := []string{"-test.run=^" + t.Name() + "$", "-test.v"}
	if testing.Short() {
		args = append(args, "-test.short")
	}
	var out bytes.Buffer
	var err error
	// Root needs no namespace of users, and others have only that way.
	for _, flags := range []uintptr{0, syscall.CLONE_NEWUSER} {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), ownMounts+"=1", givenBinary+"="+binary)
		cmd.Stdout, cmd.Stderr = &out, &out
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Cloneflags: flags, Pdeathsig: syscall.SIGKILL}
		if flags != 0 {
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
		}
		if err = cmd.Start(); err != nil {
			continue
		}
		err = cmd.Wait()
		t.Logf("in a process with mounts of its own:\n%s", out.String())
		if err != nil {
			t.Error(err)
		}
		if bytes.Contains(out.Bytes(), []byte("--- SKIP")) {
			t.SkipNow()
		}
		if !bytes.Contains(out.Bytes(), []byte("--- PASS: "+t.Name())) {
			t.Error("that process did not run the test")
		}
		return false
	}
	t.Skipf("this test needs a file system of its own, and neither root's way nor a user's to mount one is open here: %v", err)
	return false
}

// disk is a small file system.
type disk struct {
	t    *testing.T
	path string
}

// mountDisk makes a file system of that size at path.
func mountDisk(t *testing.T, path, size string) disk {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("none", path, "tmpfs", 0, "mode=700,size="+size); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(path, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return disk{t, path}
}

func (d disk) ballast() string { return filepath.Join(d.path, "ballast") }

// fill leaves at most that many bytes free.
func (d disk) fill(leave int64) {
	d.t.Helper()
	f, err := os.OpenFile(d.ballast(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // its content does not matter
	page := make([]byte, os.Getpagesize())
	for d.free() > leave {
		if _, err := f.Write(page); errors.Is(err, syscall.ENOSPC) {
			return
		} else if err != nil {
			d.t.Fatal(err)
		}
	}
}

// empty gives the space back.
func (d disk) empty() {
	d.t.Helper()
	if err := os.Remove(d.ballast()); err != nil {
		d.t.Fatal(err)
	}
}

func (d disk) free() int64 {
	d.t.Helper()
	var st syscall.Statfs_t
	if err := syscall.Statfs(d.path, &st); err != nil {
		d.t.Fatal(err)
	}
	return int64(st.Bavail) * st.Bsize
}

// readOnly lets nobody write to the disk, root included, or lets them again.
func (d disk) readOnly(on bool) {
	d.t.Helper()
	flags := uintptr(syscall.MS_REMOUNT)
	if on {
		flags |= syscall.MS_RDONLY
	}
	if err := syscall.Mount("none", d.path, "tmpfs", flags, ""); err != nil {
		d.t.Fatal(err)
	}
}
