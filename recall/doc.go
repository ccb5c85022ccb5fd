// Package recall decides what to remember now: the context block for a session
// that starts, and the order of what a search finds. It says why: what stands in
// the block or was left out (Plan, WhyContext), what a search misses (Missed), why
// a hit is there (WhyHit), and what is near a memory (Related).
//
// It reads the store through small interfaces and writes nothing. It knows
// neither SQL nor an assistant's JSON. Text from the store stays in explanations as
// it is; only the context block makes it harmless.
package recall
