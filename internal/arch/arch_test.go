package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// anyRoom stands for every package of the product.
const anyRoom = "*"

// mayImport is the table of docs/architecture.md: what a package may import of
// ours. A package that is not in it has no place in the house yet.
var mayImport = map[string][]string{
	"memory":          {},
	"project":         {},
	"themes":          {},
	"config":          {"config/jsonfile"},
	"config/jsonfile": {},
	"hooks/spool":     {},
	"hooks/early":     {"hooks/spool"},
	"hooks/secrets":   {},
	"logs":            {},
	"hooks":           {"memory", "config", "hooks/spool", "hooks/early", "hooks/secrets", "logs"},
	"store":           {"memory", "store/wreck"},
	"store/wreck":     {},
	"llm":             {"memory"},
	"llm/local":       {"memory", "llm"},
	"llm/claude":      {"memory", "llm"},
	"llm/gemini":      {"memory", "llm"},
	"llm/openai":      {"memory", "llm"},
	"llm/static":      {"memory"},
	"recall":          {"memory", "store", "llm", "llm/static"},
	"worker":          {"memory", "hooks/spool", "store", "llm", "logs"},
	"mcp":             {"memory", "store", "recall"},
	"export":          {"memory", "store"},
	"agents":          {"memory", "config", "config/jsonfile"},
	"tui":             {"memory", "store", "recall", "themes", "config"},
	"cli":             {anyRoom},
	"":                {"cli", "hooks/early"}, // main
}

// tools are programs and tests beside the product. They may import what they
// like; nothing of the product may import them.
func isTool(pkg string) bool {
	return strings.HasPrefix(pkg+"/", "internal/") || strings.HasPrefix(pkg+"/", "bench/")
}

// earlyImports is all that may be initialised before hooks/early has answered.
// Anything else of the standard library comes late in the order of
// initialisation and lets other packages in front.
var earlyImports = []string{"cmem/hooks/spool", "errors", "io", "os", "syscall", "time"}

const module = "cmem"

// file is a source file of ours that is no test.
type file struct {
	pkg  string // folder below the root, "" for the root
	path string
	ast  *ast.File
}

var fset = token.NewFileSet()

// sources parses every file of the module that is not a test.
func sources(t *testing.T) []file {
	t.Helper()
	root := filepath.Join("..", "..")
	var files []file
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if name != root && (base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		pkg := path.Dir(rel)
		if pkg == "." {
			pkg = ""
		}
		files = append(files, file{pkg: pkg, path: rel, ast: parsed})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no source files found")
	}
	return files
}

// imports gives the import paths of f.
func (f file) imports(t *testing.T) []string {
	t.Helper()
	var paths []string
	for _, spec := range f.ast.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	return paths
}

// ours gives the room that an import path names, if it is one of ours.
func ours(importPath string) (room string, ok bool) {
	if importPath == module {
		return "", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

func TestEveryArrowIsInTheTable(t *testing.T) {
	for _, f := range sources(t) {
		if isTool(f.pkg) {
			continue
		}
		allowed, known := mayImport[f.pkg]
		if !known {
			t.Errorf("%s: package %q is not in the table", f.path, f.pkg)
			continue
		}
		for _, imported := range f.imports(t) {
			room, ok := ours(imported)
			if !ok {
				continue
			}
			if isTool(room) || !slices.Contains(allowed, anyRoom) && !slices.Contains(allowed, room) {
				t.Errorf("%s: %q may not import %q", f.path, f.pkg, room)
			}
		}
	}
}

func TestEveryRoomOfTheTableExists(t *testing.T) {
	for room := range mayImport {
		if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(room))); err != nil {
			t.Errorf("the table names %q: %v", room, err)
		}
	}
}

func TestNothingIsInitialisedBeforeTheHook(t *testing.T) {
	for _, f := range sources(t) {
		if f.pkg != "hooks/early" && f.pkg != "hooks/spool" {
			continue
		}
		for _, imported := range f.imports(t) {
			if !slices.Contains(earlyImports, imported) {
				t.Errorf("%s imports %q, which is not among %q", f.path, imported, earlyImports)
			}
		}
	}
}

var (
	sqlStatement = regexp.MustCompile(`(?s)^\s*(SELECT\s.+\sFROM\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|CREATE\s+(TABLE|(UNIQUE\s+)?INDEX|TRIGGER|VIRTUAL)\s|ALTER\s+TABLE\s|DROP\s+TABLE\s|PRAGMA\s|WITH\s+\w+\s+AS\s*\()`)
	ansiCode     = regexp.MustCompile(`\x1b\[|\x{9b}`)
)

func TestEachLanguageIsSpokenInItsOwnRoomOnly(t *testing.T) {
	tests := []struct {
		name    string
		pattern *regexp.Regexp
		rooms   []string
	}{
		{"SQL", sqlStatement, []string{"store"}},
		{"an ANSI code", ansiCode, []string{"tui", "themes"}},
	}
	files := sources(t)
	for _, tt := range tests {
		found := false
		for _, f := range files {
			at := stringsThatMatch(t, f, tt.pattern)
			if slices.Contains(tt.rooms, f.pkg) {
				found = found || len(at) > 0
				continue
			}
			if !isTool(f.pkg) {
				for _, where := range at {
					t.Errorf("%s: %s, which may stand only in %q", where, tt.name, tt.rooms)
				}
			}
		}
		if tt.name == "SQL" && !found {
			t.Errorf("the pattern for %s finds none where it must be", tt.name)
		}
	}
}

// stringsThatMatch gives the places of string literals of f that pattern finds.
func stringsThatMatch(t *testing.T, f file, pattern *regexp.Regexp) []token.Position {
	t.Helper()
	var at []token.Position
	ast.Inspect(f.ast, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		value, err := strconv.Unquote(lit.Value)
		if err != nil {
			t.Fatal(err)
		}
		if pattern.MatchString(value) {
			at = append(at, fset.Position(lit.Pos()))
		}
		return true
	})
	return at
}

func TestPatternsFindWhatTheyLookFor(t *testing.T) {
	tests := []struct {
		pattern *regexp.Regexp
		text    string
		want    bool
	}{
		{sqlStatement, "SELECT id\n\tFROM observations", true},
		{sqlStatement, "  INSERT OR IGNORE INTO x VALUES (?)", true},
		{sqlStatement, "UPDATE observations SET status = ?", true},
		{sqlStatement, "PRAGMA journal_mode = wal", true},
		{sqlStatement, "Select a memory from the list", false},
		{sqlStatement, "Update the settings", false},
		{sqlStatement, "INSERT ", false},
		{ansiCode, "\x1b[31m", true},
		{ansiCode, "\u009b31m", true},
		{ansiCode, "[31m", false},
	}
	for _, tt := range tests {
		if got := tt.pattern.MatchString(tt.text); got != tt.want {
			t.Errorf("%v finds %q: %v, want %v", tt.pattern, tt.text, got, tt.want)
		}
	}
}

func TestNamesSayWhatIsInside(t *testing.T) {
	empty := []string{"utils", "util", "common", "helpers", "helper", "types", "misc", "shared", "base"}
	for _, f := range sources(t) {
		names := append(strings.Split(f.pkg, "/"), strings.TrimSuffix(path.Base(f.path), ".go"), f.ast.Name.Name)
		for _, name := range names {
			if slices.Contains(empty, name) {
				t.Errorf("%s: %q says nothing about what is in it", f.path, name)
			}
		}
	}
}
