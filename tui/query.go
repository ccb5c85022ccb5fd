package tui

import (
	"slices"
	"strings"

	"cmem/memory"
)

// query is what the filter line says, taken apart. The words that are no
// filter are searched for.
type query struct {
	text     string
	types    []string
	concepts []string
	files    []string
	project  string // a project's key, name or the beginning of it; "all" for all
}

// filterWords are the names that a filter word can begin with.
var filterWords = []string{"type:", "concept:", "file:", "project:"}

// parseQuery reads the filter line. A filter word is name:value or
// name:"a value", names may be given several times; a name without a value is
// still being typed and means nothing yet.
func parseQuery(input string) query {
	var q query
	var words []string
	for _, word := range splitWords(input) {
		name, value, found := strings.Cut(word, ":")
		if !found || !slices.Contains(filterWords, strings.ToLower(name)+":") {
			words = append(words, word)
			continue
		}
		value = strings.Trim(value, `"`)
		if value == "" {
			continue
		}
		switch strings.ToLower(name) {
		case "type":
			q.types = append(q.types, typesFor(value)...)
		case "concept":
			q.concepts = append(q.concepts, value)
		case "file":
			q.files = append(q.files, value)
		case "project":
			q.project = value
		}
	}
	q.text = strings.Join(words, " ")
	return q
}

// isEmpty reports whether the query takes everything.
func (q query) isEmpty() bool {
	return q.text == "" && len(q.types)+len(q.concepts)+len(q.files) == 0 && q.project == ""
}

// filter gives the query's filter within the project.
func (q query) filter(project string) memory.Filter {
	return memory.Filter{Project: project, Types: q.types, Concepts: q.concepts, Files: q.files}
}

// splitWords splits at spaces outside of double quotes. The quotes stay: they
// mean something to the search too.
func splitWords(s string) []string {
	quoted := false
	return strings.FieldsFunc(s, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && (r == ' ' || r == '\u3000' || r == '\t')
	})
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

// equal reports whether both queries ask for the same.
func (q query) equal(other query) bool {
	return q.text == other.text && q.project == other.project && slices.Equal(q.types, other.types) &&
		slices.Equal(q.concepts, other.concepts) && slices.Equal(q.files, other.files)
}
