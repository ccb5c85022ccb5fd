package hooks

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// excluded reports whether cwd or a folder above it matches one of patterns: a
// path, `~` for the home directory, `*` and `?` within a name, `**` at the end
// for everything below (which holds without it, too), or a bare name for any
// folder so called.
//
// Links are followed on both sides: an assistant names the place where it is, a
// person the way there.
func excluded(cwd string, patterns []string) bool {
	if cwd == "" || len(patterns) == 0 {
		return false
	}
	if below(cwd, patterns) {
		return true
	}
	physical, err := filepath.EvalSymlinks(cwd)
	return err == nil && physical != cwd && below(physical, patterns)
}

// below reports whether dir or a folder above it matches one of patterns.
func below(cwd string, patterns []string) bool {
	dir := path.Clean(filepath.ToSlash(cwd))
	for {
		for _, p := range patterns {
			if matches(p, dir) {
				return true
			}
		}
		up := path.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

func matches(pattern, dir string) bool {
	p := filepath.ToSlash(strings.TrimSpace(pattern))
	if p == "" {
		return false
	}
	p, ok := expandHome(p)
	if !ok {
		return false
	}
	p = strings.TrimSuffix(strings.TrimSuffix(p, "**"), "/")
	if p == "" { // "/" or "**": everything
		return true
	}
	if !strings.Contains(p, "/") {
		ok, err := path.Match(p, path.Base(dir))
		return err == nil && ok
	}
	if ok, err := path.Match(p, dir); err == nil && ok {
		return true
	}
	physical, err := filepath.EvalSymlinks(filepath.FromSlash(p))
	return err == nil && filepath.ToSlash(physical) == dir
}

// expandHome writes the home directory in place of a leading ~; without one there
// is no such path.
func expandHome(p string) (string, bool) {
	if p != "~" && !strings.HasPrefix(p, "~/") {
		return p, true
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", false
	}
	return filepath.ToSlash(home) + p[1:], true
}
