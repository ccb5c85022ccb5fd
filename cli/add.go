package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cmem/memory"
	"cmem/store"
)

func (a *App) addCommand() *cobra.Command {
	o := memory.Observation{Type: memory.TypeDecision}
	var in string
	var files []string
	var global bool
	cmd := &cobra.Command{
		Use:   "add TITLE",
		Short: "Remember something that you write yourself",
		Long: `Adds a memory in your own words to the project here, or another. With --global it
counts in every project: a search in any of them looks at it, and every session that
starts is told it.

With --file it is told when the assistant opens that file, which need not be there yet.
Its path is taken from here; for a project elsewhere, from the top of that project.`,
		Example: `  cmem add 'Money is counted in cents, never in floats'
  cmem add --global 'We write commit messages in English' --type decision
  cmem add 'Staging is reset every night' --text 'At 02:00 UTC, by cron on host7.' --tag staging
  cmem add 'Rates are rounded half to even' --file src/rates.go --file src/tax.go`,
		Args: minArgs(1, "the memory's title"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return a.withWritableStore(ctx, func(s *store.Store) (err error) {
				if o.Project, err = a.findProject(ctx, s, in); err != nil {
					return err
				}
				if o.FilesModified, err = a.filesOf(o.Project, files); err != nil {
					return err
				}
				o.Title = strings.Join(args, " ")
				if global {
					o.Scope = memory.ScopeGlobal
				}
				stored, _, err := s.Add(ctx, o)
				if err != nil {
					return err
				}
				a.say("Remembered as #%d.%s", stored.ID, inEveryProject(stored.Scope))
				return nil
			})
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&in, "project", "p", ".", `the project that it is about: its name, its path, or "." for the one here`)
	fl.StringVar(&o.Narrative, "text", "", "more than the title says")
	fl.StringVarP(&o.Type, "type", "t", o.Type, "the type: "+strings.Join(memory.ObservationTypes(), ", ")+" or a word of yours")
	fl.StringArrayVar(&o.Tags, "tag", nil, "a tag; repeat it for several")
	fl.StringArrayVar(&files, "file", nil, "a file that it is about; repeat it for several")
	fl.BoolVar(&global, "global", false, "it counts in every project")
	_ = cmd.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(memory.ObservationTypes(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *App) scopeCommand() *cobra.Command {
	scopes := []string{string(memory.ScopeProject), string(memory.ScopeGlobal)}
	return &cobra.Command{
		Use:   "scope project|global ID...",
		Short: "Say whether memories count in their project or in every one",
		Long: `Makes observations count in every project ("global") or in their own again
("project"). What is global is found by a search in any project, and every session
that starts is told the newest of it.`,
		Example: `  cmem scope global 12 31
  cmem scope project 31`,
		Args:      minArgs(2, "a scope and at least one id"),
		ValidArgs: scopes,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(scopes, args[0]) {
				return usageError{fmt.Errorf("a scope is %s, not %q", strings.Join(scopes, " or "), args[0])}
			}
			scope := memory.Scope(args[0])
			ctx := cmd.Context()
			return a.withWritableStore(ctx, func(s *store.Store) error {
				var ids []int64
				for _, id := range args[1:] {
					found, err := lookUp(ctx, s, id)
					if errors.Is(err, store.ErrNotFound) {
						return fmt.Errorf("nothing has the id %s; nothing was changed", id)
					}
					if err != nil {
						return err
					}
					o, ok := found.(memory.Observation)
					if !ok {
						return fmt.Errorf("%s is no observation: only these have a scope; nothing was changed", id)
					}
					ids = append(ids, o.ID)
				}
				if _, err := s.Edit(ctx, ids, memory.Edit{Scope: &scope}); err != nil {
					return err
				}
				where := "in every project"
				if !scope.IsGlobal() {
					where = "only where it was made"
				}
				a.say("%s: each counts %s now.", count(len(ids), "observation"), where)
				return nil
			})
		},
	}
}

// inEveryProject says so of what has the scope.
func inEveryProject(s memory.Scope) string {
	if s.IsGlobal() {
		return " It counts in every project."
	}
	return ""
}

// withWritableStore opens the store for a change and hands it to do.
func (a *App) withWritableStore(ctx context.Context, do func(*store.Store) error) (err error) {
	cfg, err := a.loadConfig()
	if err != nil {
		return err
	}
	if err := cfg.EnsureDirs(); err != nil {
		return err
	}
	s, err := store.Open(ctx, cfg.DB())
	if err != nil {
		return advised(err)
	}
	err = advised(do(s))
	return errors.Join(err, s.Close())
}
