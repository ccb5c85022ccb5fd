package local

import (
	"strconv"
	"strings"
)

// parseTests reads the output of any of the common test runners. exitOK is what
// the exit code said; in a pipe it is the code of the last program, so the text
// may still say red.
func parseTests(output string, exitOK bool) testResult {
	p := testParser{r: testResult{red: !exitOK}, current: -1}
	lines := 0
	for line := range strings.Lines(output) {
		if lines++; lines > maxTestLines {
			break
		}
		if line = strings.TrimRight(plain(head(line, 500)), " \r\n"); line != "" {
			p.line(line)
		}
	}
	return p.result(exitOK)
}

// testParser gathers a result line by line.
type testParser struct {
	r                      testResult
	current                int // the failure whose message is awaited, -1 for none
	goPass, goFail, goSkip int
	asserted               string   // pytest's first "E" line
	spots                  []string // where pytest says that assertions failed
}

func (p *testParser) line(line string) {
	switch {
	case p.goLine(line) || p.r.total(line) || p.failedName(line):
	case strings.HasPrefix(line, "E   "):
		if p.asserted == "" {
			p.asserted = strings.TrimSpace(line[1:])
		}
	case p.current >= 0:
		p.detail(&p.r.failures[p.current], line)
	}
	if redWord.MatchString(line) && !quiet.MatchString(line) {
		p.r.red = true
	}
}

// detail looks for place and message of the failure that was named last.
func (p *testParser) detail(f *testFailure, line string) {
	if f.where == "" {
		if m := goMessage.FindStringSubmatch(line); m != nil {
			f.where, f.message = m[1]+":"+m[2], oneLine(m[3])
			return
		}
		if m := jsWhere.FindStringSubmatch(line); m != nil && !foreign.MatchString(line) {
			f.where = m[1] + ":" + m[2]
			return
		}
	}
	if f.message != "" {
		return
	}
	if strings.HasSuffix(strings.SplitN(f.where, ":", 2)[0], ".rs") {
		f.message = oneLine(line) // Rust prints the message on the line after the panic
	} else if rank, _ := rankLine(strings.TrimSpace(line), line); rank >= 3 {
		f.message = tidyError(line)
	}
}

func (p *testParser) fail(name, where, message string) {
	name, message = oneLine(name), oneLine(message)
	for i := range p.r.failures {
		f := &p.r.failures[i]
		if f.name == name {
			p.current = i
			if f.where == "" {
				f.where = where
			}
			if f.message == "" {
				f.message = message
			}
			return
		}
	}
	if len(p.r.failures) < maxFailures {
		p.r.failures = append(p.r.failures, testFailure{name, where, message})
		p.current = len(p.r.failures) - 1
	}
}

func (p *testParser) result(exitOK bool) testResult {
	r := p.r
	switch {
	case p.goPass > 0 || p.goFail+p.goSkip > 0 && r.packages == 0 && !r.counted:
		r.counted, r.passed, r.failed, r.skipped = true, p.goPass, p.goFail, p.goSkip
	case p.goFail > 0 && !r.counted:
		r.counted, r.failed = true, p.goFail
	}
	if len(r.failures) > 0 && r.failures[0].message == "" {
		r.failures[0].message = p.asserted
	}
	if r.failed > 0 {
		r.red = true
	} else if r.counted && exitOK && r.passed > 0 && len(r.failures) == 0 {
		r.red = false
	}
	return r
}

func (p *testParser) goLine(line string) bool {
	if m := goTestLine.FindStringSubmatch(line); m != nil {
		top := m[1] == ""
		switch m[2] {
		case "PASS":
			if top {
				p.goPass++
			}
		case "SKIP":
			if top {
				p.goSkip++
			}
		case "FAIL":
			if top {
				p.goFail++
			}
			p.goFailure(m[3])
		}
		return true
	}
	m := goPackage.FindStringSubmatch(line)
	if m == nil || !strings.ContainsAny(m[2], "./") {
		return false
	}
	if m[1] == "ok" {
		p.r.packages++
	} else {
		p.r.red = true
	}
	return true
}

// goFailure records a failing Go test. A subtest takes its parent's place: it
// names the case.
func (p *testParser) goFailure(name string) {
	if parent, _, ok := strings.Cut(name, "/"); ok {
		for i := range p.r.failures {
			if p.r.failures[i].name == parent {
				p.r.failures[i].name = name
				p.current = i
				return
			}
		}
	}
	p.fail(name, "", "")
}

