package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestSetKeepsTheRestOfTheFile(t *testing.T) {
	tests := []struct{ name, before, key, value, after string }{
		{"first setting", "", "theme", "dark", "{\n  \"theme\": \"dark\"\n}\n"},
		{"new one", "{\n\t// 颜色\n\t\"theme\": \"dark\" // mine\n}\n", "provider", "Claude", "{\n\t// 颜色\n\t\"theme\": \"dark\", // mine\n\t\"provider\": \"claude\"\n}\n"},
		{"in place", "{\n  \"provider\": \"local\", // 本地\n  \"theme\": \"dark\",\n}\n", "provider", "gemini", "{\n  \"provider\": \"gemini\", // 本地\n  \"theme\": \"dark\",\n}\n"},
		{"in its group", "{\"context\": {\"sessions\": 1}}", "context.sessions", "2", "{\"context\": {\"sessions\": 2}}"},
		{"into its group", "{\"context\": {\"sessions\": 1}}", "context.enabled", "no", "{\"context\": {\"sessions\": 1, \"enabled\": false}}"},
		{"list", "{}\n", "exclude", "/a b,  ~/私人/*", "{\n  \"exclude\": [\n    \"/a b\",\n    \"~/私人/*\"\n  ]\n}\n"},
		{"empty list", "{\"exclude\": [\"a\"]}\n", "exclude", "", "{\"exclude\": []}\n"},
		{"duration", "{}", "worker.idle", "120s", "{\n  \"worker.idle\": \"2m\"\n}"},
		{"theme of one's own", "{}", "theme", "Nord-茶", "{\n  \"theme\": \"nord-茶\"\n}"},
		{"first key", "{}\n", "keys.archive", "A, ctrl+a", "{\n  \"keys\": {\n    \"archive\": [\n      \"A\",\n      \"ctrl+a\"\n    ]\n  }\n}\n"},
		{"another key", "{\"keys\": {\"quit\": \"q\"}}", "keys.archive", "<", "{\"keys\": {\"quit\": \"q\", \"archive\": [\"<\"]}}"},
		{"a key at the top", "{\"keys.archive\": \"A\"}", "keys.archive", "B", "{\"keys.archive\": [\"B\"]}"},
		{"no key at all", "{\"keys\": {\"quit\": \"q\"}}", "keys.quit", "", "{\"keys\": {\"quit\": []}}"},
		{"the comma", "{\"keys\": {}}", "keys.quit", ",", "{\"keys\": {\"quit\": [\",\"]}}"},
		{"the comma among others", "{\"keys\": {}}", "keys.quit", "[\",\", \"q\"]", "{\"keys\": {\"quit\": [\",\", \"q\"]}}"},
		{"the bracket", "{\"keys\": {}}", "keys.up", "[", "{\"keys\": {\"up\": [\"[\"]}}"},
		{"all keys", "{\"keys.up\": \"x\", \"keys\": {\"down\": \"y\"}}", "keys", "{\"quit\": \"Q\"}", "{\"keys\": {\"quit\": [\"Q\"]}}"},
		{"no keys", "{\"keys\": {\"down\": \"y\"}}", "keys", "", "{\"keys\": {}}"},
		{"unknown keys stay", "{\"mine\": 1}", "theme", "dark", "{\"mine\": 1, \"theme\": \"dark\"}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEnv(t)
			if tt.before != "" {
				e.settings(t, tt.before)
			}
			c, _ := Load(e.get) // one of the files has an unknown key
			if err := c.Set(tt.key, tt.value); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(e.file())
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.after {
				t.Errorf("\n got %q\nwant %q", got, tt.after)
			}
			again, _ := Load(e.get)
			if c.String(tt.key) != again.String(tt.key) || (c.Origin(tt.key) != File && tt.value != "") {
				t.Errorf("after Set %q, after Load %q", c.String(tt.key), again.String(tt.key))
			}
		})
	}
}

