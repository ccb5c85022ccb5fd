package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cmem/config"
	"cmem/tui"
)

// settingsIn gives the settings of a data directory with these in its settings.json.
func settingsIn(t *testing.T, settings string) *config.Config {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(func(name string) string {
		if name == "CMEM_DATA_DIR" {
			return dir
		}
		return ""
	})
	if cfg == nil {
		t.Fatal(err)
	}
	return cfg
}

func writeTheme(t *testing.T, cfg *config.Config, name, text string) {
	t.Helper()
	if err := os.MkdirAll(cfg.Themes(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cfg.Themes(), name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const ink = `{"name": "墨", "base": "dark", "background": "#101010"}`

func TestTheBrowserLooksAsTheSettingsSay(t *testing.T) {
	cfg := settingsIn(t, `{"theme": "nord", "ui": {"mouse": false, "accessible": true}, "keys": {"archive": "A"}}`)
	app := &App{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}
	var o tui.Options
	app.browserLook(cfg, &o)
	if o.Theme != "nord" || !o.NoMouse || !o.Accessible || o.Input == nil || len(o.Keys["archive"]) != 1 || o.State != nil {
		t.Errorf("options: %+v", o)
	}
	if err := o.Desk.SaveState([]byte(`{"version":1}`)); err != nil {
		t.Fatal(err)
	}
	app.browserLook(cfg, &o)
	if string(o.State) != `{"version":1}` {
		t.Errorf("the state is %q", o.State)
	}
	if err := os.WriteFile(cfg.UIState(), []byte("no JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	app.browserLook(cfg, &o)
	if o.State != nil {
		t.Errorf("a broken state is %q", o.State)
	}
}

func TestThePersonsThemesAreReadFromTheirFolder(t *testing.T) {
	cfg := settingsIn(t, `{}`)
	none := themesVersion(cfg.Themes())
	if set, problems := ownThemes(cfg); len(problems) > 0 || len(set.Names()) == 0 {
		t.Errorf("without a folder: %q", problems)
	}
	writeTheme(t, cfg, "ink.json", ink)
	first := themesVersion(cfg.Themes())
	writeTheme(t, cfg, "broken.json", `{"name": "x y"}`)
	second := themesVersion(cfg.Themes())
	later := time.Now().Add(time.Second)
	if err := os.Chtimes(filepath.Join(cfg.Themes(), "ink.json"), later, later); err != nil {
		t.Fatal(err)
	}
	third := themesVersion(cfg.Themes())
	if none == first || first == second || second == third || third != themesVersion(cfg.Themes()) {
		t.Errorf("the versions are %q, %q, %q, %q", none, first, second, third)
	}
	set, problems := ownThemes(cfg)
	if _, err := set.Named("墨", true); err != nil {
		t.Error(err)
	}
	if len(problems) == 0 || !strings.HasPrefix(problems[0], "theme broken.json: ") {
		t.Errorf("problems %q", problems)
	}
}

func TestDoctorSeesWrongKeysAndThemes(t *testing.T) {
	for name, tc := range map[string]struct {
		settings, theme string
		wrong           string // a part of what is found; empty when all is well
	}{
		"as it comes":  {"{}", "", ""},
		"own keys":     {`{"keys": {"archive": "A"}}`, "", ""},
		"wrong keys":   {`{"keys": {"archiv": "A"}}`, "", "keys.archiv"},
		"own theme":    {`{"theme": "ink"}`, strings.Replace(ink, "墨", "ink", 1), ""},
		"no theme":     {`{"theme": "nonsense"}`, "", "nonsense"},
		"broken theme": {`{}`, `{"name": 5}`, "name"},
	} {
		cfg := settingsIn(t, tc.settings)
		if tc.theme != "" {
			writeTheme(t, cfg, "mine.json", tc.theme)
		}
		wrong := ""
		for _, d := range diagnoseLook(cfg) {
			if !d.OK {
				wrong += d.Found + "\n"
			}
		}
		if (tc.wrong == "") != (wrong == "") || !strings.Contains(wrong, tc.wrong) {
			t.Errorf("%s: wrong is %q", name, wrong)
		}
	}
}
