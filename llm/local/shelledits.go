package local

import (
	"path"
	"strings"
)

// shellChanges gives the edits that a shell line made: sed -i, redirections,
// here-documents, mv, rm, patches, and what a short Python script writes. Paths
// are as the line has them, under the directory that `cd` led to.
func shellChanges(commands []command) []change {
	var out []change
	for i, c := range commands {
		// A file that is only a step of a pipe, a log or a scratch file is no edit.
		content, known := c.stdin, c.stdin != "" && path.Base(c.words[0]) == "cat"
		if name := path.Base(c.words[0]); name == "echo" || name == "printf" {
			content, known = strings.Join(c.words[1:], " "), true
		}
		for _, w := range c.writes {
			if scratch(w.path) || !known && !isCode(w.path) && !isConfig(w.path) {
				continue
			}
			out = append(out, writeFile(path.Join(c.dir, w.path), content, w.appends))
		}
		for _, k := range commandChanges(c, commands[:i]) {
			if k.path == "" || scratch(k.path) {
				continue
			}
			if c.dir != "" && !path.IsAbs(k.path) {
				k.path = path.Join(c.dir, k.path)
				if k.from != "" {
					k.from = path.Join(c.dir, k.from)
				}
			}
			out = append(out, k)
		}
		if len(out) >= maxBlocks {
			break
		}
	}
	return out
}

func writeFile(file, content string, appends bool) change {
	if !appends {
		return createFile(file, content, writes)
	}
	c := createFile(file, content, edits)
	for i := range c.blocks {
		for j := range c.blocks[i].added {
			c.blocks[i].added[j].n = 0
		}
	}
	return c
}

func commandChanges(c command, before []command) []change {
	args := c.words[1:]
	switch name := path.Base(c.words[0]); name {
	case "sed", "perl":
		if hasFlag(args, 'i', "--in-place") {
			return sedChanges(args)
		}
	case "tee":
		content := c.stdin
		if n := len(before); n > 0 && c.after == "|" && content == "" && (before[n-1].words[0] == "echo" || before[n-1].words[0] == "cat") {
			content = before[n-1].stdin
			if before[n-1].words[0] == "echo" {
				content = strings.Join(before[n-1].words[1:], " ")
			}
		}
		var out []change
		for _, f := range args {
			if !strings.HasPrefix(f, "-") && content != "" {
				out = append(out, writeFile(f, content, hasFlag(args, 'a', "--append")))
			}
		}
		return out
	case "mv":
		return moves(skipFlags(args, "tS"))
	case "rm":
		return removals(args)
	case "cp":
		if files := skipFlags(args, "tS"); len(files) == 2 && !hasFlag(args, 'r', "--recursive") && path.Ext(files[1]) != "" {
			return []change{{path: files[1], verb: creates, note: "cp " + files[0]}}
		}
	case "apply_patch", "patch":
		src := c.stdin
		if src == "" && len(args) > 0 && strings.Contains(args[0], "*** Begin Patch") {
			src = args[0]
		}
		return parsePatch(src)
	case "git":
		rest := skipFlags(args, "Cc")
		if len(rest) == 0 {
			return nil
		}
		switch rest[0] {
		case "mv":
			return moves(skipFlags(rest[1:], ""))
		case "rm":
			if !hasFlag(rest[1:], 'x', "--cached") {
				return removals(rest[1:])
			}
		case "apply":
			return parsePatch(c.stdin)
		}
	case "python", "python3", "node", "ruby":
		script := c.stdin
		for i, a := range args {
			if (a == "-c" || a == "-e") && i+1 < len(args) {
				script = args[i+1]
			}
		}
		return scriptChanges(script)
	}
	return nil
}

// scratch reports whether a path is no part of anybody's project.
func scratch(file string) bool {
	for _, p := range []string{"/dev/", "/tmp/", "/var/tmp/", "/proc/", "$", "&"} {
		if strings.HasPrefix(file, p) {
			return true
		}
	}
	switch path.Ext(file) {
	case ".log", ".out", ".pid", ".tmp":
		return true
	}
	return file == "" || file == "-" || strings.ContainsAny(file, "$`\n") || strings.Contains(file, "/T/")
}

var substitution = newPattern(`^\s*(?:[\d,$]+|/[^/]*/)?\s*s(\W|_)`)

// sedChanges reads the substitutions of sed -i and perl -i.
func sedChanges(args []string) []change {
	var scripts, files []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case (a == "-e" || strings.HasPrefix(a, "-") && strings.HasSuffix(a, "e") && len(a) < 6 && a[1] != '-') && i+1 < len(args):
			i++
			scripts = append(scripts, args[i])
		case a == "" || strings.HasPrefix(a, "-") || strings.HasPrefix(a, "."+"bak"):
		case len(scripts) == 0:
			scripts = append(scripts, a)
		default:
			files = append(files, a)
		}
	}
	var b block
	for _, s := range scripts {
		for len(b.added) < 20 {
			old, fresh, rest, ok := cutSubstitution(s)
			if !ok {
				break
			}
			b.removed = append(b.removed, codeLine{0, old})
			b.added = append(b.added, codeLine{0, fresh})
			s = strings.TrimLeft(rest, "gIip0123456789 ;\n")
		}
	}
	note := ""
	if len(b.added) == 0 && len(scripts) > 0 {
		note = clip("sed "+oneLine(scripts[0]), 80)
	}
	var out []change
	for _, f := range files[:min(len(files), 20)] {
		c := change{path: f, note: note}
		if len(b.added) > 0 {
			// Each substitution is a place of its own.
			for i := range b.added {
				c.blocks = append(c.blocks, block{removed: b.removed[i : i+1], added: b.added[i : i+1]})
			}
		}
		out = append(out, c)
	}
	return out
}

