package tui

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"cmem/memory"
)

// query is what the filter line says, taken apart. The words that are no
// filter are searched for.
type query struct {
	terms   []queryTerm
	text    string // the words to search for, as they were typed
	project string // a project's key, name or the beginning of it; "all" for all
	wants   memory.Filter
}

// queryTerm is one word of the filter line: a filter with its value, or a word to
// search for, which has no name.
type queryTerm struct {
	from, to int // where it stands in the line, in bytes
	name     string
	value    string // without quotes
	wrong    string // why the value means nothing; such a filter takes everything
}

// isFilter reports whether the term narrows, or would if its value were right.
func (t queryTerm) isFilter() bool { return t.name != "" }

// filterWord is a name that a filter can have.
type filterWord struct {
	name string
	help string
	// apply puts a value into the query and says what is wrong with it, or "".
	apply func(q *query, value string, now time.Time) string
	// values are the fixed ones, for completion.
	values []string
	// stored says that the store knows more values.
	stored bool
}

// filterWords is every filter, in the order in which they are offered.
var filterWords = []filterWord{
	{
		name: "type", help: "bugfix, decision, …", values: memory.ObservationTypes(), stored: true,
		apply: func(q *query, v string, _ time.Time) string {
			for _, v := range commas(v) {
				q.wants.Types = append(q.wants.Types, typesFor(v)...)
			}
			return ""
		},
	},
	{
		name: "file", help: "a part of a path", stored: true,
		apply: func(q *query, v string, _ time.Time) string {
			q.wants.Files = append(q.wants.Files, v)
			return ""
		},
	},
	{
		name: "concept", help: "what it is about", stored: true,
		apply: func(q *query, v string, _ time.Time) string {
			q.wants.Concepts = append(q.wants.Concepts, commas(v)...)
			return ""
		},
	},
	{
		name: "tag", help: "a tag of yours", stored: true,
		apply: func(q *query, v string, _ time.Time) string {
			for _, v := range commas(v) {
				q.wants.Tags = append(q.wants.Tags, strings.TrimPrefix(v, "#"))
			}
			return ""
		},
	},
	{
		name: "project", help: "a project, or all", values: []string{"all"},
		apply: func(q *query, v string, _ time.Time) string {
			q.project = v
			return ""
		},
	},
	{name: "after", help: "from a day on: 2026-11-01, 7d, mon", values: dayWords, apply: applyDate("after")},
	{name: "before", help: "before a day: 2026-11-01, 2w", values: dayWords, apply: applyDate("before")},
	{name: "on", help: "a day or month: today, 2026-11", values: dayWords, apply: applyDate("on")},
	{
		name: "status", help: "archived, superseded, wrong, expired, all",
		values: []string{"active", "archived", "superseded", "wrong", "expired", "all"}, apply: applyStatus,
	},
	{
		name: "is", help: "pinned, expired, archived", values: []string{"pinned", "expired", "archived"},
		apply: func(q *query, v string, now time.Time) string {
			if strings.EqualFold(v, "pinned") {
				q.wants.PinnedOnly = true
				return ""
			}
			return applyStatus(q, v, now)
		},
	},
	{
		name: "kind", help: "prompt, observation, summary", values: []string{"prompt", "observation", "summary"},
		apply: func(q *query, v string, _ time.Time) string {
			for _, v := range commas(v) {
				k, known := kindNamed[strings.TrimSuffix(strings.ToLower(v), "s")]
				if !known {
					return "there are prompt, observation and summary"
				}
				q.wants.Kinds = append(q.wants.Kinds, k)
			}
			return ""
		},
	},
	{
		name: "agent", help: "which assistant", stored: true,
		apply: func(q *query, v string, _ time.Time) string {
			q.wants.Agents = append(q.wants.Agents, commas(v)...)
			return ""
		},
	},
	{
		name: "branch", help: "a git branch, or its beginning", stored: true,
		apply: func(q *query, v string, _ time.Time) string {
			q.wants.Branches = append(q.wants.Branches, v)
			return ""
		},
	},
	{
		name: "session", help: "a session's id",
		apply: func(q *query, v string, _ time.Time) string {
			q.wants.SessionID = v
			return ""
		},
	},
}

// kindNamed knows the kinds by their names, without the s of many.
var kindNamed = map[string]memory.ItemKind{
	"prompt": memory.KindPrompt, "observation": memory.KindObservation,
	"summary": memory.KindSummary, "summarie": memory.KindSummary,
}

// allStatuses is what status:all takes.
var allStatuses = []memory.Status{
	memory.StatusActive, memory.StatusArchived, memory.StatusSuperseded, memory.StatusInvalid,
}

func applyStatus(q *query, value string, _ time.Time) string {
	for _, v := range commas(value) {
		switch v = strings.ToLower(v); v {
		case "all":
			q.wants.Statuses, q.wants.IncludeExpired = slices.Clone(allStatuses), true
		case "expired":
			q.wants.ExpiredOnly, q.wants.IncludeExpired = true, true
		case "wrong", string(memory.StatusInvalid):
			q.wants.Statuses, q.wants.IncludeExpired = append(q.wants.Statuses, memory.StatusInvalid), true
		case string(memory.StatusArchived), string(memory.StatusSuperseded):
			q.wants.Statuses, q.wants.IncludeExpired = append(q.wants.Statuses, memory.Status(v)), true
		case string(memory.StatusActive):
			q.wants.Statuses = append(q.wants.Statuses, memory.StatusActive)
		default:
			return "there are active, archived, superseded, wrong, expired and all"
		}
	}
	return ""
}

