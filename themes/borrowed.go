package themes

// The palettes of other projects, all of them published under the MIT licence:
//
//	Solarized    Ethan Schoonover          https://ethanschoonover.com/solarized
//	Catppuccin   the Catppuccin project    https://catppuccin.com/palette
//	gruvbox      Pavel Pertsev             https://github.com/morhetz/gruvbox
//	Nord         Sven Greb, Arctic Ice     https://www.nordtheme.com
//	Tokyo Night  enkia                     https://github.com/enkia/tokyo-night-vscode-theme
//	Dracula      Zeno Rocha                https://draculatheme.com
//
// They are made for code, where a comment may be faint. Here everything is to be
// read: a colour that had less than 4.5:1 on its background keeps its hue and
// is lighter or darker until it has. Backgrounds of rows, and the steps of the
// heat map, are ours, in the project's hues.

// solarizedLight is Solarized on base3.
func solarizedLight() palette {
	return palette{
		name:       "solarized-light",
		background: "#fdf6e3", text: "#586e75", muted: "#5f747c", accent: "#0575b9", border: "#829090",
		selectedFg: "#002b36", selectedBg: "#bfdcea", found: "#b40a69", blurFg: "#073642", blurBg: "#ddd6c1",
		matchFg: "#002b36", matchBg: "#f0c64a", markFg: "#073642", markBg: "#d5d3f0", chip: "#556b72", chipBg: "#eee8d5",
		good: "#687800", warn: "#8f6b02", bad: "#d62a29", dangerFg: "#fdf6e3", dangerBg: "#b3221f", link: "#0575b9",
		decision: "#8f6b02", bugfix: "#d62a29", feature: "#687800", refactor: "#087e77", discovery: "#0575b9", change: "#5f747c",
		prompt: "#6468ba", summary: "#cc2e7c",
		heat: [5]string{"#62717f", "#035e95", "#034873", "#013151", "#001425"},
	}
}

// solarizedDark is Solarized on base03.
func solarizedDark() palette {
	return palette{
		name:       "solarized-dark",
		background: "#002b36", text: "#93a1a1", muted: "#839496", accent: "#3194db", border: "#5e757c",
		selectedFg: "#fdf6e3", selectedBg: "#1d5c86", found: "#f4ca4f", blurFg: "#eee8d5", blurBg: "#274d57",
		matchFg: "#002b36", matchBg: "#d7a520", markFg: "#fdf6e3", markBg: "#5054a0", chip: "#93a1a1", chipBg: "#073642",
		good: "#859900", warn: "#b58900", bad: "#fb524a", dangerFg: "#002b36", dangerBg: "#f28b80", link: "#3194db",
		decision: "#b58900", bugfix: "#fb524a", feature: "#859900", refactor: "#2aa198", discovery: "#3194db", change: "#93a1a1",
		prompt: "#8187dc", summary: "#f0539a",
		heat: [5]string{"#819290", "#44b5ac", "#5fcdc3", "#7ae7dd", "#b2fff6"},
	}
}

// catppuccinLatte is the light flavour of Catppuccin.
func catppuccinLatte() palette {
	return palette{
		name:       "catppuccin-latte",
		background: "#eff1f5", text: "#4c4f69", muted: "#696c82", accent: "#1a62f1", border: "#86899b",
		selectedFg: "#1e2030", selectedBg: "#b9cdf8", found: "#7518d7", blurFg: "#4c4f69", blurBg: "#ccd0da",
		matchFg: "#3a2a00", matchBg: "#f2c464", markFg: "#3a1a6b", markBg: "#dcc6f7", chip: "#5c5f77", chipBg: "#dce0e8",
		good: "#227e04", warn: "#9b6005", bad: "#d20f39", dangerFg: "#eff1f5", dangerBg: "#d20f39", link: "#1a62f1",
		decision: "#9b6005", bugfix: "#d20f39", feature: "#227e04", refactor: "#05797f", discovery: "#1a62f1", change: "#696c82",
		prompt: "#8839ef", summary: "#b14196",
		heat: [5]string{"#626d81", "#004ad4", "#0039a6", "#002677", "#000f3c"},
	}
}

// catppuccinMocha is the darkest flavour of Catppuccin.
func catppuccinMocha() palette {
	return palette{
		name:       "catppuccin-mocha",
		background: "#1e1e2e", text: "#cdd6f4", muted: "#a6adc8", accent: "#89b4fa", border: "#6c7086",
		selectedFg: "#ffffff", selectedBg: "#3d5a94", found: "#f9e2af", blurFg: "#cdd6f4", blurBg: "#45475a",
		matchFg: "#1e1e2e", matchBg: "#f9e2af", markFg: "#f5e0ff", markBg: "#5d4680", chip: "#bac2de", chipBg: "#313244",
		good: "#a6e3a1", warn: "#f9e2af", bad: "#f38ba8", dangerFg: "#1e1e2e", dangerBg: "#f38ba8", link: "#89dceb",
		decision: "#fab387", bugfix: "#f38ba8", feature: "#a6e3a1", refactor: "#94e2d5", discovery: "#89b4fa", change: "#9399b2",
		prompt: "#cba6f7", summary: "#f5c2e7",
		heat: [5]string{"#7a89a0", "#76a0e4", "#8db8ff", "#bad4fe", "#e9f2ff"},
	}
}

