// Package themes holds the palettes and the styles made from them. A theme
// gives one style for each role that text can play on the screen; nothing
// outside this package names a colour.
//
// No I/O is done here: a theme is a value, and whether the terminal is dark is
// for the caller to find out, as is what stands in the person's own theme files.
// Nothing is built before it is asked for: most processes draw nothing.
package themes

import (
	"image/color"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
)

// Role is the part that a piece of text plays on the screen.
type Role uint8

// The roles. Every theme has a style for each of them.
const (
	Text          Role = iota // running text
	Muted                     // secondary text: times, costs, hints
	Strong                    // titles
	Accent                    // the name of the program, what is active
	Border                    // frame of a pane
	BorderFocus               // frame of the pane that has the keys
	Title                     // title in a frame
	TitleFocus                // title in the frame of the pane that has the keys
	Selected                  // the selected row
	SelectedBlur              // the selected row of a pane without the keys
	SelectedMatch             // words that a search found, in the selected row
	Match                     // words that a search found
	Mark                      // a row that is marked to be acted on with others
	Day                       // headline of a day
	Session                   // headline of a session
	Heading                   // headline in the details
	Chip                      // a concept, tag or filter
	Key                       // a key in a hint
	Link                      // what can be followed: a path, an id, an address
	Badge                     // something new
	Good                      // all is well
	Warn                      // worth a look
	Bad                       // went wrong
	Danger                    // the question before something is lost
	Decision
	Bugfix
	Feature
	Refactor
	Discovery
	Change
	Other // an observation of a type of its own
	Prompt
	Summary
	Heat0 // a day of a heat map on which nothing happened
	Heat1
	Heat2
	Heat3
	Heat4 // the busiest days; each step stands out more than the one before
	roles // how many there are
)

// roleNames are the roles as a person's theme names them.
var roleNames = [roles]string{
	Text: "text", Muted: "muted", Strong: "strong", Accent: "accent",
	Border: "border", BorderFocus: "border_focus", Title: "title", TitleFocus: "title_focus",
	Selected: "selected", SelectedBlur: "selected_blur", SelectedMatch: "selected_match", Match: "match", Mark: "mark",
	Day: "day", Session: "session", Heading: "heading", Chip: "chip", Key: "key", Link: "link", Badge: "badge",
	Good: "good", Warn: "warn", Bad: "bad", Danger: "danger",
	Decision: "decision", Bugfix: "bugfix", Feature: "feature", Refactor: "refactor", Discovery: "discovery",
	Change: "change", Other: "other", Prompt: "prompt", Summary: "summary",
	Heat0: "heat0", Heat1: "heat1", Heat2: "heat2", Heat3: "heat3", Heat4: "heat4",
}

// String gives the role's name as a person's theme writes it, "border_focus".
func (r Role) String() string {
	if r < roles {
		return roleNames[r]
	}
	return "role " + strconv.Itoa(int(r))
}

// Theme is one style for each role. The zero Theme styles nothing.
type Theme struct {
	Name string // what a person chooses it by; that of a half, not of its family
	// Background is what the styles are made for; nil in a theme without colours.
	Background color.Color

	styles      [roles]lipgloss.Style
	open, close [roles]string // what a terminal is sent before and after text of a role
	high        bool          // made for high contrast, and so is its counterpart in 16 colours
}

// IsDark reports whether the theme is made for a dark background. A theme
// without colours has none and is not dark.
func (t Theme) IsDark() bool {
	return t.Background != nil && contrast(t.Background, color.White) > contrast(t.Background, color.Black)
}

// Fits reports whether the theme can be read on whatever background a dark, or
// a light, terminal usually has. A theme that does not fit is to be Painted: the
// themes of other projects are made for one background.
func (t Theme) Fits(isDark bool) bool {
	switch t.Name {
	case LightName:
		return !isDark
	case DarkName:
		return isDark
	}
	return t.Background == nil
}

// Style gives the style of a role.
func (t Theme) Style(r Role) lipgloss.Style { return t.styles[r] }

// Append writes one line of text to b, styled for the role. It is made for
// drawing many short pieces: unlike a style's Render it measures and pads
// nothing.
func (t *Theme) Append(b *strings.Builder, r Role, text string) {
	b.WriteString(t.open[r])
	b.WriteString(text)
	b.WriteString(t.close[r])
}

// Painted gives the theme with its background painted behind every role, for
// a terminal whose own background does not fit the theme.
func (t Theme) Painted() Theme {
	if t.Background == nil {
		return t
	}
	for r := range t.styles {
		if _, none := t.styles[r].GetBackground().(lipgloss.NoColor); none {
			t.styles[r] = t.styles[r].Background(t.Background)
		}
	}
	return t.ready()
}

// ready fills in what Append needs from the styles.
func (t Theme) ready() Theme {
	const probe = "x"
	for r := range t.styles {
		t.open[r], t.close[r], _ = strings.Cut(t.styles[r].Render(probe), probe)
	}
	return t
}

// OfType gives the role for an observation's type.
func OfType(observationType string) Role {
	if r, ok := typeRoles[observationType]; ok {
		return r
	}
	return Other
}

var typeRoles = map[string]Role{
	"decision":  Decision,
	"bugfix":    Bugfix,
	"feature":   Feature,
	"refactor":  Refactor,
	"discovery": Discovery,
	"change":    Change,
}
