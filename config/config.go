// Package config gives the settings: the one table that declares every key, what
// settings.json and the environment say about it, and where the data directory is.
//
// It opens no store and knows no agent, and it must stay cheap: Load runs in every
// hook that has something to answer. Other rooms read a setting by its name.
package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Origin says where a value comes from.
type Origin int

// The origins, a later one overrides an earlier one.
const (
	Default Origin = iota
	File
	Env
)

// String returns the origin's name for people.
func (o Origin) String() string {
	switch o {
	case File:
		return "settings.json"
	case Env:
		return "environment"
	default:
		return "default"
	}
}

// ErrNoDataDir means that there is no place for the data directory: no home
// directory, or a CMEM_DATA_DIR that is not an absolute path.
var ErrNoDataDir = errors.New("no data directory")

// Config is a set of valid settings and the directories that follow from them.
type Config struct {
	base     string
	dataDir  string
	home     string    // may be empty when CMEM_DATA_DIR is set
	modified time.Time // of settings.json when it was read; zero when there is none
	problems []Problem // what was wrong in the file and the environment
	values   [len(keys)]value
}

// value is one setting, in the form that Key.check returns. A List is in list,
// since a text of a list may hold a comma, and Bindings are in table.
type value struct {
	text   string
	list   []string
	table  map[string][]string
	origin Origin
}

// Load reads the settings: the defaults, over them settings.json, over that the
// environment, where an empty variable counts as not set.
//
// When something is wrong in the file or in the environment, it returns the rest,
// valid and ready for use, and an *Error beside it that names each file, line and
// key. Config is nil only when the error is ErrNoDataDir.
func Load(getenv func(string) string) (*Config, error) {
	c := &Config{}
	if err := c.locate(getenv); err != nil {
		return nil, err
	}
	for i := range keys {
		if keys[i].Kind == List {
			c.values[i].list = split(keys[i].Default)
		} else {
			c.values[i].text = keys[i].Default
		}
	}
	problems := c.readFile()
	for i := range keys {
		k := &keys[i]
		text := getenv(k.Env)
		if text == "" {
			continue
		}
		v, err := k.parse(text)
		if err != nil {
			problems = append(problems, Problem{Where: "environment variable " + k.Env, Key: k.Name, Err: err})
			continue
		}
		v.origin = Env
		c.values[i] = v
	}
	c.moveDataDir()
	c.problems = problems
	if len(problems) > 0 {
		return c, &Error{Problems: problems}
	}
	return c, nil
}

// locate finds the directory of settings.json.
func (c *Config) locate(getenv func(string) string) error {
	c.home = getenv("HOME")
	if runtime.GOOS == "windows" {
		c.home = getenv("USERPROFILE")
	}
	if dir := getenv("CMEM_DATA_DIR"); dir != "" {
		abs, err := c.expand(dir)
		if err != nil {
			return fmt.Errorf("%w: environment variable CMEM_DATA_DIR: %w", ErrNoDataDir, err)
		}
		c.base, c.dataDir = abs, abs
		return nil
	}
	if c.home == "" || !filepath.IsAbs(c.home) {
		return fmt.Errorf("%w: the home directory is unknown; set HOME, or CMEM_DATA_DIR to an absolute path", ErrNoDataDir)
	}
	c.base = filepath.Join(c.home, ".cmem")
	c.dataDir = c.base
	return nil
}

// moveDataDir follows the data_dir of settings.json, unless the environment has
// the last word. The setting shows the directory that is in force.
func (c *Config) moveDataDir() {
	v := c.value("data_dir")
	if v.origin == File && v.text != "" {
		c.dataDir = v.text
	}
	v.text = c.dataDir
}

// expand returns dir as an absolute path, with a leading ~ replaced. A relative
// path is refused: each hook would resolve it against another directory.
func (c *Config) expand(dir string) (string, error) {
	rest, tilde := strings.CutPrefix(dir, "~")
	switch {
	case tilde && (rest == "" || os.IsPathSeparator(rest[0])):
		if c.home == "" {
			return "", fmt.Errorf("%q cannot be resolved, because the home directory is unknown; set HOME or give an absolute path", dir)
		}
		return filepath.Join(c.home, rest), nil
	case !filepath.IsAbs(dir):
		return "", fmt.Errorf("%q is not an absolute path; give one, or one that begins with ~/", dir)
	}
	return filepath.Clean(dir), nil
}

