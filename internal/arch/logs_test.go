package arch

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// logCall is a call of a logger of log/slog with a message.
type logCall struct {
	at    token.Position
	level string
	args  []ast.Expr // after the message
}

// logCalls gives the calls of loggers in f: of a field Log, or of a variable log.
func logCalls(f file) []logCall {
	var calls []logCall
	ast.Inspect(f.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		switch method.Sel.Name {
		case "Debug", "Info", "Warn", "Error":
		default:
			return true
		}
		name := ""
		switch of := method.X.(type) {
		case *ast.Ident:
			name = of.Name
		case *ast.SelectorExpr:
			name = of.Sel.Name
		}
		if strings.EqualFold(name, "log") {
			calls = append(calls, logCall{fset.Position(call.Pos()), method.Sel.Name, call.Args[1:]})
		}
		return true
	})
	return calls
}

// isKind reports whether e is a constant of package logs, as logs.EventLost, or in
// logs itself a bare name.
func isKind(e ast.Expr, pkg string) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return pkg == "logs" && e.IsExported()
	case *ast.SelectorExpr:
		of, ok := e.X.(*ast.Ident)
		return ok && of.Name == "logs"
	}
	return false
}

// isText reports whether e is the text of an error: err.Error().
func isText(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) > 0 {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && method.Sel.Name == "Error"
}

// A warning says by its kind what `cmem doctor` makes of it, and an error is logged
// as a value, so that the log decides what of its words may stand there.
func TestEveryProblemIsLoggedWithItsKindAndItsError(t *testing.T) {
	found := 0
	for _, f := range sources(t) {
		if isTool(f.pkg) {
			continue
		}
		for _, call := range logCalls(f) {
			found++
			if call.level == "Warn" || call.level == "Error" {
				if len(call.args) < 2 || !isKind(call.args[1], f.pkg) {
					t.Errorf(`%s: the first attribute must be the kind: "kind", logs.EventLost`, call.at)
				}
			}
			for _, arg := range call.args {
				if isText(arg) {
					t.Errorf(`%s: log the error itself, "error", err, and not its text`, call.at)
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d log calls were found; the test does not see them", found)
	}
}
