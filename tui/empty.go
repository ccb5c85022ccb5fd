package tui

import (
	"cmem/themes"
)

// nothingLines says why a list is empty although there are memories.
func nothingLines(c cells, w int, q query, input, project string) []line {
	what := "Nothing yet in " + project + "."
	if project == "" {
		what = "Nothing yet."
	}
	advice := "p shows another project"
	if !q.isEmpty() {
		what = "Nothing matches " + input
		advice = "esc clears the filter, p switches the project"
		if project != "" {
			what += " in " + project
		}
	}
	var out []line
	for _, l := range c.wrap(what, w-2) {
		out = append(out, line{{themes.Strong, l}})
	}
	for _, l := range c.wrap(advice, w-2) {
		out = append(out, line{{themes.Muted, l}})
	}
	return out
}
