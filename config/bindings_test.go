package config

import (
	"reflect"
	"strings"
	"testing"
)

func TestKeyMapIsWhatThePersonWrote(t *testing.T) {
	tests := []struct {
		name, file, env string
		want            map[string][]string
		text            string
		origin          Origin
	}{
		{"nothing", `{}`, "", map[string][]string{}, "", Default},
		{"an empty object", `{"keys": {}}`, "", map[string][]string{}, "", Default},
		{"a text and a list", `{"keys": {"quit": "ctrl+q", "archive": ["A", "<"]}}`, "",
			map[string][]string{"quit": {"ctrl+q"}, "archive": {"A", "<"}}, `{"archive":["A","<"],"quit":["ctrl+q"]}`, File},
		{"one at the top", `{"keys.quit": "Q", "keys": {"up": ["上"]}}`, "",
			map[string][]string{"quit": {"Q"}, "up": {"上"}}, `{"quit":["Q"],"up":["上"]}`, File},
		{"an action without keys", `{"keys": {"mouse": []}}`, "", map[string][]string{"mouse": {}}, `{"mouse":[]}`, File},
		{"the environment has the last word", `{"keys": {"up": "u"}}`, `{"quit": "🛒"}`,
			map[string][]string{"quit": {"🛒"}}, `{"quit":["🛒"]}`, Env},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEnv(t)
			e.settings(t, tt.file)
			e["CMEM_KEYS"] = tt.env
			c := e.load(t)
			got, err := c.KeyMap()
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %v, %v, want %v", got, err, tt.want)
			}
			if c.String("keys") != tt.text || c.Masked("keys") != tt.text || c.Origin("keys") != tt.origin {
				t.Errorf("shown as %s from %s", c.String("keys"), c.Origin("keys"))
			}
			for action := range got {
				got[action] = append(got[action], "changed")
				got[action][0] = "changed"
			}
			if again, _ := c.KeyMap(); !reflect.DeepEqual(again, tt.want) {
				t.Errorf("a caller changed the settings to %v", again)
			}
		})
	}
}

func TestOneActionsKeysHaveAName(t *testing.T) {
	e := newEnv(t)
	e.settings(t, `{"keys": {"quit": ["q", "ctrl+c"], "up": [",", "k"], "mouse": []}}`)
	c := e.load(t)
	for name, want := range map[string]string{"keys.quit": "q,ctrl+c", "keys.up": `[",","k"]`, "keys.mouse": "", "keys.other": ""} {
		if err := CheckName(name); err != nil {
			t.Error(err)
		}
		if got := c.Masked(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if c.Origin("keys.quit") != File || c.Origin("keys.other") != Default {
		t.Errorf("from %s and %s", c.Origin("keys.quit"), c.Origin("keys.other"))
	}
}

func TestAWrongEntryLeavesTheOtherKeys(t *testing.T) {
	e := newEnv(t)
	e.settings(t, "{\n  \"theme\": 1,\n  \"keys\": {\n    \"quit\": 5,\n    \"up\": \"k\"\n  }\n}")
	c, _ := Load(e.get)
	got, err := c.KeyMap()
	if !reflect.DeepEqual(got, map[string][]string{"up": {"k"}}) {
		t.Errorf("got %v", got)
	}
	if err == nil || !strings.Contains(err.Error(), "settings.json:4: keys.quit: must be a key") || strings.Contains(err.Error(), "theme") {
		t.Errorf("got %v, want what is wrong about the keys", err)
	}

	e.settings(t, `{"keys": {"up": "k"}}`)
	e["CMEM_KEYS"] = `{"quit": 5}`
	c, _ = Load(e.get)
	got, err = c.KeyMap()
	if !reflect.DeepEqual(got, map[string][]string{"up": {"k"}}) || c.Origin("keys") != File {
		t.Errorf("got %v from %s", got, c.Origin("keys"))
	}
	if err == nil || !strings.Contains(err.Error(), "environment variable CMEM_KEYS: keys: quit: must be a key") {
		t.Errorf("got %v", err)
	}
}

func TestASetKeyJoinsTheOthersInMemory(t *testing.T) {
	e := newEnv(t)
	e.settings(t, `{"keys": {"up": "k"}}`)
	c := e.load(t)
	if err := c.Set("keys.quit", "Q"); err != nil {
		t.Fatal(err)
	}
	if got, want := c.String("keys"), `{"quit":["Q"],"up":["k"]}`; got != want || e.load(t).String("keys") != want {
		t.Errorf("got %s, want %s", got, want)
	}
	e["CMEM_KEYS"] = `{"down": "j"}`
	c = e.load(t)
	if err := c.Set("keys.quit", "X"); err != nil {
		t.Fatal(err)
	}
	if got := c.String("keys"); got != `{"down":["j"]}` {
		t.Errorf("the environment is hidden by %s", got)
	}
}
