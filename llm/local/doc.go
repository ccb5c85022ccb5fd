// Package local is the compressor that needs no account and no network: it
// turns the events of a prompt into observations, and a session into a summary,
// by rules alone. It is cmem's default.
//
// The way through it: scene.go reads a batch; tools.go reads what a tool was asked
// and answered, and steps.go understands one call, with bash.go and programs.go
// (what a command line runs and what that is for), tests.go and errors.go (how it
// ended), edits.go, patches.go, shelledits.go and symbols.go (what it changed) and
// commits.go. arcs.go puts the steps of one topic together, effects.go the edits of
// one file, and untouched.go finds what is worth telling where nothing was edited.
// classify.go finds the type; observe.go tells the arc, with title.go, clauses.go,
// describe.go, narrative.go, facts.go and topics.go. summary.go tells the session.
//
// An agent's JSON belongs to the room hooks. The one exception stands here, in
// tools.go: what a tool was asked and answered is kept raw in memory.Event, and a
// compressor by rules has to look inside. It is read leniently, so a field that
// is missing or of another type is an empty one, never an error.
//
// Never in this package: input or output, a clock, a network, a random number, or
// a regular expression that is not linear. Equal batches give equal results. What
// it reads is data: nothing in a prompt, a file or an output steers it.
package local
