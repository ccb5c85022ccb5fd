package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryPromiseHasATestThatKeepsIt reads docs/reliability.md: each row of its tables
// names tests, and all of them exist.
func TestEveryPromiseHasATestThatKeepsIt(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("docs", "reliability.md"))
	if err != nil {
		t.Fatal(err)
	}
	there := testNames(t)
	name := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`")
	rows, named := 0, map[string]bool{}
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| promise") || strings.HasPrefix(line, "| ---") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(line, "|\n "), " | ")
		found := name.FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(cells) != 2 || len(found) == 0 {
			t.Errorf("no test is named for: %s", line)
		}
		for _, m := range found {
			named[m[1]] = true
			if there[m[1]] == "" {
				t.Errorf("there is no %s, named for: %s", m[1], cells[0])
			}
		}
	}
	if rows < 30 {
		t.Errorf("%d promises were read, which cannot be all", rows)
	}
	for test, file := range there {
		if strings.HasPrefix(file, "fault_") && !named[test] {
			t.Errorf("%s in %s keeps a promise that the page does not have", test, file)
		}
	}
}

// testNames gives the tests and fuzz targets of all packages and the files in which
// they stand, for every system.
func testNames(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || path != "." && strings.HasPrefix(e.Name(), ".")):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && (strings.HasPrefix(f.Name.Name, "Test") || strings.HasPrefix(f.Name.Name, "Fuzz")) {
				found[f.Name.Name] = path
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
