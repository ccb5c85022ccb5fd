package tui

import "strings"

var sparkGlyphs = [...]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// spark draws counts as a line of blocks, one a count, the highest as high as
// the row. What is not nothing stands above the ground.
func spark(counts []int) string {
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	var b strings.Builder
	for _, n := range counts {
		level := 0
		if n > 0 {
			level = 1 + (n-1)*(len(sparkGlyphs)-2)/max(most-1, 1)
		}
		if most > 0 && n == most {
			level = len(sparkGlyphs) - 1
		}
		b.WriteString(sparkGlyphs[level])
	}
	return b.String()
}
