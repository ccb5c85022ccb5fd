package cli

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode/utf16"
)

// clipboardPatience is how long a program for the clipboard may take.
const clipboardPatience = 2 * time.Second

// The libraries for this look for these programs when a process starts, and every
// hook is one: so it is done here, when it is asked for.

// clipboardPrograms gives the programs that put their input on the clipboard of
// the desktop that the environment tells of, the best first.
func clipboardPrograms(system string, getenv func(string) string) [][]string {
	switch system {
	case "darwin":
		return [][]string{{"pbcopy"}}
	case "windows":
		return [][]string{{"clip.exe"}}
	}
	var out [][]string
	if getenv("WAYLAND_DISPLAY") != "" {
		out = append(out, []string{"wl-copy"})
	}
	if getenv("DISPLAY") != "" {
		out = append(out, []string{"xclip", "-in", "-selection", "clipboard"}, []string{"xsel", "--input", "--clipboard"})
	}
	if getenv("WSL_DISTRO_NAME") != "" {
		out = append(out, []string{"clip.exe"})
	}
	if getenv("TERMUX_VERSION") != "" {
		out = append(out, []string{"termux-clipboard-set"})
	}
	return out
}

// copyToClipboard puts text on the system's clipboard.
func copyToClipboard(getenv func(string) string, text string) error {
	for _, words := range clipboardPrograms(runtime.GOOS, getenv) {
		path, err := exec.LookPath(words[0])
		if err != nil {
			continue
		}
		if words[0] == "clip.exe" {
			text = asUTF16(text)
		}
		if err := feed(path, words[1:], text); err != nil {
			return fmt.Errorf("put text on the clipboard with %s: %w", words[0], err)
		}
		return nil
	}
	return errors.New("there is no program for the clipboard")
}

// feed runs a program of clipboardPrograms with text as its input.
func feed(path string, args []string, text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), clipboardPatience)
	defer cancel()
	//nolint:gosec // a program of the list above
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin = strings.NewReader(text)
	return cmd.Run()
}

// asUTF16 writes text as Windows' clip reads it without guessing a code page.
func asUTF16(text string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return string(b)
}
