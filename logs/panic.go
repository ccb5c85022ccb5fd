package logs

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
)

// Panic is a panic that was recovered, as an error. Its words may quote a payload.
type Panic struct {
	value any
	stack string
}

// Recovered makes an error of what recover gave, with the stack of the panic, when
// it is called in the deferred function that recovered it.
func Recovered(value any) *Panic {
	return &Panic{value, shortStack(debug.Stack())}
}

func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// words tell the panic without quoting: the runtime's own words name indices and
// types, those of anybody else may name anything.
func (p *Panic) words() string {
	if r, ok := p.value.(runtime.Error); ok {
		return "panic: " + r.Error()
	}
	return fmt.Sprintf("panic with a %T", p.value)
}

// panicAttrs gives the attributes of the panic in err, if there is one.
func panicAttrs(key string, err error, verbose bool) (attrs []slog.Attr, ok bool) {
	var p *Panic
	if !errors.As(err, &p) {
		return nil, false
	}
	attrs = []slog.Attr{slog.String(key, p.words()), slog.String("stack", p.stack)}
	if verbose {
		attrs = append(attrs, slog.String(DetailKey, err.Error()))
	}
	return attrs, true
}
