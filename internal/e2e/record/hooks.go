package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"cmem/internal/e2e/scene"
)

// events are the hooks that are recorded: those that a memory has a use for.
var events = []string{
	"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "StopFailure",
	"SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "Notification", "SessionEnd",
}

// installHooks has the client of the stage call this program for each event,
// which then leaves the payload in dir, and gives the client the ticket server.
func installHooks(st *scene.Stage, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("install the hooks: %w", err)
	}
	hooks := map[string]any{}
	for _, e := range events {
		hooks[e] = []any{map[string]any{"hooks": []any{map[string]any{
			"type": "command", "command": fmt.Sprintf("'%s' hook '%s'", self, dir), "timeout": 20,
		}}}}
	}
	settings := map[string]any{
		"hooks": hooks,
		// Without this the client asks its maker whether a web page may be read.
		"skipWebFetchPreflight": true,
	}
	servers := map[string]any{"mcpServers": map[string]any{
		"tickets": map[string]any{"command": self, "args": []string{"tickets"}},
	}}
	mcpConfig := filepath.Join(st.Home, "mcp.json")
	st.Args = []string{"--mcp-config", mcpConfig, "--strict-mcp-config"}
	for file, v := range map[string]any{filepath.Join(st.Home, ".claude", "settings.json"): settings, mcpConfig: servers} {
		data, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return fmt.Errorf("install the hooks: %w", err)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("install the hooks: %w", err)
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return fmt.Errorf("install the hooks: %w", err)
		}
	}
	return nil
}

// keepPayload is the hook: it saves its standard input in dir.
func keepPayload(dir string, in io.Reader) error {
	now := time.Now().UnixNano()
	data, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read payload: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d-%d.json", now, os.Getpid())), data, 0o644)
}

// collect returns the payloads kept in dir, in order of arrival, and removes
// their files.
func collect(dir string) ([][]byte, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var payloads [][]byte
	for _, f := range files { // Glob sorts, and the names begin with the time
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("collect payloads: %w", err)
		}
		if err := os.Remove(f); err != nil {
			return nil, fmt.Errorf("collect payloads: %w", err)
		}
		payloads = append(payloads, data)
	}
	return payloads, nil
}
