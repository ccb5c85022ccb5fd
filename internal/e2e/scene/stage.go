package scene

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"cmem/internal/e2e/claude"
	"cmem/internal/fakeapi"
)

// tools are the client's tools that the scenes may call. Grep and Glob are there
// only when they are asked for.
const tools = "Bash,Read,Edit,Write,Grep,Glob,TodoWrite,TaskCreate,TaskUpdate,Task,WebFetch"

// Stage is where scenes are played: a client, a home directory, a project and
// the stand-in for the model.
type Stage struct {
	Client  string // the client's binary
	Home    string
	Project string
	API     *fakeapi.Server
	Env     []string // more variables for the client
	Args    []string // more arguments for the client

	goCache string
}

// NewStage lays out the project from the txtar archive in a git repository under
// work, and starts the stand-in. Close it after use.
func NewStage(client, work, archive string) (*Stage, error) {
	// The client reports paths with symbolic links resolved.
	work, err := filepath.EvalSymlinks(work)
	if err != nil {
		return nil, fmt.Errorf("set the stage: %w", err)
	}
	st := &Stage{
		Client:  client,
		Home:    filepath.Join(work, "home"),
		Project: filepath.Join(work, "projects", "webshop"),
	}
	if err := os.MkdirAll(st.Home, 0o755); err != nil {
		return nil, fmt.Errorf("set the stage: %w", err)
	}
	if err := unpack(archive, st.Project); err != nil {
		return nil, fmt.Errorf("set the stage: %w", err)
	}
	// The tests that the model runs compile the standard library's packages; with
	// the cache of this machine that is done already.
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("set the stage: find the Go build cache: %w", err)
	}
	st.goCache = strings.TrimSpace(string(cache))
	first := time.Date(2026, 11, 23, 16, 2, 11, 0, time.UTC)
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "Catalogue client, cart and orders"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = st.Project, append(os.Environ(), st.toolEnv(first)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("set the stage: git %s: %w: %s", args[0], err, out)
		}
	}
	st.API = fakeapi.New(fakeapi.Script{})
	return st, nil
}

// Close stops the stand-in.
func (st *Stage) Close() { st.API.Close() }

// GoCache returns the Go build cache that the tools use.
func (st *Stage) GoCache() string { return st.goCache }

// Play plays run number i of the scene, from 0. All turns of the script must be
// asked for.
func (st *Stage) Play(ctx context.Context, sc Scene, i int) (seen claude.Seen, err error) {
	session := "--session-id"
	if i > 0 {
		session = "--resume"
	}
	env := append(st.toolEnv(sc.Runs[i].At), st.Env...)
	s, err := claude.Start(ctx, claude.Options{
		Bin: st.Client, Home: st.Home, Dir: st.Project, BaseURL: st.API.URL,
		Env:  append(env, sc.Env...),
		Args: append([]string{session, sc.Session, "--tools", tools}, st.Args...),
	})
	if err != nil {
		return claude.Seen{}, err
	}
	defer func() {
		ended, endErr := s.End()
		seen, err = ended, errors.Join(err, endErr)
	}()
	for _, p := range sc.Runs[i].Prompts {
		st.API.SetScript(fakeapi.Script{Turns: p.Turns})
		if _, err := s.Prompt(p.Text); err != nil {
			return claude.Seen{}, fmt.Errorf("prompt %.40q: %w", p.Text, err)
		}
		if n := st.API.Unused(); n > 0 {
			return claude.Seen{}, fmt.Errorf("prompt %.40q: %d of the scripted turns were never asked for", p.Text, n)
		}
	}
	return claude.Seen{}, nil // the deferred End fills it
}

// toolEnv is what git and go need in a home that is empty. Commits made in the
// same order always get the same hashes.
func (st *Stage) toolEnv(at time.Time) []string {
	date := at.Format(time.RFC3339)
	return []string{
		"HOME=" + st.Home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Dev", "GIT_AUTHOR_EMAIL=dev@example.com", "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=Dev", "GIT_COMMITTER_EMAIL=dev@example.com", "GIT_COMMITTER_DATE=" + date,
		"GOCACHE=" + st.goCache, "GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS=",
	}
}

func unpack(archive, dir string) error {
	ar, err := txtar.ParseFile(archive)
	if err != nil {
		return err
	}
	for _, f := range ar.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
