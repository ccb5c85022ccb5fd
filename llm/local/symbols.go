package local

import (
	"path"
	"strings"
	"sync"
)

// symbol is something that a line of code declares.
type symbol struct {
	name string
	kind string // func, type, class, const, test, route, table, section, key …
	line int    // 1-based, 0 when not known
}

// declaration finds one kind of symbol in a line. The last group that matched
// and is not empty is the name, after the one before it and a dot when there
// are two.
type declaration struct {
	kind string
	re   *pattern
}

func decl(kind, re string) declaration { return declaration{kind, newPattern(re)} }

var (
	goDecls = []declaration{
		decl("test", `^func ((?:Test|Benchmark|Fuzz|Example)[\p{L}\p{N}_]*)\(`),
		decl("func", `^func \((?:\w+ +)?\*?([\p{L}_][\p{L}\p{N}_]*)(?:\[[^\]]*\])?\) ([\p{L}_][\p{L}\p{N}_]*)`),
		decl("func", `^func ([\p{L}_][\p{L}\p{N}_]*)`),
		decl("type", `^type ([\p{L}_][\p{L}\p{N}_]*)`),
		decl("const", `^const ([\p{L}_][\p{L}\p{N}_]*)`),
		decl("var", `^var ([\p{L}_][\p{L}\p{N}_]*)`),
	}
	jsDecls = []declaration{
		decl("test", "^\\s*(?:it|test|describe)(?:\\.\\w+)*\\(\\s*['\"`](.+?)['\"`]"),
		decl("route", "^\\s*(?:app|router|server|fastify|api|r)\\.(get|post|put|patch|delete)\\(\\s*['\"`](/[^'\"`]*)"),
		decl("func", `^\s*(?:export )?(?:default )?(?:async )?function\*? +([\w$]+)`),
		decl("class", `^\s*(?:export )?(?:default )?(?:abstract )?class +([\w$]+)`),
		decl("type", `^\s*(?:export )?(?:declare )?(?:interface|type|enum|const enum) +([\w$]+)\b`),
		decl("func", `^(?:export )?(?:default )?const +([\w$]+)(?:: [^=]+)? = (?:async )?(?:\([^)]*\)?|[\w$]+)(?:: [^=]+)?(?: =>|,?$)`),
		decl("const", `^(?:export )?(?:const|let|var) +([\w$]+)`),
		decl("func", `^\s{2,}(?:(?:public|private|protected|static|async|override|get|set) +)*\*?#?([a-z_$][\w$]*)\([^;]*\)(?:: [^{;]+)? \{$`),
	}
	pyDecls = []declaration{
		decl("test", `^\s*(?:async )?def (test_\w+)`),
		decl("func", `^\s*(?:async )?def (\w+)`),
		decl("class", `^\s*class (\w+)`),
		decl("route", `^\s*@\w+\.(get|post|put|patch|delete|route)\(\s*["'](/[^"']*)`),
		decl("const", `^([A-Z][A-Z0-9_]{2,})(?:: [\w\[\], ]+)? *=`),
	}
	rustDecls = []declaration{
		decl("func", `^\s*(?:pub(?:\([^)]*\))? )?(?:default |async |unsafe |const |extern "C" )*fn (\w+)`),
		decl("type", `^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|type|union|mod) (\w+)`),
		decl("const", `^\s*(?:pub(?:\([^)]*\))? )?(?:const|static)(?: mut)? (\w+):`),
		decl("func", `^\s*macro_rules! (\w+)`),
	}
	javaDecls = []declaration{
		decl("class", `^\s*(?:(?:public|private|protected|internal|abstract|final|sealed|static|data|open|partial|case) +)*(?:class|interface|enum|record|object|trait|struct) +(\w+)`),
		decl("func", `^\s*(?:(?:public|private|protected|internal|override|suspend|inline|open|abstract|final|static|func|mutating) +)*(?:fun|func|def) +(?:<[^>]*> )?(?:\w+\.)?(\w+)`),
		decl("func", `^\s+(?:(?:public|private|protected|internal|static|final|abstract|synchronized|async|override|virtual|default) +)+(?:<[^>]*> )?[\w<>\[\],.?]+ (\w+)\(`),
		decl("const", `^\s+(?:(?:public|private|protected|static|final|const|readonly) +){2,}[\w<>\[\],.]+ ([A-Z]\w*) *=`),
	}
	cDecls = []declaration{
		decl("const", `^#define (\w+)`),
		decl("type", `^(?:typedef )?(?:struct|enum|union|class|namespace) (\w+)`),
		decl("func", `^(?:[A-Za-z_][\w:<>,]*[ *&]+)+([A-Za-z_~][\w:~]*)\([^;]*$`),
	}
	rubyDecls = []declaration{
		decl("func", `^\s*def (?:self\.)?(\w+[?!]?)`),
		decl("class", `^\s*(?:class|module) ([\w:]+)`),
		decl("test", `^\s*(?:it|describe|context|test) ["'](.+?)["']`),
	}
	phpDecls = []declaration{
		decl("func", `^\s*(?:(?:public|private|protected|static|abstract|final) +)*function &?(\w+)`),
		decl("class", `^\s*(?:abstract |final |readonly )*(?:class|interface|trait|enum) (\w+)`),
	}
	sqlDecls = []declaration{
		decl("column", "(?i)^\\s*ALTER TABLE (?:IF EXISTS |ONLY )?[\"`]?([\\w.]+)[\"`]?\\s+(?:ADD|DROP|ALTER|RENAME)(?: COLUMN)?(?: IF (?:NOT )?EXISTS)? [\"`]?(\\w+)"),
		decl("table", "(?i)^\\s*(?:CREATE|DROP) (?:TEMP(?:ORARY)? |VIRTUAL |UNLOGGED )?TABLE (?:IF (?:NOT )?EXISTS )?[\"`]?([\\w.]+)"),
		decl("index", "(?i)^\\s*(?:CREATE|DROP) (?:UNIQUE )?INDEX (?:CONCURRENTLY )?(?:IF (?:NOT )?EXISTS )?[\"`]?([\\w.]+)"),
		decl("func", "(?i)^\\s*CREATE (?:OR REPLACE )?(?:MATERIALIZED )?(?:FUNCTION|PROCEDURE|VIEW|TRIGGER|TYPE|SCHEMA|POLICY) (?:IF NOT EXISTS )?[\"`]?([\\w.]+)"),
	}
	shellDecls = []declaration{
		decl("func", `^(?:function )?([\w-]+)\(\) *\{`),
		decl("const", `^(?:export |readonly )?([A-Z][A-Z0-9_]{2,})=`),
	}
	markdownDecls  = []declaration{decl("section", `^#{1,6} +(.+?)(?: #+)?$`)}
	makeDecls      = []declaration{decl("target", `^([A-Za-z][\w.-]*):(?:[^=]|$)`), decl("var", `^([A-Z_]+) *[:?]?=`)}
	protoDecls     = []declaration{decl("type", `^\s*(?:message|service|enum|type|input|interface|scalar|union) (\w+)`), decl("func", `^\s*rpc (\w+)`)}
	terraformDecls = []declaration{decl("resource", `^(?:resource|data) "([\w-]+)" "([\w-]+)"`), decl("var", `^(?:variable|output|module|provider) "([\w-]+)"`)}
	dockerDecls    = []declaration{decl("image", `^FROM (\S+)`)}
	cssDecls       = []declaration{decl("rule", `^([.#:@][\w-][\w\s.#:>-]*?) *\{`)}
)

