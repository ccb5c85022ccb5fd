package cli

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"cmem/config"
	"cmem/tui"
)

// editor gives the person's editor: the command of a setting, else of the
// environment, else one that every machine has.
func (a *App) editor(cfg *config.Config) string {
	for _, command := range []string{cfg.String("ui.editor"), a.Getenv("VISUAL"), a.Getenv("EDITOR")} {
		if strings.TrimSpace(command) != "" {
			return command
		}
	}
	if runtime.GOOS == "windows" {
		return "notepad"
	}
	return "vi"
}

// editorKind says how an editor is told of a line, and how to wait until the file
// is closed, if it does not do that anyway.
type editorKind struct {
	names []string
	args  func(path string, line string) []string
	wait  string
}

func plusLine(path, line string) []string { return []string{"+" + line, path} }
func goTo(path, line string) []string     { return []string{"-g", path + ":" + line} }
func colon(path, line string) []string    { return []string{path + ":" + line} }

var editorKinds = []editorKind{
	{[]string{"vi", "vim", "nvim", "view", "emacs", "nano", "pico", "micro", "kak", "joe", "ne", "vis", "mg"}, plusLine, ""},
	{[]string{"gvim", "mvim"}, plusLine, "-f"},
	{[]string{"emacsclient"}, plusLine, ""},
	{[]string{"code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"}, goTo, "--wait"},
	{[]string{"zed", "zeditor", "subl", "sublime_text"}, colon, "--wait"},
	{[]string{"hx", "helix"}, colon, ""},
	{[]string{"mate"}, func(path, line string) []string { return []string{"-l", line, path} }, "--wait"},
	{[]string{"kate"}, func(path, line string) []string { return []string{"-l", line, path} }, "--block"},
	{[]string{"gedit"}, plusLine, "--wait"},
	// It has no option for waiting; an instance of its own ends with its window.
	{[]string{"gnome-text-editor"}, plusLine, "--standalone"},
}

// editCommand gives the command that opens a file at a line with an editor. With
// wait it ends only when the person is done with the file.
func editCommand(editor, path string, line int, wait bool) (tui.Command, error) {
	words, err := splitCommand(editor)
	if err != nil {
		return tui.Command{}, fmt.Errorf("the editor %q: %w", editor, err)
	}
	program, err := exec.LookPath(words[0])
	if err != nil {
		return tui.Command{}, fmt.Errorf("the editor %s cannot be started: set ui.editor, or $EDITOR, to one that can", words[0])
	}
	args := words[1:]
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(words[0])), ".exe")
	at := slices.IndexFunc(editorKinds, func(k editorKind) bool { return slices.Contains(k.names, name) })
	if at >= 0 && wait && editorKinds[at].wait != "" && !slices.Contains(args, editorKinds[at].wait) && !slices.Contains(args, "-w") {
		args = append(args, editorKinds[at].wait)
	}
	if at >= 0 && line > 0 {
		args = append(args, editorKinds[at].args(path, strconv.Itoa(line))...)
	} else {
		args = append(args, path)
	}
	waits := at >= 0 && (wait || editorKinds[at].wait == "") &&
		(name != "emacsclient" || !slices.Contains(args, "-n") && !slices.Contains(args, "--no-wait"))
	return tui.Command{Path: program, Args: args, Waits: waits}, nil
}

// splitCommand splits a command into its words, as a shell would with quotes and
// backslashes, and with nothing else of a shell. A path with spaces that is a
// program is one word.
func splitCommand(command string) ([]string, error) {
	command = strings.TrimSpace(command)
	if strings.Contains(command, " ") {
		if _, err := exec.LookPath(command); err == nil {
			return []string{command}, nil
		}
	}
	var words []string
	var word strings.Builder
	inWord, quote, escaped := false, rune(0), false
	for _, r := range command {
		switch {
		case escaped:
			if quote == '"' && r != '"' && r != '\\' {
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && runtime.GOOS != "windows":
			inWord, escaped = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			inWord, quote = true, r
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			inWord = true
			word.WriteRune(r)
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote is not closed")
	}
	if inWord {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("it names no program")
	}
	return words, nil
}
