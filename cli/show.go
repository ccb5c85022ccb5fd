package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"cmem/config"
	"cmem/memory"
	"cmem/store"
)

func (a *App) showCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID...",
		Short: "Show memories whole, by their ids",
		Long: `Shows observations (12 or '#12'), summaries (S3), prompts (P5) and sessions (the
id or the beginning of it) whole.`,
		Example: `  cmem show 12 13
  cmem show S3 --json`,
		Args: minArgs(1, "at least one id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(_ *config.Config, s *store.Store) error {
				found := []any{}
				missing := 0
				for _, id := range args {
					v, err := lookUp(ctx, s, id)
					if errors.Is(err, store.ErrNotFound) {
						a.say("cmem: nothing has the id %s", id)
						missing++
						continue
					}
					if err != nil {
						return err
					}
					found = append(found, v)
				}
				if err := a.printFound(ctx, s, found, asJSON); err != nil {
					return err
				}
				if missing > 0 {
					return errSilent
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// lookUp gives the observation, summary, prompt or session that id names.
func lookUp(ctx context.Context, s *store.Store, id string) (any, error) {
	kind, digits := byte('#'), id
	if id != "" && strings.ContainsRune("#SsPp", rune(id[0])) {
		kind, digits = id[0], id[1:]
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || len(digits) > 18 {
		return findSession(ctx, s, id)
	}
	switch kind {
	case 'S', 's':
		return s.Summary(ctx, n)
	case 'P', 'p':
		return s.Prompt(ctx, n)
	default:
		return s.Observation(ctx, n)
	}
}

func (a *App) printFound(ctx context.Context, s *store.Store, found []any, asJSON bool) error {
	if asJSON {
		return a.printJSON(found)
	}
	for i, v := range found {
		if i > 0 {
			if err := a.print("\n%s\n\n", strings.Repeat("─", 60)); err != nil {
				return err
			}
		}
		var err error
		switch v := v.(type) {
		case memory.Observation:
			err = writeObservation(a.Out, v)
		case memory.Summary:
			err = writeSummary(a.Out, v)
		case memory.Prompt:
			err = writePrompt(a.Out, v)
		case memory.Session:
			err = a.printSession(ctx, s, v)
		default:
			err = fmt.Errorf("show %T: not a memory", v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// printSession writes a session's head and its story.
func (a *App) printSession(ctx context.Context, s *store.Store, v memory.Session) error {
	if err := a.print("session %s · %s\n%s · %s, %s\n\n", oneLine(v.ID, 300), v.Status, oneLine(v.Project, 300), count(v.PromptCount, "prompt"), count(v.ObservationCount, "observation")); err != nil {
		return err
	}
	items, err := s.TimelineNewer(ctx, memory.Filter{SessionID: v.ID}, memory.Cursor{}, 500)
	if err != nil {
		return err
	}
	return a.printTimeline(items, false)
}
