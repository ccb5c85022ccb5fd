package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// binary is the cmem that these tests run, built once.
var binary string

// givenBinary, in the environment, is a cmem that was built already: a test that
// needs mounts of its own runs once more in a process of its own.
const givenBinary = "CMEM_TEST_BINARY"

func TestMain(m *testing.M) { os.Exit(build(m)) }

func build(m *testing.M) int {
	if binary = os.Getenv(givenBinary); binary != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "cmem-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	binary = filepath.Join(dir, "cmem")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", binary, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build cmem: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
