package logs

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"time"
)

// Line is one line of the log.
type Line struct {
	Time    time.Time // zero when the line has none
	Level   slog.Level
	Message string
	Kind    Kind // "" for what is no problem, and in lines of older versions
	Cause   Cause
	Error   string
	Fields  []Field // all that has no field above, in the order of the line
	JSON    []byte  // the line as it stands
}

// Field is a value of a line with its name. What is not a JSON string is its JSON.
type Field struct{ Name, Value string }

// Field gives the value of the field with that name, "" when there is none.
func (l *Line) Field(name string) string {
	for _, f := range l.Fields {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

const (
	lineOpening = `{"` + slog.TimeKey + `":"`
	levelField  = `","` + slog.LevelKey + `":"`
)

// head gives the time and the level of a line that begins as ours do, which most
// readers go by. The rest of the line is not looked at.
func head(raw []byte) (at time.Time, level slog.Level, ok bool) {
	rest, ok := bytes.CutPrefix(raw, []byte(lineOpening))
	if !ok || len(rest) < len(timeLayout) {
		return at, level, false
	}
	at, err := time.Parse(timeLayout, string(rest[:len(timeLayout)]))
	if err != nil {
		return at, level, false
	}
	name, ok := bytes.CutPrefix(rest[len(timeLayout):], []byte(levelField))
	if !ok {
		return at, level, false
	}
	name, _, ok = bytes.Cut(name, []byte{'"'})
	return at, level, ok && level.UnmarshalText(name) == nil
}

// parseLine reads a line of the log. It reports false for anything else: the rest
// of a line that a full disk or a power cut tore.
func parseLine(raw []byte) (Line, bool) {
	raw = bytes.TrimSpace(raw)
	l := Line{JSON: raw}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return Line{}, false
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return Line{}, false
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return Line{}, false
		}
		if !l.set(name.(string), textOf(value)) {
			return Line{}, false
		}
	}
	if _, err := dec.Token(); err != nil || dec.InputOffset() != int64(len(raw)) {
		return Line{}, false
	}
	return l, l.Message != ""
}

// textOf gives a JSON string as its text, anything else as it stands.
func textOf(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil && value[0] == '"' {
		return s
	}
	return string(value)
}

// set fills in one value. It reports false for one that no line of ours has.
func (l *Line) set(name, value string) bool {
	switch name {
	case slog.TimeKey:
		t, err := time.Parse(time.RFC3339Nano, value)
		l.Time = t
		return err == nil
	case slog.LevelKey:
		return l.Level.UnmarshalText([]byte(value)) == nil
	case slog.MessageKey:
		l.Message = value
	case KindKey:
		l.Kind = Kind(value)
	case CauseKey:
		l.Cause = Cause(value)
	case ErrorKey:
		l.Error = value
	default:
		l.Fields = append(l.Fields, Field{name, value})
	}
	return true
}
