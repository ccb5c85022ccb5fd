// Package agents writes cmem's entries into the settings of coding assistants,
// takes them out again and says whether they are there.
//
// It changes our entries and nothing else: what a person wrote stays as it is to
// the byte. It knows settings files only; the payloads of hooks are read in hooks.
package agents

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"cmem/config/jsonfile"
)

// Claude is the installation of Claude Code of one person.
type Claude struct {
	// Settings is the file with the hooks: settings.json in ~/.claude or in
	// CLAUDE_CONFIG_DIR.
	Settings string
	// Global is the file with the MCP servers: .claude.json in the home directory
	// or in CLAUDE_CONFIG_DIR. Claude Code itself writes it often.
	Global string
	// Binary is the absolute path of cmem, which the entries call.
	Binary string
}

// NewClaude finds Claude Code's files by HOME (on Windows USERPROFILE) and
// CLAUDE_CONFIG_DIR. The files need not exist.
func NewClaude(getenv func(string) string, binary string) (Claude, error) {
	if dir := getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		if !filepath.IsAbs(dir) {
			return Claude{}, fmt.Errorf("environment variable CLAUDE_CONFIG_DIR: %q is not an absolute path; give one or unset it", dir)
		}
		return Claude{
			Settings: filepath.Join(dir, "settings.json"),
			Global:   filepath.Join(dir, ".claude.json"),
			Binary:   binary,
		}, nil
	}
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	home := getenv(name)
	if !filepath.IsAbs(home) {
		return Claude{}, fmt.Errorf("find Claude Code's settings: %s is not set to an absolute path; set it, or CLAUDE_CONFIG_DIR", name)
	}
	return Claude{
		Settings: filepath.Join(home, ".claude", "settings.json"),
		Global:   filepath.Join(home, ".claude.json"),
		Binary:   binary,
	}, nil
}

// claudeHooks are the events that cmem asks for, in the order of a session. The
// timeouts are in seconds. Claude Code gives a SessionEnd hook that names none
// only 1.5 s, and no hook of ours should ever hold a session up for its default
// of ten minutes.
var claudeHooks = [...]struct {
	event, matcher string
	timeout        int
}{
	{"SessionStart", "", 10}, // no matcher: startup, resume, clear, compact, fork and what comes
	{"UserPromptSubmit", "", 10},
	{"PreToolUse", "Read|Edit|Write|MultiEdit|NotebookEdit", 10}, // it is not recorded, only answered
	{"PostToolUse", "*", 10},
	{"PostToolUseFailure", "*", 10},
	{"Notification", "", 10},
	{"SubagentStop", "", 10},
	{"PreCompact", "", 10},
	{"Stop", "", 10},
	{"StopFailure", "", 10},
	{"SessionEnd", "", 20},
}

// hookGroup and hookHandler are an entry of an event. With args Claude Code starts
// the command itself, without a shell: that saves a process, and the path needs no
// quotes and must have none. A client too old to know args runs the bare command
// in a shell; cmem takes that as a hook too, since a payload comes in.
type hookGroup struct {
	Matcher string        `json:"matcher,omitempty"`
	Hooks   []hookHandler `json:"hooks"`
}

type hookHandler struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Timeout int      `json:"timeout"`
}

// mcpServer is the entry of an MCP server.
type mcpServer struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// mcpName is the name of our MCP server, and so a part of its tools' names.
const mcpName = "cmem"

var errForeignServer = errors.New("is an MCP server that is not cmem's")

// addHooks brings our hooks in a settings document up to date. Where the person
// moved one, narrowed its matcher or changed its timeout, that stays.
func (c Claude) addHooks(doc *jsonfile.Doc) error {
	for _, want := range claudeHooks {
		mine, err := findHooks(doc, want.event, c.Binary)
		if err != nil {
			return err
		}
		if len(mine) == 0 {
			group := hookGroup{want.matcher, []hookHandler{{"command", c.Binary, []string{"hook"}, want.timeout}}}
			if err := addHook(doc, want.event, group); err != nil {
				return err
			}
			continue
		}
		if err := c.refreshHooks(doc, want.event); err != nil {
			return err
		}
	}
	return nil
}

func addHook(doc *jsonfile.Doc, event string, group hookGroup) error {
	if list := doc.Root().Member("hooks").Member(event); list.Exists() {
		return list.Append(group)
	}
	return doc.Set([]hookGroup{group}, "hooks", event)
}

// refreshHooks makes our hooks of an event call Binary and removes one that says
// the same as another.
func (c Claude) refreshHooks(doc *jsonfile.Doc, event string) error {
	for i := 0; ; i++ {
		mine, err := findHooks(doc, event, c.Binary)
		if err != nil || i >= len(mine) {
			return err
		}
		same := func(other ourHook) bool { return other.matcher == mine[i].matcher }
		if slices.ContainsFunc(mine[:i], same) {
			if err := mine[i].remove(); err != nil {
				return err
			}
			i--
			continue
		}
		if mine[i].upToDate(c.Binary) {
			continue
		}
		if err := mine[i].handler.Set(c.Binary, "command"); err != nil {
			return err
		}
		if mine, err = findHooks(doc, event, c.Binary); err != nil {
			return err
		}
		if err := mine[i].handler.Set([]string{"hook"}, "args"); err != nil {
			return err
		}
	}
}

// removeHooks takes our hooks of all events out of a settings document, and the
// groups, lists and objects that are empty without them.
func (c Claude) removeHooks(doc *jsonfile.Doc) error {
	for _, event := range doc.Root().Member("hooks").Names() {
		for {
			mine, err := findHooks(doc, event, c.Binary)
			if err != nil {
				return err
			}
			if len(mine) == 0 {
				break
			}
			if err := mine[0].remove(); err != nil {
				return err
			}
		}
	}
	return nil
}

// addServer brings our MCP server up to date, under whatever name it has.
func (c Claude) addServer(doc *jsonfile.Doc) error {
	servers, mine, err := findServers(doc, c.Binary)
	if err != nil {
		return err
	}
	if len(mine) == 0 {
		if taken := servers.Member(mcpName); taken.Exists() {
			return fmt.Errorf("%s: mcpServers.%s %w; rename it and try again", taken.Where(), mcpName, errForeignServer)
		}
		return doc.Set(mcpServer{"stdio", c.Binary, []string{"mcp"}}, "mcpServers", mcpName)
	}
	for _, name := range mine {
		command, _ := servers.Member(name).Member("command").Text()
		if command == c.Binary {
			continue
		}
		if err := doc.Set(c.Binary, "mcpServers", name, "command"); err != nil {
			return err
		}
		servers = doc.Root().Member("mcpServers")
	}
	return nil
}

// removeServer takes our MCP server out, and the object of servers when it is
// empty without it.
func (c Claude) removeServer(doc *jsonfile.Doc) error {
	for {
		servers, mine, err := findServers(doc, c.Binary)
		if err != nil || len(mine) == 0 {
			return err
		}
		gone := servers.Member(mine[0])
		if servers.Len() == 1 {
			gone = servers
		}
		if err := gone.Remove(); err != nil {
			return err
		}
	}
}
