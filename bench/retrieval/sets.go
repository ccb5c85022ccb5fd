package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cmem/memory"
	"cmem/store"
)

// set is a data set: groups of documents, each with the searches that are made in
// it alone.
type set struct {
	Name   string  `json:"name"`
	Groups []group `json:"groups"`
}

type group struct {
	Docs    []document `json:"docs"`
	Queries []question `json:"queries"`
}

// document is a memory of a data set. Sets have one of two forms: with the fields of
// observations, or with one text for each.
type document struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"` // "summary" or "prompt"; observations say none
	Session   string    `json:"session"`
	Type      string    `json:"type"`
	Title     string    `json:"title"`
	Narrative string    `json:"narrative"`
	Body      string    `json:"body"` // instead of a narrative
	Facts     texts     `json:"facts"`
	Concepts  texts     `json:"concepts"`
	Files     texts     `json:"files"`
	CreatedAt time.Time `json:"created_at"`
	// Of a summary, whose request is the title.
	Learned   string `json:"learned"`
	Completed string `json:"completed"`
	NextSteps string `json:"next_steps"`
}

// texts is a list of texts, or a single one.
type texts []string

// UnmarshalJSON reads a list or a text.
func (t *texts) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) != nil {
		return json.Unmarshal(data, (*[]string)(t))
	}
	if one != "" {
		*t = texts{one}
	}
	return nil
}

// question is a search and the documents that answer it: none, when the best answer
// is that there is nothing.
type question struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"`
	Query    string   `json:"query"`
	Relevant []string `json:"relevant"`
	// Outdated are documents that say what does not hold any more: they should come
	// after those that answer.
	Outdated []string `json:"outdated"`
}

// epoch is when the first document of a set without dates was made.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// memories gives the documents as memories, with what they are called, and when all of
// them exist.
func (g group) memories() (b store.Bundle, now time.Time) {
	for i, d := range g.Docs {
		if d.CreatedAt.IsZero() {
			d.CreatedAt = epoch.Add(time.Duration(i) * time.Minute)
		}
		if d.CreatedAt.After(now) {
			now = d.CreatedAt
		}
		switch memory.ItemKind(d.Kind) {
		case memory.KindPrompt:
			b.Prompts = append(b.Prompts, memory.Prompt{SessionID: d.Session, Project: "/project", Number: i + 1, Text: d.Narrative, CreatedAt: d.CreatedAt})
			continue
		case memory.KindSummary:
			b.Summaries = append(b.Summaries, memory.Summary{
				UID: uidOf(i), SessionID: d.Session, Project: "/project", CreatedAt: d.CreatedAt,
				Request: d.Title, Learned: d.Learned, Completed: d.Completed, NextSteps: d.NextSteps,
			})
			continue
		}
		o := memory.Observation{
			UID: uidOf(i), SessionID: "session", Project: "/project", Type: d.Type, Title: d.Title,
			Narrative: d.Narrative + d.Body, Facts: d.Facts, Concepts: d.Concepts, CreatedAt: d.CreatedAt,
		}
		for _, f := range d.Files {
			o.FilesModified = append(o.FilesModified, strings.Fields(f)...)
		}
		if o.Type == "" {
			o.Type = memory.TypeDiscovery
		}
		b.Observations = append(b.Observations, o)
	}
	return b, now.Add(24 * time.Hour)
}

// uidOf gives the uid of the document with a number, from 0. A prompt, which has none,
// has the next number as its own.
func uidOf(i int) string { return fmt.Sprintf("%026d", i) }

// readSets reads the data sets of a folder in the order of their names.
func readSets(folder string) ([]set, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("list the data sets of %s: %w", folder, err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s has no data set: its files end in .json, as those in bench/retrieval/testdata", folder)
	}
	slices.Sort(paths)
	sets := make([]set, 0, len(paths))
	for _, path := range paths {
		s, err := readSet(path)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

func readSet(path string) (set, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return set{}, fmt.Errorf("read data set: %w", err)
	}
	var file struct {
		set
		group // a set of one group is written without it
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return set{}, fmt.Errorf("read data set %s: %w", path, err)
	}
	s := file.set
	if len(file.Docs) > 0 {
		s.Groups = append(s.Groups, file.group)
	}
	if s.Name == "" {
		s.Name = strings.TrimSuffix(filepath.Base(path), ".json")
	}
	return s, s.check(path)
}

// check sees to it that the answers exist: a set with a wrong one measures nothing.
func (s set) check(path string) error {
	if len(s.Groups) == 0 {
		return fmt.Errorf("data set %s has neither groups nor docs", path)
	}
	for _, g := range s.Groups {
		known := map[string]bool{}
		for _, d := range g.Docs {
			known[d.ID] = true
		}
		for _, q := range g.Queries {
			for _, id := range slices.Concat(q.Relevant, q.Outdated) {
				if !known[id] {
					return fmt.Errorf("data set %s: query %s names document %q, which is not there", path, q.ID, id)
				}
			}
		}
	}
	return nil
}
