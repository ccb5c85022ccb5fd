package local

import (
	"fmt"
	"strings"
)

// describe tells from the changed lines alone what the arc did, as a title.
func (s *scene) describe(a *arc) string {
	if len(a.files) == 0 {
		return s.lang.say("Commits earlier changes", "提交先前的修改")
	}
	if t := s.describeMove(a); t != "" {
		return t
	}
	main := a.mainFile()
	t := s.describeFile(main)
	if n := len(a.files) - 1; n > 0 {
		if main.verb == edits || main.verb == creates {
			t += fmt.Sprintf(s.lang.say(" (+%d more)", "（另有 %d 个文件）"), n)
			if n == 1 {
				t = strings.TrimSuffix(t, s.lang.say(" (+1 more)", "（另有 1 个文件）")) + s.lang.say(", ", "、") + shortFile(a.otherThan(main).path)
			}
		}
	}
	return t
}

func (a *arc) otherThan(f *fileEdit) *fileEdit {
	for _, g := range a.files {
		if g != f {
			return g
		}
	}
	return f
}

// mainFile gives the file that says most: code before tests before the rest, and
// of these the one with most new.
func (a *arc) mainFile() *fileEdit {
	var best *fileEdit
	bestScore := -1
	for _, f := range a.files {
		score := min(f.plus+f.minus, 200)
		for _, e := range f.effects {
			if e.how != changed {
				score += 20
			}
		}
		switch {
		case isCode(f.path) && !isTest(f.path):
			score += 1000
		case isLock(f.path):
			score = 0
		case isConfig(f.path):
			score += 300
		}
		if score > bestScore {
			best, bestScore = f, score
		}
	}
	return best
}

// describeMove recognises a symbol that went from one file to another, and a
// rename that runs through several files.
func (s *scene) describeMove(a *arc) string {
	froms := map[string]string{}
	for _, f := range a.files {
		for _, e := range f.effects {
			if e.how == removed {
				froms[e.name] = f.path
			}
		}
	}
	var moved []string
	from, to := "", ""
	for _, f := range a.files {
		for _, e := range f.effects {
			if src := froms[e.name]; e.how == added && src != "" && src != f.path && e.kind != "const" {
				moved = appendNew(moved, 3, e.name)
				from, to = src, f.path
			}
		}
	}
	if len(moved) > 0 {
		return fmt.Sprintf(s.lang.say("Moves %s from %s to %s", "将 %s 从 %s 移到 %s"), enumerate(s.lang, moved), shortFile(from), shortFile(to))
	}
	for _, f := range a.files {
		for _, e := range f.effects {
			if e.how == renamed && a.renaming() {
				where := shortFile(f.path)
				if len(a.files) > 1 {
					where = fmt.Sprintf(s.lang.say("%d files", "%d 个文件"), len(a.files))
				}
				return fmt.Sprintf(s.lang.say("Renames %s to %s in %s", "将 %s 重命名为 %s（%s）"), e.from, e.name, where)
			}
		}
	}
	return ""
}

