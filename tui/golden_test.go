package tui

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

var sizes = [][2]int{{80, 24}, {120, 40}, {200, 60}}

// scenes are the screens that a person judges, each with the keys that lead
// to it.
var scenes = []struct {
	name    string
	options func() Options
	play    func(h *harness)
}{
	{"timeline", demoOptions, func(*harness) {}},
	{"details", demoOptions, func(h *harness) { h.keys("j", "j", "j", "j", "enter") }},
	{"chinese", demoOptions, func(h *harness) { h.useClusters(); h.keys("G", "k") }},
	{"all-projects", func() Options {
		o := demoOptions()
		o.Project = ""
		return o
	}, func(h *harness) { h.useClusters(); h.keys("G") }},
	{"search", demoOptions, func(h *harness) { h.keys("/"); h.text("retry") }},
	{"filter", demoOptions, func(h *harness) { h.keys("/"); h.text("type:bugfix"); h.keys("enter") }},
	{"found-nothing", demoOptions, func(h *harness) { h.keys("/"); h.text("kubernetes"); h.keys("enter") }},
	{"projects", demoOptions, func(h *harness) { h.keys("p") }},
	{"help", demoOptions, func(h *harness) { h.keys("?") }},
	{"empty", func() Options { return Options{Source: &fakeSource{}, Theme: "system"} }, func(*harness) {}},
	{"broken", func() Options {
		o := demoOptions()
		o.Source = &fakeSource{fail: errors.New("open store /home/dev/.cmem/cmem.db: file is not a database")}
		o.Desk.Status = func(context.Context) (Status, error) { return Status{}, errors.New("no worker answers") }
		return o
	}, func(*harness) {}},
}

func TestFramesLookAsAgreed(t *testing.T) {
	slow(t)
	for _, scene := range scenes {
		for _, size := range append(sizes, [2]int{56, 18}) {
			name := fmt.Sprintf("%s-%dx%d", scene.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				h := open(t, scene.options(), size[0], size[1])
				scene.play(h)
				golden(t, "frames/"+name+".txt", h.frame())
			})
		}
	}
}

// The styled frames can be looked at with cat.
func TestStylesLookAsAgreed(t *testing.T) {
	for _, tc := range []struct {
		name       string
		background color.Color
		profile    colorprofile.Profile
	}{
		{"light", color.White, colorprofile.TrueColor},
		{"dark", color.Black, colorprofile.TrueColor},
		{"sixteen", color.White, colorprofile.ANSI},
		{"mono", color.Black, colorprofile.ASCII},
	} {
		for _, size := range sizes {
			name := fmt.Sprintf("%s-%dx%d", tc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				h := open(t, demoOptions(), size[0], size[1])
				h.send(tea.BackgroundColorMsg{Color: tc.background})
				h.send(tea.ColorProfileMsg{Profile: tc.profile})
				h.keys("j", "j", "j", "j", "/")
				h.text("retry")
				h.keys("enter")
				golden(t, "styles/"+name+".ansi", h.m.View().Content+"\n")
			})
		}
	}
}
