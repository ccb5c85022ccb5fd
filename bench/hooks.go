package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cmem/bench/corpus"
)

// payload gives a recorded payload of the real client. Its session took place in
// the project that is the big one of every store.
func (b *bench) payload(name string) ([]byte, error) {
	raw, err := os.ReadFile(filepath.Join(b.root, "hooks", "testdata", "payloads", name+".json"))
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(raw, []byte(`"cwd":"`+corpus.BigProject+`"`)) {
		return nil, fmt.Errorf("payload %s is not from %s", name, corpus.BigProject)
	}
	return raw, nil
}

// swollen gives an Edit whose file is size bytes long.
func swollen(payload []byte, size int) ([]byte, error) {
	var fields map[string]any
	if err := json.Unmarshal(payload, &fields); err != nil {
		return nil, err
	}
	response, ok := fields["tool_response"].(map[string]any)
	if !ok {
		return nil, errors.New("the payload has no tool_response")
	}
	response["originalFile"] = strings.Repeat("func main() { println(\"你好\") }\n", size/34)
	return json.Marshal(fields)
}

// hooks measures what a hook costs the assistant, against a bare program that
// writes the same bytes.
func (b *bench) hooks(ctx context.Context) error {
	edit, err := b.payload("PostToolUse-Edit")
	if err != nil {
		return err
	}
	big, err := swollen(edit, 1<<20)
	if err != nil {
		return err
	}
	plain := filepath.Join(b.work, "hooks") // hooks that need no answer meet no store
	dirs := []string{plain}
	for _, s := range b.stores {
		dirs = append(dirs, s.Dir)
	}
	stop, err := pretendWorker(dirs...)
	if err != nil {
		return err
	}
	delivered := 0
	silent := func(dir string, stdin []byte, program string) func(context.Context) (sample, error) {
		return func(ctx context.Context) (sample, error) {
			delivered++
			return b.process(ctx, dir, stdin, func(out []byte) error {
				if len(out) > 0 {
					return errors.New("it must print nothing")
				}
				return nil
			}, program)
		}
	}
	contenders := []contender{
		{name: "bare program", run: silent(plain, edit, b.bare)},
		{name: "PostToolUse", against: "bare program", run: silent(plain, edit, b.cmem)},
		{name: "bare program, 1 MB", run: silent(plain, big, b.bare)},
		{name: "PostToolUse, 1 MB", against: "bare program, 1 MB", run: silent(plain, big, b.cmem)},
	}
	for _, name := range []string{"Stop", "UserPromptSubmit"} {
		payload, err := b.payload(name)
		if err != nil {
			return err
		}
		contenders = append(contenders, contender{name: name, against: "bare program", run: func(ctx context.Context) (sample, error) {
			delivered++
			return b.process(ctx, plain, payload, nil, b.cmem)
		}})
	}
	start, err := b.payload("SessionStart-startup-print")
	if err != nil {
		return err
	}
	for _, s := range b.stores {
		contenders = append(contenders, contender{
			name: "SessionStart", observations: s.Observations, against: "PostToolUse",
			run: func(ctx context.Context) (sample, error) {
				return b.process(ctx, s.Dir, start, isContext, b.cmem)
			},
		})
	}
	actions, err := b.actions(ctx, plain)
	if err != nil {
		return errors.Join(err, stop())
	}
	err = b.race(ctx, "hooks", b.rounds, append(contenders, actions...))
	if err == nil {
		err = countSpool(plain, delivered)
	}
	return errors.Join(err, forgetTold(b.stores), stop())
}

// isContext checks the answer to a SessionStart: a block of memories.
func isContext(out []byte) error {
	var answer struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return fmt.Errorf("answer to SessionStart: %w", err)
	}
	if n := len(answer.HookSpecificOutput.AdditionalContext); n < 1000 {
		return fmt.Errorf("the answer to SessionStart has %d bytes of context; was the deadline missed?", n)
	}
	return nil
}

// countSpool checks that every hook delivered its event.
func countSpool(dataDir string, want int) error {
	entries, err := os.ReadDir(filepath.Join(dataDir, "spool", "new"))
	if err == nil && len(entries) != want {
		err = fmt.Errorf("%d events are in the spool after %d hooks", len(entries), want)
	}
	return err
}
