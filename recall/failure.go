package recall

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"cmem/llm/static"
	"cmem/memory"
)

const (
	// Of a long output its beginning and its end are looked at, and of a long line its
	// beginning: in bytes.
	mostOutput, mostOfLine = 16 << 10, 2 << 10
	// mostLines is how many lines of an output are searched for, tellingRunes how much of
	// each, and lastLines how many where none says that something went wrong.
	mostLines, tellingRunes, lastLines = 3, 240, 2
	// sharedWords and sharedWeight are how many words of an error, and what share of what
	// its words are worth together, a memory must hold that holds none of its names.
	sharedWords, sharedWeight = 4, 0.4
	// sharedBesides is what share one must hold that holds a name: names are not always
	// rare; and sharedWithCode one that holds a code, which always is.
	sharedBesides, sharedWithCode = 0.25, 0.1
	// perhaps is the relevance to the whole error from which on one of its lines may do
	// better.
	perhaps = 0.3
)

// ForFailure gives what is worth to be told when a command has failed: what is about the
// same beyond doubt, and holds a name or code of the error or most of its words. output is
// what the command wrote.
func ForFailure(ctx context.Context, src SearchSource, command, output string, o Occasion) (Telling, error) {
	lines := tellingLines(output)
	if len(lines) == 0 {
		return Telling{}, nil
	}
	whole := newTrouble(strings.Join(lines, " "), program(command))
	found, _, err := whole.find(ctx, src, strings.Join(whole.codes, " "), o) // codes say most
	if err == nil && len(found) == 0 {
		var best float64
		found, best, err = whole.find(ctx, src, whole.text, o)
		// One error may be told in many words, of which the memory has those of a line.
		if err == nil && len(found) == 0 && len(lines) > 1 && best >= perhaps {
			one := newTrouble(lines[0], "")
			found, _, err = one.find(ctx, src, one.text, o)
		}
	}
	if err != nil || len(found) == 0 {
		return Telling{}, err
	}
	return Telling{of: "error", list: found[:min(mostTold, len(found))], words: whole.text, max: o.MaxTokens}, nil
}

// trouble is what the output of a failed command says about what went wrong.
type trouble struct {
	text  string
	words []string // of the text, by which it is searched
	names []string // names in it, plain
	codes []string // those of the names that stand for one error, as they are written
}

func newTrouble(text, program string) trouble {
	var t trouble
	text = searchable(text) // what was left out may have made a minus the beginning of a word
	read := readText(text)
	for i, name := range read.names {
		if !commonError().MatchString(read.typed[i]) {
			t.names = append(t.names, name)
		}
	}
	for _, c := range code().FindAllString(text, -1) {
		if !slices.Contains(t.codes, c) && !commonError().MatchString(c) {
			t.codes = append(t.codes, c)
		}
	}
	if program != "" && !strings.Contains(strings.ToLower(text), strings.ToLower(program)) {
		text = program + " " + text
	}
	t.text, t.words = text, static.Words(text)
	return t
}

// find searches for a text and gives what is about the same trouble, and the best relevance
// that anything has.
func (t trouble) find(ctx context.Context, src SearchSource, text string, o Occasion) (found []memory.Observation, best float64, err error) {
	const fewest = 2 // an exit code alone says nothing
	if text == "" || len(t.words) < fewest && len(t.names) == 0 {
		return nil, 0, nil
	}
	found, best, err = sure(ctx, src, text, o)
	if err != nil || len(found) == 0 {
		return nil, best, err
	}
	rarities, err := src.Rarities(ctx, t.words)
	if err != nil {
		return nil, best, err
	}
	return slices.DeleteFunc(found, func(m memory.Observation) bool { return !t.isIn(m, rarities) }), best, nil
}

// isIn reports whether a memory is about the same trouble. rarities are those of the words.
func (t trouble) isIn(o memory.Observation, rarities []float64) bool {
	text := textOf(o)
	has := map[string]bool{}
	for _, w := range static.Tokens(text) {
		has[stem(w)] = true
	}
	shared, weight, all := 0, 0.0, 0.0
	for i, w := range t.words {
		all += rarities[i]
		if has[stem(w)] {
			shared++
			weight += rarities[i]
		}
	}
	switch {
	case all <= 0:
		return false
	case holdsAny(text, plainNames(t.codes)):
		return weight >= sharedWithCode*all
	case holdsAny(text, t.names):
		return weight >= sharedBesides*all
	}
	return shared >= sharedWords && weight >= sharedWeight*all
}