func TestSetRefusesWhatLoadWouldRefuse(t *testing.T) {
	const text = "{\n  \"theme\": \"dark\" // 一\n}\n"
	for _, tt := range []struct{ key, value, want string }{
		{"teme", "dark", `teme: unknown key; did you mean "theme"?`},
		{"provider", "gpt", `provider: "gpt" is not one of local, claude, gemini, openai`},
		{"context.sessions", "", `context.sessions: "" is not a whole number from 1 to 100`},
		{"context.enabled", "maybe", `context.enabled: "maybe" is neither true nor false`},
		{"hook.deadline", "soon", `hook.deadline: "soon" is not a time span`},
		{"theme", "dark mode", `theme: "dark mode" is not a name of up to 40 letters, digits, - and _`},
		{"ui.mouse", "maybe", `ui.mouse: "maybe" is neither true nor false`},
		{"keys", "archive=A", `keys: "archive=A" is not an object of actions and their keys`},
		{"keys", `{"quit": 1}`, `keys: quit: must be a key such as "A" or "ctrl+a", or a list of keys`},
		{"keys.", "A", `keys.: this is no action: "" is not a name of up to 40 letters`},
		{"keys.a.b", "A", `keys.a.b: this is no action: "a.b" is not a name`},
		{"keys.quit", "ctrl q", `keys.quit: "ctrl q" is no key`},
		{"keys.quit", `["q"`, `keys.quit: "[\"q\"" is not a JSON list`},
		{"data_dir", "memory", `data_dir: "memory" is not an absolute path`},
	} {
		e := newEnv(t)
		e.settings(t, text)
		c := e.load(t)
		if err := c.Set(tt.key, tt.value); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
		if got, err := os.ReadFile(e.file()); err != nil || string(got) != text {
			t.Errorf("%s: the file became %q, %v", tt.key, got, err)
		}
	}
}

func TestSetLeavesABrokenFileAlone(t *testing.T) {
	e := newEnv(t)
	e.settings(t, "{\n  \"theme\": \n")
	c, _ := Load(e.get)
	if err := c.Set("theme", "dark"); err == nil || !strings.Contains(err.Error(), "settings.json:3:1: not valid JSON") {
		t.Errorf("got %v", err)
	}
}

func TestSetDoesNotHideTheEnvironment(t *testing.T) {
	e := newEnv(t)
	e["CMEM_THEME"] = "light"
	c := e.load(t)
	if err := c.Set("theme", "dark"); err != nil {
		t.Fatal(err)
	}
	if c.String("theme") != "light" || c.Origin("theme") != Env {
		t.Errorf("got %s from %s", c.String("theme"), c.Origin("theme"))
	}
}

func TestSettingsAreForThisPersonOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	e := newEnv(t)
	c := e.load(t)
	if err := c.Set("claude.api_key", "sk-ant-x"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{e.file(): 0o600, filepath.Dir(e.file()): 0o700} {
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if st.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", path, st.Mode().Perm(), want)
		}
	}
}

// fresh reports what the earliest part of a hook would see: whether the stamp
// holds for the settings.json that is there, and the data directory in it.
func (e env) fresh(t *testing.T) (dir string, ok bool) {
	t.Helper()
	stamp := filepath.Join(filepath.Dir(e.file()), "fast.stamp")
	st, err := os.Stat(stamp)
	if err != nil {
		return "", false
	}
	settings, err := os.Stat(e.file())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(stamp)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), st.ModTime().UnixNano() == settings.ModTime().UnixNano()
}

func (e env) stamp(t *testing.T) {
	t.Helper()
	c, _ := Load(e.get)
	if err := c.WriteStamp(); err != nil {
		t.Fatal(err)
	}
}

