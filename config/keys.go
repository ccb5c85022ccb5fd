package config

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// Kind says what a key's value is.
type Kind int

// The kinds of values.
const (
	String   Kind = iota // any text
	Secret               // text that is never shown
	Bool                 // true or false
	Int                  // a whole number
	Duration             // a time span as Go writes it, "300ms", "1m"
	List                 // texts; separated by commas in the environment and on the command line
	Enum                 // one of Key.Values
	Word                 // a name of letters, digits, - and _, in lower case
	Bindings             // actions and their keys; JSON in the environment and on the command line
	Numbers              // names with a number each, "a=1,b=2" in the environment and on the command line
	Projects             // projects and settings of their own; JSON in the environment and on the command line
)

// Key declares one setting.
type Key struct {
	Name    string // as in settings.json and on the command line, "context.max_chars"
	Env     string // the environment variable that overrides it
	Default string // in the form that the environment variable takes
	Help    string // one line for people
	Kind    Kind
	Values  []string // Enum: what is allowed. Numbers: the names, any where there are none
	// Min and Max bound an Int, Numbers, and a Duration in nanoseconds; all inclusive.
	Min, Max int64
	Unit     string // Numbers: what may be written behind one
	// PerProject says that a project may have a value of its own.
	PerProject bool
}

// keys is the one declaration of every setting, in the order shown to people.
// Hooks are short processes: nothing here is computed at start.
var keys = [...]Key{
	{Name: "data_dir", Env: "CMEM_DATA_DIR", Help: "where memories are kept; an absolute path or one that begins with ~/ (empty: ~/.cmem)"},
	{Name: "provider", Env: "CMEM_PROVIDER", Default: "local", Kind: Enum, Values: []string{"local", "claude", "gemini", "openai"}, Help: "who compresses events into observations; local needs no account and sends nothing"},
	{Name: "embedder", Env: "CMEM_EMBEDDER", Default: "static", Kind: Enum, Values: []string{"static", "gemini", "openai", "none"}, Help: "what finds memories by their meaning: static is built in and asks nobody; gemini and openai are sent the text of every memory and of every search; none finds by words only"},
	{Name: "exclude", Env: "CMEM_EXCLUDE", Kind: List, Help: "projects that are never recorded: paths or globs, separated by commas"},
	{Name: "exclude_paths", Env: "CMEM_EXCLUDE_PATHS", Kind: List, Help: "files whose tool calls are not recorded: paths or globs such as **/private/**, separated by commas"},
	{Name: "skip_tools", Env: "CMEM_SKIP_TOOLS", Kind: List, Help: "tools whose calls are not recorded: names or globs such as mcp__*, separated by commas"},
	{Name: "claude.api_key", Env: "CMEM_CLAUDE_API_KEY", Kind: Secret, Help: "key of the Anthropic API, for provider claude"},
	{Name: "claude.model", Env: "CMEM_CLAUDE_MODEL", Default: "claude-haiku-4-5", Help: "model of provider claude"},
	{Name: "claude.base_url", Env: "CMEM_CLAUDE_BASE_URL", Help: "address of the Anthropic API (empty: its own)"},
	{Name: "gemini.api_key", Env: "CMEM_GEMINI_API_KEY", Kind: Secret, Help: "key of the Gemini API, for provider and embedder gemini"},
	{Name: "gemini.model", Env: "CMEM_GEMINI_MODEL", Default: "gemini-2.5-flash", Help: "model of provider gemini"},
	{Name: "gemini.embedding_model", Env: "CMEM_GEMINI_EMBEDDING_MODEL", Default: "gemini-embedding-001", Help: "model of embedder gemini"},
	{Name: "openai.api_key", Env: "CMEM_OPENAI_API_KEY", Kind: Secret, Help: "key of the OpenAI API or of a compatible one, for provider and embedder openai"},
	{Name: "openai.model", Env: "CMEM_OPENAI_MODEL", Help: "model of provider openai"},
	{Name: "openai.base_url", Env: "CMEM_OPENAI_BASE_URL", Default: "https://api.openai.com/v1", Help: "address of the OpenAI API or of a compatible one, up to and with /v1"},
	{Name: "openai.headers", Env: "CMEM_OPENAI_HEADERS", Kind: Secret, Help: `what openai.base_url is sent beside the key, as "Name: value; Name: value"`},
	{Name: "openai.embedding_model", Env: "CMEM_OPENAI_EMBEDDING_MODEL", Help: "model of embedder openai, such as nomic-embed-text of Ollama"},
	{Name: "openai.embedding_base_url", Env: "CMEM_OPENAI_EMBEDDING_BASE_URL", Help: "address of embedder openai, such as http://127.0.0.1:11434/v1; the key and headers above are not sent there (empty: openai.base_url, with them)"},
	{Name: "openai.embedding_api_key", Env: "CMEM_OPENAI_EMBEDDING_API_KEY", Kind: Secret, Help: "key for openai.embedding_base_url, where that is set"},
	{Name: "context.enabled", Env: "CMEM_CONTEXT_ENABLED", Default: "true", Kind: Bool, Help: "whether a new session is given its memories"},
	{Name: "context.observations", Env: "CMEM_CONTEXT_OBSERVATIONS", Default: "50", Kind: Int, Min: 1, Max: 500, Help: "observations listed at the start of a session"},
	{Name: "context.sessions", Env: "CMEM_CONTEXT_SESSIONS", Default: "10", Kind: Int, Min: 1, Max: 100, Help: "past sessions that these observations are taken from"},
	{Name: "context.max_chars", Env: "CMEM_CONTEXT_MAX_CHARS", Default: "6000", Kind: Int, Min: 1000, Max: 9400, Help: "length of the context block in characters, at most 9400: Claude Code hides what is longer in a file"},
	{Name: "recall.file", Env: "CMEM_RECALL_FILE", Default: "true", Kind: Bool, Help: "whether the assistant is told what is remembered of a file when it opens or edits it"},
	{Name: "recall.file_tokens", Env: "CMEM_RECALL_FILE_TOKENS", Default: "300", Kind: Int, Min: 100, Max: 1000, Help: "tokens, estimated, that this may cost at a time"},
	{Name: "recall.failure", Env: "CMEM_RECALL_FAILURE", Default: "true", Kind: Bool, Help: "whether the assistant is told what is remembered of an error when a command fails"},
	{Name: "recall.failure_tokens", Env: "CMEM_RECALL_FAILURE_TOKENS", Default: "300", Kind: Int, Min: 100, Max: 1000, Help: "tokens, estimated, that this may cost at a time"},
	{Name: "recall.prompt", Env: "CMEM_RECALL_PROMPT", Default: "false", Kind: Bool, Help: "whether the assistant is told with each prompt what is remembered of its subject; that makes the hook of a prompt slower"},
	{Name: "recall.prompt_tokens", Env: "CMEM_RECALL_PROMPT_TOKENS", Default: "300", Kind: Int, Min: 100, Max: 1000, Help: "tokens, estimated, that this may cost at a time"},
	{Name: "hook.deadline", Env: "CMEM_HOOK_DEADLINE", Default: "300ms", Kind: Duration, Min: int64(10 * time.Millisecond), Max: int64(8 * time.Second), Help: "how long a hook may look things up before it answers with nothing"},
	{Name: "search.weights", Env: "CMEM_SEARCH_WEIGHTS", Default: "keyword=0.4,semantic=0.3,recency=0.2,tags=0.1", Kind: Numbers, Values: []string{"keyword", "semantic", "recency", "tags"}, Max: 100, PerProject: true, Help: "what the parts of a search's score count beside each other; what is not named stays as it is by default"},
	{Name: "search.half_life", Env: "CMEM_SEARCH_HALF_LIFE", Default: "decision=180d,discovery=90d,feature=90d,bugfix=60d,refactor=60d,change=30d,other=60d", Kind: Numbers, Unit: "d", Min: 1, Max: 36500, PerProject: true, Help: "days after which an observation of a type counts as half as recent in a search; other is for types that are not named"},
	{Name: projectsKey, Env: "CMEM_PROJECTS", Kind: Projects, Help: `settings of single projects, as JSON, {"~/work/shop": {"search.weights": {"recency": 0.5}}}`},
	{Name: "spool.sync", Env: "CMEM_SPOOL_SYNC", Default: "false", Kind: Bool, Help: "whether a hook waits until its event is on the disk, so that not even a power cut loses it; that makes hooks slower"},
	{Name: "worker.idle", Env: "CMEM_WORKER_IDLE", Default: "1m", Kind: Duration, Min: int64(time.Second), Max: int64(24 * time.Hour), Help: "quiet time after which the worker goes away"},
	{Name: "retention.raw_days", Env: "CMEM_RETENTION_RAW_DAYS", Default: "0", Kind: Int, Min: 0, Max: 36500, Help: "days that raw events are kept beside their observations (0: for ever)"},
	{Name: "log.level", Env: "CMEM_LOG_LEVEL", Default: "info", Kind: Enum, Values: []string{"debug", "info", "warn", "error"}, Help: "what is written to the log; debug may quote prompts, files and answers"},
	{Name: "theme", Env: "CMEM_THEME", Default: "system", Kind: Word, Help: "colours of the memory browser: system, light, dark, nord, … or a theme of your own (docs/themes.md)"},
	{Name: "ui.mouse", Env: "CMEM_UI_MOUSE", Default: "true", Kind: Bool, Help: "whether the memory browser uses the mouse"},
	{Name: "ui.accessible", Env: "CMEM_ACCESSIBLE", Default: "false", Kind: Bool, Help: "whether the memory browser writes for a screen reader: plain lines, no panes"},
	{Name: "ui.editor", Env: "CMEM_UI_EDITOR", Help: "command that the memory browser edits texts with (empty: $VISUAL, else $EDITOR)"},
	{Name: bindingsKey, Env: "CMEM_KEYS", Kind: Bindings, Help: `other keys for actions of the memory browser, as JSON, {"archive": ["A"]}; keys.archive sets one`},
}

