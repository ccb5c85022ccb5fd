package tui

import (
	"fmt"
	"testing"

	"cmem/themes"
)

func TestPaletteAndThemesLookAsAgreed(t *testing.T) {
	for _, scene := range []struct {
		name string
		play func(h *harness)
	}{
		{"palette", func(h *harness) { h.keys(":") }},
		{"palette-typed", func(h *harness) { h.keys(":"); h.text("undo") }},
		{"themes", func(h *harness) { h.keys("t", "j", "j", "j") }},
	} {
		for _, size := range append(sizes, [2]int{56, 18}, [2]int{40, 12}) {
			name := fmt.Sprintf("%s-%dx%d", scene.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				h := open(t, demoOptions(), size[0], size[1])
				scene.play(h)
				golden(t, "frames/"+name+".txt", h.frame())
			})
		}
	}
}

// Each theme as a person sees it. The files can be looked at with cat.
func TestThemesLookAsAgreed(t *testing.T) {
	for _, name := range themes.Names() {
		if (themes.Set{}).Follows(name) {
			continue // its halves are there
		}
		t.Run(name, func(t *testing.T) {
			o := demoOptions()
			o.Theme = name
			h := open(t, o, 80, 24)
			h.keys("j", "j", "j", "j")
			golden(t, "styles/theme-"+name+"-80x24.ansi", h.m.View().Content+"\n")
		})
	}
}
