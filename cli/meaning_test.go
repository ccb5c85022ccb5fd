package cli

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"cmem/config"
	"cmem/llm"
	"cmem/llm/static"
	"cmem/recall"
	"cmem/worker"
)

// settings gives what somebody has who set these variables.
func settings(t *testing.T, vars map[string]string) *config.Config {
	t.Helper()
	home := t.TempDir()
	cfg, err := config.Load(func(name string) string {
		if name == "HOME" || name == "USERPROFILE" {
			return home
		}
		return vars[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestSearchesAreMadeAsRecallDoesByItselfUnlessSomethingIsSet(t *testing.T) {
	q := searchQuery(settings(t, nil), "/p", nil)
	if q.Weights != recall.DefaultWeights() || !maps.Equal(q.HalfLife, recall.DefaultHalfLife()) {
		t.Errorf("the defaults of the settings are %+v and %v", q.Weights, q.HalfLife)
	}
	q = searchQuery(settings(t, map[string]string{
		"CMEM_SEARCH_WEIGHTS": "semantic=1,tags=0", "CMEM_SEARCH_HALF_LIFE": "bugfix=7.5",
		"CMEM_PROJECTS": `{"shop": {"search.weights": {"recency": 3}, "search.half_life": {"change": "2d"}}}`,
	}), "/srv/shop", nil)
	if want := (recall.Weights{Keyword: 0.4, Semantic: 1, Recency: 0.2}); q.Weights != want || q.HalfLife["bugfix"] != 180*time.Hour || q.HalfLife["change"] != 30*24*time.Hour {
		t.Errorf("the environment overrides a project's settings: %+v, %v", q.Weights, q.HalfLife)
	}
	q = searchQuery(settings(t, map[string]string{"CMEM_PROJECTS": `{"shop": {"search.weights": {"recency": 3}, "search.half_life": {"change": "2d"}}}`}), "/srv/shop", nil)
	if want := (recall.Weights{Keyword: 0.4, Semantic: 0.3, Recency: 3, Tags: 0.1}); q.Weights != want || q.HalfLife["change"] != 48*time.Hour {
		t.Errorf("a project has %+v, %v", q.Weights, q.HalfLife)
	}
}

func TestWhatIsBuiltInIsAskedBesideTheProviderAndAloneByHooks(t *testing.T) {
	for embedder, want := range map[string][2]int{"static": {1, 1}, "none": {0, 0}, "openai": {2, 1}, "gemini": {2, 1}} {
		cfg := settings(t, map[string]string{"CMEM_EMBEDDER": embedder, "CMEM_OPENAI_EMBEDDING_MODEL": "m", "CMEM_OPENAI_API_KEY": "k", "CMEM_GEMINI_API_KEY": "k"})
		models, quiet := searchModels(cfg), builtInModels(cfg)
		if len(models) != want[0] || len(quiet) != want[1] || models == nil || quiet == nil {
			t.Errorf("%s: %d models, and %d that ask nobody", embedder, len(models), len(quiet))
		}
		if len(quiet) > 0 && (quiet[0] != recall.BuiltIn() || models[len(models)-1] != recall.BuiltIn()) {
			t.Errorf("%s: %v, %v", embedder, models, quiet)
		}
		if (builtInEmbedder(cfg) == nil) != (embedder == "none") || (newAsked(cfg) == nil) != (len(models) < 2) {
			t.Errorf("%s: the worker encodes otherwise than searches compare", embedder)
		}
	}
}

func TestAChosenProviderIsNoEmbedder(t *testing.T) {
	cfg := settings(t, map[string]string{"CMEM_PROVIDER": "gemini", "CMEM_GEMINI_API_KEY": "k"})
	if newAsked(cfg) != nil {
		t.Error("who chose a provider has its embedding model, too")
	}
}

// A key or a header of one server must not go to another one.
func TestTheKeyOfTheCompressorStaysWithItsServer(t *testing.T) {
	vars := map[string]string{"CMEM_EMBEDDER": "openai", "CMEM_OPENAI_API_KEY": "k-1", "CMEM_OPENAI_HEADERS": "X-A: 1", "CMEM_OPENAI_EMBEDDING_MODEL": "m", "CMEM_OPENAI_EMBEDDING_BASE_URL": "http://127.0.0.1:11434/v1"}
	v, err := newVectorizer(settings(t, vars), "openai")
	if err != nil {
		t.Fatal(err)
	}
	inside := reflect.ValueOf(v).Elem().FieldByName("server")
	if key, headers := inside.FieldByName("key").String(), inside.FieldByName("header").Len(); key != "" || headers != 0 {
		t.Errorf("the other server gets the key %q and %d headers", key, headers)
	}
	delete(vars, "CMEM_OPENAI_EMBEDDING_BASE_URL")
	if v, err = newVectorizer(settings(t, vars), "openai"); err != nil {
		t.Fatal(err)
	}
	inside = reflect.ValueOf(v).Elem().FieldByName("server")
	if key, headers := inside.FieldByName("key").String(), inside.FieldByName("header").Len(); key != "k-1" || headers != 1 {
		t.Errorf("the same server gets the key %q and %d headers", key, headers)
	}
}

func TestSettingsThatChangeHowAnEmbedderIsAskedAreNoticed(t *testing.T) {
	base := map[string]string{"CMEM_EMBEDDER": "openai"}
	before := askedWith(settings(t, base))
	for _, name := range []string{"CMEM_OPENAI_API_KEY", "CMEM_OPENAI_EMBEDDING_MODEL", "CMEM_OPENAI_EMBEDDING_BASE_URL", "CMEM_OPENAI_EMBEDDING_API_KEY", "CMEM_OPENAI_HEADERS", "CMEM_GEMINI_API_KEY"} {
		vars := maps.Clone(base)
		vars[name] = "hunter2"
		if with := askedWith(settings(t, vars)); with == before || strings.Contains(with, "hunter2") {
			t.Errorf("%s: %s", name, with)
		}
	}
	if again := askedWith(settings(t, base)); again != before {
		t.Error("the same settings are taken for others")
	}
}

func TestTheStateOfSearchesByMeaningIsToldInSentences(t *testing.T) {
	at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.Local)
	failing := &worker.AskedState{Failing: "it cannot be reached", Next: at, Refused: []int64{1, 2}, RefusedNext: at.AddDate(0, 0, 1)}
	for _, test := range []struct {
		s    semantic
		want string
	}{
		{semantic{Embedder: "none"}, "switched off (embedder none): searches go by words"},
		{semantic{Embedder: "static", Model: "static/1", Encoded: 5}, "all observations can be found (static/1)"},
		{semantic{Embedder: "static", Model: "static/1", Encoded: 5, Due: 1200}, "5 of 1,205 observations can be found; the worker goes on with the others (static/1)"},
		{semantic{Embedder: "openai", Due: 3, BuiltIn: &share{3, 0}}, "0 of 3 observations can be found; the worker goes on with the others (embedder openai)|meanwhile by what is built in: all observations can be found (" + static.ID + ")"},
		{semantic{Embedder: "openai", Model: "openai/m@3/t1", Encoded: 3, BuiltIn: &share{3, 0}}, "all observations can be found (openai/m@3/t1)"},
		{semantic{Embedder: "openai", Model: "openai/m@3/t1", Encoded: 3, BuiltIn: &share{3, 0}, Asked: failing},
			"all observations can be found (openai/m@3/t1)|not asked until 2026-11-30 08:00: it cannot be reached|2 observations refused by it; tried again after 2026-12-01 08:00|meanwhile by what is built in: all observations can be found (" + static.ID + ")"},
	} {
		if got := strings.Join(describeSemantic(test.s), "|"); got != test.want {
			t.Errorf("%+v is told as\n%s\nwant\n%s", test.s, got, test.want)
		}
	}
}

// shelf is a store in which so much is encoded.
type shelf map[string][2]int64

func (s shelf) EmbeddingModels(context.Context) ([]string, error) {
	var names []string
	for n := range s {
		if n != "" {
			names = append(names, n)
		}
	}
	return names, nil
}

func (s shelf) MeaningState(_ context.Context, model string) (have, due int64, err error) {
	return s[model][0], s[model][1], nil
}

func TestDoctorSaysWhatIsWrongWithAnEmbedder(t *testing.T) {
	store := shelf{static.ID: {5, 0}, "openai/m@3/t1": {4, 1}, "": {0, 5}}
	answers := func(context.Context, *llm.VectorModel) error { return nil }
	vars := map[string]string{"CMEM_EMBEDDER": "openai"}
	if d := diagnoseMeaning(t.Context(), settings(t, vars), store, askEmbedder); d.OK || !strings.Contains(d.Found, "openai.api_key") || !strings.Contains(d.Advice, "embedder static") {
		t.Errorf("without a key: %+v", d)
	}
	vars["CMEM_OPENAI_API_KEY"], vars["CMEM_OPENAI_EMBEDDING_MODEL"] = "k", "m"
	cfg := settings(t, vars)
	if d := diagnoseMeaning(t.Context(), cfg, store, answers); !d.OK || !strings.HasPrefix(d.Found, "4 of 5 observations can be found") {
		t.Errorf("while it encodes: %+v", d)
	}
	for kind, advice := range map[llm.Kind]string{llm.KindAuth: "cmem config list", llm.KindRateLimit: "waits", llm.KindAnswer: "another model", llm.KindTemporary: "server runs"} {
		d := diagnoseMeaning(t.Context(), cfg, store, func(context.Context, *llm.VectorModel) error {
			return &llm.Error{Provider: "openai", Kind: kind, Err: errors.New("it\x1b[31m fails")}
		})
		if d.OK || !strings.Contains(d.Found, "asked just now: openai: it") || !strings.Contains(d.Advice, advice) || !strings.Contains(d.Advice, "embedder static") {
			t.Errorf("%v: %+v", kind, d)
		}
	}
	writeJSON(t, filepath.Join(cfg.DataDir(), "embedder.json"), worker.AskedState{Embedder: "openai/m", With: askedWith(cfg), Failing: "it failed", Next: time.Now()})
	if d := diagnoseMeaning(t.Context(), cfg, store, answers); !d.OK || !strings.Contains(d.Found, "not asked until") || !strings.Contains(d.Found, "it failed") {
		t.Errorf("one that answers again: %+v", d)
	}
	writeJSON(t, filepath.Join(cfg.DataDir(), "embedder.json"), worker.AskedState{Embedder: "openai/m", With: "other settings", Failing: "it failed"})
	if d := diagnoseMeaning(t.Context(), cfg, store, answers); strings.Contains(d.Found, "it failed") {
		t.Errorf("what was wrong with other settings: %+v", d)
	}
	never := func(context.Context, *llm.VectorModel) error { t.Error("somebody was asked"); return nil }
	if d := diagnoseMeaning(t.Context(), settings(t, nil), store, never); !d.OK || d.Found != "all observations can be found ("+static.ID+")" {
		t.Errorf("what is built in: %+v", d)
	}
}

func TestWhoChoosesAnEmbedderIsToldWhatIsSent(t *testing.T) {
	vars := map[string]string{"CMEM_EMBEDDER": "openai", "CMEM_OPENAI_API_KEY": "k"}
	if told := tellEmbedder(settings(t, vars), "embedder"); !strings.Contains(told, "not used yet") || !strings.Contains(told, "openai.embedding_model") {
		t.Errorf("without a model: %q", told)
	}
	vars["CMEM_OPENAI_EMBEDDING_MODEL"] = "m"
	for _, key := range []string{"embedder", "openai.embedding_model"} { // whichever is set last
		if told := tellEmbedder(settings(t, vars), key); !strings.Contains(told, "is sent to https://api.openai.com/v1.") {
			t.Errorf("%s: told %q", key, told)
		}
	}
	for _, key := range []string{"openai.model", "theme"} {
		if told := tellEmbedder(settings(t, vars), key); told != "" {
			t.Errorf("%s: %q", key, told)
		}
	}
	if told := tellEmbedder(settings(t, nil), "embedder"); told != "" {
		t.Errorf("what is built in sends nothing: %q", told)
	}
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
