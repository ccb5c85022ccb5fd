package themes

import "charm.land/lipgloss/v2"

// palette is what a coloured theme is made from.
type palette struct {
	name                                                   string
	background, text, muted, accent                        string
	border, selectedFg, selectedBg, blurFg, blurBg         string
	matchFg, matchBg, chip, chipBg                         string
	good, warn, bad                                        string
	decision, bugfix, feature, refactor, discovery, change string
	prompt, summary                                        string
}

// Light is the theme for a light terminal.
func Light() Theme {
	return palette{
		name:       LightName,
		background: "#ffffff", text: "#1f2430", muted: "#596077", accent: "#2450b8",
		border: "#9aa1b5", selectedFg: "#101728", selectedBg: "#cfdcfb", blurFg: "#1f2430", blurBg: "#e6e8ef",
		matchFg: "#3d2a00", matchBg: "#ffe08a", chip: "#33405e", chipBg: "#e8ecf6",
		good: "#1b6a34", warn: "#855300", bad: "#b02020",
		decision: "#855300", bugfix: "#b02020", feature: "#1b6a34",
		refactor: "#0a6670", discovery: "#2450b8", change: "#4a5068",
		prompt: "#7437ab", summary: "#9c2c66",
	}.theme()
}

// Dark is the theme for a dark terminal.
func Dark() Theme {
	return palette{
		name:       DarkName,
		background: "#16181f", text: "#dfe3ee", muted: "#a0a7bb", accent: "#8ab4ff",
		border: "#5a6178", selectedFg: "#ffffff", selectedBg: "#33478a", blurFg: "#e6e9f2", blurBg: "#343949",
		matchFg: "#1d1600", matchBg: "#f2c94c", chip: "#d3daea", chipBg: "#2d3242",
		good: "#86d69a", warn: "#eebf6d", bad: "#ff9a93",
		decision: "#eebf6d", bugfix: "#ff9a93", feature: "#86d69a",
		refactor: "#74d3db", discovery: "#8ab4ff", change: "#b8bfd2",
		prompt: "#d6b3ff", summary: "#f7b5d3",
	}.theme()
}

func (p palette) theme() Theme {
	fg := func(hex string) lipgloss.Style { return lipgloss.NewStyle().Foreground(lipgloss.Color(hex)) }
	on := func(hex, bg string) lipgloss.Style { return fg(hex).Background(lipgloss.Color(bg)) }
	t := Theme{Name: p.name, Background: lipgloss.Color(p.background)}
	t.styles = [roles]lipgloss.Style{
		Text:         fg(p.text),
		Muted:        fg(p.muted),
		Strong:       fg(p.text).Bold(true),
		Accent:       fg(p.accent).Bold(true),
		Border:       fg(p.border),
		BorderFocus:  fg(p.accent),
		Title:        fg(p.muted),
		TitleFocus:   fg(p.accent).Bold(true),
		Selected:     on(p.selectedFg, p.selectedBg).Bold(true),
		SelectedBlur: on(p.blurFg, p.blurBg),
		Match:        on(p.matchFg, p.matchBg).Bold(true),
		Day:          fg(p.accent),
		Session:      fg(p.text).Bold(true),
		Heading:      fg(p.accent).Bold(true),
		Chip:         on(p.chip, p.chipBg),
		Key:          fg(p.accent),
		Badge:        fg(p.good).Bold(true),
		Good:         fg(p.good),
		Warn:         fg(p.warn),
		Bad:          fg(p.bad),
		Decision:     fg(p.decision),
		Bugfix:       fg(p.bugfix),
		Feature:      fg(p.feature),
		Refactor:     fg(p.refactor),
		Discovery:    fg(p.discovery),
		Change:       fg(p.change),
		Other:        fg(p.muted),
		Prompt:       fg(p.prompt),
		Summary:      fg(p.summary),
	}
	return t.ready()
}

// Basic gives the theme's counterpart for a terminal of 16 colours. Its colours
// are the terminal's own, whatever they look like there: reducing a palette
// would turn every tinted grey into blue.
func (t Theme) Basic() Theme {
	switch t.Name {
	case LightName: // without the bright colours, which vanish on white
		return palette{
			name:       LightName,
			background: "15", text: "0", muted: "0", accent: "4",
			border: "8", selectedFg: "15", selectedBg: "4", blurFg: "0", blurBg: "7",
			matchFg: "0", matchBg: "11", chip: "0", chipBg: "7",
			good: "4", warn: "5", bad: "1",
			decision: "5", bugfix: "1", feature: "4",
			refactor: "0", discovery: "4", change: "0",
			prompt: "5", summary: "1",
		}.theme()
	case DarkName: // without the dark colours, which vanish on black
		return palette{
			name:       DarkName,
			background: "0", text: "15", muted: "7", accent: "14",
			border: "8", selectedFg: "15", selectedBg: "4", blurFg: "0", blurBg: "7",
			matchFg: "0", matchBg: "11", chip: "0", chipBg: "7",
			good: "10", warn: "11", bad: "9",
			decision: "11", bugfix: "9", feature: "10",
			refactor: "14", discovery: "14", change: "7",
			prompt: "13", summary: "13",
		}.theme()
	}
	return t
}

// Mono is the theme without colours: weight and reversal alone tell roles apart.
func Mono() Theme {
	plain := lipgloss.NewStyle()
	bold, faint, reverse := plain.Bold(true), plain.Faint(true), plain.Reverse(true)
	t := Theme{Name: MonoName}
	for r := range t.styles {
		t.styles[r] = plain
	}
	for _, r := range []Role{Strong, Accent, BorderFocus, Session, Heading, Key, Badge, Warn, Bad} {
		t.styles[r] = bold
	}
	for _, r := range []Role{Muted, Border, Title} {
		t.styles[r] = faint
	}
	for _, r := range []Role{TitleFocus, Selected, Match} {
		t.styles[r] = reverse.Bold(true)
	}
	t.styles[SelectedBlur] = reverse
	t.styles[Chip] = plain.Italic(true)
	return t.ready()
}