func applyDate(name string) func(*query, string, time.Time) string {
	return func(q *query, value string, now time.Time) string {
		from, to, ok := parseDays(value, now)
		switch {
		case !ok:
			return value + " is no date such as 2026-11-01, 2026-11, today, mon or 7d"
		case name == "before":
			q.wants.Before = from
		case name == "after":
			q.wants.After = from
		default:
			q.wants.After, q.wants.Before = from, to
		}
		return ""
	}
}

// findFilter gives the filter of a name.
func findFilter(name string) (filterWord, bool) {
	name = strings.ToLower(name)
	i := slices.IndexFunc(filterWords, func(f filterWord) bool { return f.name == name })
	if i < 0 {
		return filterWord{}, false
	}
	return filterWords[i], true
}

// parseQuery reads the filter line as of now. A filter word is name:value or
// name:"a value"; names may be given several times, and some values are several,
// with commas. A name without a value is still being typed and means nothing yet.
func parseQuery(input string, now time.Time) query {
	var q query
	var words []string
	for _, w := range wordsOf(input) {
		t := queryTerm{from: w.from, to: w.to}
		name, value, found := strings.Cut(input[w.from:w.to], ":")
		f, known := findFilter(name)
		if !found || !known {
			t.value = input[w.from:w.to]
			words = append(words, t.value)
			q.terms = append(q.terms, t)
			continue
		}
		t.name, t.value = f.name, strings.Trim(value, `"`)
		if t.value != "" {
			t.wrong = f.apply(&q, t.value, now)
		}
		q.terms = append(q.terms, t)
	}
	q.text = strings.Join(words, " ")
	return q
}

// isEmpty reports whether the query takes everything.
func (q query) isEmpty() bool {
	return q.text == "" && q.project == "" && reflect.DeepEqual(q.wants, memory.Filter{})
}

// filter gives the query's filter within the project.
func (q query) filter(project string) memory.Filter {
	f := q.wants
	f.Project = project
	return f
}

// wrong gives what is wrong with the first filter that means nothing, or "".
func (q query) wrong() string {
	for _, t := range q.terms {
		if t.wrong != "" {
			return t.name + ": " + t.wrong
		}
	}
	return ""
}

// equal reports whether both queries ask for the same.
func (q query) equal(other query) bool {
	return q.text == other.text && q.project == other.project && reflect.DeepEqual(q.wants, other.wants)
}

// withoutText gives the filter line without the words that are searched for.
func (q query) withoutText(input string) string {
	var kept []string
	for _, t := range q.terms {
		if t.isFilter() {
			kept = append(kept, input[t.from:t.to])
		}
	}
	return strings.Join(kept, " ")
}

// without gives the filter line without its n-th term.
func (q query) without(input string, n int) string {
	t := q.terms[n]
	before, after := strings.TrimRight(input[:t.from], spaces), strings.TrimLeft(input[t.to:], spaces)
	if before == "" || after == "" {
		return before + after
	}
	return before + " " + after
}

// spaces are what stands between words.
const spaces = " \t\u3000"

// extent is where a word stands in a line, in bytes.
type extent struct{ from, to int }

// wordsOf splits at spaces outside of double quotes. The quotes stay: they mean
// something to the search too.
func wordsOf(s string) []extent {
	var out []extent
	from, quoted := -1, false
	for i, r := range s {
		if r == '"' {
			quoted = !quoted
		}
		space := !quoted && strings.ContainsRune(spaces, r)
		switch {
		case space && from >= 0:
			out = append(out, extent{from, i})
			from = -1
		case !space && from < 0:
			from = i
		}
	}
	if from >= 0 {
		out = append(out, extent{from, len(s)})
	}
	return out
}

// splitWords gives the words of a line, with their quotes.
func splitWords(s string) []string {
	var out []string
	for _, w := range wordsOf(s) {
		out = append(out, s[w.from:w.to])
	}
	return out
}

// commas splits a value that may be several.
func commas(value string) []string {
	var out []string
	for v := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || r == '，' }) {
		if v = strings.TrimSpace(v); v != "" {
			out = append(out, v)
		}
	}
	return out
}

// quoted gives a value as it has to stand in the filter line.
func quoted(value string) string {
	value = strings.ReplaceAll(value, `"`, "")
	if strings.ContainsAny(value, spaces) {
		return `"` + value + `"`
	}
	return value
}

// typesFor gives the types that a value can mean while it is being typed: all
// that begin with it, or the value itself, which may be somebody's own type.
func typesFor(value string) []string {
	value = strings.ToLower(value)
	var out []string
	for _, t := range memory.ObservationTypes() {
		if strings.HasPrefix(t, value) {
			out = append(out, t)
		}
	}
	if out == nil {
		out = []string{value}
	}
	return out
}

// findProject gives the project that a person means by name: its key, its
// name, the beginning of its name or a part of its path, in this order.
func findProject(projects []memory.Project, name string) (key string, found bool) {
	name = strings.ToLower(name)
	for _, match := range []func(key string) bool{
		func(key string) bool { return strings.EqualFold(key, name) },
		func(key string) bool { return strings.EqualFold(projectName(key), name) },
		func(key string) bool { return strings.HasPrefix(strings.ToLower(projectName(key)), name) },
		func(key string) bool { return strings.Contains(strings.ToLower(key), name) },
	} {
		for _, p := range projects {
			if match(p.Key) {
				return p.Key, true
			}
		}
	}
	return "", false
}

// projectName gives the short name of a project: the last part of its path.
func projectName(key string) string {
	key = strings.TrimRight(key, `/\`)
	return cleanLine(key[strings.LastIndexAny(key, `/\`)+1:])
}
