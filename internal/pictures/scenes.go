package main

import (
	"image/color"
	"time"
)

// scene is one picture: how large the terminal is, and what is typed there.
type scene struct {
	name, title   string
	width, height int
	dark          bool
	steps         []step
	film          bool // every step is shown, for its time; else the last one only
}

// step is something typed, what has to be on the screen then, and how long that
// is shown in a recording.
type step struct {
	keys string
	see  string
	hold time.Duration
}

// The colours of the emulated terminals.
var (
	darkBackground  = color.RGBA{0x16, 0x18, 0x1f, 0xff}
	darkForeground  = color.RGBA{0xdf, 0xe3, 0xee, 0xff}
	lightBackground = color.RGBA{0xff, 0xff, 0xff, 0xff}
	lightForeground = color.RGBA{0x1f, 0x24, 0x30, 0xff}
)

const (
	down  = "j"
	enter = "\r"
	esc   = "\x1b"
	tab   = "\t"
)

var opened = step{see: "Learned", hold: 1800 * time.Millisecond}

var scenes = []scene{
	{name: "timeline-dark", title: "The timeline and a memory", width: 120, height: 36, dark: true, steps: []step{opened, {keys: down + down + down + down + down, see: "Observation #7"}}},
	{name: "timeline-light", title: "The same on a light terminal", width: 120, height: 36, steps: []step{opened, {keys: down + down + down + down + down, see: "Observation #7"}}},
	{name: "search", title: "Search as you type, with what matched and why", width: 120, height: 30, dark: true, steps: []step{opened, {keys: "/refund", see: "found"}}},
	{name: "stats", title: "Statistics", width: 120, height: 36, dark: true, steps: []step{opened, {keys: "5", see: "Files most worked on"}}},
	{name: "context", title: "What the next session will be given, and why", width: 120, height: 30, dark: true, steps: []step{opened, {keys: "7", see: "of 50"}}},
	{name: "recording", title: "A minute with the memory browser", width: 110, height: 30, dark: true, film: true, steps: []step{
		opened,
		{keys: down, hold: 350 * time.Millisecond},
		{keys: down, hold: 350 * time.Millisecond},
		{keys: down, hold: 1500 * time.Millisecond},
		{keys: "/", hold: 700 * time.Millisecond},
		{keys: "re", hold: 250 * time.Millisecond},
		{keys: "fu", hold: 250 * time.Millisecond},
		{keys: "nd", see: "found", hold: 1600 * time.Millisecond},
		{keys: enter, hold: 500 * time.Millisecond},
		{keys: "P", see: "★", hold: 1500 * time.Millisecond},
		{keys: "u", hold: 1300 * time.Millisecond},
		{keys: esc, hold: 700 * time.Millisecond},
		{keys: "2", see: "Sessions", hold: 1600 * time.Millisecond},
		{keys: "5", see: "best day", hold: 2000 * time.Millisecond},
		{keys: "7", see: "of 50", hold: 2000 * time.Millisecond},
		{keys: ":", hold: 700 * time.Millisecond},
		{keys: "arch", hold: 1500 * time.Millisecond},
		{keys: esc, hold: 500 * time.Millisecond},
		{keys: "1", hold: 1200 * time.Millisecond},
	}},
}
