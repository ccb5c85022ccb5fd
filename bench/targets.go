package main

import (
	"fmt"
	"strings"
)

// Target is a figure that must not be above a limit.
type Target struct {
	Part  string  `json:"part"`
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Limit float64 `json:"limit"`
	Unit  string  `json:"unit"`
	Met   bool    `json:"met"`
	// Note says what the figure was made from.
	Note string `json:"note,omitempty"`
}

// target adds a target of the memory browser to the results.
func (b *bench) target(name string, value, limit float64, unit, note string) {
	b.targetOf("tui", name, value, limit, unit, note)
}

// targetOf adds a target of a part to the results.
func (b *bench) targetOf(part, name string, value, limit float64, unit, note string) {
	b.Targets = append(b.Targets, Target{part, name, value, limit, unit, value <= limit, note})
}

// tableOfTargets writes a line for each target.
func tableOfTargets(s *strings.Builder, targets []Target) {
	s.WriteString("\n| target | found | at most | | met | |\n| --- | ---: | ---: | --- | --- | --- |\n")
	for _, t := range targets {
		met := "yes"
		if !t.Met {
			met = "**no**"
		}
		fmt.Fprintf(s, "| %s | %s | %s | %s | %s | %s |\n", t.Name, exact(t.Value), exact(t.Limit), t.Unit, met, t.Note)
	}
}

// exact is number, with a nought for nothing.
func exact(v float64) string {
	if v == 0 {
		return "0"
	}
	return number(v)
}
