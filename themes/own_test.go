package themes

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
)

// docs is the page that tells people how to write a theme.
func docs(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../docs/themes.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func TestTheExampleInTheDocsIsAThemeWithoutAWarning(t *testing.T) {
	_, rest, found := strings.Cut(docs(t), "```json\n")
	example, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("docs/themes.md has no example")
	}
	theme, err := parseOne("tea.json", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if warnings := theme.Warnings("tea.json"); len(warnings) > 0 {
		t.Errorf("the example has warnings: %v", warnings)
	}
	if theme.Name != "tea" || !theme.IsDark() || theme.Fits(true) {
		t.Errorf("got %q, dark %v", theme.Name, theme.IsDark())
	}
}

func TestTheDocsNameEveryThemeAndEveryRole(t *testing.T) {
	page := docs(t)
	for _, name := range Names() {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/themes.md does not name the theme %s", name)
		}
	}
	for r := range roles {
		if r > Heat0 && r < Heat4 {
			continue // "heat0 … heat4"
		}
		if !strings.Contains(page, "`"+r.String()+"`") {
			t.Errorf("docs/themes.md does not name the role %s", r)
		}
	}
	for _, f := range follows {
		for _, line := range strings.Split(page, "\n") {
			if strings.Contains(line, "`"+f.role.String()+"`") && strings.HasPrefix(line, "| `") && !strings.HasSuffix(line, "`"+f.leader.String()+"` |") {
				t.Errorf("docs/themes.md does not say that %s follows %s: %s", f.role, f.leader, line)
			}
		}
	}
}

// styleOf tells a style in a few words.
func styleOf(t Theme, r Role) string {
	s := t.Style(r)
	out := hex(s.GetForeground())
	if bg := s.GetBackground(); !isNone(bg) {
		out += " on " + hex(bg)
	}
	for name, on := range map[string]bool{" bold": s.GetBold(), " italic": s.GetItalic(), " underline": s.GetUnderline()} {
		if on {
			out += name
		}
	}
	return out
}