// total reads a runner's closing line of figures.
func (r *testResult) total(line string) bool {
	if m := pytestTotal.FindStringSubmatch(line); m != nil {
		return r.words(m[1], true)
	}
	if m := jestTotal.FindStringSubmatch(line); m != nil {
		return r.words(m[1], true)
	}
	if m := tapTotal.FindStringSubmatch(line); m != nil {
		return r.words(m[2]+" "+m[1], false)
	}
	if m := mochaTotal.FindStringSubmatch(line); m != nil {
		return r.words(m[1]+" "+m[2], false)
	}
	if m := cargoTotal.FindStringSubmatch(line); m != nil {
		r.add(number(m[2]), number(m[3]), number(m[4]))
	} else if m := dotnetTotal.FindStringSubmatch(line); m != nil {
		r.add(number(m[2]), number(m[1]), number(m[3]))
	} else if m := mavenTotal.FindStringSubmatch(line); m != nil {
		if strings.Contains(m[5], "Time elapsed") {
			return true // one class; the total follows
		}
		*r = testResult{red: r.red, failures: r.failures}
		r.outOf(number(m[1]), number(m[2])+number(m[3]), number(m[4]))
	} else if m := gradleTotal.FindStringSubmatch(line); m != nil {
		r.outOf(number(m[1]), number(m[2]), number(m[3]))
	} else if m := rspecTotal.FindStringSubmatch(line); m != nil {
		r.outOf(number(m[1]), number(m[2]), number(m[3]))
	} else if m := phpOK.FindStringSubmatch(line); m != nil {
		r.add(number(m[1]), 0, 0)
	} else if m := phpTotal.FindStringSubmatch(line); m != nil {
		r.outOf(number(m[1]), number(m[2])+number(m[3]), number(m[4]))
	} else if m := unitRan.FindStringSubmatch(line); m != nil {
		r.add(number(m[1]), 0, 0)
	} else if m := unitFailed.FindStringSubmatch(line); m != nil {
		n := number(m[1]) + number(m[2])
		r.add(-min(n, r.passed), n, 0)
	} else {
		return false
	}
	return true
}

func (r *testResult) add(passed, failed, skipped int) {
	r.counted = true
	r.passed += passed
	r.failed += failed
	r.skipped += skipped
}

func (r *testResult) outOf(all, failed, skipped int) {
	r.add(max(0, all-failed-skipped), failed, skipped)
}

// words reads "2 failed, 10 passed, 1 skipped". A runner that prints its
// figures once starts them afresh.
func (r *testResult) words(s string, afresh bool) bool {
	found := false
	for _, m := range countWord.FindAllStringSubmatch(s, 10) {
		n := [3]int{}
		switch m[2] {
		case "pass", "passed", "passing":
			n[0] = number(m[1])
		case "fail", "failed", "failing", "error", "errors":
			n[1] = number(m[1])
		case "skipped", "pending", "todo", "xfailed":
			n[2] = number(m[1])
		default:
			continue
		}
		if afresh && !found {
			r.passed, r.failed, r.skipped = 0, 0, 0
		}
		found = true
		r.add(n[0], n[1], n[2])
	}
	return found
}

// failedName reads a line that names a failing test, or says where it failed.
func (p *testParser) failedName(line string) bool {
	if m := pytestFailed.FindStringSubmatch(line); m != nil && strings.Contains(m[1], ".py") {
		where := m[1]
		for _, s := range p.spots {
			if strings.HasPrefix(s, m[1]+":") {
				where = s
				break
			}
		}
		name := m[2]
		if name == "" {
			name = m[1]
		}
		if i := strings.LastIndex(name, "::"); i >= 0 {
			name = name[i+2:]
		}
		p.fail(name, where, m[3])
		return true
	}
	if m := pytestWhere.FindStringSubmatch(line); m != nil {
		p.spots = appendNew(p.spots, maxFailures, m[1]+":"+m[2])
		return true
	}
	if m := jestFailed.FindStringSubmatch(line); m != nil {
		name := m[1] + m[2] + m[3]
		if strings.HasPrefix(name, "Console") || strings.HasPrefix(name, "Test suite failed") {
			return false
		}
		name = strings.TrimRight(strings.ReplaceAll(name, " › ", " > "), " ─")
		if file, rest, ok := strings.Cut(name, " > "); ok && strings.Contains(file, ".") {
			name = rest
		}
		p.fail(name, "", "")
		return true
	}
	if m := tapFailed.FindStringSubmatch(line); m != nil {
		if !strings.HasPrefix(m[1], "failing tests") {
			p.fail(m[1], "", "")
		}
		return true
	}
	if m := mavenFailed.FindStringSubmatch(line); m != nil {
		p.fail(m[1], m[1]+":"+m[2], m[3])
	} else if m := rspecFailed.FindStringSubmatch(line); m != nil {
		p.fail(m[4], m[2]+":"+m[3], "")
	} else if m := cargoPanic.FindStringSubmatch(line); m != nil {
		p.fail(m[1], m[3]+":"+m[4], m[2])
	} else if m := cargoFailed.FindStringSubmatch(line); m != nil {
		p.fail(m[1], "", "")
	} else if m := gradleFailed.FindStringSubmatch(line); m != nil {
		p.fail(m[1], "", "")
	} else if m := unitName.FindStringSubmatch(line); m != nil {
		p.fail(m[1], "", "")
	} else if m := mochaFailed.FindStringSubmatch(line); m != nil && p.r.failed > 0 {
		p.fail(m[1], "", "")
	} else {
		return false
	}
	return true
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
