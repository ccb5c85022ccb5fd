package main

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"time"
)

// cell is one character of a terminal.
type cell struct {
	x, width                int // in columns
	text                    string
	fg, bg                  string
	bold, italic, underline bool
}

// The size of a column and a row, and the margin, in pixels.
const (
	columnWidth = 8.4
	rowHeight   = 18.0
	baseline    = 13.2
	margin      = 12.0
	fontSize    = 14
	fonts       = `ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Noto Sans Mono CJK SC',monospace`
)

// draw gives an SVG of the pages: one still picture, or several that are shown
// one after the other, again and again.
func draw(pages []page, title string) []byte {
	first := pages[0].cells
	ground := first[len(first)-1][0].bg
	columns := 0
	for _, c := range first[0] {
		columns += c.width
	}
	w, h := 2*margin+float64(columns)*columnWidth, 2*margin+float64(len(first))*rowHeight
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="%s" font-size="%d" role="img">`,
		w, h, w, h, fonts, fontSize)
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(title))
	b.WriteString(style(pages))
	fmt.Fprintf(&b, `<rect width="%.0f" height="%.0f" rx="8" fill="%s"/>`+"\n", w, h, ground)

	// A row that several pages show is drawn once.
	ids := map[string]int{}
	var defs, body bytes.Buffer
	for n, p := range pages {
		fmt.Fprintf(&body, `<g class="p p%d">`, n)
		for y, row := range p.cells {
			drawn := drawRow(row, ground)
			if drawn == "" {
				continue
			}
			id, known := ids[drawn]
			if !known {
				id = len(ids)
				ids[drawn] = id
				fmt.Fprintf(&defs, "<g id=\"r%d\">%s</g>\n", id, drawn)
			}
			fmt.Fprintf(&body, `<use href="#r%d" x="%.0f" y="%.0f"/>`, id, margin, margin+float64(y)*rowHeight)
		}
		body.WriteString("</g>\n")
	}
	fmt.Fprintf(&b, "<defs>\n%s</defs>\n%s</svg>\n", defs.String(), body.String())
	return b.Bytes()
}

// style lets the pages take turns.
func style(pages []page) string {
	if len(pages) == 1 {
		return "<style>text{white-space:pre}</style>\n"
	}
	var total time.Duration
	for _, p := range pages {
		total += p.hold
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<style>text{white-space:pre}.p{visibility:hidden;animation-duration:%.2fs;animation-iteration-count:infinite;animation-timing-function:step-end}\n", total.Seconds())
	var at time.Duration
	for n, p := range pages {
		from, to := percent(at, total), percent(at+p.hold, total)
		at += p.hold
		fmt.Fprintf(&b, ".p%d{animation-name:k%d}@keyframes k%d{0%%{visibility:%s}", n, n, n, map[bool]string{true: "visible", false: "hidden"}[n == 0])
		if n > 0 {
			fmt.Fprintf(&b, "%s{visibility:visible}", from)
		}
		if n < len(pages)-1 {
			fmt.Fprintf(&b, "%s{visibility:hidden}", to)
		}
		b.WriteString("}\n")
	}
	// Who asked for less motion sees the first page.
	b.WriteString("@media (prefers-reduced-motion:reduce){.p{animation:none}.p0{visibility:visible}}</style>\n")
	return b.String()
}

func percent(at, total time.Duration) string {
	return fmt.Sprintf("%.3f%%", 100*at.Seconds()/total.Seconds())
}

// drawRow draws a row at the origin: first the backgrounds that are not the
// picture's own, then the text in runs
// of one style. Lines and blocks are drawn as shapes: fonts leave gaps there.
func drawRow(row []cell, ground string) string {
	var back, front strings.Builder
	for i := 0; i < len(row); {
		j := i
		for j < len(row) && row[j].bg == row[i].bg {
			j++
		}
		if row[i].bg != ground {
			x, end := float64(row[i].x)*columnWidth, float64(row[j-1].x+row[j-1].width)*columnWidth
			fmt.Fprintf(&back, `<rect x="%.1f" width="%.1f" height="%.0f" fill="%s"/>`, x, end-x, rowHeight, row[i].bg)
		}
		i = j
	}
	for i := 0; i < len(row); {
		c := row[i]
		if c.text == "█" { // in one piece: seams would show
			j := i
			for j < len(row) && row[j].text == c.text && row[j].fg == c.fg {
				j++
			}
			fmt.Fprintf(&front, `<rect x="%.1f" y="2" width="%.1f" height="%.0f" fill="%s"/>`, float64(c.x)*columnWidth, float64(j-i)*columnWidth, rowHeight-4, c.fg)
			i = j
			continue
		}
		if shape := drawShape(c); shape != "" {
			front.WriteString(shape)
			i++
			continue
		}
		j, text := i, ""
		for j < len(row) && sameRun(row[j], c) && drawShape(row[j]) == "" {
			text += row[j].text
			j++
		}
		if strings.TrimSpace(text) != "" {
			trimmed := strings.TrimLeft(text, " ")
			lead := len(text) - len(trimmed)
			trimmed = strings.TrimRight(trimmed, " ")
			width := 0
			for _, one := range row[i+lead : j] {
				width += one.width
			}
			width -= len(text) - lead - len(trimmed)
			fmt.Fprintf(&front, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`,
				float64(row[i+lead].x)*columnWidth, baseline, float64(width)*columnWidth, c.fg, decoration(c), html.EscapeString(trimmed))
		}
		i = j
	}
	return back.String() + front.String()
}

