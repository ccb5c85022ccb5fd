package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cmem/tui"
)

// keyMap is what `cmem keys --json` prints.
type keyMap struct {
	Keys     []tui.KeyHelp `json:"keys"`
	Problems []string      `json:"problems,omitempty"`
}

func (a *App) keysCommand() *cobra.Command {
	var asJSON, markdown, defaults bool
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "List the keys of the memory browser",
		Long: `Lists every action of the memory browser with its keys. "keys" in settings.json
gives an action other keys; what is wrong there is listed, too.`,
		Example: `  cmem keys
  cmem config set keys.archive A
  cmem config set keys.undo ctrl+y`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			var remap map[string][]string
			if !defaults {
				cfg, err := a.loadConfig()
				if err != nil {
					return err
				}
				remap, _ = cfg.KeyMap() // loading has said what is wrong
			}
			table, problems := tui.KeyTable(remap)
			switch {
			case asJSON:
				return a.printJSON(keyMap{table, problems})
			case markdown:
				return a.print("%s", keysMarkdown(table))
			}
			if err := a.printKeys(table); err != nil {
				return err
			}
			for _, p := range problems {
				a.say("cmem: %s", harmless(p))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print Markdown tables, as in the documentation")
	cmd.Flags().BoolVar(&defaults, "defaults", false, "the keys as they come, whatever the settings say")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown")
	return cmd
}

func (a *App) printKeys(table []tui.KeyHelp) error {
	group := ""
	for _, k := range table {
		if k.Group != group {
			lead := "\n"
			if group == "" {
				lead = ""
			}
			group = k.Group
			if err := a.print("%s%s\n", lead, group); err != nil {
				return err
			}
		}
		mark := " "
		if !slices.Equal(k.Keys, k.Default) {
			mark = "*" // the person's own
		}
		keys := strings.Join(k.Keys, " ")
		if keys == "" {
			keys = "-"
		}
		if err := a.print(" %s%s %s %s\n", mark, pad(keys, 20), pad(k.Action, 20), k.Help); err != nil {
			return err
		}
	}
	return nil
}

// keysMarkdown gives the key map as tables, one a group.
func keysMarkdown(table []tui.KeyHelp) string {
	var b strings.Builder
	group := ""
	for _, k := range table {
		if k.Group != group {
			if group != "" {
				b.WriteByte('\n')
			}
			group = k.Group
			b.WriteString("### " + group + "\n\n| keys | action | what it does |\n| --- | --- | --- |\n")
		}
		keys := make([]string, len(k.Keys))
		for n, s := range k.Keys {
			keys[n] = "`" + strings.ReplaceAll(s, "|", `\|`) + "`"
		}
		b.WriteString("| " + strings.Join(keys, " ") + " | `" + k.Action + "` | " + k.Help + " |\n")
	}
	return b.String()
}
