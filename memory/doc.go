// Package memory holds the field's words as plain types: events, prompts,
// observations, summaries, sessions, projects, filters and pages.
//
// Nothing in this package does I/O, reads a clock or imports another package of
// cmem; every other room speaks in these types.
package memory
