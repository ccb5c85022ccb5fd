// Package arch holds the tests that keep the house in the shape that
// docs/architecture.md describes: which room may import which, and what may
// stand only in one of them. It has no code of its own.
package arch
