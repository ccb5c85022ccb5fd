package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cmem/memory"
	"cmem/recall"
	"cmem/store"
)

// actions are what happens in the project of a set: commands that fail and prompts, each
// with the documents that are worth to be told then, none where there is nothing to tell.
type actions struct {
	Set      string    `json:"set"`
	Failures []failure `json:"failures"`
	Prompts  []prompt  `json:"prompts"`
}

type failure struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"`
	Command  string   `json:"command"`
	Error    string   `json:"error"`
	Relevant []string `json:"relevant"`
}

type prompt struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"`
	Prompt   string   `json:"prompt"`
	Relevant []string `json:"relevant"`
}

// telling counts what is told unasked.
type telling struct {
	answered, unanswerable int // occasions with something to tell, and without
	told, right            int // of the former: something was told, and the first of it is right
	injected               int // of the latter: something was told all the same
	besides                int // memories that were told and are not right, in all
	missed                 []string
	wrong                  []string
}

// add counts one occasion.
func (t *telling) add(id string, relevant, told []string) {
	for _, d := range told {
		if !slices.Contains(relevant, d) {
			t.besides++
		}
	}
	switch {
	case len(relevant) == 0:
		t.unanswerable++
		if len(told) > 0 {
			t.injected++
			t.wrong = append(t.wrong, id)
		}
		return
	case len(told) == 0:
		t.missed = append(t.missed, id)
	case slices.Contains(relevant, told[0]):
		t.told++
		t.right++
	default:
		t.told++
		t.wrong = append(t.wrong, id)
	}
	t.answered++
}

// mistaken gives how often what was told first is not right, or there was nothing to tell.
func (t *telling) mistaken() int { return t.told - t.right + t.injected }

// readActions reads what happens in the project of a set; nil where nothing is written.
func readActions(folder, set string) (*actions, error) {
	path := filepath.Join(folder, "actions", set+".json")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read actions: %w", err)
	}
	var a actions
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, fmt.Errorf("read actions %s: %w", path, err)
	}
	if a.Set != set {
		return nil, fmt.Errorf("actions %s are of the set %q", path, a.Set)
	}
	return &a, nil
}

// tellUnasked looks what is told at the actions in the project of a set of one group.
func tellUnasked(ctx context.Context, g group, a *actions) (failures, prompts telling, err error) {
	known := map[string]bool{}
	for _, d := range g.Docs {
		known[d.ID] = true
	}
	dir, err := os.MkdirTemp("", "cmem-retrieval-")
	if err != nil {
		return failures, prompts, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := store.Open(ctx, filepath.Join(dir, "cmem.db"))
	if err != nil {
		return failures, prompts, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	all, _ := g.memories()
	var o outcome
	if err := o.fill(ctx, s, all); err != nil {
		return failures, prompts, err
	}
	names := map[string]string{}
	for i, d := range g.Docs {
		names[uidOf(i)] = d.ID
	}
	told := func(t recall.Telling, err error) ([]string, error) {
		if err != nil {
			return nil, err
		}
		found, err := s.Observations(ctx, t.IDs())
		return documents(found, names), err
	}
	occasion := recall.Occasion{Project: "/project", SessionID: "another", MaxTokens: 300}
	for _, f := range a.Failures {
		docs, err := told(recall.ForFailure(ctx, s, f.Command, f.Error, occasion))
		if err != nil {
			return failures, prompts, fmt.Errorf("failure %s: %w", f.ID, err)
		}
		failures.add(f.ID, f.Relevant, docs)
		if i := slices.IndexFunc(f.Relevant, func(id string) bool { return !known[id] }); i >= 0 {
			return failures, prompts, fmt.Errorf("failure %s names document %q, which is not there", f.ID, f.Relevant[i])
		}
	}
	for _, p := range a.Prompts {
		docs, err := told(recall.ForPrompt(ctx, s, p.Prompt, occasion))
		if err != nil {
			return failures, prompts, fmt.Errorf("prompt %s: %w", p.ID, err)
		}
		prompts.add(p.ID, p.Relevant, docs)
		if i := slices.IndexFunc(p.Relevant, func(id string) bool { return !known[id] }); i >= 0 {
			return failures, prompts, fmt.Errorf("prompt %s names document %q, which is not there", p.ID, p.Relevant[i])
		}
	}
	return failures, prompts, nil
}

func documents(list []memory.Observation, names map[string]string) []string {
	var docs []string
	for _, o := range list {
		docs = append(docs, names[o.UID])
	}
	return docs
}

// tellTellings writes what was told as a table of Markdown.
func tellTellings(out io.Writer, failures, prompts telling) error {
	var b strings.Builder
	b.WriteString("\n| told unasked | occasions with a memory | told | the first is right | without one | told all the same | wrong memories in all | missed | wrong |\n")
	b.WriteString("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n")
	for _, row := range []struct {
		name string
		telling
	}{{"after a failing command", failures}, {"with a prompt", prompts}} {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %s | %s |\n", row.name, row.answered, row.told, row.right, row.unanswerable, row.injected,
			row.besides, strings.Join(row.missed, " "), strings.Join(row.wrong, " "))
	}
	_, err := io.WriteString(out, b.String())
	return err
}
