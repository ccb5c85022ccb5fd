package claude

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Options say how a client is run. The client sees no variable of the caller's
// environment but PATH.
type Options struct {
	Bin     string   // from Install
	Home    string   // its HOME
	Dir     string   // the project directory it works in
	BaseURL string   // of the Messages API
	Env     []string // more variables, "NAME=value", for the client, its tools and its hooks
	Args    []string // more arguments
}

// Session is a running client that takes prompts one after the other.
type Session struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan []byte // standard output, closed at its end
	stderr bytes.Buffer
	seen   Seen
}

// Seen is what the client reported while it ran.
type Seen struct {
	ToolUses []string  // ids of the tool calls, in order
	Hooks    []HookRun // the hooks that ran, but those of SessionEnd, which come too late
	Servers  []string  // "name status" of each MCP server, as of the last turn
	Stderr   string    // what the client wrote to standard error, trimmed; failed SessionEnd hooks are named there
}

// HookRun is one run of a hook.
type HookRun struct {
	Event    string `json:"hook_event"`
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
	ExitCode int    `json:"exit_code"`
}

// Start starts a client in print mode. It is killed when ctx ends; call End to
// let it finish by itself.
func Start(ctx context.Context, o Options) (*Session, error) {
	args := append([]string{
		"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--include-hook-events", "--dangerously-skip-permissions",
	}, o.Args...)
	s := &Session{cmd: exec.CommandContext(ctx, o.Bin, args...), lines: make(chan []byte)}
	s.cmd.Dir = o.Dir
	s.cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + o.Home, "TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/sh",
		"ANTHROPIC_BASE_URL=" + o.BaseURL, "ANTHROPIC_API_KEY=sk-ant-dummy-key-for-tests",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		"IS_SANDBOX=1", // root may then skip the questions for permission, as in a container
	}, o.Env...)
	s.cmd.Stderr = &s.stderr
	// A child that outlives the client may hold its pipes open; the client's exit counts.
	s.cmd.WaitDelay = 5 * time.Second

	var err error
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start claude: %w", err)
	}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start claude: %w", err)
	}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start claude: %w", err)
	}
	go func() {
		defer close(s.lines)
		in := bufio.NewReader(stdout)
		for {
			line, err := in.ReadBytes('\n')
			if len(line) > 0 {
				s.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	return s, nil
}

// Prompt sends a prompt and returns the final message of the turn.
func (s *Session) Prompt(text string) (string, error) {
	msg, err := json.Marshal(map[string]any{
		"type":    "user",
		"message": map[string]string{"role": "user", "content": text},
	})
	if err != nil {
		return "", fmt.Errorf("prompt claude: %w", err)
	}
	if _, err := s.stdin.Write(append(msg, '\n')); err != nil {
		return "", fmt.Errorf("prompt claude: %w", err)
	}
	for line := range s.lines {
		out, err := s.read(line)
		if err != nil {
			return "", err
		}
		if out.Type != "result" {
			continue
		}
		if out.IsError {
			return "", fmt.Errorf("claude's turn failed: %s", out.Result)
		}
		return out.Result, nil
	}
	return "", errors.New("claude ended in the middle of a turn")
}

// End closes the client's input, lets it finish, and returns what was seen of
// it. Without a call of End a client stays.
func (s *Session) End() (Seen, error) {
	if err := s.stdin.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return s.seen, fmt.Errorf("end claude: %w", err)
	}
	var unread error
	for line := range s.lines {
		if _, err := s.read(line); err != nil {
			unread = err
		}
	}
	err := s.cmd.Wait()
	s.seen.Stderr = strings.TrimSpace(s.stderr.String())
	if err != nil {
		return s.seen, fmt.Errorf("claude: %w: %s", err, s.seen.Stderr)
	}
	return s.seen, unread
}

// output is the part of a line of the client's output that is read here.
type output struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	IsError bool   `json:"is_error"`
	Result  string `json:"result"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	Servers []struct {
		Name   string `json:"name"`
		Status string `json:"status"`
	} `json:"mcp_servers"`
	HookRun
}

// read takes in one line of the client's output.
func (s *Session) read(line []byte) (output, error) {
	var out output
	if err := json.Unmarshal(line, &out); err != nil {
		return out, fmt.Errorf("read claude's output %.200q: %w", line, err)
	}
	switch {
	case out.Type == "system" && out.Subtype == "hook_response":
		s.seen.Hooks = append(s.seen.Hooks, out.HookRun)
	case out.Type == "system" && out.Subtype == "init":
		s.seen.Servers = nil
		for _, srv := range out.Servers {
			s.seen.Servers = append(s.seen.Servers, srv.Name+" "+srv.Status)
		}
	case out.Type == "assistant":
		var blocks []struct {
			Type string `json:"type"`
			ID   string `json:"id"`
		}
		if err := json.Unmarshal(out.Message.Content, &blocks); err != nil {
			return out, fmt.Errorf("read claude's output %.200q: %w", line, err)
		}
		for _, b := range blocks {
			if b.Type == "tool_use" {
				s.seen.ToolUses = append(s.seen.ToolUses, b.ID)
			}
		}
	}
	return out, nil
}
