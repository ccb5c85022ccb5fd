package local

import (
	"strings"
)

var (
	patchFile  = newPattern(`^\*\*\* (Add|Update|Delete) File: (.+)$`)
	patchMove  = newPattern(`^\*\*\* Move to: (.+)$`)
	diffNew    = newPattern(`^\+\+\+ (?:b/)?([^\t]+)`)
	diffOld    = newPattern(`^--- (?:a/)?([^\t]+)`)
	hunkHeader = newPattern(`^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$`)
)

// parsePatch reads the language of apply_patch, or a unified diff.
func parsePatch(src string) []change {
	var out []change
	var cur *change
	var h hunk
	anchor := ""
	flush := func() {
		if cur == nil || len(h.Lines) == 0 {
			return
		}
		before := len(cur.blocks)
		cur.addHunk(h, nil)
		if s, ok := declaredIn(cur.path, anchor); ok {
			for i := before; i < len(cur.blocks); i++ {
				if cur.blocks[i].within.name == "" {
					cur.blocks[i].within = s
				}
			}
		}
		h = hunk{}
	}
	open := func(c change) {
		flush()
		anchor = ""
		if len(out) < maxBlocks {
			out = append(out, c)
			cur = &out[len(out)-1]
		}
	}
	old := ""
	lines := 0
	for line := range strings.Lines(src) {
		if lines++; lines > 4*maxBlockLines {
			break
		}
		line = strings.TrimRight(line, "\r\n")
		if m := patchFile.FindStringSubmatch(line); m != nil {
			open(change{path: strings.TrimSpace(m[2]), verb: map[string]editVerb{"Add": creates, "Update": edits, "Delete": deletes}[m[1]]})
			continue
		}
		if m := patchMove.FindStringSubmatch(line); m != nil && cur != nil {
			cur.from, cur.path, cur.verb = cur.path, strings.TrimSpace(m[1]), renames
			continue
		}
		if m := diffOld.FindStringSubmatch(line); m != nil {
			flush()
			old = m[1]
			continue
		}
		if m := diffNew.FindStringSubmatch(line); m != nil {
			switch {
			case m[1] == "/dev/null":
				open(change{path: old, verb: deletes})
			case old == "/dev/null":
				open(change{path: m[1], verb: creates})
			default:
				open(change{path: m[1]})
			}
			continue
		}
		if strings.HasPrefix(line, "@@") {
			flush()
			anchor = strings.TrimSpace(strings.TrimPrefix(line, "@@"))
			if m := hunkHeader.FindStringSubmatch(line); m != nil {
				h.OldStart, h.NewStart, anchor = text(m[1]), text(m[2]), m[3]
			}
			continue
		}
		if cur != nil && line != "" && strings.IndexByte("+- ", line[0]) >= 0 {
			h.Lines = append(h.Lines, text(line))
		}
	}
	flush()
	return out
}
