// Package corpus generates stores that look like those of people who used cmem
// for a long time, for measuring: sessions of some twenty observations with
// prompts and a summary, in 200 projects of which one is big, in English and
// Chinese, with identifiers, paths and error codes, and with words as unevenly
// frequent as in real text. The same size always gives the same memories.
//
// It is no part of cmem and measures nothing itself.
package corpus

import (
	"fmt"
	"math/rand/v2"
	"time"

	"cmem/memory"
	"cmem/store"
)

// BigProject is the key of the project that two fifths of the sessions belong to.
const BigProject = "/home/dev/projects/webshop"

const (
	projects   = 200
	bigShare   = 0.4
	chinesePer = 0.25 // of the sessions
)

// end is when the youngest session begins; the others lie before it.
var end = time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)

// generator gives the memories of a store, session by session.
type generator struct {
	writer
	projects []string
	project  *rand.Zipf
	left     int // observations still to make
	session  int
	sessions int            // estimated number in all
	rows     map[string]int // in how many observations each word stands
}

func newGenerator(observations int) *generator {
	rng := rand.New(rand.NewPCG(20261101, uint64(observations)))
	g := &generator{
		writer:   writer{vocabulary: newVocabulary(rng), used: map[string]struct{}{}},
		projects: []string{BigProject},
		project:  rand.NewZipf(rng, 1.2, 4, projects-2),
		left:     observations,
		sessions: observations/20 + 1,
		rows:     map[string]int{},
	}
	for i := range projects - 1 {
		g.projects = append(g.projects, fmt.Sprintf("/home/dev/projects/%s-%s-%d", nouns[rng.IntN(len(nouns))], nouns[rng.IntN(len(nouns))], i))
	}
	return g
}

// next gives the memories of some sessions, at least n observations where there
// are so many left.
func (g *generator) next(n int) store.Bundle {
	var b store.Bundle
	for len(b.Observations) < n && g.left > 0 {
		g.aSession(&b)
	}
	return b
}

func (g *generator) aSession(b *store.Bundle) {
	project := BigProject
	if g.rng.Float64() > bigShare {
		project = g.projects[1+g.project.Uint64()]
	}
	// Two years of work, or three hours between sessions when they are few.
	apart := min(3*time.Hour, 2*365*24*time.Hour/time.Duration(g.sessions))
	at := end.Add(-apart * time.Duration(g.sessions-g.session))
	g.session++
	inChinese := g.rng.Float64() < chinesePer
	ask := asks
	if inChinese {
		ask = chineseAsks
	}
	s := memory.Session{
		ID:    fmt.Sprintf("%08x-0000-4000-8000-%012x", g.rng.Uint32(), g.session),
		Agent: "claude-code", Project: project, CWD: project, GitBranch: "main",
		Status: memory.SessionCompleted, CreatedAt: at, Title: g.from(ask),
	}
	prompt := 0
	for i := range min(4+g.rng.IntN(33), g.left) {
		at = at.Add(time.Duration(5+g.rng.IntN(90)) * time.Second)
		if i%5 == 0 {
			prompt++
			b.Prompts = append(b.Prompts, memory.Prompt{
				SessionID: s.ID, Project: project, Number: prompt, Text: g.several(1, 3, ask, "\n"), CreatedAt: at.Add(-2 * time.Second),
			})
		}
		clear(g.used)
		o := g.observation(inChinese)
		for word := range g.used {
			g.rows[word]++
		}
		o.UID = fmt.Sprintf("%016x%016x", g.rng.Uint64(), g.rng.Uint64())
		o.SessionID, o.Project, o.PromptNumber, o.CreatedAt = s.ID, project, prompt, at
		o.Scope, o.Status, o.Certainty = memory.ScopeProject, memory.StatusActive, memory.CertaintyObserved
		o.Compressor, o.GitBranch, o.TokensSource = "local/v1", "main", 300+g.rng.IntN(5000)
		b.Observations = append(b.Observations, o)
		g.left--
	}
	at = at.Add(time.Minute)
	s.LastEventAt, s.CompletedAt, s.PromptCount = at, at, prompt
	b.Sessions = append(b.Sessions, s)
	body := sentences
	if inChinese {
		body = chineseSentences
	}
	b.Summaries = append(b.Summaries, memory.Summary{
		UID:       fmt.Sprintf("%016x%016x", g.rng.Uint64(), g.rng.Uint64()),
		SessionID: s.ID, Project: project, PromptNumber: prompt, CreatedAt: at.Add(-time.Second),
		Request: g.from(ask), Investigated: g.from(body), Learned: g.several(1, 3, body, "\n"),
		Completed: g.several(1, 3, body, "\n"), NextSteps: g.from(body),
		Status: memory.StatusActive, Compressor: "local/v1",
	})
}
