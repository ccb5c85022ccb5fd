package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cmem/config"
	"cmem/recall"
	"cmem/store"
)

func (a *App) contextCommand() *cobra.Command {
	var name, source, session string
	var asJSON, withStats bool
	cmd := &cobra.Command{
		Use:   "context",
		Short: "Print exactly what the next session would be given",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			sources := []string{recall.SourceStartup, recall.SourceResume, recall.SourceClear, recall.SourceCompact, recall.SourceFork}
			if !slices.Contains(sources, source) {
				return usageError{fmt.Errorf("--source %q is not one of %s", source, strings.Join(sources, ", "))}
			}
			return a.withStore(ctx, func(cfg *config.Config, s *store.Store) error {
				key, err := a.findProject(ctx, s, name)
				if err != nil {
					return err
				}
				block, err := recall.Context(ctx, s, contextRequest(cfg, key, session, source))
				if err != nil {
					return err
				}
				switch {
				case asJSON:
					return a.printJSON(struct {
						Project string       `json:"project"`
						Source  string       `json:"source"`
						Text    string       `json:"text"`
						Stats   recall.Stats `json:"stats"`
					}{key, source, block.Text, block.Stats})
				case withStats:
					return a.printStats(block.Stats)
				default:
					return a.print("%s\n", block.Text)
				}
			})
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&name, "project", "p", ".", `the project: its name, its path, or "." for the one here`)
	fl.StringVar(&source, "source", recall.SourceStartup, "how the session starts: startup, resume, clear, compact or fork")
	fl.StringVar(&session, "session", "", "id of the session that is resumed")
	fl.BoolVar(&withStats, "stats", false, "print what it costs and saves instead")
	fl.BoolVar(&asJSON, "json", false, "print text and figures as JSON")
	return cmd
}

func (a *App) printStats(s recall.Stats) error {
	types := make([]string, 0, len(s.ByType))
	for t := range s.ByType {
		types = append(types, t)
	}
	slices.SortFunc(types, func(x, y string) int {
		if d := s.ByType[y] - s.ByType[x]; d != 0 {
			return d
		}
		return strings.Compare(x, y)
	})
	for i, t := range types {
		types[i] = fmt.Sprintf("%s %d", t, s.ByType[t])
	}
	cut := ""
	if s.Cut > 0 {
		cut = fmt.Sprintf(" (%d more did not fit context.max_chars)", s.Cut)
	}
	return a.print(`Injected         ~%s tokens
Observations     %d from %s%s
By type          %s
Depth            %s
Reading them all ~%s tokens
The work behind  ~%s tokens
Saved            ~%s tokens against replaying that work
`, grouped(s.Tokens), s.Observations, count(s.Sessions, "session"), cut, strings.Join(types, ", "), count(s.DepthDays, "day"),
		grouped(s.ReadTokens), grouped(s.SourceTokens), grouped(s.Saved))
}