var declarations = sync.OnceValue(func() map[string][]declaration {
	return map[string][]declaration{
		".go": goDecls,
		".ts": jsDecls, ".tsx": jsDecls, ".js": jsDecls, ".jsx": jsDecls, ".mjs": jsDecls, ".cjs": jsDecls, ".mts": jsDecls, ".vue": jsDecls, ".svelte": jsDecls,
		".py": pyDecls, ".pyi": pyDecls, ".ipynb": pyDecls,
		".rs":   rustDecls,
		".java": javaDecls, ".kt": javaDecls, ".kts": javaDecls, ".cs": javaDecls, ".scala": javaDecls, ".swift": javaDecls, ".groovy": javaDecls,
		".c": cDecls, ".h": cDecls, ".cc": cDecls, ".cpp": cDecls, ".hpp": cDecls, ".m": cDecls,
		".rb": rubyDecls, ".rake": rubyDecls, ".ex": rubyDecls, ".exs": rubyDecls,
		".php": phpDecls,
		".sql": sqlDecls,
		".sh":  shellDecls, ".bash": shellDecls, ".zsh": shellDecls,
		".md": markdownDecls, ".mdx": markdownDecls, ".rst": markdownDecls,
		".mk":    makeDecls,
		".proto": protoDecls, ".graphql": protoDecls, ".gql": protoDecls,
		".tf":  terraformDecls,
		".css": cssDecls, ".scss": cssDecls,
	}
})

