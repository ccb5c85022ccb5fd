package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cmem/logs"
)

// followEvery is how often `cmem logs --follow` looks for new lines.
const followEvery = 250 * time.Millisecond

const logLines = 50 // are shown when nothing else was asked for

// logsOptions are what `cmem logs` was asked for.
type logsOptions struct {
	follow, asJSON bool
	lines          int
	level, since   string
}

func (a *App) logsCommand() *cobra.Command {
	var o logsOptions
	cmd := &cobra.Command{
		Use:   "logs",
		Short: "Show what cmem says about itself",
		Long: `Shows the log: what hooks and the worker say about themselves, the newest last.
No prompt, file or tool output stands in it, unless log.level is debug.
"cmem doctor" says in sentences what went wrong lately.`,
		Example: `  cmem logs -f                          go on with what comes
  cmem logs --level warn --since 24h    what went wrong in the last day
  cmem logs --json -n 1000              as JSON lines, for other programs`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			q, err := o.query(a.Now(), cmd.Flags().Changed("lines"))
			if err != nil {
				return err
			}
			show, shown := a.showLine, false
			if o.asJSON {
				show = a.showJSONLine
			}
			each := func(l logs.Line) error { shown = true; return show(l) }
			end, err := logs.Read(cfg.Logs(), q, each)
			if err != nil {
				return fmt.Errorf("read the log in %s: %w", cfg.Logs(), err)
			}
			if !o.follow {
				if !shown && !o.asJSON && q.Last != 0 {
					a.say("The log has nothing like that.")
				}
				return nil
			}
			if err := logs.Follow(cmd.Context(), cfg.Logs(), end, q, followEvery, each); err != nil {
				return fmt.Errorf("follow the log in %s: %w", cfg.Logs(), err)
			}
			return nil
		},
	}
	fl := cmd.Flags()
	fl.BoolVarP(&o.follow, "follow", "f", false, "go on with what comes, until Ctrl-C")
	fl.IntVarP(&o.lines, "lines", "n", logLines, "how many lines at most, the newest; with --since all, if not given")
	fl.StringVar(&o.level, "level", "debug", "only lines of this level or a worse one: debug, info, warn, error")
	fl.StringVar(&o.since, "since", "", `only from this time on: 2026-11-30, "2026-11-30 14:00", 24h, 7d`)
	fl.BoolVar(&o.asJSON, "json", false, "print the lines as they stand, JSON")
	_ = cmd.RegisterFlagCompletionFunc("level", cobra.FixedCompletions([]string{"debug", "info", "warn", "error"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// query gives the lines that are wanted; counted says that their number was given.
func (o *logsOptions) query(now time.Time, counted bool) (logs.Query, error) {
	q := logs.Query{Last: o.lines}
	if o.lines < 0 {
		return q, usageError{fmt.Errorf("--lines %d: give 0 or more", o.lines)}
	}
	if err := q.Level.UnmarshalText([]byte(o.level)); err != nil {
		return q, usageError{fmt.Errorf("--level %q: write debug, info, warn or error", o.level)}
	}
	var err error
	if q.Since, err = parseTime(o.since, now, false); err != nil {
		return q, usageError{fmt.Errorf("--since: %w", err)}
	}
	if o.since != "" && !counted {
		q.Last = -1
	}
	return q, nil
}

// showLine prints a line of the log for people.
func (a *App) showLine(l logs.Line) error { return a.print("%s", logText(l)) }

// logText gives a line of the log as people read it: its time here, its level, what
// happened and the fields. What a value has in further lines is indented below.
func logText(l logs.Line) string {
	var b, below strings.Builder
	when := strings.Repeat(" ", len("2006-01-02 15:04:05.000"))
	if !l.Time.IsZero() {
		when = l.Time.Local().Format("2006-01-02 15:04:05.000")
	}
	fmt.Fprintf(&b, "%s  %s  %s", when, pad(levelText(l.Level), 5), oneLine(l.Message, maxLogText))
	add := func(name, value string) {
		if value == "" {
			return
		}
		name = oneLine(name, 100)
		if strings.Contains(value, "\n") {
			fmt.Fprintf(&below, "    %s\n", name)
			for line := range strings.Lines(value) {
				fmt.Fprintf(&below, "      %s\n", oneLine(line, maxLogText))
			}
			return
		}
		fmt.Fprintf(&b, "  %s=%s", name, quoted(value))
	}
	add(logs.ErrorKey, l.Error)
	add(logs.KindKey, string(l.Kind))
	add(logs.CauseKey, string(l.Cause))
	for _, f := range l.Fields {
		add(f.Name, f.Value)
	}
	b.WriteByte('\n')
	return b.String() + below.String()
}

// maxLogText bounds a value in cells; the log itself bounds it, too.
const maxLogText = 8 << 10

func levelText(l slog.Level) string { return oneLine(l.String(), 10) }

// quoted gives a value in quotes when it could not be told from its neighbours
// otherwise.
func quoted(value string) string {
	value = oneLine(value, maxLogText)
	if value == "" || strings.ContainsAny(value, ` "=`) {
		return `"` + strings.ReplaceAll(value, `"`, `\"`) + `"`
	}
	return value
}

// showJSONLine prints a line of the log as it stands: the same JSON value, with what
// a terminal would obey escaped.
func (a *App) showJSONLine(l logs.Line) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, l.JSON); err != nil {
		return err
	}
	compact.WriteByte('\n')
	return a.writeJSON(compact.String())
}