// Keys returns the declaration of every setting, in the order shown to people.
func Keys() []Key { return slices.Clone(keys[:]) }

// index returns the place of a key in the table.
func index(name string) (int, bool) {
	for i := range keys {
		if keys[i].Name == name {
			return i, true
		}
	}
	return 0, false
}

// check returns the normal form of a value, or an error that says what is allowed.
func (k *Key) check(value string) (string, error) {
	switch k.Kind {
	case Bool:
		switch strings.ToLower(value) {
		case "true", "1", "yes", "on":
			return "true", nil
		case "false", "0", "no", "off":
			return "false", nil
		}
		return "", fmt.Errorf("%q is neither true nor false", value)
	case Int:
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil || n < k.Min || n > k.Max {
			return "", fmt.Errorf("%q is not a whole number from %d to %d", value, k.Min, k.Max)
		}
		return strconv.FormatInt(n, 10), nil
	case Duration:
		d, err := time.ParseDuration(strings.TrimSpace(value))
		if err != nil || d < time.Duration(k.Min) || d > time.Duration(k.Max) {
			return "", fmt.Errorf("%q is not a time span from %s to %s, such as %q",
				value, short(time.Duration(k.Min)), short(time.Duration(k.Max)), k.Default)
		}
		return short(d), nil
	case Enum:
		v := strings.ToLower(strings.TrimSpace(value))
		if !slices.Contains(k.Values, v) {
			return "", fmt.Errorf("%q is not one of %s%s", value, strings.Join(k.Values, ", "), didYouMean(v, k.Values))
		}
		return v, nil
	case Word:
		v := strings.ToLower(strings.TrimSpace(value))
		return v, checkWord(v)
	case Numbers:
		list, err := k.numbers(value)
		return k.numbersText(list), err
	default:
		return value, nil
	}
}

