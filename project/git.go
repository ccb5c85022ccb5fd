package project

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// repo is a git repository as seen from one of its work trees.
type repo struct {
	root   string // the work tree, or the repository itself when it is bare
	gitDir string // holds this work tree's HEAD
	common string // holds what all work trees share; gitDir but for a linked worktree
}

// openRepo reports the repository whose top level, or whose own directory, is
// dir. A ".git" that is not a repository is passed over, as git does.
func openRepo(dir string) (repo, bool) {
	dotGit := filepath.Join(dir, ".git")
	if st, err := os.Stat(dotGit); err == nil {
		gitDir := dotGit
		if !st.IsDir() {
			gitDir = pointer(dotGit, "gitdir:")
		}
		if gitDir != "" && exists(filepath.Join(gitDir, "HEAD")) {
			return repo{root: dir, gitDir: gitDir, common: commonDir(gitDir)}, true
		}
	}
	if exists(filepath.Join(dir, "HEAD")) && exists(filepath.Join(dir, "objects")) && exists(filepath.Join(dir, "refs")) {
		return repo{root: mainTree(dir), gitDir: dir, common: dir}, true
	}
	return repo{}, false
}

func (r repo) info() Info {
	in := Info{Key: r.root, Root: r.root, InGit: true}
	if r.common != r.gitDir {
		in.Key = mainTree(r.common)
	}
	in.Branch, in.Commit = r.head()
	return in
}

// commonDir returns the directory that a git directory shares with the other
// work trees of its repository: itself, unless it belongs to a linked worktree.
func commonDir(gitDir string) string {
	if common := pointer(filepath.Join(gitDir, "commondir"), ""); common != "" && exists(common) {
		return canonical(common)
	}
	return gitDir
}

// mainTree returns the main work tree of the repository in the directory common:
// beside it, as ".git" or behind a ".git" file that points to it, or where its
// configuration says, as for a submodule. A bare repository is its own.
func mainTree(common string) string {
	parent := filepath.Dir(common)
	if filepath.Base(common) == ".git" {
		return parent
	}
	if to := pointer(filepath.Join(parent, ".git"), "gitdir:"); to != "" && canonical(to) == common {
		return parent
	}
	if tree := worktreeSetting(filepath.Join(common, "config")); tree != "" {
		return canonical(resolve(common, tree))
	}
	return common
}

// worktreeSetting returns core.worktree of a git configuration file. It reads the
// form that git itself writes, not every form that git accepts.
func worktreeSetting(config string) string {
	section := ""
	for line := range strings.SplitSeq(string(readSmall(config)), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(line)
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		if section == "[core]" && strings.EqualFold(strings.TrimSpace(name), "worktree") {
			value = strings.Trim(strings.TrimSpace(value), `"`)
			return strings.ReplaceAll(value, `\\`, `\`)
		}
	}
	return ""
}

// head returns the branch and the commit that are checked out.
func (r repo) head() (branch, commit string) {
	ref, commit := parseRef(readSmall(filepath.Join(r.gitDir, "HEAD")))
	branch = strings.TrimPrefix(ref, "refs/heads/")
	if branch == ".invalid" { // a reftable repository keeps its HEAD elsewhere
		return "", ""
	}
	for range 5 { // git's own limit for references to references
		if ref == "" {
			return branch, commit
		}
		ref, commit = r.lookup(ref)
	}
	return branch, ""
}

// lookup returns what a reference holds: another reference or a commit.
func (r repo) lookup(ref string) (to, commit string) {
	path := filepath.FromSlash(ref)
	for _, dir := range []string{r.gitDir, r.common} {
		if to, commit = parseRef(readSmall(filepath.Join(dir, path))); to != "" || commit != "" {
			return to, commit
		}
	}
	return "", packedRef(filepath.Join(r.common, "packed-refs"), ref)
}

// packedRef returns the commit of ref in a packed-refs file, whose lines are
// "<hash> <reference>". The file may hold a hundred thousand of them.
func packedRef(file, ref string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	end := bytes.Index(data, []byte(" "+ref+"\n"))
	if end < 0 {
		return ""
	}
	line := data[bytes.LastIndexByte(data[:end], '\n')+1 : end]
	if !isHash(string(line)) {
		return ""
	}
	return string(line)
}

// parseRef reads the content of HEAD or of a loose reference: another reference,
// a commit, or neither. A reference becomes a path and a name for people, so only
// a harmless one is taken.
func parseRef(data []byte) (ref, commit string) {
	text := strings.TrimSpace(string(data))
	name, ok := strings.CutPrefix(text, "ref:")
	if !ok {
		if isHash(text) {
			return "", text
		}
		return "", ""
	}
	name = strings.TrimSpace(name)
	control := func(c rune) bool { return c < ' ' || c == 0x7f }
	if !strings.HasPrefix(name, "refs/") || strings.Contains(name, "..") || strings.ContainsFunc(name, control) {
		return "", ""
	}
	return name, ""
}

// isHash reports whether s is a full SHA-1 or SHA-256 object name.
func isHash(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// pointer returns the path in a file that holds nothing but prefix and a path,
// which is relative to the file's directory; "" when the file is not like that.
func pointer(file, prefix string) string {
	path, ok := strings.CutPrefix(string(readSmall(file)), prefix)
	if path = strings.Trim(path, " \t\r\n"); !ok || path == "" {
		return ""
	}
	return resolve(filepath.Dir(file), path)
}

// resolve returns path as seen from dir.
func resolve(dir, path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// readSmall returns the content of one of git's small files, nil when it cannot
// be read. A file over 64 KB is none of them.
func readSmall(file string) []byte {
	const limit = 64 << 10
	if st, err := os.Stat(file); err != nil || !st.Mode().IsRegular() || st.Size() > limit {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return data
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
