package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"cmem/agents"
	"cmem/config"
	"cmem/worker"
)

// claudeCode gives Claude Code's user settings, to be served by this executable.
func (a *App) claudeCode() (agents.Claude, error) {
	exe, err := agents.Executable()
	if err != nil {
		return agents.Claude{}, err
	}
	return agents.NewClaude(a.Getenv, exe)
}

func (a *App) installCommand() *cobra.Command {
	var dryRun, force bool
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Add cmem to Claude Code's settings",
		Long: `Adds cmem's hooks and its MCP server to your Claude Code settings and touches
nothing else in them: comments, order and other hooks stay. The files are backed
up first. Running it again changes nothing; "cmem uninstall" takes out exactly
what was put in.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			claude, err := a.claudeCode()
			if err != nil {
				return err
			}
			r, err := claude.Install(agents.Options{DryRun: dryRun, Force: force, Now: a.Now()})
			if serr := a.sayChanges(r, dryRun); err == nil {
				err = serr
			}
			if err != nil || dryRun {
				return err
			}
			if len(r.Written) == 0 {
				a.say("cmem is installed in Claude Code already; nothing had to be changed.")
				return nil
			}
			a.say("cmem is installed. The next session of Claude Code is remembered; see it with `cmem`.")
			return nil
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would change")
	cmd.Flags().BoolVar(&force, "force", false, "install even a binary in a temporary folder")
	return cmd
}

func (a *App) uninstallCommand() *cobra.Command {
	var dryRun, purge, yes bool
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Take cmem out of Claude Code's settings",
		Long: `Removes the hooks and the MCP server that "cmem install" added, and nothing
else. Your memories stay, unless you ask for --purge, which deletes the whole
data directory after asking.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			claude, err := a.claudeCode()
			if err != nil {
				return err
			}
			r, err := claude.Uninstall(agents.Options{DryRun: dryRun, Now: a.Now()})
			if serr := a.sayChanges(r, dryRun); err == nil {
				err = serr
			}
			if err != nil {
				return err
			}
			if len(r.Plan.Changes) == 0 {
				a.say("Claude Code's settings hold nothing of cmem.")
			}
			if purge {
				return a.purge(yes, dryRun)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would change")
	cmd.Flags().BoolVar(&purge, "purge", false, "delete the data directory too: every memory")
	cmd.Flags().BoolVar(&yes, "yes", false, "with --purge, do not ask")
	return cmd
}

// sayChanges shows the difference of a dry run as a result, and what was written
// as talk.
func (a *App) sayChanges(r agents.Report, dryRun bool) error {
	for _, n := range r.Plan.Notes {
		a.say("%s", n)
	}
	if dryRun {
		if len(r.Plan.Changes) == 0 {
			a.say("Nothing would change.")
			return nil
		}
		return a.print("%s", r.Plan.Diff())
	}
	for _, path := range r.Written {
		a.say("changed    %s", a.shortPath(path))
	}
	for _, path := range r.Backups {
		a.say("backed up  %s", a.shortPath(path))
	}
	return nil
}

// purge deletes the data directory after asking. It refuses a folder that does
// not look like one of cmem's, lest a mistaken setting cost somebody more.
func (a *App) purge(yes, dryRun bool) error {
	cfg, err := a.loadConfig()
	if err != nil {
		return err
	}
	for _, dir := range dataDirs(cfg) {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			continue
		}
		if !looksLikeOurs(dir) {
			return fmt.Errorf("%s is not deleted: it holds neither a store nor a spool of cmem; look at it and delete it by hand", dir)
		}
		if dryRun {
			a.say("%s would be deleted, with every memory in it.", a.shortPath(dir))
			continue
		}
		if !yes {
			ok, err := a.confirm(fmt.Sprintf("Delete %s with every memory in it? This cannot be undone. [y/N] ", a.shortPath(dir)))
			if err != nil {
				return err
			}
			if !ok {
				a.say("Kept %s.", a.shortPath(dir))
				continue
			}
		}
		if _, err := worker.Stop(dir, stopPatience); err != nil {
			return err
		}
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("delete the data directory: %w", err)
		}
		a.say("Deleted %s.", a.shortPath(dir))
	}
	return nil
}

func dataDirs(cfg *config.Config) []string {
	if cfg.Base() == cfg.DataDir() {
		return []string{cfg.DataDir()}
	}
	return []string{cfg.DataDir(), cfg.Base()}
}

func looksLikeOurs(dir string) bool {
	for _, name := range []string{"cmem.db", "spool", "settings.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// confirm asks on standard error and takes "y" or "yes" from a terminal.
func (a *App) confirm(question string) (bool, error) {
	if !a.InTerminal {
		return false, errors.New("this has to be confirmed in a terminal, or with --yes")
	}
	if _, err := fmt.Fprint(a.Err, question); err != nil {
		return false, err
	}
	line, err := bufio.NewReader(a.In).ReadString('\n')
	if err != nil && line == "" {
		return false, nil
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}
