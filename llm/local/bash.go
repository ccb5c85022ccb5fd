package local

import (
	"path"
	"strings"
)

// command is one simple command of a shell line, with what stands before the
// program that really runs (assignments, sudo, env, time, npx …) taken off.
type command struct {
	words  []string   // quotes removed; never empty
	dir    string     // where the line's `cd` commands have led, "" for the start
	writes []redirect // its output files
	stdin  string     // its here-document or here-string
	after  string     // the operator before it: "", "&&", "||", ";", "|" or "&"
}

type redirect struct {
	path    string
	appends bool
}

const (
	maxCommands  = 200
	maxShellNest = 3
)

// parseShell reads a shell line or script into the commands that it runs, in order.
// It knows quotes, substitutions, here-documents, pipes, lists, subshells and
// keywords; it expands nothing. What it cannot read it reads approximately.
func parseShell(src string) []command { return parseShellAt(src, "", 0) }

func parseShellAt(src, dir string, depth int) []command {
	p := &shellParser{src: head(src, maxText)}
	p.run()
	var out []command
	for _, c := range p.commands {
		c.dir = dir
		if len(c.words) > 1 && (c.words[0] == "cd" || c.words[0] == "pushd") && c.after != "|" {
			if to := c.words[len(c.words)-1]; path.IsAbs(to) {
				dir = to
			} else if to != "-" {
				dir = path.Join(dir, to)
			}
			continue
		}
		c.words = unwrap(c.words)
		if len(c.words) == 0 && len(c.writes) == 0 {
			continue
		}
		if len(c.words) == 0 {
			c.words = []string{":"}
		}
		if script, ok := shellScript(c); ok && depth < maxShellNest {
			out = append(out, parseShellAt(script, dir, depth+1)...)
		} else {
			out = append(out, c)
		}
		if len(out) >= maxCommands {
			return out[:maxCommands]
		}
	}
	return out
}

// shellScript gives the script of `sh -c '…'` and of `bash <<EOF`.
func shellScript(c command) (string, bool) {
	switch path.Base(c.words[0]) {
	case "sh", "bash", "zsh", "dash":
	default:
		return "", false
	}
	for i, w := range c.words[1:] {
		if strings.HasPrefix(w, "-") && strings.HasSuffix(w, "c") && i+2 < len(c.words) {
			return c.words[i+2], true
		}
	}
	return c.stdin, len(c.words) == 1 && c.stdin != ""
}

var (
	assignment = newPattern(`^[A-Za-z_]\w*\+?=`)
	keywords   = map[string]bool{"if": true, "then": true, "else": true, "elif": true, "fi": true, "while": true, "until": true, "do": true, "done": true, "!": true, "{": true, "}": true, "esac": true}
	// wrappers run the command that follows them; the value lists their flags that take a word.
	wrappers = map[string]string{
		"sudo": "ugpCh", "doas": "u", "env": "uSC", "time": "fo", "nohup": "", "nice": "n", "ionice": "cn", "command": "", "exec": "a", "builtin": "",
		"stdbuf": "", "xargs": "InLPds", "timeout": "ks", "npx": "p", "bunx": "", "pnpx": "", "dotenv": "e", "caffeinate": "", "unbuffer": "", "winpty": "", "watch": "n", "chronic": "",
	}
	// runners are the two-word wrappers: `poetry run pytest`.
	runners = map[string]bool{
		"poetry run": true, "uv run": true, "pipenv run": true, "rye run": true, "pdm run": true, "hatch run": true, "bundle exec": true, "pnpm exec": true, "pnpm dlx": true,
		"yarn exec": true, "yarn dlx": true, "npm exec": true, "docker exec": true, "podman exec": true, "mise exec": true,
	}
)

// unwrap takes off what stands before the program that really runs.
func unwrap(words []string) []string {
	for len(words) > 0 {
		switch {
		case keywords[words[0]] || assignment.MatchString(words[0]):
			words = words[1:]
		case words[0] == "for" || words[0] == "case" || words[0] == "select" || words[0] == "function":
			return nil
		default:
			rest, ok := unwrapOne(words)
			if !ok {
				return words
			}
			words = rest
		}
	}
	return words
}

func unwrapOne(words []string) ([]string, bool) {
	name := path.Base(words[0])
	if flags, ok := wrappers[name]; ok {
		rest := skipFlags(words[1:], flags)
		if name == "timeout" && len(rest) > 0 {
			rest = rest[1:]
		}
		for name == "env" && len(rest) > 0 && assignment.MatchString(rest[0]) {
			rest = rest[1:]
		}
		return rest, len(rest) > 0
	}
	if len(words) < 3 {
		return words, false
	}
	if runners[name+" "+words[1]] {
		rest := skipFlags(words[2:], "euwp")
		if words[1] == "exec" && (name == "docker" || name == "podman") && len(rest) > 0 {
			rest = rest[1:]
		}
		return rest, len(rest) > 0
	}
	compose := words
	switch {
	case name == "docker" && words[1] == "compose":
		compose = skipFlags(words[2:], "fp")
	case name == "docker-compose":
		compose = skipFlags(words[1:], "fp")
	default:
		return words, false
	}
	if len(compose) > 2 && (compose[0] == "exec" || compose[0] == "run") {
		rest := skipFlags(compose[1:], "euwvp")
		if len(rest) > 1 {
			return rest[1:], true
		}
	}
	return words, false
}

// skipFlags drops leading flags; the letters of takes are short flags with a word of their own.
func skipFlags(words []string, takes string) []string {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") && words[0] != "-" {
		w := words[0]
		words = words[1:]
		if w == "--" {
			break
		}
		if len(w) == 2 && strings.Contains(takes, w[1:]) && len(words) > 0 {
			words = words[1:]
		}
	}
	return words
}