// checkList returns an error for an item of a List that could never match anything:
// a person who excludes a project must not believe that it is when it is not.
func (k *Key) checkList(list []string) error {
	for _, item := range list {
		if k.Name == "exclude_paths" {
			if !doublestar.ValidatePattern(filepath.ToSlash(item)) {
				return fmt.Errorf("%q is no glob: a bracket or a brace has no end", item)
			}
			continue
		}
		if _, err := path.Match(item, ""); err != nil {
			return fmt.Errorf("%q is no glob: %w", item, err)
		}
		if k.Name != "exclude" {
			continue
		}
		p := filepath.ToSlash(item)
		relative := strings.Contains(p, "/") && !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "~/") && filepath.VolumeName(item) == ""
		if relative || p == "." || p == ".." {
			return fmt.Errorf("%q is relative, and hooks run in many directories; give an absolute path, one that begins with ~/, or the bare name of a folder", item)
		}
	}
	return nil
}

// short writes a time span without the zero parts that Go writes: "1m", not "1m0s".
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// split returns the texts of a List in its one-line form.
func split(value string) []string {
	var list []string
	for item := range strings.SplitSeq(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

// CheckName returns an error that names the nearest keys when name is not one. An
// entry of the Bindings, such as "keys.archive", has a name, too.
func CheckName(name string) error {
	if action, ok := actionIn(name); ok {
		if err := checkWord(action); err != nil {
			return fmt.Errorf("%s: this is no action: %w", name, err)
		}
		return nil
	}
	if _, ok := index(name); !ok {
		return fmt.Errorf("%s: %w", name, unknown(name))
	}
	return nil
}

// unknown describes a name that is not in the table.
func unknown(name string) error {
	names := make([]string, len(keys))
	for i := range keys {
		names[i] = keys[i].Name
	}
	if hint := didYouMean(name, names); hint != "" {
		return fmt.Errorf("unknown key%s", hint)
	}
	return fmt.Errorf("unknown key; `cmem config list` shows all")
}

// didYouMean returns `; did you mean "x"?` for the nearest of the names, or
// nothing when none is near.
func didYouMean(typed string, names []string) string {
	typed = strings.ToLower(typed)
	best, bestDistance := "", 1+max(2, len(typed)/3)
	for _, name := range names {
		d := distance(typed, name)
		if _, last, dotted := strings.Cut(name, "."); dotted && last == typed {
			d = 1 // "max_chars" means "context.max_chars"
		}
		if d < bestDistance && d < len(name) {
			best, bestDistance = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is the Levenshtein distance of two short texts, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
