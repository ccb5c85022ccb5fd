package local

import (
	"fmt"
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
	goTestLine   = newPattern(`^(\s*)--- (PASS|FAIL|SKIP): (\S+)`)
	goPackage    = newPattern(`^(ok|FAIL)\s+(\S+)(?:\s|$)`)
	goMessage    = newPattern(`^\s{4,}([\w.-]+\.go):(\d+): ?(.*)$`)
	pytestTotal  = newPattern(`^[= ]*((?:\d+ [a-z]+,? ?)+)in [\d.:]+ ?(?:s|seconds?)\b`)
	countWord    = newPattern(`(\d+) ([a-z]+)`)
	pytestFailed = newPattern(`^(?:FAILED|ERROR) (\S+?)(?:::(\S+))?(?: - (.*))?$`)
	pytestWhere  = newPattern(`^([\w./-]+\.py):(\d+): (\w+)`)
	jestTotal    = newPattern(`^\s*Tests:?\s+(.*\d+ (?:passed|failed|skipped|todo).*)$`)
	jestFailed   = newPattern(`^\s*(?:● (.+)|(?:×|✕|✗) (.+?)(?: \(?\d+ ?ms\)?)?|\s*FAIL\s+(\S+ > .+))$`)
	jsWhere      = newPattern(`(?:❯|at)\s.*?\(?([\w./@-]+\.(?:[cm]?[jt]sx?|vue|svelte)):(\d+)`)
	mochaTotal   = newPattern(`^\s*(\d+) (passing|failing|pending)\b`)
	mochaFailed  = newPattern(`^\s+\d+\) (.+?):?$`)
	tapTotal     = newPattern(`^(?:#|ℹ) (pass|fail|skipped) (\d+)$`)
	tapFailed    = newPattern(`^\s*(?:not ok \d+ -? ?|✖ )(.+?)(?: \([\d.]+ms\))?$`)
	cargoTotal   = newPattern(`^test result: (\w+)\. (\d+) passed; (\d+) failed; (\d+) ignored`)
	cargoFailed  = newPattern(`^test (\S+) \.\.\. FAILED`)
	cargoPanic   = newPattern(`^thread '([^']+)' .*panicked at (?:'(.+)', )?([\w./-]+\.rs):(\d+)`)
	mavenTotal   = newPattern(`Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)(.*)$`)
	mavenFailed  = newPattern(`^\[ERROR\]\s+([\w.$]+\.\w+|\w+\.\w+):(\d+)[ »:]+(.*)$`)
	gradleTotal  = newPattern(`^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?`)
	gradleFailed = newPattern(`^(\S+ > .+) FAILED$`)
	rspecTotal   = newPattern(`^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?`)
	rspecFailed  = newPattern(`^rspec (\./)?(\S+):(\d+) # (.+)$`)
	phpOK        = newPattern(`^OK \((\d+) tests?`)
	phpTotal     = newPattern(`^Tests: (\d+), Assertions: \d+(?:, Errors: (\d+))?(?:, Failures: (\d+))?(?:, .*?Skipped: (\d+))?`)
	unitRan      = newPattern(`^Ran (\d+) tests? in `)
	unitFailed   = newPattern(`^FAILED \((?:failures=(\d+))?(?:, )?(?:errors=(\d+))?`)
	unitName     = newPattern(`^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)`)
	dotnetTotal  = newPattern(`(?:Passed|Failed)!\s+- Failed:\s+(\d+), Passed:\s+(\d+), Skipped:\s+(\d+)`)
	redWord      = newPattern(`^(?:FAIL\b|FAILED\b|panic: |BUILD FAILED|\[ERROR\] |error: test failed|Traceback )`)
)
