package local

import (
	"fmt"
	"regexp"
	"strings"
)

// testResult is what a test runner reported.
type testResult struct {
	counted                 bool // passed, failed and skipped are the runner's figures
	passed, failed, skipped int
	packages                int // go test without -v counts packages, not tests
	failures                []testFailure
	red                     bool
}

// testFailure is one failing test.
type testFailure struct{ name, where, message string }

const (
	maxFailures  = 5
	maxTestLines = 20000
)

// String gives the result in a few words: "12 passed, 1 failed (TestCheckout)".
func (r testResult) String() string {
	var parts []string
	if r.failed > 0 || r.red {
		s := "failed"
		if r.counted && r.failed > 0 {
			s = fmt.Sprintf("%d failed", r.failed)
		}
		if names := r.names(3); len(names) > 0 {
			s += " (" + strings.Join(names, ", ")
			if r.failed > len(names) && r.counted {
				s += ", …"
			}
			s += ")"
		}
		parts = append(parts, s)
	}
	switch {
	case r.counted && (r.passed > 0 || len(parts) == 0):
		parts = append(parts, fmt.Sprintf("%d passed", r.passed))
	case !r.red && r.packages == 1:
		parts = append(parts, "1 package ok")
	case !r.red && r.packages > 1:
		parts = append(parts, fmt.Sprintf("%d packages ok", r.packages))
	}
	if r.skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped", r.skipped))
	}
	if len(parts) == 0 {
		return "passed"
	}
	return strings.Join(parts, ", ")
}

// names gives the short names of failing tests, at most n.
func (r testResult) names(n int) []string {
	var out []string
	for _, f := range r.failures {
		out = appendNew(out, n, clip(f.name, 60))
	}
	return out
}

var (
	goTestLine   = regexp.MustCompile(`^(\s*)--- (PASS|FAIL|SKIP): (\S+)`)
	goPackage    = regexp.MustCompile(`^(ok|FAIL)\s+(\S+)(?:\s|$)`)
	goMessage    = regexp.MustCompile(`^\s{4,}([\w.-]+\.go):(\d+): ?(.*)$`)
	pytestTotal  = regexp.MustCompile(`^[= ]*((?:\d+ [a-z]+,? ?)+)in [\d.:]+ ?(?:s|seconds?)\b`)
	countWord    = regexp.MustCompile(`(\d+) ([a-z]+)`)
	pytestFailed = regexp.MustCompile(`^(?:FAILED|ERROR) (\S+?)(?:::(\S+))?(?: - (.*))?$`)
	pytestWhere  = regexp.MustCompile(`^([\w./-]+\.py):(\d+): (\w+)`)
	jestTotal    = regexp.MustCompile(`^\s*Tests:?\s+(.*\d+ (?:passed|failed|skipped|todo).*)$`)
	jestFailed   = regexp.MustCompile(`^\s*(?:● (.+)|(?:×|✕|✗) (.+?)(?: \(?\d+ ?ms\)?)?|\s*FAIL\s+(\S+ > .+))$`)
	jsWhere      = regexp.MustCompile(`(?:❯|at)\s.*?\(?([\w./@-]+\.(?:[cm]?[jt]sx?|vue|svelte)):(\d+)`)
	mochaTotal   = regexp.MustCompile(`^\s*(\d+) (passing|failing|pending)\b`)
	mochaFailed  = regexp.MustCompile(`^\s+\d+\) (.+?):?$`)
	tapTotal     = regexp.MustCompile(`^(?:#|ℹ) (pass|fail|skipped) (\d+)$`)
	tapFailed    = regexp.MustCompile(`^\s*(?:not ok \d+ -? ?|✖ )(.+?)(?: \([\d.]+ms\))?$`)
	cargoTotal   = regexp.MustCompile(`^test result: (\w+)\. (\d+) passed; (\d+) failed; (\d+) ignored`)
	cargoFailed  = regexp.MustCompile(`^test (\S+) \.\.\. FAILED`)
	cargoPanic   = regexp.MustCompile(`^thread '([^']+)' .*panicked at (?:'(.+)', )?([\w./-]+\.rs):(\d+)`)
	mavenTotal   = regexp.MustCompile(`Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(.*)$`)
	mavenFailed  = regexp.MustCompile(`^\[ERROR\]\s+([\w.$]+\.\w+|\w+\.\w+):(\d+)[ »:]+(.*)$`)
	gradleTotal  = regexp.MustCompile(`^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?`)
	gradleFailed = regexp.MustCompile(`^(\S+ > .+) FAILED$`)
	rspecTotal   = regexp.MustCompile(`^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?`)
	rspecFailed  = regexp.MustCompile(`^rspec (\./)?(\S+):(\d+) # (.+)$`)
	phpOK        = regexp.MustCompile(`^OK \((\d+) tests?`)
	phpTotal     = regexp.MustCompile(`^Tests: (\d+), Assertions: \d+(?:, Errors: (\d+))?(?:, Failures: (\d+))?(?:, .*?Skipped: (\d+))?`)
	unitRan      = regexp.MustCompile(`^Ran (\d+) tests? in `)
	unitFailed   = regexp.MustCompile(`^FAILED \((?:failures=(\d+))?(?:, )?(?:errors=(\d+))?`)
	unitName     = regexp.MustCompile(`^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)`)
	dotnetTotal  = regexp.MustCompile(`(?:Passed|Failed)!\s+- Failed:\s+(\d+), Passed:\s+(\d+), Skipped:\s+(\d+)`)
	redWord      = regexp.MustCompile(`^(?:FAIL\b|FAILED\b|panic: |BUILD FAILED|\[ERROR\] |error: test failed|Traceback )`)
)
