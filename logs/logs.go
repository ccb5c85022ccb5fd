// Package logs is what cmem tells about itself: one file of JSON lines in the data
// directory, and the one before it, written by every process of cmem at once.
//
// Here are the kinds of what can go wrong, declared once for those who log it and
// for those who read it back; the file, its rotation and its readers. Nothing here
// knows what an error of another room means or how a line looks to a person.
package logs

import (
	"log/slog"
	"os"
	"time"
	"unicode/utf8"
)

// maxText bounds one value, so that no error fills the log.
const maxText = 4 << 10

// timeLayout is RFC 3339 in UTC with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Keys of a line beside those of slog ("time", "level", "msg").
const (
	KindKey   = "kind"   // what went wrong, a Kind
	CauseKey  = "cause"  // why, a Cause
	ErrorKey  = "error"  // the same in words
	DetailKey = "detail" // all the words; only at level debug, for they may quote a payload
	pidKey    = "pid"
	byKey     = "by" // which face of cmem
)

// Options say where a process logs and how.
type Options struct {
	Dir   string // is made if its parent is there or can be made
	By    string // which face of cmem this is: "hook", "worker"
	Level slog.Level
	// Tell gives what the log may say of an error at any level: words that quote no
	// payload, and why it happened ("" when that is not known).
	Tell func(error) (words string, cause Cause)
}

// New gives the log of this process. An error is logged as a value, not as its
// text: Options.Tell decides what is said of it. Without a place to write nothing
// is logged, and there is no error: a hook has nobody to tell.
func New(o Options) *slog.Logger {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return slog.New(slog.DiscardHandler)
	}
	handler := slog.NewJSONHandler(&file{dir: o.Dir, max: maxFile}, &slog.HandlerOptions{Level: o.Level, ReplaceAttr: o.replace})
	return slog.New(handler).With(byKey, o.By, pidKey, os.Getpid())
}

// replace gives an attribute as it is written.
func (o Options) replace(_ []string, at slog.Attr) slog.Attr {
	switch v := at.Value.Any().(type) {
	case time.Time:
		if at.Key == slog.TimeKey {
			at.Value = slog.StringValue(v.UTC().Format(timeLayout))
		}
	case string:
		at.Value = slog.StringValue(bounded(v))
	case error:
		return o.tell(at.Key, v)
	}
	return at
}

// tell gives the attributes of an error.
func (o Options) tell(key string, err error) slog.Attr {
	verbose := o.Level <= slog.LevelDebug
	if attrs, ok := panicAttrs(key, err, verbose); ok {
		return slog.Attr{Value: slog.GroupValue(attrs...)}
	}
	words, cause := o.Tell(err)
	attrs := []slog.Attr{slog.String(key, words)}
	if cause != "" {
		attrs = append(attrs, slog.String(CauseKey, string(cause)))
	}
	if full := err.Error(); verbose && full != words {
		attrs = append(attrs, slog.String(DetailKey, full))
	}
	return slog.Attr{Value: slog.GroupValue(attrs...)} // without a name: its attributes stand in the line
}

// bounded cuts a long text and says so.
func bounded(s string) string {
	if len(s) <= maxText {
		return s
	}
	cut := maxText
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "… (cut)"
}