func TestParseChangesWhatIsNamedAndKeepsTheRest(t *testing.T) {
	for _, tc := range []struct {
		name, json string
		want       map[Role]string
	}{
		{"text alone", `{"base":"nord","roles":{"text":"#FFF"}}`, map[Role]string{
			Text: "#ffffff", Strong: "#ffffff bold", Session: "#ffffff bold", Muted: "#a9b4c8",
		}},
		{"a follower of its own", `{"base":"nord","roles":{"accent":"#ffffff","key":"#eeeeee"}}`, map[Role]string{
			Accent: "#ffffff bold", BorderFocus: "#ffffff", Key: "#eeeeee", Link: "#ffffff underline", TitleFocus: "#ffffff bold",
		}},
		{"flags", `{"base":"nord","roles":{"strong":{"bold":false},"chip":{"bold":true,"bg":"none"}}}`, map[Role]string{
			Strong: "#e5e9f0", Chip: "#d8dee9 bold",
		}},
		{"found words lie on the selected row", `{"base":"nord","roles":{"selected":{"bg":"#102030"}}}`, map[Role]string{
			Selected: "#eceff4 on #102030 bold", Text: "#e5e9f0",
		}},
		{"a dark background", `{"background":"#000000"}`, map[Role]string{Text: "#dfe3ee"}},
		{"a light background", `{"background":"#fff"}`, map[Role]string{Text: "#1f2430"}},
		{"base in another case, with a BOM", "\ufeff" + `{"base":"Solarized-Dark"}`, map[Role]string{Text: "#93a1a1"}},
	} {
		theme, err := parseOne("/home/dev/.cmem/themes/测试.json", []byte(tc.json))
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if theme.Name != "测试" {
			t.Errorf("%s: named %q", tc.name, theme.Name)
		}
		for r, want := range tc.want {
			if got := styleOf(theme, r); got != want {
				t.Errorf("%s: %s is %s, want %s", tc.name, r, got, want)
			}
			if got, want := drawn(theme, r, "修"), theme.Style(r).Render("修"); got != want {
				t.Errorf("%s: %s is drawn %q, its style %q", tc.name, r, got, want)
			}
		}
		if a, b := theme.Style(SelectedMatch).GetBackground(), theme.Style(Selected).GetBackground(); a != b {
			t.Errorf("%s: found words break the selected row: %v in %v", tc.name, a, b)
		}
	}
	theme, err := parseOne("x.json", []byte(`{"name":"Grün","base":"nord","background":"#1b2430","roles":{"selected_match":{"bg":"#000"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if theme.Name != "grün" || hex(theme.Background) != "#1b2430" || hex(theme.Style(SelectedMatch).GetBackground()) != "#000000" {
		t.Errorf("got %q on %v, found words on %v", theme.Name, theme.Background, theme.Style(SelectedMatch).GetBackground())
	}
	high, err := parseOne("x.json", []byte(`{"base":"high-contrast-dark"}`))
	if basic := high.Basic(); err != nil || high.least(Text) != leastHigh || basic.least(Text) != leastHigh {
		t.Errorf("a theme made from high contrast may have less: %v", err)
	}
}

func TestAMistakeIsNamedWithFileKeyAndWhatIsAllowed(t *testing.T) {
	const file = "/home/dev/.cmem/themes/茶.json"
	for _, tc := range []struct{ name, json, want string }{
		{"not JSON", "{\n  \"name\": tea\n}", ": line 2: not valid JSON"},
		{"cut off", `{"name": "tea"`, ": not valid JSON: the file ends too early"},
		{"empty", ``, ": not valid JSON: the file ends too early"},
		{"a list", `[1]`, ": must be a JSON object {…}"},
		{"null", `null`, ": must be a JSON object {…}"},
		{"two values", `{"base":"nord"} {}`, ": must be a JSON object {…}"},
		{"unknown key", `{"base":"nord","colors":{}}`, ": colors: unknown key; there are name, base, background, roles"},
		{"unknown role", `{"base":"nord","roles":{"titel":"#fff"}}`, ": roles.titel: unknown role; there are text, muted, strong"},
		{"unknown part", `{"base":"nord","roles":{"text":{"color":"#fff"}}}`, ": roles.text.color: unknown key; there are fg, bg, bold, italic, underline"},
		{"a key with an escape code", "{\"base\":\"nord\",\"roles\":{\"a\\u001b[2J\":\"#fff\"}}", `: roles."a\x1b[2J": unknown role`},
		{"no colour", `{"base":"nord","roles":{"text":"red"}}`, `: roles.text: "red" is no colour; write it as "#rrggbb"`},
		{"a colour of four digits", `{"base":"nord","background":"#ffff"}`, `: background: "#ffff" is no colour`},
		{"a colour with a sign", `{"base":"nord","background":"#+fffff"}`, `: background: "#+fffff" is no colour`},
		{"a colour that is a number", `{"base":"nord","roles":{"text":{"fg":7}}}`, `: roles.text.fg: 7 is no colour`},
		{"a colour with an escape code", `{"base":"nord","background":"\u001b[31m"}`, `: background: "\x1b[31m" is no colour`},
		{"no style", `{"base":"nord","roles":{"text":true}}`, `: roles.text: true is no style; give a colour "#rrggbb", or an object with fg`},
		{"no truth value", `{"base":"nord","roles":{"text":{"bold":"yes"}}}`, `: roles.text.bold: "yes" is neither true nor false`},
		{"roles as a list", `{"base":"nord","roles":[]}`, `: roles: must be a JSON object {…}`},
		{"a family", `{"base":"solarized"}`, `: base: "solarized" is no theme to begin with; there are light, dark, high-contrast-light`},
		{"base as a number", `{"base":1}`, `: base: 1 is no text; write it in quotes`},
		{"nothing to begin with", `{"roles":{}}`, `: background: is missing; give it as "#rrggbb", or a "base" to begin with`},
		{"a built-in name", `{"name":"Nord","base":"nord"}`, `: name: "nord" is a built-in theme; choose another name`},
		{"the name of a family", `{"name":"gruvbox","base":"nord"}`, `: name: "gruvbox" is a built-in theme`},
		{"mono", `{"name":"mono","base":"nord"}`, `: name: "mono" is a built-in theme`},
		{"a name of two words", `{"name":"my theme","base":"nord"}`, `: name: "my theme" is no name for a theme; it takes up to 40 letters, digits, - and _`},
		{"a long name", `{"name":"` + strings.Repeat("茶", 41) + `","base":"nord"}`, `is no name for a theme`},
		{"no name", `{"name":"","base":"nord"}`, `: name: "" is no name for a theme`},
		{"a name that is none", `{"name":null,"base":"nord"}`, `: name: null is no text`},
	} {
		theme, err := parseOne(file, []byte(tc.json))
		if err == nil {
			t.Errorf("%s: no error", tc.name)
			continue
		}
		if !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), file) {
			t.Errorf("%s:\n got %v\nwant …%s", tc.name, err, tc.want)
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: one mistake, more than one problem: %v", tc.name, err)
		}
		if theme.Name != "" {
			t.Errorf("%s: a theme came with the error", tc.name)
		}
	}
}

func TestLoadGivesTheGoodThemesAndNamesWhatIsWrongWithTheOthers(t *testing.T) {
	set, problems := Load(map[string][]byte{
		"d/a.json": []byte(`{"base":"nord","name":"one"}`),
		"d/b.json": []byte(`{"base":"nord","name":"ONE"}`),
		"d/c.json": []byte(`{"base":"nord","roles":{"bad":1,"worse":2}}`),
		"d/e.json": []byte(`{"base":"light","roles":{"text":"#cccccc"}}`),
		"d/茶.json": []byte(`{"base":"light"}`),
	})
	if got, want := set.Names()[len(Names()):], []string{"one", "e", "茶"}; !slices.Equal(got, want) {
		t.Errorf("own themes %q, want %q", got, want)
	}
	var got []string
	for _, p := range problems {
		line := p.Error()
		if p.Warning {
			line = "warning: " + line
		}
		got = append(got, line)
	}
	want := []string{
		`d/b.json: name: "one" is the name of the theme in a.json; choose another`,
		`d/c.json: roles.bad: 1 is no style; give a colour "#rrggbb", or an object with fg, bg, bold, italic, underline`,
		`d/c.json: roles.worse: unknown role; there are ` + strings.Join(roleNames[:], ", "),
		`warning: d/e.json: roles.text: #cccccc on #ffffff is hard to read: its contrast is 1.6:1, and it should be 4.5:1`,
		`warning: d/e.json: roles.strong: #cccccc on #ffffff is hard to read: its contrast is 1.6:1, and it should be 4.5:1`,
		`warning: d/e.json: roles.session: #cccccc on #ffffff is hard to read: its contrast is 1.6:1, and it should be 4.5:1`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("problems\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if set, problems := Load(nil); len(problems) > 0 || !slices.Equal(set.Names(), Names()) {
		t.Errorf("without files: %q, %v", set.Names(), problems)
	}
}

// A theme of a person's own is as readable in 256 colours as in full colour, and
// no less usable when it is not.
func TestAPersonsThemeIsReducedAsTheBuiltInOnesAre(t *testing.T) {
	theme, err := parseOne("x.json", []byte(`{"background":"#101010","roles":{"text":"#555555","muted":"#8a8a8a"}}`))
	if err != nil {
		t.Fatal(err)
	}
	indexed := theme.Indexed()
	for _, r := range []Role{Text, Muted, Accent, Selected, Mark} {
		fg, bg := theme.pair(r)
		want := min(theme.least(r), contrast(fg, bg))
		if fg, bg = indexed.pair(r); contrast(fg, bg) < want {
			t.Errorf("%s has contrast %.2f, want at least %.2f", r, contrast(fg, bg), want)
		}
	}
	if theme.Basic().Name != theme.Name || !theme.Basic().IsDark() || hex(theme.Basic().Background) != hex(lipgloss.Color("0")) {
		t.Errorf("in 16 colours it is %+v", theme.Basic().Name)
	}
}

// parseOne gives the problems of a file as one error.
func parseOne(file string, data []byte) (Theme, error) {
	theme, problems := parse(file, data)
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	return theme, errors.Join(errs...)
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "{}", "null", "[", `{"base":"nord"}`, `{"name":"茶","background":"#fff","roles":{"text":{"fg":"#000","bg":"none","bold":true}}}`, `{"base":"nord"}x`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		theme, problems := parse("f.json", data)
		if len(problems) > 0 {
			for _, p := range problems {
				if strings.ContainsAny(p.Error(), "\x1b\n\r\x07") {
					t.Fatalf("a problem that disturbs the terminal: %q", p.Error())
				}
			}
			return
		}
		if theme.Background == nil || theme.Name == "" || reserved(theme.Name) {
			t.Fatalf("a theme without a name or background: %q", theme.Name)
		}
		theme.Warnings("f.json")
		theme.Indexed()
	})
}
