package local

import (
	"strings"
)

// editVerb says what an edit did to a file.
type editVerb int

const (
	edits  editVerb = iota
	writes          // the whole file, and it is not known whether it was there before
	creates
	deletes
	renames
)

// change is what one step did to one file.
type change struct {
	path        string // relative to the project where possible
	from        string // of a rename
	verb        editVerb
	blocks      []block
	plus, minus int
	note        string // what was done, when the lines are not known: the sed script
}

// block is one changed place of a file.
type block struct {
	removed, added []codeLine
	within         symbol   // the declaration that it stands in
	parents        []string // the keys that it stands under in a configuration file
}

type codeLine struct {
	n    int // 1-based line in the file after the change (before it, for a removed one), 0 unknown
	text string
}

const (
	maxBlockLines = 1500
	maxBlocks     = 60
)

// editFile gives the change of an edit of old into new. patch and original are
// what the client answered with, where it did.
func editFile(file, old, updated, original string, patch []hunk) change {
	c := change{path: file, verb: edits}
	lines := splitLines(original)
	if len(patch) > 0 {
		for _, h := range patch[:min(len(patch), maxBlocks)] {
			c.addHunk(h, lines)
		}
		return c
	}
	start := 0
	if i := strings.Index(original, old); i >= 0 && old != "" {
		start = strings.Count(original[:i], "\n") + 1
		// An edit may begin and end inside a line; the whole lines tell more.
		lead := original[strings.LastIndexByte(original[:i], '\n')+1 : i]
		trail, _, _ := strings.Cut(original[i+len(old):], "\n")
		if !strings.HasSuffix(old, "\n") {
			old, updated = old+trail, updated+trail
		}
		old, updated = lead+old, lead+updated
	}
	b := diffLines(splitLines(old), splitLines(updated), start)
	if start > 0 {
		b.place(file, lines, b.firstLine()-1)
	}
	c.add(b)
	return c
}

// createFile gives the change of a new or overwritten file.
func createFile(file, content string, verb editVerb) change {
	b := block{}
	for i, l := range splitLines(content) {
		b.added = append(b.added, codeLine{i + 1, l})
	}
	c := change{path: file, verb: verb}
	c.add(b)
	return c
}

func (c *change) add(b block) {
	c.plus += len(b.added)
	c.minus += len(b.removed)
	if len(b.added)+len(b.removed) > 0 {
		c.blocks = append(c.blocks, b)
	}
}

// addHunk splits a hunk of a unified diff into its runs of changed lines.
func (c *change) addHunk(h hunk, original []string) {
	oldN, newN := number(string(h.OldStart)), number(string(h.NewStart))
	if newN == 0 && c.verb == creates {
		newN = 1
	}
	numbered := newN > 0 || oldN > 0 // apply_patch gives no numbers
	at := func(n int) int {
		if numbered {
			return n
		}
		return 0
	}
	var b block
	var context []string
	flush := func() {
		if len(b.added)+len(b.removed) == 0 {
			return
		}
		if len(original) > 0 {
			first := oldN - 1
			if len(b.removed) > 0 {
				first = b.removed[0].n - 1
			}
			b.place(c.path, original, first)
		} else if len(context) > 0 {
			b.place(c.path, append(context, firstChanged(b)), len(context))
		}
		c.add(b)
		b = block{}
	}
	for _, t := range h.Lines {
		line := string(t)
		if line == "" {
			line = " "
		}
		switch line[0] {
		case '+':
			b.added = append(b.added, codeLine{at(newN), line[1:]})
			newN++
		case '-':
			b.removed = append(b.removed, codeLine{at(oldN), line[1:]})
			oldN++
		case '\\':
		default:
			flush()
			context = append(context, line[1:])
			oldN++
			newN++
		}
	}
	flush()
}

// firstLine gives the number of the first changed line, 0 when it is not known.
func (b block) firstLine() int {
	if len(b.removed) > 0 {
		return b.removed[0].n
	}
	if len(b.added) > 0 {
		return b.added[0].n
	}
	return 0
}

func firstChanged(b block) string {
	for _, l := range append(append([]codeLine{}, b.removed...), b.added...) {
		if strings.TrimSpace(l.text) != "" {
			return l.text
		}
	}
	return ""
}

// place finds what the block stands in: at is the index of its first line in lines.
func (b *block) place(file string, lines []string, at int) {
	if at < 0 || at >= len(lines) {
		return
	}
	if isConfig(file) {
		b.parents = parentKeys(lines, at)
		return
	}
	// A line that is only inserted stands where the text around it stands.
	probe := append([]string{}, lines[max(0, at-400):at]...)
	first := firstChanged(*b)
	if s, ok := enclosing(file, append(probe, first), len(probe)); ok {
		b.within = s
	}
}

var configKey = newPattern(`^\s*(?:- )?["']?([\w.@/-]+)["']?\s*[:=]\s*[{\[(]?\s*$|^\s*\[+([\w.-]+)\]+\s*$`)

// parentKeys gives the keys above a line of a configuration file, outermost first.
func parentKeys(lines []string, at int) []string {
	var keys []string
	depth := indent(lines[at])
	for i := at - 1; i >= 0 && at-i < 300 && len(keys) < 4; i-- {
		if strings.TrimSpace(lines[i]) == "" {
			continue
		}
		section := strings.HasPrefix(strings.TrimSpace(lines[i]), "[")
		if indent(lines[i]) >= depth && !section {
			continue
		}
		if m := configKey.FindStringSubmatch(lines[i]); m != nil {
			keys = append([]string{m[1] + m[2]}, keys...)
			if section {
				break
			}
		}
		depth = indent(lines[i])
	}
	return keys
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	return lines[:min(len(lines), 4*maxBlockLines)]
}

// diffLines tells which lines of old went and which of updated came. It is
// linear: lines common to both, in any order, count as kept.
func diffLines(old, updated []string, start int) block {
	head := 0
	for head < len(old) && head < len(updated) && old[head] == updated[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(updated)-head && old[len(old)-1-tail] == updated[len(updated)-1-tail] {
		tail++
	}
	old, updated = old[head:len(old)-tail], updated[head:len(updated)-tail]
	kept := map[string]int{}
	for _, l := range old {
		kept[l]++
	}
	at := func(i int) int {
		if start == 0 {
			return 0
		}
		return start + head + i
	}
	var b block
	for i, l := range updated[:min(len(updated), maxBlockLines)] {
		if kept[l] > 0 {
			kept[l]--
			continue
		}
		b.added = append(b.added, codeLine{at(i), l})
	}
	for i, l := range old[:min(len(old), maxBlockLines)] {
		if kept[l] > 0 {
			kept[l]--
			b.removed = append(b.removed, codeLine{at(i), l})
		}
	}
	return b
}
