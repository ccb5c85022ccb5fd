package local

import (
	"strings"
)

// how says what happened to a symbol.
type how int

const (
	added how = iota
	changed
	removed
	renamed
)

// effect is what the edits of an arc did to one symbol.
type effect struct {
	symbol
	how  how
	from string // the old name
}

// value is a setting or constant that got a new value.
type value struct {
	key, before, after string // before is empty for a new one
	line               int
}

// fileEdit is what all the steps of an arc did to one file.
type fileEdit struct {
	path, from  string
	verb        editVerb
	plus, minus int
	effects     []effect
	values      []value
	swaps       [][2]string // one line that became another
	notes       []string
	words       map[string]bool // the compound identifiers in changed lines
}

const maxEffects = 40

// mergeEdits puts the changes of one file together.
func (f *fileEdit) merge(c change) {
	switch {
	case c.verb == creates && len(f.effects)+f.plus+f.minus == 0, c.verb == deletes:
		if f.verb == creates && c.verb == deletes {
			f.effects, f.values = nil, nil
		}
		f.verb = c.verb
	case c.verb == renames:
		f.verb, f.from = renames, c.from
	case c.verb == writes && f.plus+f.minus == 0 && f.verb == edits:
		f.verb = writes
	}
	f.plus += c.plus
	f.minus += c.minus
	f.notes = appendNew(f.notes, 4, c.note)
	for _, b := range c.blocks {
		f.mergeBlock(b)
	}
}

func (f *fileEdit) mergeBlock(b block) {
	came, went := declared(f.path, b.added), declared(f.path, b.removed)
	if from, to, ok := renamedWord(b); ok {
		f.note(effect{symbol: symbol{name: to, kind: "name"}, how: renamed, from: from})
	} else if from, to, ok := renameIn(b, came, went); ok {
		f.note(effect{symbol: to, how: renamed, from: from.name})
	} else {
		gone := names(went)
		for _, s := range came {
			if gone[s.name] {
				f.note(effect{symbol: s, how: changed})
			} else {
				f.note(effect{symbol: s, how: added})
			}
		}
		stay := names(came)
		for _, s := range went {
			if !stay[s.name] {
				f.note(effect{symbol: s, how: removed})
			}
		}
	}
	if b.within.name != "" && !names(came)[b.within.name] && !names(went)[b.within.name] {
		s := b.within
		s.line = 0
		f.note(effect{symbol: s, how: changed})
	}
	f.values = append(f.values, valuesIn(f.path, b)...)
	if len(b.removed) == 1 && len(b.added) == 1 && len(f.swaps) < 5 {
		before, after := oneLine(b.removed[0].text), oneLine(b.added[0].text)
		if before != "" && after != "" && len(before)+len(after) < 200 && (isCode(f.path) || isConfig(f.path)) && !commentLine.MatchString(before) && !commentLine.MatchString(after) {
			f.swaps = append(f.swaps, [2]string{before, after})
		}
	}
	if f.words == nil {
		f.words = map[string]bool{}
	}
	for _, l := range append(append([]codeLine{}, b.added...), b.removed...) {
		for _, w := range identifier.FindAllString(head(l.text, 400), 40) {
			if len(f.words) < 400 && compound(w) {
				f.words[w] = true
			}
		}
	}
}

var commentLine = newPattern(`^(?://|#|/?\*|--|<!--|;|"""|\'\'\')`)

// compound reports whether an identifier is made of several words, and so is
// likely to mean the same thing in two files.
func compound(w string) bool {
	inner, under := false, strings.Contains(strings.Trim(w, "_"), "_")
	for i := 1; i < len(w); i++ {
		if w[i] >= 'A' && w[i] <= 'Z' && w[i-1] >= 'a' && w[i-1] <= 'z' {
			inner = true
		}
	}
	return len(w) >= 6 && (inner || under) && !strings.ContainsAny(w, "./:")
}

// note records an effect; what is added and then changed in one arc is added.
func (f *fileEdit) note(e effect) {
	for i, have := range f.effects {
		if have.name != e.name {
			continue
		}
		switch {
		case have.how == added && e.how == removed:
			f.effects = append(f.effects[:i], f.effects[i+1:]...)
		case have.how == removed && e.how == added:
			f.effects[i].how = changed
		case have.how == changed && e.how == removed:
			f.effects[i].how = removed
		}
		return
	}
	if len(f.effects) < maxEffects {
		f.effects = append(f.effects, e)
	}
}

func declared(file string, lines []codeLine) []symbol {
	var out []symbol
	for _, l := range lines[:min(len(lines), maxBlockLines)] {
		if s, ok := declaredIn(file, l.text); ok {
			s.line = l.n
			out = append(out, s)
		}
	}
	return out
}

func names(symbols []symbol) map[string]bool {
	out := map[string]bool{}
	for _, s := range symbols {
		out[s.name] = true
	}
	return out
}

// renameIn reports that a block gives one symbol another name: the line that
// declared the old one is the new one's with the name replaced.
func renameIn(b block, came, went []symbol) (from, to symbol, ok bool) {
	if len(came) != 1 || len(went) != 1 || came[0].name == went[0].name || came[0].kind != went[0].kind {
		return from, to, false
	}
	from, to = went[0], came[0]
	old, fresh := lastPart(from.name), lastPart(to.name)
	for _, r := range b.removed {
		for _, a := range b.added {
			if strings.Contains(r.text, old) && strings.Replace(r.text, old, fresh, 1) == a.text {
				return from, to, true
			}
		}
	}
	return from, to, false
}

var bareName = newPattern(`^(?:\\b|\\<)?([A-Za-z_]\w{2,})(?:\\b|\\>)?$`)

// renamedWord reports that a block replaces one bare name by another, as a sed
// script or an edit of all occurrences does.
func renamedWord(b block) (from, to string, ok bool) {
	if len(b.removed) != 1 || len(b.added) != 1 || b.added[0].n != 0 {
		return "", "", false
	}
	f, t := bareName.FindStringSubmatch(b.removed[0].text), bareName.FindStringSubmatch(b.added[0].text)
	if f == nil || t == nil || f[1] == t[1] {
		return "", "", false
	}
	return f[1], t[1], true
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
