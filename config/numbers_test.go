package config

import (
	"maps"
	"os"
	"strings"
	"testing"
)

func TestNumbersAreDefaultsWithThePersonsOver(t *testing.T) {
	for _, tt := range []struct {
		name, file, env string
		weights         map[string]float64
		text            string
		origin          Origin
	}{
		{"nothing", `{}`, "", map[string]float64{"keyword": 0.4, "semantic": 0.3, "recency": 0.2, "tags": 0.1}, "keyword=0.4,semantic=0.3,recency=0.2,tags=0.1", Default},
		{"some", `{"search.weights": {"recency": 0, "Semantic": "2.5"}}`, "", map[string]float64{"keyword": 0.4, "semantic": 2.5, "recency": 0, "tags": 0.1}, "keyword=0.4,semantic=2.5,recency=0,tags=0.1", File},
		{"in a group", `{"search": {"weights": {"tags": 1}}}`, "", map[string]float64{"keyword": 0.4, "semantic": 0.3, "recency": 0.2, "tags": 1}, "keyword=0.4,semantic=0.3,recency=0.2,tags=1", File},
		{"as one line", `{"search.weights": "keyword = 0, tags=3"}`, "", map[string]float64{"keyword": 0, "semantic": 0.3, "recency": 0.2, "tags": 3}, "keyword=0,semantic=0.3,recency=0.2,tags=3", File},
		{"the environment has the last word", `{"search.weights": {"tags": 1}}`, "keyword=1", map[string]float64{"keyword": 1, "semantic": 0.3, "recency": 0.2, "tags": 0.1}, "keyword=1,semantic=0.3,recency=0.2,tags=0.1", Env},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newEnv(t)
			e.settings(t, tt.file)
			e["CMEM_SEARCH_WEIGHTS"] = tt.env
			c := e.load(t)
			if got := c.Numbers("search.weights"); !maps.Equal(got, tt.weights) || c.String("search.weights") != tt.text || c.Origin("search.weights") != tt.origin {
				t.Errorf("got %v, shown as %s from %s", got, c.String("search.weights"), c.Origin("search.weights"))
			}
		})
	}
}

func TestHalfLivesAreDaysOfAnyType(t *testing.T) {
	e := newEnv(t)
	e.settings(t, `{"search.half_life": {"decision": 365, "bugfix": "14d", "迁移": "7 d", "other": 1.5}}`)
	c := e.load(t)
	got := c.Numbers("search.half_life")
	want := map[string]float64{"decision": 365, "discovery": 90, "feature": 90, "bugfix": 14, "refactor": 60, "change": 30, "other": 1.5, "迁移": 7}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestWrongNumbersAreNamedAndTheDefaultHolds(t *testing.T) {
	for file, says := range map[string]string{
		`{"search.weights": {"semantics": 1}}`:               `"semantics" is not one of keyword, semantic, recency, tags; did you mean "semantic"?`,
		`{"search.weights": {"tags": -1}}`:                   `tags is "-1", which is not a number from 0 to 100`,
		`{"search.weights": {"tags": "NaN"}}`:                `not a number from 0 to 100`,
		`{"search.weights": {"tags": 1e999}}`:                `not a number from 0 to 100`,
		`{"search.weights": {"tags": true}}`:                 `tags must have a number`,
		`{"search.weights": {"tags": "1,keyword=2"}}`:        `is not a name with a number`,
		`{"search.weights": [1]}`:                            `must be an object of names and numbers, such as {"keyword": 0.4}`,
		`{"search.weights": "tags"}`:                         `"tags" is not a name and a number, such as "keyword=0.4"`,
		`{"search.weights": "tags=1,tags=2"}`:                `tags is set twice`,
		`{"search.weights": {"keyword":0,"semantic":0}}`:     `keyword and semantic cannot both be 0`,
		`{"search.half_life": {"decision": "0d"}}`:           `decision is "0d", which is not a number from 1 to 36500`,
		`{"search.half_life": {"decision": "1y"}}`:           `decision is "1y"`,
		`{"search.half_life": {"two words": 1}}`:             `is not a name`,
		`{"search.half_life": 5}`:                            `must be an object of names and numbers, such as {"decision": "180d"}`,
		`{"embedder": "gemini-2"}`:                           `did you mean "gemini"?`,
		`{"projects": {"~/a": {"provider": "local"}}}`:       `provider cannot be set for one project; search.weights and search.half_life can`,
		`{"projects": {"~/a": {"serach.weights": "a=1"}}}`:   `did you mean "search.weights"?`,
		`{"projects": {"~/a": {"search.weights": {"x":1}}}}`: `~/a: search.weights: "x" is not one of`,
		`{"projects": {"a/b": {}}}`:                          `"a/b" is relative`,
		`{"projects": {"": {}}}`:                             `a project has no name`,
		`{"projects": {"~/a": 1}}`:                           `must be an object of projects and their settings`,
		`{"projects": []}`:                                   `must be an object of projects and their settings`,
	} {
		e := newEnv(t)
		e.settings(t, file)
		c, err := Load(e.get)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), e.file()+":1") {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if c.String("search.weights") != "keyword=0.4,semantic=0.3,recency=0.2,tags=0.1" || c.String("projects") != "" || c.String("embedder") != "static" {
			t.Errorf("%s: it went on with %s", file, c.String("search.weights"))
		}
	}
}

