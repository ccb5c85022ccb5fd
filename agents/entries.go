package agents

import (
	"fmt"
	"slices"
	"strings"

	"cmem/config/jsonfile"
)

// ourHook is a hook of ours as it stands in a settings document. It is good until
// the document is edited.
type ourHook struct {
	hooks, list, group, handler jsonfile.Node
	matcher                     string
	command                     string // the program that it calls
}

// findHooks returns our hooks of an event. It fails when the settings have another
// shape than Claude Code's.
func findHooks(doc *jsonfile.Doc, event, binary string) ([]ourHook, error) {
	hooks := doc.Root().Member("hooks")
	if hooks.Exists() && !hooks.IsObject() {
		return nil, fmt.Errorf("%s: hooks holds %s where an object {…} belongs; correct it and try again", hooks.Where(), hooks.Kind())
	}
	list := hooks.Member(event)
	if list.Exists() && !list.IsArray() {
		return nil, fmt.Errorf("%s: hooks.%s holds %s where an array […] belongs; correct it and try again", list.Where(), event, list.Kind())
	}
	var mine []ourHook
	for _, group := range list.Elements() {
		matcher, _ := group.Member("matcher").Text()
		for _, handler := range group.Member("hooks").Elements() {
			if command, ok := hookCommand(handler, binary); ok {
				mine = append(mine, ourHook{hooks, list, group, handler, matcher, command})
			}
		}
	}
	return mine, nil
}

// remove takes the hook out, with what is empty without it.
func (h ourHook) remove() error {
	switch {
	case h.group.Member("hooks").Len() > 1:
		return h.handler.Remove()
	case h.list.Len() > 1:
		return h.group.Remove()
	case h.hooks.Len() > 1:
		return h.list.Remove()
	default:
		return h.hooks.Remove()
	}
}

// upToDate reports whether the hook calls binary, and without a shell.
func (h ourHook) upToDate(binary string) bool {
	command, _ := h.handler.Member("command").Text()
	return command == binary && slices.Equal(texts(h.handler.Member("args")), []string{"hook"})
}

// hookCommand returns the program that a hook calls if the hook is ours: cmem with
// the argument "hook", or a shell's line that says the same.
func hookCommand(handler jsonfile.Node, binary string) (string, bool) {
	command, ok := handler.Member("command").Text()
	if !ok {
		return "", false
	}
	if args := handler.Member("args"); args.Exists() {
		return command, slices.Equal(texts(args), []string{"hook"}) && isCmem(command, binary)
	}
	program := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(command), " hook"))
	if len(program) > 1 && (program[0] == '"' || program[0] == '\'') && program[len(program)-1] == program[0] {
		program = program[1 : len(program)-1]
	}
	base := strings.ToLower(baseName(program))
	return program, program == binary || base == "cmem" || base == "cmem.exe"
}

// findServers returns the object of MCP servers and the names of those that are
// ours.
func findServers(doc *jsonfile.Doc, binary string) (servers jsonfile.Node, mine []string, err error) {
	servers = doc.Root().Member("mcpServers")
	if servers.Exists() && !servers.IsObject() {
		return servers, nil, fmt.Errorf("%s: mcpServers holds %s where an object {…} belongs; correct it and try again", servers.Where(), servers.Kind())
	}
	for _, name := range servers.Names() {
		server := servers.Member(name)
		command, ok := server.Member("command").Text()
		if ok && isCmem(command, binary) && slices.Equal(texts(server.Member("args")), []string{"mcp"}) && !slices.Contains(mine, name) {
			mine = append(mine, name)
		}
	}
	return servers, mine, nil
}

// calledByHooks returns the program that the first of our hooks calls.
func (c Claude) calledByHooks(doc *jsonfile.Doc) string {
	for _, event := range doc.Root().Member("hooks").Names() {
		if mine, err := findHooks(doc, event, c.Binary); err == nil && len(mine) > 0 {
			return mine[0].command
		}
	}
	return ""
}

// calledByServer returns the program that our MCP server is.
func (c Claude) calledByServer(doc *jsonfile.Doc) string {
	servers, mine, err := findServers(doc, c.Binary)
	if err != nil || len(mine) == 0 {
		return ""
	}
	command, _ := servers.Member(mine[0]).Member("command").Text()
	return command
}

// isCmem reports whether a program is cmem, this one or another build of it, such
// as "cmem-linux-amd64".
func isCmem(program, binary string) bool {
	return program == binary || strings.HasPrefix(strings.ToLower(baseName(program)), "cmem")
}

// baseName returns the last part of a path of any operating system.
func baseName(path string) string {
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// texts returns the strings of an array; of one that holds anything else, nil.
func texts(array jsonfile.Node) []string {
	var list []string
	for _, element := range array.Elements() {
		text, ok := element.Text()
		if !ok {
			return nil
		}
		list = append(list, text)
	}
	return list
}
