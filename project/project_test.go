package project

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// git runs the git program, apart from the person's own configuration.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("git")
	if err != nil {
		t.Skip("needs the git program")
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "HOME=" + t.TempDir(),
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com",
		"GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// tempDir is t.TempDir with symbolic links resolved, as keys are.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func mkdir(t *testing.T, parts ...string) string {
	t.Helper()
	dir := filepath.Join(parts...)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// newRepo makes a repository with one commit on branch main.
func newRepo(t *testing.T, parts ...string) (dir, commit string) {
	t.Helper()
	dir = mkdir(t, parts...)
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	return dir, git(t, dir, "rev-parse", "HEAD")
}

func check(t *testing.T, dir string, want Info) {
	t.Helper()
	if got := Find(dir); got != want {
		t.Errorf("Find(%q)\n got %+v\nwant %+v", dir, got, want)
	}
}

func TestRepositoryIsOneProjectFromEveryDirectoryInIt(t *testing.T) {
	for _, name := range []string{"webshop", "web shop", "网店 🛒"} {
		t.Run(name, func(t *testing.T) {
			repo, commit := newRepo(t, tempDir(t), name)
			want := Info{Key: repo, Root: repo, Branch: "main", Commit: commit, InGit: true}
			check(t, repo, want)
			check(t, repo+string(filepath.Separator), want)
			check(t, mkdir(t, repo, "src", "订单"), want)
			check(t, filepath.Join(repo, "src", "gone", "deeper"), want)
			check(t, filepath.Join(repo, ".git", "hooks"), want)
		})
	}
}

func TestWorktreesShareTheProjectOfTheirRepository(t *testing.T) {
	tmp := tempDir(t)
	repo, commit := newRepo(t, tmp, "webshop")
	tree := filepath.Join(tmp, "webshop-feature")
	git(t, repo, "worktree", "add", "-q", "-b", "feature/购物车", tree)
	git(t, tree, "commit", "-q", "--allow-empty", "-m", "second")
	second := git(t, tree, "rev-parse", "HEAD")

	check(t, repo, Info{Key: repo, Root: repo, Branch: "main", Commit: commit, InGit: true})
	want := Info{Key: repo, Root: tree, Branch: "feature/购物车", Commit: second, InGit: true}
	check(t, tree, want)
	check(t, mkdir(t, tree, "src"), want)
}

func TestWorktreesOfABareRepositoryShareAProject(t *testing.T) {
	tmp := tempDir(t)
	repo, commit := newRepo(t, tmp, "webshop")
	bare := filepath.Join(tmp, "webshop.git")
	git(t, tmp, "clone", "-q", "--bare", repo, bare)
	tree := filepath.Join(tmp, "tree")
	git(t, bare, "worktree", "add", "-q", "-b", "topic", tree)

	check(t, tree, Info{Key: bare, Root: tree, Branch: "topic", Commit: commit, InGit: true})
	check(t, bare, Info{Key: bare, Root: bare, Branch: "main", Commit: commit, InGit: true})
}

func TestBareRepositoryHiddenInItsProjectFolderIsThatFolder(t *testing.T) {
	tmp := tempDir(t)
	repo, commit := newRepo(t, tmp, "origin")
	folder := mkdir(t, tmp, "webshop")
	git(t, folder, "clone", "-q", "--bare", repo, ".bare")
	write(t, filepath.Join(folder, ".git"), "gitdir: ./.bare\n")
	tree := filepath.Join(folder, "topic")
	git(t, folder, "worktree", "add", "-q", "-b", "topic", tree)

	check(t, tree, Info{Key: folder, Root: tree, Branch: "topic", Commit: commit, InGit: true})
	check(t, folder, Info{Key: folder, Root: folder, Branch: "main", Commit: commit, InGit: true})
}

func TestSubmoduleIsAProjectOfItsOwn(t *testing.T) {
	tmp := tempDir(t)
	lib, commit := newRepo(t, tmp, "lib")
	repo, _ := newRepo(t, tmp, "webshop")
	git(t, repo, "submodule", "--quiet", "add", lib, "third_party/lib")
	sub := filepath.Join(repo, "third_party", "lib")
	check(t, sub, Info{Key: sub, Root: sub, Branch: "main", Commit: commit, InGit: true})

	tree := filepath.Join(tmp, "lib-topic")
	git(t, sub, "worktree", "add", "-q", "-b", "topic", tree)
	check(t, tree, Info{Key: sub, Root: tree, Branch: "topic", Commit: commit, InGit: true})
}

func TestSeparateGitDirectoryBelongsToItsWorkTree(t *testing.T) {
	tmp := tempDir(t)
	tree := filepath.Join(tmp, "webshop")
	git(t, tmp, "init", "-q", "-b", "main", "--separate-git-dir", filepath.Join(tmp, "elsewhere"), tree)
	check(t, tree, Info{Key: tree, Root: tree, Branch: "main", InGit: true})
}

func TestHeadIsReadInAllItsForms(t *testing.T) {
	tmp := tempDir(t)
	repo, commit := newRepo(t, tmp, "webshop")
	at := func(branch, commit string) Info {
		return Info{Key: repo, Root: repo, Branch: branch, Commit: commit, InGit: true}
	}
	git(t, repo, "branch", "main-2") // a longer name that begins alike
	git(t, repo, "tag", "-a", "-m", "v1", "v1")
	git(t, repo, "pack-refs", "--all")
	if _, err := os.Stat(filepath.Join(repo, ".git", "refs", "heads", "main")); err == nil {
		t.Fatal("the branch is still a loose reference")
	}
	check(t, repo, at("main", commit))

	git(t, repo, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
	git(t, repo, "symbolic-ref", "HEAD", "refs/heads/alias")
	check(t, repo, at("alias", commit))

	git(t, repo, "checkout", "-q", "--detach")
	check(t, repo, at("", commit))

	git(t, repo, "checkout", "-q", "--orphan", "fresh")
	check(t, repo, at("fresh", ""))

	head := filepath.Join(repo, ".git", "HEAD")
	for text, branch := range map[string]string{
		"ref: refs/heads/.invalid\n":        "", // as in a reftable repository
		"ref: refs/heads/../../../secret\n": "",
		"ref: refs/heads/a\x1b[2Jb\n":       "",
		"\x00\xff rubbish":                  "",
		"":                                  "",
		"ref: refs/heads/loop\n":            "loop",
		strings.Repeat("0123456789abcdef", 2) + "z": "",
	} {
		write(t, filepath.Join(repo, ".git", "refs", "heads", "loop"), "ref: refs/heads/loop\n")
		write(t, head, text)
		if got := Find(repo); got != at(branch, "") {
			t.Errorf("HEAD %q: got %+v", text, got)
		}
	}

	sha256 := strings.Repeat("0123456789abcdef", 4)
	write(t, head, sha256+"\n")
	check(t, repo, at("", sha256))
}

func TestSymbolicLinkLeadsToTheSameProject(t *testing.T) {
	tmp := tempDir(t)
	repo, commit := newRepo(t, tmp, "webshop")
	mkdir(t, repo, "src")
	link := filepath.Join(tmp, "shortcut")
	if err := os.Symlink(filepath.Join(repo, "src"), link); err != nil {
		t.Skip("needs symbolic links:", err)
	}
	want := Info{Key: repo, Root: repo, Branch: "main", Commit: commit, InGit: true}
	check(t, link, want)
	check(t, filepath.Join(link, "gone"), want)
}

func TestDirectoryOutsideGitIsItsOwnProject(t *testing.T) {
	tmp := tempDir(t)
	own := func(dir string) Info { return Info{Key: dir, Root: dir} }

	plain := mkdir(t, tmp, "notes 笔记")
	check(t, plain, own(plain))
	check(t, filepath.Join(plain, "sub", "..", "."), own(plain))

	gone := mkdir(t, tmp, "gone")
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	check(t, gone, own(gone))

	broken := mkdir(t, tmp, "broken")
	write(t, filepath.Join(broken, ".git"), "gitdir: /home/dev/projects/moved/.git/worktrees/x\n")
	check(t, broken, own(broken))

	empty := mkdir(t, tmp, "empty")
	mkdir(t, empty, ".git")
	check(t, empty, own(empty))

	nul := tmp + "\x00x"
	check(t, nul, own(nul))
	check(t, "", Info{})
}

func TestRelativeDirectoryIsTakenFromTheWorkingDirectory(t *testing.T) {
	repo, commit := newRepo(t, tempDir(t), "webshop")
	t.Chdir(mkdir(t, repo, "src"))
	check(t, ".", Info{Key: repo, Root: repo, Branch: "main", Commit: commit, InGit: true})
}

func TestWindowsPathIsKeptOnOtherSystems(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows these are ordinary paths")
	}
	for _, dir := range []string{`C:\Users\dev\webshop`, `d:/src/webshop`, `\\host\share\webshop`} {
		check(t, dir, Info{Key: dir, Root: dir})
	}
}

func TestName(t *testing.T) {
	for key, want := range map[string]string{
		"/home/dev/projects/webshop":  "webshop",
		"/home/dev/projects/webshop/": "webshop",
		"/srv/git/webshop.git":        "webshop",
		"/srv/.git":                   ".git",
		"/home/dev/网店":                "网店",
		`C:\Users\dev\webshop`:        "webshop",
		`C:\Users\dev\webshop\`:       "webshop",
		`C:\`:                         "C:",
		`/home/dev/odd\name`:          `odd\name`,
		"/":                           "/",
		"":                            "",
	} {
		if got := Name(key); got != want {
			t.Errorf("Name(%q) = %q, want %q", key, got, want)
		}
	}
}

func TestRel(t *testing.T) {
	const key = "/home/dev/projects/webshop"
	tests := []struct{ key, path, want string }{
		{key, key + "/src/order.go", "src/order.go"},
		{key, key + "/src/订单 一.go", "src/订单 一.go"},
		{key + "/", key + "/src/order.go", "src/order.go"},
		{key, key, "."},
		{key, key + "/", "."},
		{key, key + "-old/order.go", key + "-old/order.go"},
		{key, key + "/../other/a.go", key + "/../other/a.go"},
		{key, key + "/a..b/c.go", "a..b/c.go"},
		{key, "/etc/hosts", "/etc/hosts"},
		{key, "src/order.go", "src/order.go"},
		{key, "", ""},
		{"", "/etc/hosts", "/etc/hosts"},
		{`C:\Users\dev\webshop`, `C:\Users\dev\webshop\src\order.go`, "src/order.go"},
		{`C:\Users\dev\webshop`, `c:/users/dev/webshop/src/order.go`, "src/order.go"},
		{`C:\Users\dev\webshop`, `C:\Users\dev\webshop2\a.go`, `C:\Users\dev\webshop2\a.go`},
		{`\\host\share\webshop`, `\\host\share\webshop\a.go`, "a.go"},
	}
	for _, tt := range tests {
		if got := Rel(tt.key, tt.path); got != tt.want {
			t.Errorf("Rel(%q, %q) = %q, want %q", tt.key, tt.path, got, tt.want)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	dir, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		Find(dir)
	}
}
