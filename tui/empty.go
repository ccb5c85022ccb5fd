package tui

import (
	"cmem/memory"
	"cmem/themes"
)

// emptyMeasure is how wide the explanation of an empty store is at most.
const emptyMeasure = 58

// emptyLines explains a store without memories: what will happen, and what to
// do for it. Where there is little room it says only the latter.
func emptyLines(c cells, w, h int) []line {
	w = min(w, emptyMeasure)
	var out []line
	paragraph := func(lead span, role themes.Role, text string) {
		indent := c.width(lead.text)
		for n, l := range c.wrap(text, w-indent) {
			if n > 0 {
				lead.text = c.fit("", indent)
			}
			out = append(out, line{lead, {role, l}})
		}
	}
	gap := func() { out = append(out, line{}) }

	about := func() {
		paragraph(span{}, themes.Text, "cmem watches your assistant from the outside. While you work together, this fills by itself with")
		gap()
		paragraph(span{themes.Prompt, "  " + promptGlyph + " "}, themes.Text, "what you asked")
		paragraph(span{themes.Feature, "  " + typeGlyphs[memory.TypeFeature] + " "}, themes.Text, "what was built, fixed, found and decided")
		paragraph(span{themes.Summary, "  " + summaryGlyph + " "}, themes.Text, "a summary of every session")
		gap()
	}
	whole := func(about func()) {
		paragraph(span{}, themes.Strong, "Nothing to remember yet")
		gap()
		about()
		paragraph(span{}, themes.Text, "Connect it to Claude Code, once:")
		gap()
		paragraph(span{themes.Muted, "  $ "}, themes.Key, "cmem install")
		gap()
		paragraph(span{}, themes.Text, "Then work as always: the next session begins with what this one learned.")
		gap()
		paragraph(span{}, themes.Muted, "All of it stays on this machine, unless you choose a model provider.")
	}
	whole(about)
	if len(out) > h {
		out = nil
		whole(func() {})
	}
	return out
}

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