func plainNames(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = plainName(s)
	}
	return out
}

// tellingLines gives the lines of an output that tell what went wrong, the most telling
// first, without what is different the next time.
func tellingLines(output string) []string {
	lines := outputLines(output)
	order := make([]int, len(lines))
	worth := make([]int, len(lines))
	alarmed := false
	for i, l := range lines {
		order[i], worth[i] = i, tellingWorth(l)
		alarmed = alarmed || worth[i] > 0
	}
	if !alarmed { // programs end with what went wrong
		for i := max(0, len(lines)-lastLines); i < len(lines); i++ {
			worth[i] = 1
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })
	var telling []string
	for _, i := range order {
		if s := essence(lines[i]); worth[i] > 0 && s != "" && !slices.Contains(telling, s) && len(telling) < mostLines {
			telling = append(telling, s)
		}
	}
	return telling
}

// outputLines gives the lines of an output that have something in them, without what only
// a terminal understands.
func outputLines(output string) []string {
	if len(output) > mostOutput {
		output = output[:mostOutput/4] + "\n" + output[len(output)-mostOutput*3/4:]
	}
	var lines []string
	for l := range strings.FieldsFuncSeq(ansi.Strip(output), func(r rune) bool { return r == '\n' || r == '\r' }) {
		l = inert(strings.Map(withoutFrames, l[:min(len(l), mostOfLine)]))
		if l != "" && !noise().MatchString(l) {
			lines = append(lines, l)
		}
	}
	return lines
}

// withoutFrames drops the lines that programs draw around their messages.
func withoutFrames(r rune) rune {
	if r >= 0x2500 && r <= 0x259F || strings.ContainsRune("❯✖✗×●•|^~", r) {
		return ' '
	}
	return r
}

// What lines say. The expressions are compiled when they are first needed: most hooks do
// without.
var (
	// noise is what says nothing about what went wrong.
	noise = lazily(`(?i)^(exit code \d+|exit status \d+|fail|ok|pass|=== \w+|--- pass|goroutine \d+|running tests?:?|hint:|note:|npm notice|\s*at .*[:(]\d+|compiling |resolving |downloading |in file included|test files? |.*\+0x[0-9a-f]+$|created by |[-=_. ]+$|>.*|\d+ (failed|passed).*|traceback \(most recent.*|\s*file "[^"]*", line \d+.*|make(\[\d+\])?: .*)$|^(goroutine \d+ |hint: |npm notice )`)
	// alarm is what says that something went wrong.
	alarm = lazily(`(?i)\b(error|err|errors|fatal|panic|exception|assertion\w*|cannot|can't|could not|couldn't|unable|not found|no such|undefined|denied|refused|rejected|forbidden|already|invalid|illegal|unexpected|mismatch\w*|time(d )?out|killed|oomkilled|exceed\w*|conflict|missing|unknown|unsupported|unresolved|no matching|sqlstate|deadlock|overflow|expired|corrupt\w*|lost|skipped|dropping|too (many|large|long|big|small)|not (allowed|supported|permitted|match))\b|(error|exception|failure|warning)\b|错误|失败|无法|不能|找不到|异常|超时|拒绝|冲突|缺少|重复|不一致|不匹配|出现|丢|负`)
	// code is a name that somebody gave to one error, and commonError what many have.
	code        = lazily(`\b([A-Z][A-Z0-9]*_[A-Z0-9_]+|E[A-Z]{4,}|E\d{4}|TS\d{4}|[A-Z][a-z0-9]+([A-Z][a-z0-9]+){2,}|Err[A-Z]\w+)\b`)
	commonError = lazily(`(?i)^(ERROR|ENOENT|EACCES|EPERM|EUSAGE|E?RESOLVE|(Assertion|Module ?Not ?Found|Type|Value|Key|Index|Name|Import|Attribute|Runtime|Syntax|Reference|Range|OS|IO|FileNotFound|Permission|NotImplemented|ZeroDivision|Unicode\w*)Error|(NullPointer|IllegalArgument|IllegalState|Runtime|ClassNotFound|IndexOutOfBounds|IO)Exception)$`)
	// failedTest is a line that names a test.
	failedTest = lazily(`(?i)^(--- fail: |fail(ed)? |test )(\w+)`)
	// frame is a line of a stack that names a function.
	frame = lazily(`^[\w./-]+\.(\(\*?\w+\)\.)?\w+\(.*\)$`)
	// clutter is what differs between two times that the same happens.
	clutter = lazily(`(?i)--- fail:|no such file or directory|command not found|permission denied|\(?os error \d+\)?|exit (code|status) \d+|\d{4}[-/]\d\d[-/]\d\d([T ]\d\d:\d\d:\d\d[.\d]*Z?)?|\b\d\d:\d\d:\d\d[.\d]*\b|\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b[0-9a-f]{12,}\b|\(\d+(\.\d+)?m?s\)|\b\d+(\.\d+)?(ms|s|µs)\b|https?://\S+|\b(trace_id|time|level)=\S+`)
	// pathname is a file, perhaps with a place in it.
	pathname = lazily(`(?:\b[A-Za-z]:)?[\w.@~+-]*(?:[/\\][\w.@~+-]+)+(?::\d+)*:?|\b[\w-]+\.[a-z]{1,5}:\d+(?::\d+)?:?`)
)

