package local

import (
	"strings"
)

// failure is what went wrong, as an output tells it.
type failure struct {
	name    string // the name of the error: TypeError, ENOENT, SQLSTATE 23505
	message string // the line that matters, one line
	where   string // file:line inside the project
}

func (f failure) empty() bool { return f.name == "" && f.message == "" }

// String gives the failure in one line, its name first.
func (f failure) String() string {
	s := f.message
	if f.name != "" && !strings.Contains(s, f.name) {
		if s == "" {
			return f.name
		}
		s = f.name + ": " + s
	}
	return s
}

var (
	errorName = newPattern(`\b(?:[A-Za-z_][\w]*\.)*((?:Err[A-Z]\w+)|(?:[A-Z]\w*(?:Error|Exception|Panic|Fault|Violation|Timeout|NotFound|Refused|Interrupt))|(?:ERR_[A-Z0-9_]+)|(?:SIG[A-Z]{3,6})|(?:OOMKilled|CrashLoopBackOff|ImagePullBackOff|ErrImagePull))\b`)
	errnoName = newPattern(`\b(?:E(?:NOENT|ACCES|PERM|EXIST|AGAIN|INVAL|PIPE|MFILE|NOSPC|ISDIR|NOTDIR|NOTEMPTY|BUSY|ADDRINUSE|CONNREFUSED|CONNRESET|TIMEDOUT|HOSTUNREACH|NOTFOUND|AI_AGAIN|RESOLVE|LIFECYCLE|BADENGINE|INTEGRITY|PROTO|404|403|401|409))\b`)
	codeName  = newPattern(`\b(?:SQLSTATE[ \[:(]*[0-9A-Z]{5}|error\[E\d{4}\]|TS\d{4,5}|ORA-\d{5}|CS\d{4}|exit status \d+|HTTP[ /][\d.]* ?[45]\d\d)\b?`)
	// placed is a compiler's line: file:line:col: message.
	placed   = newPattern(`^(?:\[ERROR\] )?\.?/?((?:[\w.@+-]+/)*[\w.@+-]+\.[A-Za-z]\w{0,7})[:(](\d+)(?:[:,]\d+)?\)?(?:: | - )(.+)$`)
	lintLine = newPattern(`^\d+:\d+ +error\b`)
	loudLine = newPattern(`(?i)^\W{0,3}(?:npm (?:err!|error)|error|fatal|panic|failed|failure|err|e)\b ?(?:\[[\w-]+\])?[:!]? `)
	softLine = newPattern(`(?i)\b(?:cannot|can't|could not|couldn't|unable to|refused|denied|no such file|not found|undefined|unexpected|already in use|already allocated|already exists|conflict|invalid|missing|timed out|timeout|failed|violates|exceeded|unresolved|unknown|mismatch(?:ed)?|rejected|error|expected|declared and not|imported and not|too (?:many|few)|not enough|must|does not|is not)\b`)
	frames   = newPattern(`File "([^"]+)", line (\d+)|\(?((?:[A-Za-z]:)?[\w./@+\\-]*[\w@+-]\.(?:go|py|tsx?|jsx?|mjs|cjs|vue|svelte|rs|java|kts?|rb|php|cs|c|cc|cpp|h|hpp|swift|scala|sql|ya?ml|json|toml|tf|ex|exs|dart|lua|sh|mod|md))(?::|\()(\d+)`)
	foreign  = newPattern(`node_modules|site-packages|dist-packages|/go/pkg/mod/|/usr/(?:lib|local)|\.cargo/registry|/rustc/|node:internal|/GOROOT|goroot|\.pyenv|\.venv|/venv/`)
	quiet    = newPattern(`(?i)\b(?:0 (?:errors?|failed|failures?|problems?)|no (?:errors?|issues|problems)|errors?: 0|failures?: 0)\b|npm (?:error|ERR!) A complete log|npm warn`)
)

// maxErrorLines bounds how many lines of an output are judged.
const maxErrorLines = 3000