// gruvboxLight is gruvbox, light, medium contrast.
func gruvboxLight() palette {
	return palette{
		name:       "gruvbox-light",
		background: "#fbf1c7", text: "#3c3836", muted: "#665c54", accent: "#076678", border: "#928374",
		selectedFg: "#282828", selectedBg: "#b8d3cf", found: "#9d0006", blurFg: "#3c3836", blurBg: "#e2d3aa",
		matchFg: "#282828", matchBg: "#fabd2f", markFg: "#3c1f33", markBg: "#ecb8d4", chip: "#504945", chipBg: "#ebdbb2",
		good: "#746f02", warn: "#986103", bad: "#9d0006", dangerFg: "#fbf1c7", dangerBg: "#9d0006", link: "#076678",
		decision: "#986103", bugfix: "#9d0006", feature: "#746f02", refactor: "#3f7855", discovery: "#076678", change: "#776a5f",
		prompt: "#8f3f71", summary: "#af3a03",
		heat: [5]string{"#606e72", "#016071", "#034a58", "#02333e", "#01161c"},
	}
}

// gruvboxDark is gruvbox, dark, medium contrast.
func gruvboxDark() palette {
	return palette{
		name:       "gruvbox-dark",
		background: "#282828", text: "#ebdbb2", muted: "#a89984", accent: "#83a598", border: "#7d7065",
		selectedFg: "#fbf1c7", selectedBg: "#35616b", found: "#ffcc65", blurFg: "#ebdbb2", blurBg: "#504945",
		matchFg: "#282828", matchBg: "#fabd2f", markFg: "#fbf1c7", markBg: "#8f3f71", chip: "#d5c4a1", chipBg: "#3c3836",
		good: "#b8bb26", warn: "#fabd2f", bad: "#ff513c", dangerFg: "#232323", dangerBg: "#fb4934", link: "#83a598",
		decision: "#fabd2f", bugfix: "#ff513c", feature: "#b8bb26", refactor: "#8ec07c", discovery: "#83a598", change: "#bdae93",
		prompt: "#d3869b", summary: "#fe8019",
		heat: [5]string{"#9b8f79", "#d39c0a", "#eeb21a", "#ffce6d", "#ffefd2"},
	}
}

// nord is Nord: polar night behind, snow storm, frost and aurora in front.
func nord() palette {
	return palette{
		name:       "nord",
		background: "#2e3440", text: "#e5e9f0", muted: "#a9b4c8", accent: "#88c0d0", border: "#737e94",
		selectedFg: "#eceff4", selectedBg: "#4a6a96", found: "#ffe7b7", blurFg: "#e5e9f0", blurBg: "#434c5e",
		matchFg: "#2e3440", matchBg: "#ebcb8b", markFg: "#eceff4", markBg: "#745a78", chip: "#d8dee9", chipBg: "#3b4252",
		good: "#a3be8c", warn: "#ebcb8b", bad: "#e28088", dangerFg: "#2e3440", dangerBg: "#e08a92", link: "#88c0d0",
		decision: "#ebcb8b", bugfix: "#e28088", feature: "#a3be8c", refactor: "#8fbcbb", discovery: "#81a1c1", change: "#d8dee9",
		prompt: "#b791b0", summary: "#d38a73",
		heat: [5]string{"#88a2aa", "#81b9c9", "#95cddd", "#aae3f4", "#d7f6ff"},
	}
}

// tokyoNight is Tokyo Night, the variant called Night.
func tokyoNight() palette {
	return palette{
		name:       "tokyo-night",
		background: "#1a1b26", text: "#c0caf5", muted: "#9aa5ce", accent: "#7aa2f7", border: "#5d6691",
		selectedFg: "#ffffff", selectedBg: "#33508f", found: "#ffd08a", blurFg: "#c0caf5", blurBg: "#3b4261",
		matchFg: "#1a1b26", matchBg: "#e0af68", markFg: "#f0e6ff", markBg: "#5b4a86", chip: "#a9b1d6", chipBg: "#24283b",
		good: "#9ece6a", warn: "#e0af68", bad: "#f7768e", dangerFg: "#1a1b26", dangerBg: "#f7768e", link: "#7dcfff",
		decision: "#e0af68", bugfix: "#f7768e", feature: "#9ece6a", refactor: "#73daca", discovery: "#7aa2f7", change: "#a9b1d6",
		prompt: "#bb9af7", summary: "#ff9e64",
		heat: [5]string{"#7385ab", "#749bf0", "#92b5fe", "#bcd2fe", "#ebf1fe"},
	}
}

// dracula is Dracula.
func dracula() palette {
	return palette{
		name:       "dracula",
		background: "#282a36", text: "#f8f8f2", muted: "#8091c5", accent: "#bd93f9", border: "#6373a5",
		selectedFg: "#ffffff", selectedBg: "#4f5a8f", found: "#f1fa8c", blurFg: "#f8f8f2", blurBg: "#44475a",
		matchFg: "#282a36", matchBg: "#f1fa8c", markFg: "#f8f8f2", markBg: "#87428a", chip: "#f8f8f2", chipBg: "#383a4a",
		good: "#50fa7b", warn: "#ffb86c", bad: "#fe5857", dangerFg: "#282a36", dangerBg: "#ff7a7a", link: "#8be9fd",
		decision: "#ffb86c", bugfix: "#fe5857", feature: "#50fa7b", refactor: "#8be9fd", discovery: "#bd93f9", change: "#bfc4d9",
		prompt: "#ff79c6", summary: "#f1fa8c",
		heat: [5]string{"#9e8abf", "#be94fa", "#ceafff", "#e0ceff", "#f4efff"},
	}
}