// parse reads a value in its one-line form.
func (k *Key) parse(text string) (value, error) {
	switch k.Kind {
	case List:
		list := split(text)
		return value{list: list}, k.checkList(list)
	case Bindings:
		table, err := parseBindings(text)
		return value{table: table}, err
	case Projects:
		text, err := parseProjects(text)
		return value{text: text}, err
	}
	text, err := k.check(text)
	return value{text: text}, err
}

func (c *Config) value(name string) *value {
	if i, ok := index(name); ok {
		return &c.values[i]
	}
	if action, ok := actionIn(name); ok {
		all := c.value(bindingsKey)
		if keys, set := all.table[action]; set {
			return &value{text: bindingText(keys), origin: all.origin}
		}
		return &value{}
	}
	panic("config: undeclared key " + name)
}

// String returns the value of any key in its one-line form, secrets included. It
// panics, as all getters do, when the name is not declared.
func (c *Config) String(name string) string {
	v := c.value(name)
	switch {
	case v.list != nil:
		return strings.Join(v.list, ",")
	case v.table != nil:
		return bindingsText(v.table)
	}
	if i, ok := index(name); ok && keys[i].Kind == Numbers {
		return keys[i].numbersText(c.numbers(i))
	}
	return v.text
}

// Masked returns the value of any key for people to see: of a secret only its
// last four characters, and those only when it is long.
func (c *Config) Masked(name string) string {
	text := c.String(name)
	if i, _ := index(name); keys[i].Kind != Secret || text == "" {
		return text
	}
	const hidden = "********"
	if r := []rune(text); len(r) >= 16 {
		return hidden + string(r[len(r)-4:])
	}
	return hidden
}

// Bool returns the value of a Bool key.
func (c *Config) Bool(name string) bool { return c.value(name).text == "true" }

// Int returns the value of an Int key.
func (c *Config) Int(name string) int {
	n, err := strconv.Atoi(c.value(name).text)
	if err != nil {
		panic("config: " + name + " is not an Int key")
	}
	return n
}

// Duration returns the value of a Duration key.
func (c *Config) Duration(name string) time.Duration {
	d, err := time.ParseDuration(c.value(name).text)
	if err != nil {
		panic("config: " + name + " is not a Duration key")
	}
	return d
}

// List returns the texts of a List key.
func (c *Config) List(name string) []string { return slices.Clone(c.value(name).list) }

// Origin says where the value of a key comes from.
func (c *Config) Origin(name string) Origin { return c.value(name).origin }

// Understood reports whether all that the person wrote about a key could be read:
// false when the whole file could not, or when something is wrong under its name,
// in whatever case that is written. A caller for whom the default is no safe answer
// asks.
func (c *Config) Understood(name string) bool {
	return !slices.ContainsFunc(c.problems, func(p Problem) bool { return p.Key == "" || strings.EqualFold(p.Key, name) })
}

// selection names the keys that say what is never recorded.
var selection = []string{"exclude", "exclude_paths", "skip_tools"}

// SelectionUnderstood reports whether the settings tell what is never recorded. While
// they do not, nothing must be.
func (c *Config) SelectionUnderstood() bool {
	return !slices.ContainsFunc(selection, func(name string) bool { return !c.Understood(name) })
}

// Base returns the directory of settings.json: CMEM_DATA_DIR or ~/.cmem.
func (c *Config) Base() string { return c.base }

// File returns the path of settings.json.
func (c *Config) File() string { return filepath.Join(c.base, "settings.json") }

// DataDir returns the directory of the store, the spool and the logs.
func (c *Config) DataDir() string { return c.dataDir }

// DB returns the path of the store.
func (c *Config) DB() string { return filepath.Join(c.dataDir, "cmem.db") }

// Spool returns the directory of the spool.
func (c *Config) Spool() string { return filepath.Join(c.dataDir, "spool") }

// Logs returns the directory of the logs.
func (c *Config) Logs() string { return filepath.Join(c.dataDir, "logs") }

// EnsureDirs makes the directories that others write to, for this person only.
func (c *Config) EnsureDirs() error {
	for _, dir := range []string{c.base, c.dataDir, c.Spool(), c.Logs()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make directory %s: %w", dir, err)
		}
	}
	return nil
}
