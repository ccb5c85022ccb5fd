package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

// env is an environment of a person whose home is a fresh directory.
type env map[string]string

func newEnv(t *testing.T) env {
	t.Helper()
	home := t.TempDir()
	return env{"HOME": home, "USERPROFILE": home}
}

func (e env) get(name string) string { return e[name] }

func (e env) file() string { return filepath.Join(e["HOME"], ".cmem", "settings.json") }

// settings writes settings.json, as long ago as it takes for a stamp.
func (e env) settings(t *testing.T, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(e.file()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(e.file(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	e.age(t, time.Hour)
}

func (e env) age(t *testing.T, d time.Duration) {
	t.Helper()
	at := time.Now().Add(-d)
	if err := os.Chtimes(e.file(), at, at); err != nil {
		t.Fatal(err)
	}
}

func (e env) load(t *testing.T) *Config {
	t.Helper()
	c, err := Load(e.get)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEveryKeyIsDeclaredWell(t *testing.T) {
	seen := map[string]bool{}
	// Who needs a screen reader sets this one for several programs, by hand.
	short := map[string]string{"ui.accessible": "CMEM_ACCESSIBLE"}
	for _, k := range Keys() {
		t.Run(k.Name, func(t *testing.T) {
			if seen[k.Name] || seen[k.Env] {
				t.Error("declared twice")
			}
			seen[k.Name], seen[k.Env] = true, true
			want := "CMEM_" + strings.ToUpper(strings.ReplaceAll(k.Name, ".", "_"))
			if name, ok := short[k.Name]; ok {
				want = name
			}
			if k.Env != want {
				t.Errorf("environment variable %s, want %s", k.Env, want)
			}
			if k.Help == "" || strings.ContainsAny(k.Help, "\n") || strings.HasSuffix(k.Help, ".") {
				t.Errorf("help %q", k.Help)
			}
			if got, err := k.check(k.Default); err != nil || got != k.Default {
				t.Errorf("default %q is read as %q, %v", k.Default, got, err)
			}
			if (k.Kind == Enum) != (len(k.Values) > 0) && k.Kind != Numbers {
				t.Errorf("values %q", k.Values)
			}
			if (k.Kind == Int || k.Kind == Duration || k.Kind == Numbers) != (k.Max > k.Min) {
				t.Errorf("bounds %d to %d", k.Min, k.Max)
			}
		})
	}
}

func TestDefaultsHoldWithoutAFile(t *testing.T) {
	e := newEnv(t)
	c := e.load(t)
	base := filepath.Join(e["HOME"], ".cmem")
	for got, want := range map[string]string{
		c.Base(): base, c.DataDir(): base, c.String("data_dir"): base,
		c.DB():    filepath.Join(base, "cmem.db"),
		c.Spool(): filepath.Join(base, "spool"),
		c.Logs():  filepath.Join(base, "logs"),
		c.File():  filepath.Join(base, "settings.json"),

		c.String("provider"): "local", c.String("claude.model"): "claude-haiku-4-5",
		c.String("openai.base_url"): "https://api.openai.com/v1", c.String("theme"): "system",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if c.Int("context.observations") != 50 || c.Int("context.max_chars") != 6000 || !c.Bool("context.enabled") ||
		c.Duration("hook.deadline") != 300*time.Millisecond || c.Duration("worker.idle") != time.Minute || len(c.List("exclude")) != 0 {
		t.Error("a default is not what it should be")
	}
	if _, err := os.Stat(base); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load made %s: %v", base, err)
	}
}

func TestEnvironmentOverridesFileOverridesDefault(t *testing.T) {
	tests := []struct {
		file, env string
		want      string
		origin    Origin
	}{
		{"", "", "info", Default},
		{`"log.level": "warn"`, "", "warn", File},
		{`"log": {"level": "warn"}`, "", "warn", File},
		{"", "debug", "debug", Env},
		{`"log.level": "warn"`, "debug", "debug", Env},
		{`"log.level": "WARN"`, "", "warn", File},
	}
	for _, tt := range tests {
		e := newEnv(t)
		e.settings(t, "{"+tt.file+"}")
		e["CMEM_LOG_LEVEL"] = tt.env
		c := e.load(t)
		if got := c.String("log.level"); got != tt.want || c.Origin("log.level") != tt.origin {
			t.Errorf("%+v: got %s from %s", tt, got, c.Origin("log.level"))
		}
	}
}

func TestValuesAreReadInEveryForm(t *testing.T) {
	e := newEnv(t)
	e.settings(t, "\ufeff// 我的设置 🛒\n"+`{
  "exclude": ["/home/dev/私人/*", "a,b"], // with a comma
  "context": {"observations": 20, "enabled": "off", "max_chars": "2000",},
  "hook.deadline": "1s",
  "worker.idle": "90s",
  "openai.model": "模型 <1>",
}`)
	e["CMEM_SKIP_TOOLS"] = " Glob , ,Grep"
	c := e.load(t)
	if got := c.List("exclude"); !reflect.DeepEqual(got, []string{"/home/dev/私人/*", "a,b"}) {
		t.Errorf("exclude %q", got)
	}
	if got := c.List("skip_tools"); !reflect.DeepEqual(got, []string{"Glob", "Grep"}) {
		t.Errorf("skip_tools %q", got)
	}
	if c.Int("context.observations") != 20 || c.Bool("context.enabled") || c.Int("context.max_chars") != 2000 ||
		c.Duration("hook.deadline") != time.Second || c.String("worker.idle") != "1m30s" || c.String("openai.model") != "模型 <1>" {
		t.Errorf("got %+v", c.values)
	}
}

func TestDataDirectoryIsFound(t *testing.T) {
	home := t.TempDir()
	abs := filepath.Join(home, "elsewhere")
	tests := []struct{ name, env, file, base, data string }{
		{"default", "", `{}`, ".cmem", ".cmem"},
		{"settings", "", `{"data_dir": "~/memory 记忆"}`, ".cmem", "memory 记忆"},
		{"settings, home itself", "", `{"data_dir": "~"}`, ".cmem", ""},
		{"settings, absolute", "", `{"data_dir": ` + quote(abs) + `}`, ".cmem", "elsewhere"},
		{"environment", abs, `{"data_dir": "~/memory"}`, "elsewhere", "elsewhere"},
		{"environment with tilde", "~/elsewhere", `{"data_dir": "~/memory"}`, "elsewhere", "elsewhere"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := env{"HOME": home, "USERPROFILE": home, "CMEM_DATA_DIR": tt.env}
			e.settings(t, tt.file)
			c := e.load(t)
			if c.Base() != filepath.Join(home, tt.base) || c.DataDir() != filepath.Join(home, tt.data) {
				t.Errorf("base %s, data %s", c.Base(), c.DataDir())
			}
			if c.String("data_dir") != c.DataDir() {
				t.Errorf("data_dir is shown as %s", c.String("data_dir"))
			}
		})
	}
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, `\`, `\\`) + `"` }

func TestNoPlaceForDataIsAClearError(t *testing.T) {
	for _, tt := range []struct {
		env  env
		want string
	}{
		{env{}, "set HOME"},
		{env{"HOME": "home", "USERPROFILE": "home"}, "set HOME"},
		{env{"CMEM_DATA_DIR": "memory"}, `"memory" is not an absolute path`},
		{env{"CMEM_DATA_DIR": "~/memory"}, "set HOME or give an absolute path"},
	} {
		c, err := Load(tt.env.get)
		if c != nil || !errors.Is(err, ErrNoDataDir) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got %v, %v", tt.env, c, err)
		}
	}
	dir := t.TempDir()
	if c, err := Load((env{"CMEM_DATA_DIR": dir}).get); err != nil || c.DataDir() != dir {
		t.Errorf("without HOME: got %v", err)
	}
}

func TestSecretsAreMasked(t *testing.T) {
	for secret, want := range map[string]string{
		"":                             "",
		"short":                        "********",
		"sk-ant-0123456789abcdef-wxyz": "********wxyz",
		"密钥密钥密钥密钥密钥密钥密钥密钥": "********密钥密钥",
	} {
		e := newEnv(t)
		e["CMEM_CLAUDE_API_KEY"] = secret
		c := e.load(t)
		if got := c.Masked("claude.api_key"); got != want {
			t.Errorf("%q is shown as %q, want %q", secret, got, want)
		}
		if c.String("claude.api_key") != secret || c.Masked("claude.model") != "claude-haiku-4-5" {
			t.Error("a value is not what was set")
		}
	}
}

func TestUndeclaredNamePanics(t *testing.T) {
	c := newEnv(t).load(t)
	for what, get := range map[string]func(){
		"String":   func() { _ = c.String("nope") },
		"Bool":     func() { c.Bool("nope") },
		"Int":      func() { c.Int("nope") },
		"Duration": func() { c.Duration("nope") },
		"List":     func() { c.List("nope") },
		"Origin":   func() { c.Origin("nope") },
		"Masked":   func() { c.Masked("nope") },
		"Int of a Bool": func() {
			c.Int("context.enabled")
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", what)
				}
			}()
			get()
		}()
	}
}

func TestDirectoriesAreForThisPersonOnly(t *testing.T) {
	e := newEnv(t)
	e.settings(t, `{"data_dir": "~/moved/here"}`)
	c := e.load(t)
	if err := c.EnsureDirs(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{c.Base(), c.DataDir(), c.Spool(), c.Logs()} {
		st, err := os.Stat(dir)
		if err != nil || !st.IsDir() {
			t.Fatalf("%s: %v", dir, err)
		}
		if runtime.GOOS != "windows" && st.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %o", dir, st.Mode().Perm())
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	text := `{"theme": "dark", "exclude": ["/home/dev/private"], "context": {"sessions": 5}}`
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	getenv := env{"CMEM_DATA_DIR": dir}.get
	for b.Loop() {
		if _, err := Load(getenv); err != nil {
			b.Fatal(err)
		}
	}
}
