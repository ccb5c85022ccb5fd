package cli

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cmem/config"
	"cmem/themes"
	"cmem/tui"
)

// browserLook adds to the options of the memory browser how it looks and feels:
// the theme, the keys, the mouse, and where it was left. What of it cannot be
// read is said by the browser or left out: it is never a reason not to open.
func (a *App) browserLook(cfg *config.Config, o *tui.Options) {
	o.Theme = cfg.String("theme")
	o.NoMouse = !cfg.Bool("ui.mouse")
	o.Accessible = o.Accessible || cfg.Bool("ui.accessible")
	if o.Accessible { // what it reads and prints need be no terminal
		o.Input, o.Output = a.In, a.Out
	}
	o.Keys, _ = cfg.KeyMap()                       // loading the settings has said what is wrong
	o.State, _ = config.ReadUIState(cfg.DataDir()) // a broken one is none
	o.Desk.SaveState = func(state []byte) error { return config.WriteUIState(cfg.DataDir(), state) }
	o.Desk.Themes = func() (themes.Set, []string) { return ownThemes(cfg) }
	o.Desk.ThemesVersion = func() string { return themesVersion(cfg.Themes()) }
}

// checkLook refuses a theme that does not exist and keys for an action that does
// not: the settings themselves do not know which there are.
func checkLook(cfg *config.Config, name, value string) error {
	if name == "theme" {
		set, _ := ownThemes(cfg)
		if _, err := set.Named(value, false); err != nil {
			return usageError{err}
		}
		return nil
	}
	action, isKeys := strings.CutPrefix(name, "keys.")
	if !isKeys {
		return nil
	}
	table, _ := tui.KeyTable(nil)
	if slices.ContainsFunc(table, func(k tui.KeyHelp) bool { return k.Action == action }) {
		return nil
	}
	return usageError{fmt.Errorf("there is no action %q; `cmem keys` lists them", action)}
}

// ownThemes gives the themes there are, with the person's own, and what is wrong
// in their files. What is only a warning is left to `cmem doctor`.
func ownThemes(cfg *config.Config) (themes.Set, []string) {
	files, err := cfg.ThemeFiles()
	set, wrong := themes.Load(files)
	var problems []string
	if err != nil {
		problems = append(problems, err.Error())
	}
	for _, p := range wrong {
		if !p.Warning {
			p.File = filepath.Base(p.File)
			problems = append(problems, "theme "+p.Error())
		}
	}
	return set, problems
}

// themesVersion gives a text that changes when a theme file does. It is asked for
// every few seconds, so it only looks at the folder.
func themesVersion(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "none"
	}
	sum := fnv.New64a()
	for _, e := range entries {
		if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil { // it may be a link
			fmt.Fprintf(sum, "%s %d %d\n", e.Name(), info.Size(), info.ModTime().UnixNano()) //nolint:errcheck // a hash takes everything
		}
	}
	return fmt.Sprintf("%d %x", len(entries), sum.Sum64())
}

// diagnoseLook looks at the keys and the themes of the memory browser.
func diagnoseLook(cfg *config.Config) []diagnosis {
	keys := diagnosis{Name: "keys", OK: true, Found: "as they come"}
	remap, _ := cfg.KeyMap() // what cannot be read stands under settings
	if len(remap) > 0 {
		keys.Found = fmt.Sprintf("%d of the browser's actions have keys of your own", len(remap))
	}
	all := []diagnosis{keys}
	if _, problems := tui.KeyTable(remap); len(problems) > 0 {
		all = nil
		for _, p := range problems {
			all = append(all, diagnosis{Name: "keys", Found: p, Advice: "correct \"keys\" in " + cfg.File() + "; `cmem keys` shows the keys in use"})
		}
	}
	files, err := cfg.ThemeFiles()
	set, wrong := themes.Load(files)
	name := cfg.String("theme")
	_, unknown := set.Named(name, true)
	if err != nil {
		all = append(all, diagnosis{Name: "themes", Found: err.Error()})
	}
	for _, p := range wrong {
		all = append(all, diagnosis{Name: "themes", OK: p.Warning, Found: p.Error()})
	}
	switch {
	case unknown != nil:
		all = append(all, diagnosis{Name: "themes", Found: unknown.Error(), Advice: "`cmem config set theme system`; until then the browser follows the terminal"})
	case err == nil && len(wrong) == 0:
		all = append(all, diagnosis{Name: "themes", OK: true, Found: fmt.Sprintf("%s is chosen, of %d", name, len(set.Names()))})
	}
	return all
}
