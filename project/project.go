// Package project says which project a directory belongs to: the main work tree
// of its git repository, so that all worktrees of a repository share one memory,
// or else the directory itself. It also shortens names and paths for people.
//
// It runs while a session starts, so it costs a few stats and small reads: it
// reads git's files itself and never starts git, never writes, never fails, and
// knows nothing of the store, of settings or of agents.
package project

import (
	"os"
	"path/filepath"
	"strings"
)

// Info says which project a directory belongs to.
type Info struct {
	// Key identifies the project: the absolute path of the main git work tree
	// with symbolic links resolved (of the bare repository when there is no main
	// work tree), or the directory itself outside git. Empty only when Find was
	// given an empty path.
	Key string
	// Root is the work tree that the directory stands in. It differs from Key in
	// a linked worktree; outside git it is Key.
	Root string
	// Branch is the branch that is checked out in Root, without "refs/heads/";
	// empty when HEAD is detached or unknown.
	Branch string
	// Commit is the full hash of HEAD; empty when unknown or when the branch has
	// no commit yet.
	Commit string
	// InGit reports whether a git repository was found.
	InGit bool
}

// Find says which project dir belongs to. It does not fail: a directory outside
// git, one that cannot be read or one that is gone is its own project, by its
// cleaned path. A path of another operating system, as in imported memories, is
// kept as it is.
func Find(dir string) Info {
	if dir == "" {
		return Info{}
	}
	if foreign(dir) {
		return Info{Key: dir, Root: dir}
	}
	dir = canonical(dir)
	for at := dir; ; {
		if r, ok := openRepo(at); ok {
			return r.info()
		}
		up := filepath.Dir(at)
		if up == at {
			return Info{Key: dir, Root: dir}
		}
		at = up
	}
}

// canonical returns dir as an absolute path with symbolic links resolved. Of a
// path that does not exist (any more) it resolves the part that does.
func canonical(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return filepath.Clean(dir)
	}
	rest := ""
	for at := abs; ; {
		if resolved, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(resolved, rest)
		}
		up := filepath.Dir(at)
		if up == at {
			return abs
		}
		rest = filepath.Join(filepath.Base(at), rest)
		at = up
	}
}

// Name returns the short name of a project for people: the last part of its key.
// Two projects can share a name; never use it to tell them apart.
func Name(key string) string {
	path := slashed(key)
	if trimmed := strings.TrimRight(path, "/"); trimmed != "" {
		path = trimmed
	}
	if i := strings.LastIndexByte(path, '/'); i >= 0 && i < len(path)-1 {
		path = path[i+1:]
	}
	if name := strings.TrimSuffix(path, ".git"); name != "" { // a bare repository
		return name
	}
	return path
}

// Rel returns path relative to the project, with "/" between its parts, or path
// unchanged when it is outside the project or not absolute. It compares text
// only, so that the answer is the same on any machine and after the file is gone.
func Rel(key, path string) string {
	root, full := strings.TrimRight(slashed(key), "/"), slashed(path)
	if root == "" || len(full) < len(root) {
		return path
	}
	head, rest := full[:len(root)], full[len(root):]
	if head != root && !(windowsPath(key) && strings.EqualFold(head, root)) {
		return path
	}
	switch {
	case strings.Trim(rest, "/") == "":
		return "."
	case rest[0] != '/' || climbs(rest):
		return path
	}
	return strings.TrimLeft(rest, "/")
}

// climbs reports whether a path with "/" separators has a ".." part.
func climbs(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

// slashed returns path with "/" between its parts. A backslash is a separator
// only in a Windows path; elsewhere it is a letter of a file's name.
func slashed(path string) string {
	if windowsPath(path) {
		return strings.ReplaceAll(path, `\`, "/")
	}
	return path
}

// windowsPath reports whether path is absolute in the Windows way: a drive
// ("C:\src", "C:/src") or a share ("\\host\share").
func windowsPath(path string) bool {
	if strings.HasPrefix(path, `\\`) {
		return true
	}
	if len(path) < 3 || path[1] != ':' || (path[2] != '\\' && path[2] != '/') {
		return false
	}
	c := path[0] | 0x20
	return 'a' <= c && c <= 'z'
}

// foreign reports whether path is absolute on Windows, but not here. Resolving
// it against the working directory would invent a project.
func foreign(path string) bool {
	return os.PathSeparator == '/' && windowsPath(path)
}
