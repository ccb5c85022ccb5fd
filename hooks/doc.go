// Package hooks speaks the language of the coding assistants: it reads their
// hook payloads, keeps them safe in the spool, and writes the answers that they
// give to the model. An assistant's JSON is known here and nowhere else.
//
// Calls that need no answer never come here: hooks/early delivers them before
// main. What comes here is the rest: events that are answered, payloads with a
// <private> part, excluded projects, and everything that is wrong in some way.
// A hook never fails: whatever happens, the host sees exit code 0 and either one
// complete answer on standard output or nothing.
package hooks
