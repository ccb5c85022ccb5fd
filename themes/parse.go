package themes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"
)

// follows says which roles take over the text colour that a person gives to
// another one, so that a theme can be made by naming a few.
var follows = [...]struct{ role, leader Role }{
	{Strong, Text}, {Session, Text},
	{BorderFocus, Accent}, {TitleFocus, Accent}, {Day, Accent}, {Heading, Accent}, {Key, Accent}, {Link, Accent},
	{Title, Muted}, {Other, Muted},
	{Badge, Good},
}

// parse reads a person's theme, a JSON object as docs/themes.md describes it. The
// file is named in problems, and its name without the ending is the theme's when it
// does not give one. With a problem there is no theme.
func parse(file string, data []byte) (Theme, []Problem) {
	p := parser{file: file, given: map[Role]bool{}}
	members := p.object("", bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), "name", "base", "background", "roles")
	if members != nil {
		p.head(members)
		p.roles(members["roles"])
		p.follow()
	}
	if len(p.problems) > 0 {
		return Theme{}, p.problems
	}
	return p.theme.ready(), nil
}

type parser struct {
	file     string
	theme    Theme
	given    map[Role]bool // roles that the file gives a text colour
	row      bool          // the file gives the background of SelectedMatch
	problems []Problem
}

func (p *parser) wrong(key, format string, args ...any) {
	p.problems = append(p.problems, Problem{File: p.file, Key: key, Err: fmt.Errorf(format, args...)})
}

// object gives the members of a JSON object, or nil when it is none. Members
// that are not allowed are problems; with none named, all are allowed.
func (p *parser) object(key string, data []byte, allowed ...string) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	d := json.NewDecoder(bytes.NewReader(data))
	err := d.Decode(&members)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more than one value")
		}
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
		p.wrong(key, "line %d: not valid JSON: %w", line, err)
		return nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		p.wrong(key, "not valid JSON: the file ends too early")
		return nil
	case err != nil || members == nil:
		p.wrong(key, "must be a JSON object {…}")
		return nil
	}
	if len(allowed) > 0 {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if !slices.Contains(allowed, name) {
				p.wrong(under(key, name), "unknown key; there are %s", strings.Join(allowed, ", "))
			}
		}
	}
	return members
}

// head reads what is not about a role, and begins with the theme that the
// person's is made from.
func (p *parser) head(members map[string]json.RawMessage) {
	name := strings.TrimSuffix(filepath.Base(p.file), filepath.Ext(p.file))
	if raw, ok := members["name"]; ok {
		name, _ = p.text("name", raw)
	}
	name = strings.ToLower(name)
	if err := checkName(name); err != nil && !p.has("name") {
		p.wrong("name", "%w", err)
	}

	var background color.Color
	if raw, ok := members["background"]; ok {
		background, _ = p.color("background", raw)
	}
	switch raw, ok := members["base"]; {
	case ok:
		if base, ok := p.text("base", raw); ok {
			p.base(base)
		}
	case members["background"] == nil:
		p.wrong("background", `is missing; give it as "#rrggbb", or a "base" to begin with`)
	case background != nil && (Theme{Background: background}).IsDark():
		p.theme = Dark()
	default:
		p.theme = Light()
	}
	p.theme.Name = name
	if background != nil {
		p.theme.Background = background
	}
}

// base begins with a built-in theme. A family would be two.
func (p *parser) base(name string) {
	var names []string
	for i := range choices {
		c := &choices[i]
		theme := c.light()
		if theme.name != c.name {
			continue
		}
		if strings.EqualFold(c.name, name) {
			p.theme = theme.theme()
			return
		}
		names = append(names, c.name)
	}
	p.wrong("base", "%q is no theme to begin with; there are %s", name, strings.Join(names, ", "))
}

func (p *parser) roles(raw json.RawMessage) {
	if raw == nil {
		return
	}
	members := p.object("roles", raw)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		r := slices.Index(roleNames[:], name)
		if r < 0 {
			p.wrong(under("roles", name), "unknown role; there are %s", strings.Join(roleNames[:], ", "))
			continue
		}
		p.role(Role(r), members[name])
	}
}

