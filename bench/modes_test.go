package main

import (
	"slices"
	"testing"
)

func TestWhatAProgramLeavesInItsTerminalIsNamed(t *testing.T) {
	tests := []struct {
		name   string
		output string
		want   []string
	}{
		{"nothing", "hello 你好 🚀\r\n", nil},
		{"all put back", "\x1b[?1049h\x1b[?25l\x1b[?1002;1006h\x1b[>1u\x1b[>4;2m\x1b[6 q" +
			"\x1b[0 q\x1b[>4m\x1b[<1u\x1b[?1002;1006l\x1b[?25h\x1b[?1049l", nil},
		{"alternate screen", "\x1b[?1049h", []string{"mode 1049 on"}},
		{"hidden cursor and unwrapped lines", "\x1b[?25l\x1b[?7l", []string{"mode 25 off", "mode 7 off"}},
		{"several at once", "\x1b[?1002;1006h\x1b[?1002l", []string{"mode 1006 on"}},
		{"keyboard", "\x1b[>1u\x1b[>3u\x1b[<u", []string{"keyboard stack 1"}},
		{"more taken from the keyboard's stack than was there", "\x1b[<2u", nil},
		{"modified keys", "\x1b[>4;2m", []string{"modifyOtherKeys 2"}},
		{"cursor's shape", "\x1b[6 q", []string{"cursor shape 6"}},
		{"a question is no change", "\x1b[?2026$p\x1b[?u\x1b]11;?\x07", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// In one piece, and byte by byte, as a read may cut it.
			var whole, cut modes
			whole.feed([]byte(tt.output))
			for i := range len(tt.output) {
				cut.feed([]byte{tt.output[i]})
			}
			if got := whole.leftOver(); !slices.Equal(got, tt.want) {
				t.Errorf("left over: %q, want %q", got, tt.want)
			}
			if got := cut.leftOver(); !slices.Equal(got, tt.want) {
				t.Errorf("left over, fed byte by byte: %q, want %q", got, tt.want)
			}
		})
	}
}