func declarationsOf(file string) []declaration {
	switch base := path.Base(file); {
	case base == "Makefile" || base == "GNUmakefile":
		return makeDecls
	case strings.HasPrefix(base, "Dockerfile"):
		return dockerDecls
	case base == "Rakefile" || base == "Gemfile":
		return rubyDecls
	default:
		return declarations()[strings.ToLower(path.Ext(base))]
	}
}

// notDeclared are words that look like the name of a method to the looser patterns.
var notDeclared = set("if for while switch catch return function else do try finally with await super constructor new throw typeof match")

// declaredIn gives what a line of the file declares.
func declaredIn(file, line string) (symbol, bool) {
	if len(line) > 400 {
		return symbol{}, false
	}
	line = strings.TrimRight(line, " \t\r")
	for _, d := range declarationsOf(file) {
		m := d.re.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := m[1]
		if len(m) > 2 && m[2] != "" {
			switch d.kind {
			case "route":
				name = strings.ToUpper(m[1]) + " " + m[2]
				if m[1] == "route" {
					name = m[2]
				}
			default:
				name = m[1] + "." + m[2]
			}
		}
		if name = oneLine(name); name == "" || notDeclared[name] {
			continue
		}
		return symbol{name: clip(name, 70), kind: d.kind}, true
	}
	return symbol{}, false
}

// enclosing gives the declaration that the line with the given index stands in:
// the nearest one above it that is indented less, or at all events not more.
func enclosing(file string, lines []string, at int) (symbol, bool) {
	if at >= len(lines) || at < 0 {
		return symbol{}, false
	}
	depth := indent(lines[at])
	for i := at; i >= 0 && at-i < 400; i-- {
		s, ok := declaredIn(file, lines[i])
		if !ok || s.kind == "const" || s.kind == "var" || i != at && indent(lines[i]) >= depth && depth > 0 {
			continue
		}
		if i != at && depth == 0 && s.kind != "section" && strings.TrimSpace(lines[at]) != "}" {
			return symbol{}, false // a line at the margin stands in nothing
		}
		return s, true
	}
	return symbol{}, false
}

func indent(line string) int {
	n := 0
	for _, r := range line {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// isTest reports whether a file holds tests.
func isTest(file string) bool {
	base := strings.ToLower(path.Base(file))
	return strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "test_") || strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") ||
		strings.HasSuffix(base, "_test.py") || strings.HasSuffix(base, "_spec.rb") || strings.HasSuffix(base, "tests.cs") ||
		strings.HasSuffix(base, "test.java") || strings.HasSuffix(base, "test.kt") || strings.HasSuffix(base, "test.php") ||
		strings.Contains("/"+file, "/__tests__/") || strings.Contains("/"+file, "/tests/") || strings.Contains("/"+file, "/testdata/")
}

// isCode reports whether a file is source code, as against documents and configuration.
func isCode(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".mdx", ".rst", ".css", ".scss":
		return false
	}
	return len(declarationsOf(file)) > 0 && !strings.HasPrefix(path.Base(file), "Dockerfile") && path.Base(file) != "Makefile"
}

// isConfig reports whether the lines of a file are keys and values.
func isConfig(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".yaml", ".yml", ".toml", ".json", ".jsonc", ".ini", ".cfg", ".conf", ".env", ".properties", ".tf", ".tfvars", ".mod":
		return true
	}
	base := path.Base(file)
	return strings.HasPrefix(base, ".env") || strings.HasPrefix(base, "Dockerfile") || base == ".editorconfig" || base == ".npmrc"
}

// isLock reports whether a file is written by a package manager.
func isLock(file string) bool {
	switch path.Base(file) {
	case "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "go.sum", "Cargo.lock", "poetry.lock", "uv.lock", "Gemfile.lock", "composer.lock", "bun.lock", "bun.lockb":
		return true
	}
	return false
}
