package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"

	"cmem/hooks/spool"
)

// moduleRoot finds the folder with our go.mod above the current one.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("run me inside the repository: it holds the payloads that I send")
		}
		dir = up
	}
}

// build makes the programs as a release would, or takes the one at binary.
func (b *bench) build(ctx context.Context, binary string) error {
	exe := ""
	if runtime.GOOS == "windows" {
		exe = ".exe"
	}
	b.bare = filepath.Join(b.work, "bare"+exe)
	b.mini = filepath.Join(b.work, "mini"+exe)
	b.cmem = filepath.Join(b.work, "cmem"+exe)
	programs := map[string]string{b.bare: "./bench/bare", b.mini: "./bench/mini", b.cmem: "."}
	if binary != "" {
		abs, err := filepath.Abs(binary)
		if err != nil {
			return err
		}
		delete(programs, b.cmem)
		b.cmem = abs
	}
	for out, pkg := range programs {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out+".built", pkg)
		cmd.Dir = b.root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", pkg, err, text)
		}
		if err := install(out+".built", out); err != nil {
			return err
		}
	}
	return nil
}

// install copies a program. What a linker has just written starts half a millisecond
// later than the same bytes copied or unpacked, as users have them. The copy is made in
// pieces, as installers do: a file that is written at once lies in pieces of megabytes in
// Linux's cache, of which a process that touches a byte maps the whole.
func install(built, program string) error {
	from, err := os.Open(built)
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // opened for reading
	to, err := os.OpenFile(program, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{to}, from, make([]byte, 128<<10))
	return errors.Join(err, to.Close())
}

// env is the whole environment of a measured program.
func (b *bench) env(dataDir string, more ...string) []string {
	return append([]string{
		"HOME=" + b.work, "USERPROFILE=" + b.work, "PATH=" + os.Getenv("PATH"), "SystemRoot=" + os.Getenv("SystemRoot"),
		"TMPDIR=" + os.TempDir(), "TEMP=" + os.TempDir(), "CMEM_DATA_DIR=" + dataDir,
	}, more...)
}

// process runs a program to its end and checks that it succeeded and that its
// output is as expected; check may be nil.
func (b *bench) process(ctx context.Context, dataDir string, stdin []byte, check func(stdout []byte) error, program string, args ...string) (sample, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = b.work
	cmd.Env = b.env(dataDir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err == nil && check != nil {
		err = check(stdout.Bytes())
	}
	if err != nil {
		return sample{}, fmt.Errorf("%s %q: %w\n%s%s", filepath.Base(program), args, err, stderr.Bytes(), stdout.Bytes())
	}
	return sampleOf(cmd.ProcessState, wall), nil
}

func sampleOf(p *os.ProcessState, wall time.Duration) sample {
	return sample{wall: wall, cpu: p.UserTime() + p.SystemTime()}
}

// makeSpool makes an empty spool below dataDir.
func makeSpool(dataDir string) error {
	dir := filepath.Join(dataDir, "spool")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, sub := range []string{"tmp", "new"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// pretendWorker empties the spools and makes hooks believe, until the function that it returns is
// called, that a worker is alive, by holding its lock: what is measured is the
// hook and not the worker that it would start beside it.
func pretendWorker(dataDirs ...string) (stop func() error, err error) {
	var locks []*flock.Flock
	stop = func() error {
		var errs []error
		for _, l := range locks {
			errs = append(errs, l.Unlock(), os.RemoveAll(filepath.Join(filepath.Dir(l.Path()), "spool")))
		}
		return errors.Join(errs...)
	}
	for _, dir := range dataDirs {
		if err := makeSpool(dir); err != nil {
			return nil, errors.Join(err, stop())
		}
		l := flock.New(filepath.Join(dir, spool.LockFile), flock.SetPermissions(0o600))
		free, err := l.TryLock()
		if err == nil && !free {
			err = errors.New("a worker is running there")
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("hold the worker's lock in %s: %w", dir, err), stop())
		}
		locks = append(locks, l)
	}
	return stop, nil
}
