package themes

import "charm.land/lipgloss/v2"

// palette is what a coloured theme is made from. A colour is "#rrggbb", or the
// number of one of the terminal's own 16.
type palette struct {
	name                                                   string
	high                                                   bool // contrast of 7:1, not 4.5:1
	background, text, muted, accent, border                string
	selectedFg, selectedBg, found, blurFg, blurBg          string // found: Match in the selected row
	matchFg, matchBg, markFg, markBg, chip, chipBg         string
	good, warn, bad, dangerFg, dangerBg, link              string
	decision, bugfix, feature, refactor, discovery, change string
	prompt, summary                                        string
	heat                                                   [5]string
}

func (p palette) theme() Theme {
	fg := func(hex string) lipgloss.Style { return lipgloss.NewStyle().Foreground(lipgloss.Color(hex)) }
	on := func(hex, bg string) lipgloss.Style { return fg(hex).Background(lipgloss.Color(bg)) }
	t := Theme{Name: p.name, Background: lipgloss.Color(p.background), high: p.high}
	t.styles = [roles]lipgloss.Style{
		Text:          fg(p.text),
		Muted:         fg(p.muted),
		Strong:        fg(p.text).Bold(true),
		Accent:        fg(p.accent).Bold(true),
		Border:        fg(p.border),
		BorderFocus:   fg(p.accent),
		Title:         fg(p.muted),
		TitleFocus:    fg(p.accent).Bold(true),
		Selected:      on(p.selectedFg, p.selectedBg).Bold(true),
		SelectedBlur:  on(p.blurFg, p.blurBg),
		SelectedMatch: on(p.found, p.selectedBg).Bold(true).Underline(true),
		Match:         on(p.matchFg, p.matchBg).Bold(true),
		Mark:          on(p.markFg, p.markBg),
		Day:           fg(p.accent),
		Session:       fg(p.text).Bold(true),
		Heading:       fg(p.accent).Bold(true),
		Chip:          on(p.chip, p.chipBg),
		Key:           fg(p.accent),
		Link:          fg(p.link).Underline(true),
		Badge:         fg(p.good).Bold(true),
		Good:          fg(p.good),
		Warn:          fg(p.warn),
		Bad:           fg(p.bad),
		Danger:        on(p.dangerFg, p.dangerBg).Bold(true),
		Decision:      fg(p.decision),
		Bugfix:        fg(p.bugfix),
		Feature:       fg(p.feature),
		Refactor:      fg(p.refactor),
		Discovery:     fg(p.discovery),
		Change:        fg(p.change),
		Other:         fg(p.muted),
		Prompt:        fg(p.prompt),
		Summary:       fg(p.summary),
	}
	for i, hex := range p.heat {
		t.styles[Heat0+Role(i)] = fg(hex)
	}
	return t.ready()
}

// Basic gives the theme's counterpart for a terminal of 16 colours. Its colours
// are the terminal's own, whatever they look like there: reducing a palette
// would turn every tinted grey into blue.
func (t Theme) Basic() Theme {
	var p palette
	switch {
	case t.Background == nil:
		return t
	case t.high && t.IsDark():
		p = basicHighDark()
	case t.high:
		p = basicHighLight()
	case t.IsDark():
		p = basicDark()
	default:
		p = basicLight()
	}
	p.name = t.Name
	return p.theme()
}

// basicLight does without the bright colours, which vanish on white.
func basicLight() palette {
	return palette{
		background: "15", text: "0", muted: "0", accent: "4", border: "8",
		selectedFg: "15", selectedBg: "4", found: "11", blurFg: "0", blurBg: "7",
		matchFg: "0", matchBg: "11", markFg: "0", markBg: "6", chip: "0", chipBg: "7",
		good: "4", warn: "5", bad: "1", dangerFg: "15", dangerBg: "1", link: "4",
		decision: "5", bugfix: "1", feature: "4", refactor: "0", discovery: "4", change: "0",
		prompt: "5", summary: "1",
		heat: [5]string{"8", "5", "1", "4", "0"},
	}
}

// basicDark does without the dark colours, which vanish on black.
func basicDark() palette {
	return palette{
		background: "0", text: "15", muted: "7", accent: "14", border: "8",
		selectedFg: "15", selectedBg: "4", found: "11", blurFg: "0", blurBg: "7",
		matchFg: "0", matchBg: "11", markFg: "0", markBg: "6", chip: "0", chipBg: "7",
		good: "10", warn: "11", bad: "9", dangerFg: "15", dangerBg: "1", link: "14",
		decision: "11", bugfix: "9", feature: "10", refactor: "14", discovery: "14", change: "7",
		prompt: "13", summary: "13",
		heat: [5]string{"8", "6", "14", "11", "15"},
	}
}

// basicHighLight has black and the one other colour that is as dark. What it
// cannot tell apart by colour, the screen tells apart by glyphs and words.
func basicHighLight() palette {
	return palette{
		high:       true,
		background: "15", text: "0", muted: "0", accent: "4", border: "0",
		selectedFg: "15", selectedBg: "4", found: "11", blurFg: "0", blurBg: "7",
		matchFg: "0", matchBg: "11", markFg: "0", markBg: "6", chip: "0", chipBg: "7",
		good: "4", warn: "0", bad: "0", dangerFg: "15", dangerBg: "0", link: "4",
		decision: "0", bugfix: "0", feature: "4", refactor: "0", discovery: "4", change: "0",
		prompt: "4", summary: "0",
		heat: [5]string{"4", "4", "4", "0", "0"},
	}
}

// basicHighDark does without red and magenta, which are too dark for it.
func basicHighDark() palette {
	return palette{
		high:       true,
		background: "0", text: "15", muted: "15", accent: "14", border: "15",
		selectedFg: "15", selectedBg: "4", found: "11", blurFg: "0", blurBg: "7",
		matchFg: "0", matchBg: "11", markFg: "0", markBg: "6", chip: "0", chipBg: "7",
		good: "10", warn: "11", bad: "11", dangerFg: "0", dangerBg: "15", link: "14",
		decision: "11", bugfix: "11", feature: "10", refactor: "14", discovery: "14", change: "15",
		prompt: "14", summary: "10",
		heat: [5]string{"2", "6", "10", "14", "15"},
	}
}

// Mono is the theme without colours: weight and reversal alone tell roles apart.
func Mono() Theme {
	plain := lipgloss.NewStyle()
	bold, faint, reverse := plain.Bold(true), plain.Faint(true), plain.Reverse(true)
	t := Theme{Name: MonoName}
	for r := range t.styles {
		t.styles[r] = plain
	}
	for _, r := range []Role{Strong, Accent, BorderFocus, Session, Heading, Key, Badge, Warn, Bad, Mark, Heat3, Heat4} {
		t.styles[r] = bold
	}
	for _, r := range []Role{Muted, Border, Title, Heat0} {
		t.styles[r] = faint
	}
	for _, r := range []Role{TitleFocus, Selected, Match, Danger} {
		t.styles[r] = reverse.Bold(true)
	}
	t.styles[SelectedBlur] = reverse
	t.styles[SelectedMatch] = reverse.Bold(true).Underline(true)
	t.styles[Link] = plain.Underline(true)
	t.styles[Chip] = plain.Italic(true)
	return t.ready()
}