// cutSubstitution reads one s/old/new/ from the start of a sed script.
func cutSubstitution(s string) (old, fresh, rest string, ok bool) {
	m := substitution.FindStringSubmatchIndex(s)
	if m == nil {
		return "", "", "", false
	}
	delim := s[m[2]:m[3]]
	s = s[m[1]:]
	part := func() string {
		var out strings.Builder
		for i := 0; i < len(s); i++ {
			if s[i] == '\\' && i+1 < len(s) {
				if strings.HasPrefix(s[i+1:], delim) || strings.IndexByte(".*[]()/$^+?{}|\"", s[i+1]) >= 0 {
					i++ // a quoted special is the character itself
				}
				out.WriteByte(s[i])
				continue
			}
			if strings.HasPrefix(s[i:], delim) {
				s = s[i+len(delim):]
				return out.String()
			}
			out.WriteByte(s[i])
		}
		s = ""
		return out.String()
	}
	old, fresh = part(), part()
	return old, fresh, s, old != ""
}

func moves(files []string) []change {
	if len(files) < 2 {
		return nil
	}
	to := files[len(files)-1]
	intoDir := len(files) > 2 || strings.HasSuffix(to, "/") || path.Ext(to) == "" && path.Ext(files[0]) != ""
	var out []change
	for _, from := range files[:len(files)-1] {
		target := to
		if intoDir {
			target = path.Join(to, path.Base(from))
		}
		out = append(out, change{path: target, from: from, verb: renames})
	}
	return out
}

func removals(args []string) []change {
	var out []change
	for _, f := range args {
		if strings.HasPrefix(f, "-") || strings.ContainsAny(f, "*?") || path.Ext(f) == "" || strings.Contains(f, "node_modules") {
			continue // a whole directory is rather cleaning up than editing
		}
		out = append(out, change{path: f, verb: deletes})
	}
	return out
}

var (
	scriptPath    = newPattern(`(?:open|Path)\(\s*(?:"([^"\n]+)"|'([^'\n]+)')|writeFileSync\(\s*(?:"([^"\n]+)"|'([^'\n]+)')`)
	scriptVar     = newPattern(`(?m)^\s*(?:const |let )?\w+ ?= ?(?:"([\w./-]+\.\w+)"|'([\w./-]+\.\w+)');?$`)
	scriptWrites  = newPattern(`write_text\(|\.write\(|writeFileSync\(|File\.write\(`)
	scriptReplace = newPattern(`\.replace\(\s*(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')\s*,\s*(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')`)
)

// scriptChanges reads a short script that rewrites a file by replacing strings.
func scriptChanges(script string) []change {
	if !scriptWrites.MatchString(script) {
		return nil
	}
	m := scriptPath.FindStringSubmatch(script)
	if m == nil {
		if m = scriptVar.FindStringSubmatch(script); m == nil {
			return nil
		}
	}
	c := change{path: strings.Join(m[1:], "")}
	unescape := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, "'", `\\`, `\`)
	for _, r := range scriptReplace.FindAllStringSubmatch(script, 20) {
		c.add(diffLines(splitLines(unescape.Replace(r[1]+r[2])), splitLines(unescape.Replace(r[3]+r[4])), 0))
	}
	return []change{c}
}

// revert is an edit taken back by git.
type revert struct {
	paths []string
	all   bool
}

// revertsIn finds edits that were taken back: git checkout -- f, git restore f,
// git reset --hard. A stash is not: it mostly comes back.
func revertsIn(commands []command) (r revert, ok bool) {
	for _, c := range commands {
		if path.Base(c.words[0]) != "git" {
			continue
		}
		args := skipFlags(c.words[1:], "Cc")
		if len(args) == 0 {
			continue
		}
		var files []string
		switch args[0] {
		case "reset":
			r.all = r.all || hasFlag(args[1:], 'H', "--hard")
		case "restore":
			if !hasFlag(args[1:], 'S', "--staged") {
				files = skipFlags(args[1:], "s")
			}
		case "checkout":
			for i, a := range args {
				if a == "--" {
					files = args[i+1:]
				}
			}
			if files == nil && len(args) == 2 && (args[1] == "." || path.Ext(args[1]) != "" && strings.Contains(args[1], "/")) {
				files = args[1:]
			}
		}
		for _, f := range files {
			if f == "." {
				r.all = true
			} else {
				r.paths = append(r.paths, path.Join(c.dir, f))
			}
		}
	}
	return r, r.all || len(r.paths) > 0
}
