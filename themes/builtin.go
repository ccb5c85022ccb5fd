package themes

// lightPalette is for a light terminal, whatever its white is.
func lightPalette() palette {
	return palette{
		name:       "light",
		background: "#ffffff", text: "#1f2430", muted: "#596077", accent: "#2450b8", border: "#83899d",
		selectedFg: "#101728", selectedBg: "#cfdcfb", found: "#7a1f6b", blurFg: "#1f2430", blurBg: "#e4e6ea",
		matchFg: "#3d2a00", matchBg: "#ffe08a", markFg: "#2f1a52", markBg: "#ead0f7", chip: "#33405e", chipBg: "#e8ecf6",
		good: "#1b6a34", warn: "#855300", bad: "#b02020", dangerFg: "#ffffff", dangerBg: "#b02020", link: "#2450b8",
		decision: "#855300", bugfix: "#b02020", feature: "#1b6a34", refactor: "#0a6670", discovery: "#2450b8", change: "#4a5068",
		prompt: "#7437ab", summary: "#9c2c66",
		heat: [5]string{"#616d83", "#2450b9", "#0c339a", "#002087", "#000b45"},
	}
}

// darkPalette is for a dark terminal, whatever its black is.
func darkPalette() palette {
	return palette{
		name:       "dark",
		background: "#16181f", text: "#dfe3ee", muted: "#a0a7bb", accent: "#8ab4ff", border: "#6d748b",
		selectedFg: "#ffffff", selectedBg: "#33478a", found: "#ffebb4", blurFg: "#e6e9f2", blurBg: "#343949",
		matchFg: "#1d1600", matchBg: "#f2c94c", markFg: "#f3e8ff", markBg: "#6b2f86", chip: "#d3daea", chipBg: "#2d3242",
		good: "#86d69a", warn: "#eebf6d", bad: "#ff9a93", dangerFg: "#2b0503", dangerBg: "#ff9a93", link: "#8ab4ff",
		decision: "#eebf6d", bugfix: "#ff9a93", feature: "#86d69a", refactor: "#74d3db", discovery: "#8ab4ff", change: "#b8bfd2",
		prompt: "#d6b3ff", summary: "#f7b5d3",
		heat: [5]string{"#8993a6", "#7fa8f2", "#9cbffe", "#c0d7fe", "#eaf1ff"},
	}
}

// highContrastLight has 7:1 everywhere, on white.
func highContrastLight() palette {
	return palette{
		name:       "high-contrast-light",
		high:       true,
		background: "#ffffff", text: "#000000", muted: "#333333", accent: "#002b8f", border: "#333333",
		selectedFg: "#ffffff", selectedBg: "#002b8f", found: "#ffe94d", blurFg: "#000000", blurBg: "#d0d0d0",
		matchFg: "#000000", matchBg: "#ffd700", markFg: "#000000", markBg: "#e2c4ff", chip: "#000000", chipBg: "#e4e4e4",
		good: "#004d1a", warn: "#5c3200", bad: "#8f0000", dangerFg: "#ffffff", dangerBg: "#8f0000", link: "#002b8f",
		decision: "#5c3200", bugfix: "#8f0000", feature: "#004d1a", refactor: "#004a55", discovery: "#002b8f", change: "#333333",
		prompt: "#5a0f8c", summary: "#7a0f4d",
		heat: [5]string{"#585858", "#1941a2", "#0a2f8f", "#001b7a", "#000b45"},
	}
}

// highContrastDark has 7:1 everywhere, on black.
func highContrastDark() palette {
	return palette{
		name:       "high-contrast-dark",
		high:       true,
		background: "#000000", text: "#ffffff", muted: "#d0d0d0", accent: "#6fd6ff", border: "#d0d0d0",
		selectedFg: "#000000", selectedBg: "#ffffff", found: "#7a0045", blurFg: "#ffffff", blurBg: "#444444",
		matchFg: "#000000", matchBg: "#ffe300", markFg: "#ffffff", markBg: "#5f00af", chip: "#ffffff", chipBg: "#303030",
		good: "#7dff9b", warn: "#ffd75f", bad: "#ffa8a0", dangerFg: "#000000", dangerBg: "#ff9d94", link: "#6fd6ff",
		decision: "#ffd75f", bugfix: "#ffa8a0", feature: "#7dff9b", refactor: "#5ff5f5", discovery: "#6fd6ff", change: "#d0d0d0",
		prompt: "#e2c2ff", summary: "#ffb8dc",
		heat: [5]string{"#979797", "#39b8df", "#54cef5", "#94e2ff", "#ddf5fe"},
	}
}

// Light is the theme for a light terminal.
func Light() Theme { return lightPalette().theme() }

// Dark is the theme for a dark terminal.
func Dark() Theme { return darkPalette().theme() }
