package local

import (
	"path"
	"strconv"
	"strings"
)

// commit is a git commit that landed.
type commit struct {
	hash    string // short, "" when git was quiet
	branch  string
	subject string // without its conventional prefix
	body    string // the paragraphs after the subject, without trailers
	prefix  string // feat, fix, …; "" when there is none
	scope   string // fix(cart): → cart
	all     bool   // everything was added, or it is not known what was
	added   []string
	created []string // files that git says it created
	stat    string   // "2 files changed, 70 insertions(+), 4 deletions(-)"
}

var (
	commitLine   = newPattern(`(?m)^\[([^\]\n]+?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.*)$`)
	logLine      = newPattern(`(?m)^([0-9a-f]{7,40}) (?:\(([^)]*)\) )?(.*)$`)
	commitStat   = newPattern(`(?m)^ (\d+ files? changed.*)$`)
	createMode   = newPattern(`(?m)^ create mode \d+ (.+)$`)
	conventional = newPattern(`^([a-zA-Z]+)(?:\(([^)\n]*)\))?!?: +(.+)$`)
	trailer      = newPattern(`(?i)^(?:co-authored-by|signed-off-by|reviewed-by|change-id|generated with|🤖)`)
)

var conventionalPrefixes = set("feat feature fix bugfix hotfix refactor perf docs doc test tests chore build ci style revert security deps")

// commitsIn gives the commits that a shell line made, in order. The output and
// what the client itself recognised fill in hash and branch.
func commitsIn(commands []command, output string, op gitCommit) []commit {
	var out []commit
	var added []string
	all := false
	for _, c := range commands {
		if path.Base(c.words[0]) != "git" {
			continue
		}
		args := skipFlags(c.words[1:], "Cc")
		if len(args) == 0 {
			continue
		}
		switch args[0] {
		case "add":
			for _, a := range args[1:] {
				if a == "." || a == "*" || strings.HasPrefix(a, "-A") || a == "--all" || a == "-u" || strings.HasPrefix(a, ":") {
					all = true
				} else if !strings.HasPrefix(a, "-") {
					added = appendNew(added, 100, path.Join(c.dir, a))
				}
			}
		case "commit":
			k := parseCommit(args[1:], c)
			k.all = k.all || all || len(added) == 0
			k.added = added
			out = append(out, k)
			added, all = nil, false
		}
	}
	if len(out) == 0 {
		return nil
	}
	lines := commitLine.FindAllStringSubmatch(output, len(out))
	for i := range lines {
		k := &out[len(out)-len(lines)+i]
		k.branch, k.hash = lines[i][1], lines[i][2]
		if k.subject == "" {
			k.setMessage(lines[i][3])
		}
	}
	last := &out[len(out)-1]
	if m := commitStat.FindStringSubmatch(output); m != nil {
		last.stat = m[1]
	}
	for _, m := range createMode.FindAllStringSubmatch(output, 50) {
		name := m[1]
		if plain, err := strconv.Unquote(name); err == nil {
			name = plain // git quotes what is not ASCII
		}
		last.created = append(last.created, name)
	}
	if last.hash == "" {
		for _, m := range logLine.FindAllStringSubmatch(output, 10) {
			if strings.Contains(m[3], last.subject) {
				last.hash = m[1]
				break
			}
		}
	}
	if last.hash == "" && op.Kind != "" {
		last.hash = oneLine(string(op.SHA))
	}
	if last.branch == "" {
		last.branch = oneLine(string(op.Branch))
	}
	return out
}

func parseCommit(args []string, c command) commit {
	var k commit
	var message []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		value := func() string {
			if i++; i < len(args) {
				return args[i]
			}
			return ""
		}
		switch {
		case a == "--message":
			message = append(message, value())
		case strings.HasPrefix(a, "--message="):
			message = append(message, strings.TrimPrefix(a, "--message="))
		case a == "-F" || a == "--file":
			if value() == "-" {
				message = append(message, c.stdin)
			}
		case a == "--all":
			k.all = true
		case len(a) > 1 && a[0] == '-' && a[1] != '-':
			k.all = k.all || strings.Contains(a, "a")
			if strings.HasSuffix(a, "m") {
				message = append(message, value())
			}
		}
	}
	for i := range message {
		message[i] = heredocIn(message[i])
	}
	k.setMessage(strings.Join(message, "\n\n"))
	return k
}

func (k *commit) setMessage(m string) {
	subject, body, _ := strings.Cut(strings.TrimSpace(plain(head(m, 8<<10))), "\n")
	k.subject = oneLine(subject)
	if m := conventional.FindStringSubmatch(k.subject); m != nil && conventionalPrefixes[strings.ToLower(m[1])] {
		k.prefix, k.scope, k.subject = strings.ToLower(m[1]), m[2], m[3]
	}
	var keep []string
	for line := range strings.Lines(body) {
		if t := strings.TrimSpace(line); !trailer.MatchString(t) {
			keep = append(keep, t)
		}
	}
	k.body = strings.TrimSpace(strings.Join(keep, "\n"))
}

// title gives the subject as a title: the scope stays in front when the subject
// does not name it.
func (k commit) title() string {
	if k.scope != "" && !strings.Contains(strings.ToLower(k.subject), strings.ToLower(k.scope)) {
		return k.scope + ": " + k.subject
	}
	return upperFirst(k.subject)
}