// findFailure picks the line of an output that says what went wrong: a line that
// names an error before one that only says "error", and the first of them, but
// the last in a Python traceback, whose innermost cause stands at its end.
func findFailure(output string, rel func(string) string) failure {
	var best failure
	bestRank, traceback := 0, false
	frame, bestLine := "", 0 // the latest frame inside the project
	n := 0
	for line := range strings.Lines(output) {
		if n++; n > maxErrorLines {
			break
		}
		raw := strings.TrimRight(plain(head(line, 600)), " \r\n")
		line := strings.TrimSpace(raw)
		if line == "" || quiet.MatchString(line) {
			continue
		}
		if strings.HasPrefix(line, "Traceback (most recent call last)") {
			traceback = true
			continue
		}
		here := frameIn(line, rel)
		rank, name := rankLine(line, raw)
		switch {
		case rank > bestRank || rank == bestRank && rank >= 5 && traceback && raw == line:
			best = failure{name: name, message: tidyError(line), where: here}
			bestRank, bestLine = rank, n
			if here == "" && traceback {
				best.where = frame // Python names the place before the error, others after it
			}
		case best.where == "" && bestRank > 0 && here != "" && n-bestLine <= 40:
			best.where = here
		}
		if here != "" {
			frame = here
		}
	}
	if m := placed.FindStringSubmatch(best.message); m != nil {
		best.message = m[3]
	}
	best.message = squeeze(best.message, 160)
	return best
}

// squeeze shortens an error that wraps others ("a: b: c") to n cells: what failed
// first and the innermost cause say more than what stands between.
func squeeze(message string, n int) string {
	parts := strings.Split(message, ": ")
	if cells(message) <= n || len(parts) < 2 {
		return clip(message, n)
	}
	tail := parts[len(parts)-1]
	for i := len(parts) - 2; i > 0 && cells(tail)+cells(parts[i])+2 <= n*2/3; i-- {
		tail = parts[i] + ": " + tail
	}
	if lead := parts[0] + ": … "; cells(lead)+cells(tail) <= n {
		return lead + tail
	}
	return "… " + clip(tail, n-2)
}

func rankLine(line, raw string) (rank int, name string) {
	if m := errorName.FindStringSubmatch(line); m != nil {
		name = m[1]
		// "XError: message" is the error itself; elsewhere its name may be mentioned only.
		if i := strings.Index(line, name); strings.HasPrefix(line[i+len(name):], ":") || strings.HasPrefix(line[i+len(name):], " [") {
			return 5, name
		}
		if strings.Contains(line, "File \"") || strings.HasPrefix(strings.TrimSpace(raw), "at ") || strings.HasPrefix(line, "raise ") || strings.HasPrefix(line, "throw ") {
			return 0, ""
		}
		return 3, name
	}
	if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "thread '") && strings.Contains(line, "panicked") {
		return 5, "panic"
	}
	if m := errnoName.FindString(line); m != "" {
		return 4, m
	}
	if m := codeName.FindString(line); m != "" && !strings.HasPrefix(m, "exit status") {
		return 5, strings.NewReplacer("error[", "", "]", "").Replace(m)
	}
	if m := placed.FindStringSubmatch(line); m != nil && softLine.MatchString(m[3]) || lintLine.MatchString(line) {
		return 4, ""
	}
	if loudLine.MatchString(line) || strings.HasPrefix(line, "CONFLICT ") {
		return 3, ""
	}
	if softLine.MatchString(line) && len(line) < 400 {
		return 2, ""
	}
	if strings.HasPrefix(strings.ToLower(line), "error") {
		return 1, ""
	}
	return 0, ""
}

var errorLead = newPattern(`^(?:E {2,}|npm (?:ERR!|error) (?:code )?|\[ERROR\] |Uncaught (?:\(in promise\) )?|Unhandled \w+: |✗ |× |❌ ?|●\s|> |\| )+`)

func tidyError(line string) string {
	return strings.TrimSpace(errorLead.ReplaceAllString(oneLine(line), ""))
}

// frameIn gives the file:line inside the project that a line names.
func frameIn(line string, rel func(string) string) string {
	for _, m := range frames.FindAllStringSubmatch(line, 4) {
		file, n := m[1]+m[3], m[2]+m[4]
		if foreign.MatchString(file) || strings.Contains(line, "node:internal") {
			continue
		}
		if file = rel(strings.ReplaceAll(file, `\`, "/")); strings.HasPrefix(file, "/") {
			continue
		}
		return strings.TrimPrefix(file, "./") + ":" + n
	}
	return ""
}