// describeFile tells what was done to one file.
func (s *scene) describeFile(f *fileEdit) string {
	name := shortFile(f.path)
	l := s.lang
	switch f.verb {
	case renames:
		return fmt.Sprintf(l.say("Renames %s to %s", "将 %s 重命名为 %s"), f.from, f.path)
	case deletes:
		return fmt.Sprintf(l.say("Removes %s", "删除 %s"), f.path)
	}
	if f.verb == creates || f.verb == writes {
		verb := l.say("Adds ", "新增 ")
		if f.verb == writes {
			verb = l.say("Writes ", "写入 ")
		}
		for most := 2; most > 0; most-- {
			if n := f.named(added, most); len(n) > 0 {
				t := fmt.Sprintf(l.say("%s%s with %s", "%s%s：%s"), verb, f.path, enumerate(l, n))
				if cells(t) <= titleCells {
					return t
				}
			}
		}
		return verb + f.path
	}
	if n := f.named(added, 2); len(n) > 0 {
		return fmt.Sprintf(l.say("Adds %s to %s", "新增 %s（%s）"), enumerate(l, n), name)
	}
	if n := f.named(renamed, 1); len(n) > 0 {
		return fmt.Sprintf(l.say("Renames %s in %s", "重命名 %s（%s）"), n[0], name)
	}
	if n := f.named(removed, 2); len(n) > 0 {
		return fmt.Sprintf(l.say("Removes %s from %s", "删除 %s（%s）"), enumerate(l, n), name)
	}
	if len(f.values) > 0 {
		v := f.values[0]
		if v.before == "" {
			return fmt.Sprintf(l.say("Sets %s in %s", "设置 %s（%s）"), v.key+" = "+v.after, name)
		}
		return fmt.Sprintf(l.say("Changes %s in %s", "修改 %s（%s）"), v.String(), name)
	}
	what := name
	if n := f.named(changed, 2); len(n) > 0 {
		what = fmt.Sprintf(l.say("%s in %s", "%s（%s）"), enumerate(l, n), name)
	}
	t := l.say("Changes ", "修改 ") + what
	if len(f.swaps) > 0 {
		t += l.say(": ", "：") + shortSwap(f.swaps[0])
	} else if len(f.notes) > 0 {
		t += l.say(": ", "：") + f.notes[0]
	}
	return t
}

// shortSwap shows an old and a new line without what they share at both ends.
func shortSwap(swap [2]string) string {
	a, b := strings.Fields(swap[0]), strings.Fields(swap[1])
	for len(a) > 1 && len(b) > 1 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 1 && len(b) > 1 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	show := func(words []string) string { return clip(strings.TrimRight(strings.Join(words, " "), ";,"), 45) }
	return show(a) + " → " + show(b)
}

// named gives the symbols that had something done to them, the most telling
// kinds first: at most n names.
func (f *fileEdit) named(h how, n int) []string {
	var out []string
	for _, plainKinds := range []bool{true, false} {
		for _, e := range f.effects {
			if e.how != h || plainKinds != (e.kind != "test" && e.kind != "const" && e.kind != "var") {
				continue
			}
			name := e.name
			switch e.kind {
			case "table", "index", "section", "column", "target", "route":
				name = e.kind + " " + name
				if e.kind == "section" {
					name = "“" + e.name + "”"
				}
			}
			if h == renamed {
				name = e.from + " → " + e.name
			}
			out = appendNew(out, n, name)
		}
	}
	return out
}

// describeChanges tells file by file what the arc did, for the narrative.
func (s *scene) describeChanges(a *arc, limit int) string {
	l := s.lang
	var parts []string
	for _, f := range a.files {
		if len(parts) == limit {
			parts = append(parts, fmt.Sprintf(l.say("%d more files", "另外 %d 个文件"), len(a.files)-limit))
			break
		}
		var acts []string
		switch f.verb {
		case creates:
			acts = append(acts, l.say("new file", "新文件"))
		case deletes:
			acts = append(acts, l.say("removed", "已删除"))
		case renames:
			acts = append(acts, l.say("was ", "原为 ")+f.from)
		}
		for _, k := range []struct {
			h      how
			en, zh string
		}{{added, "adds ", "新增 "}, {changed, "changes ", "修改 "}, {renamed, "renames ", "重命名 "}, {removed, "removes ", "删除 "}} {
			if n := f.named(k.h, 4); len(n) > 0 && !(f.verb == deletes) {
				acts = append(acts, l.say(k.en, k.zh)+strings.Join(n, ", "))
			}
		}
		if len(f.effects) == 0 && len(f.values) == 0 {
			if len(f.swaps) > 0 {
				acts = append(acts, shortSwap(f.swaps[0]))
			} else if len(f.notes) > 0 {
				acts = append(acts, f.notes[0])
			}
		} else if len(f.named(added, 1))+len(f.named(removed, 1))+len(f.named(renamed, 1))+len(f.values) == 0 && len(f.swaps) > 0 {
			acts = append(acts, shortSwap(f.swaps[0]))
		}
		if len(acts) == 0 && len(f.values) > 0 {
			acts = append(acts, f.values[0].String())
		}
		part := f.path
		if len(acts) > 0 {
			part += " (" + strings.Join(acts, "; ") + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, l.say(", ", "，"))
}
