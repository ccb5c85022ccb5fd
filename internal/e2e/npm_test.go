package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// npmPackage installs a package of npm with a version, once, into the user's cache
// directory, and gives the folder it is in. Its scripts are not run.
func npmPackage(t *testing.T, name, version string) string {
	t.Helper()
	skip := t.Skipf
	if os.Getenv("CMEM_E2E_REQUIRED") == "1" {
		skip = t.Fatalf
	}
	if os.Getenv("CMEM_E2E") != "1" {
		skip("runs %s, which npm installs; set CMEM_E2E=1", name)
	}
	for _, tool := range []string{"npm", "node"} {
		if _, err := exec.LookPath(tool); err != nil {
			skip("%s is not installed", tool)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "cmem-e2e", filepath.Base(name)+"-"+version)
	done := filepath.Join(dir, "installed")
	folder := filepath.Join(dir, "node_modules", filepath.FromSlash(name))
	if _, err := os.Stat(done); err == nil {
		return folder
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	// Without a package.json of its own npm would look for one in the parents.
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte("{\"private\":true}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "npm", "install", "--no-fund", "--no-audit", "--ignore-scripts", name+"@"+version)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm install %s@%s: %v\n%s", name, version, err, bytes.TrimSpace(out))
	}
	if err := os.WriteFile(done, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}

// node runs a script of an npm package to its end and gives its standard output.
func node(t *testing.T, dir string, env []string, script string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", append([]string{script}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", filepath.Base(script), strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String()
}
