// Package claude installs a pinned Claude Code and runs it in print mode, for
// the tests and the recorder that need the real client.
//
// It knows nothing of cmem: which hooks the client runs is the business of the
// settings in its home directory or of Options.Settings.
package claude

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Version is the client that the tests are written against.
const Version = "2.1.332"

// ErrUnavailable says that the client cannot be had here: no npm, or no build
// for this platform.
var ErrUnavailable = errors.New("claude code is not available")

// Install returns the path of the client's native binary, which it installs with
// npm into the user's cache directory the first time (about 400 MB).
func Install(ctx context.Context) (string, error) {
	platform, ok := platforms[runtime.GOOS+"/"+runtime.GOARCH]
	if !ok {
		return "", fmt.Errorf("%w: no package for %s/%s", ErrUnavailable, runtime.GOOS, runtime.GOARCH)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a place for the client: %w", err)
	}
	dir := filepath.Join(cache, "cmem-e2e", "claude-code-"+Version)
	bin := filepath.Join(dir, "node_modules", "@anthropic-ai", "claude-code-"+platform, "claude")
	if _, err := os.Stat(bin); err == nil {
		return bin, nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", fmt.Errorf("%w: npm is not installed", ErrUnavailable)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make a place for the client: %w", err)
	}
	// Without a package.json of its own npm would look for one in the parents.
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte("{\"private\":true}\n"), 0o644); err != nil {
		return "", fmt.Errorf("make a place for the client: %w", err)
	}
	// The native binary is called directly, so the scripts that would link it are
	// not wanted, and the version of Node does not matter.
	cmd := exec.CommandContext(ctx, npm, "install", "--no-fund", "--no-audit", "--ignore-scripts",
		"@anthropic-ai/claude-code@"+Version)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install claude-code %s: %w\n%s", Version, err, bytes.TrimSpace(out))
	}
	if _, err := os.Stat(bin); err != nil {
		return "", fmt.Errorf("npm installed claude-code %s without its binary: %w", Version, err)
	}
	return bin, nil
}

// platforms names the npm package's suffix for a Go platform.
var platforms = map[string]string{
	"linux/amd64":  "linux-x64",
	"linux/arm64":  "linux-arm64",
	"darwin/amd64": "darwin-x64",
	"darwin/arm64": "darwin-arm64",
}