// sameRun reports whether two cells can stand in one piece of text. Wide
// characters stand alone: a font that lacks them falls back to one of other widths.
func sameRun(a, b cell) bool {
	if a.width != 1 || b.width != 1 {
		return a == b && a.x == b.x
	}
	return a.fg == b.fg && a.bg == b.bg && a.bold == b.bold && a.italic == b.italic && a.underline == b.underline && len(a.text) == 1 == (len(b.text) == 1)
}

func decoration(c cell) string {
	s := ""
	if c.bold {
		s += ` font-weight="700"`
	}
	if c.italic {
		s += ` font-style="italic"`
	}
	if c.underline {
		s += ` text-decoration="underline"`
	}
	return s
}

// drawShape draws a line or block character; "" for any other.
func drawShape(c cell) string {
	x, mid, half := float64(c.x)*columnWidth, float64(c.x)*columnWidth+columnWidth/2, rowHeight/2
	right := x + columnWidth
	path := func(d string, width float64) string {
		return `<path d="` + d + `" stroke="` + c.fg + fmt.Sprintf(`" stroke-width="%.1f" fill="none"/>`, width)
	}
	rect := func(x, y, w, h, opacity float64) string {
		return fmt.Sprintf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="`, x, y, w, h) + c.fg + fmt.Sprintf(`" fill-opacity="%.2f"/>`, opacity)
	}
	switch c.text {
	case "─":
		return path(fmt.Sprintf("M%.1f %.1fH%.1f", x, half, right), 1)
	case "│":
		return path(fmt.Sprintf("M%.1f 0V%.0f", mid, rowHeight), 1)
	case "┃":
		return path(fmt.Sprintf("M%.1f 0V%.0f", mid, rowHeight), 2.4)
	case "╭":
		return path(fmt.Sprintf("M%.1f %.0fV%.1fQ%.1f %.1f %.1f %.1fH%.1f", mid, rowHeight, half+4, mid, half, mid+4, half, right), 1)
	case "╮":
		return path(fmt.Sprintf("M%.1f %.0fV%.1fQ%.1f %.1f %.1f %.1fH%.1f", mid, rowHeight, half+4, mid, half, mid-4, half, x), 1)
	case "╰":
		return path(fmt.Sprintf("M%.1f 0V%.1fQ%.1f %.1f %.1f %.1fH%.1f", mid, half-4, mid, half, mid+4, half, right), 1)
	case "╯":
		return path(fmt.Sprintf("M%.1f 0V%.1fQ%.1f %.1f %.1f %.1fH%.1f", mid, half-4, mid, half, mid-4, half, x), 1)
	case "░":
		return rect(x, 0, columnWidth, rowHeight, 0.25)
	case "▒":
		return rect(x, 0, columnWidth, rowHeight, 0.5)
	case "▓":
		return rect(x, 0, columnWidth, rowHeight, 0.75)
	}
	const left = "▏▎▍▌▋▊▉"
	if i := strings.Index(left, c.text); i >= 0 && c.text != "" && c.text != " " {
		wide, gap := columnWidth*float64(i/len("▏")+1)/8, 2.0
		if c.text == "▌" || c.text == "▏" { // the mark of the selection
			gap = 0
		}
		return rect(x, gap, wide, rowHeight-2*gap, 1)
	}
	const eighths = "▁▂▃▄▅▆▇█"
	if i := strings.Index(eighths, c.text); i >= 0 && c.text != "" && c.text != " " {
		high := rowHeight * float64(i/len("▁")+1) / 8
		return rect(x, rowHeight-high, columnWidth, high, 1)
	}
	return ""
}
