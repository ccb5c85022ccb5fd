package mcp

import (
	"strconv"
	"strings"

	"cmem/memory"
)

// ref is an id as an index shows it: #12 an observation, P3 a prompt, S4 a summary.
type ref struct {
	kind memory.ItemKind
	id   int64
}

func (r ref) String() string { return label(r.kind, r.id) }

func label(k memory.ItemKind, id int64) string {
	switch k {
	case memory.KindPrompt:
		return "P" + strconv.FormatInt(id, 10)
	case memory.KindSummary:
		return "S" + strconv.FormatInt(id, 10)
	default:
		return "#" + strconv.FormatInt(id, 10)
	}
}

// parseRef reads "#12", "12", "12.0", "P3", "#S4".
func parseRef(s string) (ref, error) {
	r := ref{kind: memory.KindObservation}
	digits := strings.TrimPrefix(strings.TrimSpace(s), "#")
	if digits != "" {
		switch digits[0] {
		case 'P', 'p':
			r.kind, digits = memory.KindPrompt, digits[1:]
		case 'S', 's':
			r.kind, digits = memory.KindSummary, digits[1:]
		}
	}
	id, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(digits, "#"), ".0"), 10, 64)
	if err != nil || id < 1 {
		return r, mistakef("%q is not an id like #12, P3 or S4", shorten(oneLine(s), 60))
	}
	r.id = id
	return r, nil
}
