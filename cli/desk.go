package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"cmem/agents"
	"cmem/config"
	"cmem/hooks/spool"
	"cmem/memory"
	"cmem/store"
	"cmem/tui"
	"cmem/worker"
)

// openShown is how many waiting batches are looked at for why nothing is
// compressed.
const openShown = 20

// desk is what the browser can have done outside of the store, on this machine.
func (a *App) desk(cfg *config.Config, s *store.Store) tui.Desk {
	scratch := newScratch(filepath.Join(cfg.DataDir(), scratchFolder), a.Now)
	return tui.Desk{
		Status: func(ctx context.Context) (tui.Status, error) { return a.browserStatus(ctx, cfg, s) },
		Export: func(ctx context.Context, refs []memory.Ref) (string, error) { return a.exportChosen(ctx, s, refs) },
		Clipboard: func(text string) error {
			return copyToClipboard(a.Getenv, text)
		},
		EditCommand: func(path string, line int) (tui.Command, error) {
			return editCommand(a.editor(cfg), path, line, scratch.has(path))
		},
		ResumeCommand:  resumeCommand,
		FindFile:       findFile,
		FindTranscript: findTranscript,
		Scratch:        scratch.write, ReadScratch: scratch.read, DropScratch: scratch.drop,
		WakeWorker: func() error { return spool.Wake(cfg.DataDir()) },
	}
}

// browserStatus tells how the work behind the memory is going.
func (a *App) browserStatus(ctx context.Context, cfg *config.Config, s *store.Store) (tui.Status, error) {
	w, err := worker.ReadStatus(cfg.DataDir())
	if err != nil {
		return tui.Status{}, err
	}
	st := tui.Status{Running: w.Running, Since: w.StartedAt, Provider: w.Compressor}
	if st.Provider == "" {
		st.Provider = cfg.String("provider")
	}
	if st.Waiting, st.Bad, err = spoolCounts(cfg); err != nil {
		return st, err
	}
	open, err := s.OpenBatches(ctx, 0, openShown)
	if err != nil {
		return st, err
	}
	for _, b := range open {
		if b.LastError != "" {
			st.Paused = b.LastError
		}
	}
	// The settings of now, not those of the start: they are being put right perhaps.
	if now, _ := config.Load(a.Getenv); now == nil || !now.SelectionUnderstood() {
		st.Problem = "settings unreadable: nothing is recorded; see cmem doctor"
	}
	return st, nil
}

// resumeCommand gives the command that resumes a session of Claude Code where it ran.
func resumeCommand(s memory.Session) (tui.Command, error) {
	if s.Agent != "" && s.Agent != "claude-code" {
		return tui.Command{}, fmt.Errorf("sessions of %s cannot be resumed from here", s.Agent)
	}
	if !sessionID.MatchString(s.ID) {
		return tui.Command{}, fmt.Errorf("%q is no session of Claude Code", s.ID)
	}
	if strings.HasPrefix(s.ID, savedByHand) {
		return tui.Command{}, errors.New("it was saved by hand in claude-mem and never was a session of Claude Code")
	}
	dir := s.CWD
	if dir == "" {
		dir = s.Project
	}
	if !filepath.IsAbs(dir) {
		return tui.Command{}, fmt.Errorf("it is not known in which directory it ran, only that it was in %s", cmp.Or(dir, "none"))
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return tui.Command{}, fmt.Errorf("its directory %s is not there any more", dir)
	}
	claude, err := exec.LookPath("claude")
	if err != nil {
		return tui.Command{}, errors.New("claude is not in your PATH; install Claude Code or add it")
	}
	return tui.Command{Path: claude, Args: []string{"--resume", s.ID}, Dir: dir}, nil
}

// sessionID is what an id looks like that cannot be taken for an option.
var sessionID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]*$`)

// savedByHand begins the ids under which claude-mem keeps what was saved by hand.
const savedByHand = "manual-content-"

// setup looks at the machine, for the first run.
func (a *App) setup(ctx context.Context) (tui.Setup, error) {
	var out tui.Setup
	claude, err := a.claudeCode()
	if err != nil {
		return out, err
	}
	if _, err := os.Stat(filepath.Dir(claude.Settings)); err == nil {
		out.Claude = true
	} else if _, err := exec.LookPath("claude"); err == nil {
		out.Claude = true
	}
	st, err := claude.Status()
	if err != nil {
		return out, err
	}
	out.Installed = st.State != agents.NotInstalled
	if out.Installed && len(st.Problems) > 0 {
		out.Problem = st.Problems[0]
	}
	for _, f := range FindImports(ctx, a.home(), a.Getenv) {
		out.Imports = append(out.Imports, tui.Import{What: f.What, Command: f.Command, Args: []string{"import", f.Kind}})
	}
	return out, nil
}

// connect adds cmem to Claude Code's settings and says what it did.
func (a *App) connect(context.Context) (string, error) {
	claude, err := a.claudeCode()
	if err != nil {
		return "", err
	}
	r, err := claude.Install(agents.Options{Now: a.Now()})
	if err != nil {
		return "", err
	}
	if len(r.Written) == 0 {
		return "cmem is installed in Claude Code already; nothing had to be changed.", nil
	}
	var files []string
	for _, path := range r.Written {
		files = append(files, a.shortPath(path))
	}
	return "cmem is installed: changed " + strings.Join(files, " and ") + ". The next session of Claude Code is remembered.", nil
}
