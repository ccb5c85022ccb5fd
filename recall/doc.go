// Package recall decides what to remember now: the context block for a session
// that starts, and the order of what a search finds.
//
// It reads the store through small interfaces and writes nothing. It knows
// neither SQL nor an assistant's JSON.
package recall
