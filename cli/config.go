package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cmem/config"
)

func (a *App) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show and change the settings",
		Long: `Settings stand in settings.json in the data directory; an environment variable
overrides each. "cmem config list" shows all of them with what they do.`,
	}
	var asJSON bool
	list := &cobra.Command{
		Use: "list", Short: "List every setting, its value and where that comes from", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			if asJSON {
				return a.printSettings(cfg)
			}
			for _, k := range config.Keys() {
				v := cfg.Masked(k.Name)
				if v == "" {
					v = "-"
				}
				if err := a.print("%s %s  (%s; %s)\n    %s\n", pad(k.Name, 21), harmless(v), cfg.Origin(k.Name), k.Env, k.Help); err != nil {
					return err
				}
			}
			return nil
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	names := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var all []string
		for _, k := range config.Keys() {
			all = append(all, k.Name+"\t"+k.Help)
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
	get := &cobra.Command{
		Use: "get KEY", Short: "Print the value of a setting", Args: exactArgs(1, "the name of a setting"), ValidArgsFunction: names,
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			if err := config.CheckName(args[0]); err != nil {
				return err
			}
			return a.print("%s\n", cfg.String(args[0]))
		},
	}
	set := &cobra.Command{
		Use: "set KEY VALUE", Short: "Change a setting in settings.json", Args: exactArgs(2, "a name and a value"), ValidArgsFunction: names,
		Example: `  cmem config set provider gemini
  cmem config set exclude '~/private,/srv/secret'`,
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			if err := checkLook(cfg, args[0], args[1]); err != nil {
				return err
			}
			if cfg, err = a.setAndStamp(cfg, args[0], args[1]); err != nil {
				return err
			}
			a.say("%s is now %q in %s.", args[0], cfg.Masked(args[0]), a.shortPath(cfg.File()))
			if told := tellEmbedder(cfg, args[0]); told != "" {
				a.say("%s", told)
			}
			if cfg.Origin(args[0]) == config.Env {
				a.say("The environment overrides it as long as its variable is set.")
			}
			return nil
		},
	}
	path := &cobra.Command{
		Use: "path", Short: "Print where the settings and the data are", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.loadConfig()
			if err != nil {
				return err
			}
			return a.print("settings  %s\ndata      %s\nstore     %s\nspool     %s\nlogs      %s\n", cfg.File(), cfg.DataDir(), cfg.DB(), cfg.Spool(), cfg.Logs())
		},
	}
	return group(cmd, list, get, set, path)
}

func (a *App) printSettings(cfg *config.Config) error {
	type setting struct {
		Key    string `json:"key"`
		Value  string `json:"value"`
		Origin string `json:"origin"`
		Env    string `json:"env"`
		Help   string `json:"help"`
	}
	var all []setting
	for _, k := range config.Keys() {
		all = append(all, setting{k.Name, cfg.Masked(k.Name), cfg.Origin(k.Name).String(), k.Env, k.Help})
	}
	return a.printJSON(all)
}

// exactArgs asks for n arguments, called what.
func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{fmt.Errorf("%s needs %s, but was given %q; see `%s --help`", cmd.CommandPath(), what, strings.Join(args, " "), cmd.CommandPath())}
		}
		return nil
	}
}
