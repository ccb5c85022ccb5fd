package tui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Update must never wait for a disk: whatever reaches the Source, or the
// Desk, stands in commands*.go.
func TestOnlyCommandsReachOutside(t *testing.T) {
	var outside []string
	desk := reflect.TypeFor[Desk]()
	for i := range desk.NumField() {
		outside = append(outside, desk.Field(i).Name)
	}
	source := reflect.TypeFor[Source]()
	for i := range source.NumMethod() {
		outside = append(outside, source.Method(i).Name)
	}
	forbidden := []string{"os", "os/exec", "net", "net/http", "io/fs", "database/sql", "path/filepath"}

	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			if name == "run.go" && path == "os" {
				continue // it asks which terminal this is, before anything is drawn
			}
			if name == "commands_desk.go" && path == "os/exec" {
				continue // it hands programs to Bubble Tea, which runs them
			}
			if slices.Contains(forbidden, path) {
				t.Errorf("%s: imports %s: no pane does I/O", fset.Position(i.Pos()), path)
			}
		}
		imported := map[string]bool{} // maps.Values is no method of the Source
		for _, i := range file.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			imported[path[strings.LastIndexByte(path, '/')+1:]] = true
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains(outside, sel.Sel.Name) {
				return true
			}
			if of, is := sel.X.(*ast.Ident); is && imported[of.Name] {
				return true
			}
			switch {
			case strings.HasPrefix(name, "commands"):
				calls++
			case name == "run.go" && (sel.Sel.Name == "SaveTheme" || sel.Sel.Name == "SaveState"): // after the program has ended
			default:
				t.Errorf("%s: calls %s, which only commands*.go may", fset.Position(call.Pos()), sel.Sel.Name)
			}
			return true
		})
	}
	if calls < source.NumMethod() {
		t.Errorf("commands*.go call the Source %d times, fewer than it has methods: does this test still look right?", calls)
	}
}