func TestStampHoldsTheDataDirectoryOfValidSettings(t *testing.T) {
	e := newEnv(t)
	e.settings(t, `{"theme": "dark"}`)
	e.stamp(t)
	if dir, ok := e.fresh(t); !ok || dir != filepath.Dir(e.file()) {
		t.Errorf("got %q, %v", dir, ok)
	}
	e.settings(t, `{"data_dir": "~/记忆"}`)
	e.stamp(t)
	if dir, ok := e.fresh(t); !ok || dir != filepath.Join(e["HOME"], "记忆") {
		t.Errorf("after a move: got %q, %v", dir, ok)
	}
}

func TestStampTellsWhetherEventsAreSynced(t *testing.T) {
	e := newEnv(t)
	e.settings(t, `{"spool": {"sync": true}}`)
	e.stamp(t)
	if text, ok := e.fresh(t); !ok || text != filepath.Dir(e.file())+"\x00sync" {
		t.Errorf("got %q, %v", text, ok)
	}
	e.settings(t, `{"spool": {"sync": false}}`)
	e.stamp(t)
	if text, ok := e.fresh(t); !ok || text != filepath.Dir(e.file()) {
		t.Errorf("after it was turned off: got %q, %v", text, ok)
	}
}

func TestEditByHandMakesTheStampStale(t *testing.T) {
	e := newEnv(t)
	e.settings(t, `{"theme": "dark"}`)
	e.stamp(t)
	e.settings(t, `{"exclude": ["/home/dev/private"]}`)
	if _, ok := e.fresh(t); ok {
		t.Error("the stamp holds for settings that nobody has read")
	}
	e.stamp(t)
	if _, err := os.Stat(filepath.Join(filepath.Dir(e.file()), "fast.stamp")); !os.IsNotExist(err) {
		t.Errorf("there is a stamp beside an exclusion: %v", err)
	}
}

func TestNoStampForSettingsThatAHookMustRead(t *testing.T) {
	for name, arrange := range map[string]func(e env){
		"exclusion":             func(e env) { e.settings(t, `{"exclude": ["/home/dev/private"]}`) },
		"excluded paths":        func(e env) { e.settings(t, `{"exclude_paths": ["*.md"]}`) },
		"skipped tools":         func(e env) { e.settings(t, `{"skip_tools": ["Glob"]}`) },
		"exclusion by variable": func(e env) { e["CMEM_EXCLUDE"] = "/home/dev/private" },
		"wrong value":           func(e env) { e.settings(t, `{"theme": 1}`) },
		"broken file":           func(e env) { e.settings(t, `{`) },
		"no file": func(e env) {
			if err := os.Remove(e.file()); err != nil {
				t.Fatal(err)
			}
		},
		// On a file system with coarse times another edit could look the same.
		"edited just now": func(e env) { e.age(t, time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.settings(t, `{}`)
			e.stamp(t)
			arrange(e)
			e.stamp(t)
			if _, err := os.Stat(filepath.Join(filepath.Dir(e.file()), "fast.stamp")); !os.IsNotExist(err) {
				t.Errorf("there is a stamp: %v", err)
			}
		})
	}
}

func TestStampIsOfTheSettingsThatWereRead(t *testing.T) {
	e := newEnv(t)
	e.settings(t, `{"theme": "dark"}`)
	c := e.load(t)
	e.settings(t, `{"exclude": ["/home/dev/private"]}`) // between reading and stamping
	if err := c.WriteStamp(); err != nil {
		t.Fatal(err)
	}
	if _, ok := e.fresh(t); ok {
		t.Error("the stamp holds for settings that were not read")
	}
}

func TestStampIsWrittenOnlyWhenItChanges(t *testing.T) {
	e := newEnv(t)
	e.settings(t, `{}`)
	e.stamp(t)
	stamp := filepath.Join(filepath.Dir(e.file()), "fast.stamp")
	before, err := os.Stat(stamp)
	if err != nil {
		t.Fatal(err)
	}
	e.stamp(t)
	after, err := os.Stat(stamp)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) {
		t.Error("the stamp was written again")
	}
	if runtime.GOOS != "windows" && after.Mode().Perm() != 0o600 {
		t.Errorf("mode %o", after.Mode().Perm())
	}
}
