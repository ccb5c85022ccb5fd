package hooks

import (
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"cmem/memory"
)

// touchesExcluded reports whether the tool call of an event has to do with a file
// that one of patterns matches: a path, with `~`, `*`, `?`, `[…]`, `{…}` and `**`; a
// relative one matches at any depth, and a folder with all below it. A command is
// taken to have to do with every file that it names.
func touchesExcluded(e memory.Event, patterns []string) bool {
	if len(patterns) == 0 || e.ToolName == "" {
		return false
	}
	touched := append(pathsIn(e.ToolInput), pathsIn(e.ToolResponse)...)
	for _, command := range commandsIn(e.ToolInput) {
		touched = append(touched, commandWords(command)...)
	}
	return slices.ContainsFunc(touched, func(file string) bool { return excludedPath(e.CWD, file, patterns) })
}

// excludedPath reports whether a file, as named in the directory cwd, matches one
// of patterns. Links are followed on both sides.
func excludedPath(cwd, file string, patterns []string) bool {
	file, ok := expandHome(slashed(file))
	if !ok || file == "" {
		return false
	}
	if !isAbsolute(file) {
		file = slashed(cwd) + "/" + file
	}
	names := []string{path.Clean(file)}
	if physical := physicalPath(names[0]); physical != names[0] {
		names = append(names, physical)
	}
	for _, pattern := range patterns {
		for _, p := range pathPatterns(pattern) {
			if slices.ContainsFunc(names, func(name string) bool { return matchesPath(p, name) }) {
				return true
			}
		}
	}
	return false
}

// pathPatterns gives a pattern as it is matched against whole paths: twice when a
// link is in its way.
func pathPatterns(pattern string) []string {
	p, ok := expandHome(slashed(strings.TrimSpace(pattern)))
	if !ok || p == "" {
		return nil
	}
	if p = strings.TrimSuffix(p, "/"); !isAbsolute(p) {
		return []string{"**/" + strings.TrimPrefix(p, "./")}
	}
	all := []string{p}
	base, rest := doublestar.SplitPattern(p)
	if physical := physicalPath(base); physical != base {
		all = append(all, strings.TrimSuffix(physical, "/")+"/"+rest)
	}
	return all
}

func matchesPath(pattern, name string) bool {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		pattern, name = strings.ToLower(pattern), strings.ToLower(name)
	}
	for _, p := range []string{pattern, pattern + "/**"} {
		if ok, err := doublestar.Match(p, name); ok && err == nil {
			return true
		}
	}
	return false
}

// physicalPath gives a path with its links followed as far as it exists: a file may
// be about to be made.
func physicalPath(name string) string {
	rest := ""
	for dir := name; ; {
		if physical, err := filepath.EvalSymlinks(filepath.FromSlash(dir)); err == nil {
			return path.Join(slashed(physical), rest)
		}
		up := path.Dir(dir)
		if up == dir {
			return name
		}
		dir, rest = up, path.Join(path.Base(dir), rest)
	}
}

// slashed gives a path with slashes, also one of Windows that is read elsewhere.
func slashed(p string) string {
	if hasDrive(p) || runtime.GOOS == "windows" {
		return strings.ReplaceAll(p, `\`, "/")
	}
	return p
}

func hasDrive(p string) bool {
	return len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/') && (p[0]|0x20) >= 'a' && (p[0]|0x20) <= 'z'
}

func isAbsolute(p string) bool { return strings.HasPrefix(p, "/") || hasDrive(p) }
