// Command gensecrets turns gitleaks' rules, which are TOML and know of files and
// commits, into the form in which package secrets has them in the binary.
//
//	go run ./internal/gensecrets          # of the copy in the repository
//	go run ./internal/gensecrets v8.30.1  # of that version, which replaces the copy
//
// Run it from the root of the module. Read the difference before committing it:
// a new rule can cost precision, which the tests of package secrets measure.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const (
	module = "github.com/zricethezav/gitleaks/v8"
	dir    = "hooks/secrets/gitleaks"
	ruleIn = "gitleaks.toml"
	notice = "LICENSE"
	mark   = "VERSION"
	result = "rules.json"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gensecrets:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) > 1 {
		return errors.New("give one version of gitleaks, or none")
	}
	if len(args) == 1 {
		if err := renew(args[0]); err != nil {
			return err
		}
	}
	version, err := os.ReadFile(filepath.Join(dir, mark))
	if err != nil {
		return err
	}
	toml, err := os.ReadFile(filepath.Join(dir, ruleIn))
	if err != nil {
		return err
	}
	rules, err := convert(string(version), toml)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, result), rules, 0o644) //nolint:gosec // a file of the repository
}

// renew replaces the copy by that of a version, which Go's module proxy has.
func renew(version string) error {
	out, err := exec.Command("go", "mod", "download", "-json", module+"@"+version).Output() //nolint:gosec // the developer's own argument
	if err != nil {
		return fmt.Errorf("download %s@%s: %w", module, version, err)
	}
	var got struct{ Version, Dir string }
	if err := json.Unmarshal(out, &got); err != nil {
		return fmt.Errorf("download %s@%s: %w", module, version, err)
	}
	for from, to := range map[string]string{"config/gitleaks.toml": ruleIn, "LICENSE": notice} {
		b, err := os.ReadFile(filepath.Join(got.Dir, from))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, to), b, 0o644); err != nil { //nolint:gosec // a file of the repository
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, mark), []byte(got.Version+"\n"), 0o644) //nolint:gosec // a file of the repository
}