// role reads the style of one: its text colour alone, or an object with all of it.
func (p *parser) role(r Role, raw json.RawMessage) {
	key, style := "roles."+r.String(), p.theme.styles[r]
	switch raw[0] {
	case '"':
		if c, ok := p.color(key, raw); ok {
			style, p.given[r] = style.Foreground(c), true
		}
	case '{':
		members := p.object(key, raw, "fg", "bg", "bold", "italic", "underline")
		if m, ok := members["fg"]; ok {
			if c, ok := p.color(key+".fg", m); ok {
				style, p.given[r] = style.Foreground(c), true
			}
		}
		if m, ok := members["bg"]; ok {
			p.row = p.row || r == SelectedMatch
			if string(m) == `"none"` {
				style = style.UnsetBackground()
			} else if c, ok := p.color(key+".bg", m); ok {
				style = style.Background(c)
			}
		}
		for _, flag := range [...]struct {
			name string
			set  func(lipgloss.Style, bool) lipgloss.Style
		}{
			{"bold", lipgloss.Style.Bold}, {"italic", lipgloss.Style.Italic}, {"underline", lipgloss.Style.Underline},
		} {
			m, ok := members[flag.name]
			if !ok {
				continue
			}
			on, err := strconv.ParseBool(string(m))
			if err != nil {
				p.wrong(key+"."+flag.name, "%s is neither true nor false", short(m))
				continue
			}
			style = flag.set(style, on)
		}
	default:
		p.wrong(key, `%s is no style; give a colour "#rrggbb", or an object with fg, bg, bold, italic, underline`, short(raw))
	}
	p.theme.styles[r] = style
}

// follow gives the roles that the file does not name the colours of those that
// it does.
func (p *parser) follow() {
	for _, f := range follows {
		if p.given[f.leader] && !p.given[f.role] {
			p.theme.styles[f.role] = p.theme.styles[f.role].Foreground(p.theme.styles[f.leader].GetForeground())
		}
	}
	if row := p.theme.styles[Selected].GetBackground(); !p.row && !isNone(row) {
		p.theme.styles[SelectedMatch] = p.theme.styles[SelectedMatch].Background(row)
	}
}

func (p *parser) text(key string, raw json.RawMessage) (string, bool) {
	var s *string
	if err := json.Unmarshal(raw, &s); err != nil || s == nil {
		p.wrong(key, "%s is no text; write it in quotes", short(raw))
		return "", false
	}
	return *s, true
}

// color reads "#rrggbb" or "#rgb".
func (p *parser) color(key string, raw json.RawMessage) (color.Color, bool) {
	var s string
	if err := json.Unmarshal(raw, &s); err == nil {
		digits, hash := strings.CutPrefix(s, "#")
		if _, err := strconv.ParseUint(digits, 16, 32); err == nil && hash && (len(digits) == 3 || len(digits) == 6) {
			return lipgloss.Color(s), true
		}
	}
	p.wrong(key, `%s is no colour; write it as "#rrggbb", with digits 0 to 9 and a to f`, short(raw))
	return nil, false
}

// has reports whether a problem of that key is known.
func (p *parser) has(key string) bool {
	return slices.ContainsFunc(p.problems, func(known Problem) bool { return known.Key == key })
}

// under names a member; a name that could disturb a terminal is quoted.
func under(key, name string) string {
	if strings.ContainsFunc(name, notInName) {
		name = strconv.Quote(name)
	}
	if key == "" {
		return name
	}
	return key + "." + name
}

func notInName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
}

// short gives a value as it is written, so far as it helps to find it and with
// nothing that could disturb a terminal.
func short(raw json.RawMessage) string {
	const most = 40
	s := strings.Join(strings.Fields(string(raw)), " ")
	var text *string
	if err := json.Unmarshal(raw, &text); err == nil && text != nil {
		s = strconv.Quote(*text)
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// hex gives a colour as a theme file has it.
func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