func TestAProjectHasSettingsOfItsOwn(t *testing.T) {
	e := newEnv(t)
	e.settings(t, `{
	// 中文 comments stay
	"search.weights": {"tags": 0.5},
	"projects": {
		"~/work/shop": {"search.weights": {"recency": 0.9}, "search.half_life": {"change": "5d"}},
		"shop": {"search.weights": {"recency": 0.7}, "search.half_life": "bugfix=2"},
		"~/其他 🛒": {"search.weights": "keyword=1"}
	}}`)
	c := e.load(t)
	at := func(project string) (recency, tags, keyword, change, bugfix float64) {
		own := c.For(project)
		w, h := own.Numbers("search.weights"), own.Numbers("search.half_life")
		return w["recency"], w["tags"], w["keyword"], h["change"], h["bugfix"]
	}
	type five [5]float64
	for project, want := range map[string]five{
		e["HOME"] + "/work/shop": {0.9, 0.5, 0.4, 5, 2}, // the path says more than the name
		"/elsewhere/shop":        {0.7, 0.5, 0.4, 30, 2},
		e["HOME"] + "/其他 🛒":      {0.2, 0.5, 1, 30, 60},
		"/srv/another":           {0.2, 0.5, 0.4, 30, 60},
		"":                       {0.2, 0.5, 0.4, 30, 60},
	} {
		var got five
		got[0], got[1], got[2], got[3], got[4] = at(project)
		if got != want {
			t.Errorf("%q has %v, want %v", project, got, want)
		}
	}
	if c.Numbers("search.weights")["recency"] != 0.2 {
		t.Error("the settings of a project changed those of all")
	}
	e["CMEM_SEARCH_WEIGHTS"] = "recency=0.1"
	c = e.load(t)
	if r, _, _, change, _ := at(e["HOME"] + "/work/shop"); r != 0.1 || change != 5 {
		t.Errorf("beside the environment: %v, %v", r, change)
	}
}

func TestALinkToAProjectIsTheProject(t *testing.T) {
	e := newEnv(t)
	folder := t.TempDir()
	link := e["HOME"] + "/link"
	if err := os.Symlink(folder, link); err != nil {
		t.Skip("no links here:", err)
	}
	e.settings(t, `{"projects": {"~/link": {"search.weights": {"tags": 7}}}}`)
	if got := e.load(t).For(folder).Numbers("search.weights")["tags"]; got != 7 {
		t.Errorf("tags count %v", got)
	}
}

func TestNumbersAndProjectsAreWrittenAsTheyAreRead(t *testing.T) {
	e := newEnv(t)
	e.settings(t, "{\n  // mine\n  \"search\": {}\n}\n")
	c := e.load(t)
	for _, set := range [][2]string{
		{"search.weights", "semantic=0.6,keyword=0.2"}, {"search.half_life", "decision=365"},
		{"projects", `{"~/work/shop": {"search.weights": {"recency": 0.5}}}`}, {"embedder", "openai"},
	} {
		if err := c.Set(set[0], set[1]); err != nil {
			t.Fatal(err)
		}
	}
	again := e.load(t)
	for _, name := range []string{"search.weights", "search.half_life", "projects", "embedder"} {
		if c.String(name) != again.String(name) || again.Origin(name) != File {
			t.Errorf("%s is %s, and read again %s from %s", name, c.String(name), again.String(name), again.Origin(name))
		}
	}
	text, err := os.ReadFile(e.file())
	for _, want := range []string{"// mine", `"decision": "365d"`, `"semantic": 0.6`, `"recency": 0.5`} {
		if err != nil || !strings.Contains(strings.ReplaceAll(string(text), `":`+`"`, `": "`), want) && !strings.Contains(string(text), strings.ReplaceAll(want, ": ", ":")) {
			t.Errorf("%s is not in the file (%v):\n%s", want, err, text)
		}
	}
	if strings.Contains(string(text), `"tags"`) {
		t.Errorf("what was not set is written:\n%s", text)
	}
	for _, wrong := range [][2]string{{"search.weights", "keyword=0,semantic=0"}, {"search.weights", "a"}, {"projects", "{"}, {"projects", `{"~/a": {"theme": "nord"}}`}} {
		if err := again.Set(wrong[0], wrong[1]); err == nil || !strings.HasPrefix(err.Error(), wrong[0]+": ") {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}