func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// tellingWorth says how much a line says about what went wrong; 0 is nothing.
func tellingWorth(l string) int {
	points := 0
	if alarm().MatchString(l) {
		points += 3
	}
	if code().MatchString(l) {
		points += 3
	}
	if points == 0 && (frame().MatchString(l) || failedTest().MatchString(l)) {
		points = 1
	}
	if points > 0 && utf8.RuneCountInString(l) > 400 {
		points-- // more is less
	}
	return points
}

// essence gives what of a line is the same when the same happens again.
func essence(l string) string {
	l = clutter().ReplaceAllString(l, " ")
	l = pathname().ReplaceAllStringFunc(l, func(p string) string {
		// The function behind a package's path is a name; a file is where it happened.
		if i := strings.LastIndexAny(p, `/\`); i >= 0 && strings.Contains(p[i:], ".") && !fileEnding().MatchString(p) {
			return p[i+1:]
		}
		return " "
	})
	var kept []string
	for w := range strings.FieldsSeq(searchable(l)) {
		w = strings.TrimFunc(w, func(r rune) bool { return !isWordRune(r) && r != '-' && r != '_' })
		if w == "" || isSmallNumber(w) {
			continue
		}
		kept = append(kept, w)
	}
	return shorten(strings.Join(kept, " "), tellingRunes)
}

var fileEnding = lazily(`\.[a-z]{1,5}(:\d+)*:?$`)

// isSmallNumber reports whether a word is a number that is anything: a count, a line.
func isSmallNumber(w string) bool {
	const digitsOfACode = 3
	return len(w) < digitsOfACode && strings.TrimFunc(w, unicode.IsDigit) == ""
}

// program gives the program that a command runs, "" for one that says nothing: shells,
// languages, and what changes the place.
func program(command string) string {
	for part := range strings.FieldsFuncSeq(command, func(r rune) bool { return strings.ContainsRune("\n;&|", r) }) {
		for w := range strings.FieldsSeq(part) {
			if strings.Contains(w, "=") {
				continue // a variable for the program
			}
			w = strings.Trim(w[strings.LastIndexAny(w, `/\`)+1:], `"'()`)
			if w == "cd" {
				break
			}
			if slices.Contains([]string{"sudo", "env", "time", "timeout", "nice", "npx", "exec"}, w) {
				continue
			}
			if slices.Contains(sayNothing, w) || len(w) > longestProgram || strings.HasPrefix(w, "-") || strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '_' }) {
				return ""
			}
			return w
		}
	}
	return ""
}

const longestProgram = 40 // bytes

var sayNothing = []string{
	"bash", "sh", "zsh", "go", "python", "node", "npm", "pnpm", "yarn", "make", "cargo", "git", "cat", "ls", "grep", "find", "echo", "sed", "awk", "curl",
}
