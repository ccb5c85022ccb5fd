// Package e2e holds the tests that run the real Claude Code client, with a
// stand-in for the model's API, and the clients by which MCP servers are tested,
// against the real cmem binary.
//
// They run only with CMEM_E2E=1: they install npm packages of some 600 MB, once,
// into the user's cache directory. With CMEM_E2E_REQUIRED=1 they fail
// where they would otherwise be skipped.
//
// Beside them: fakeapi is the stand-in, claude runs the client, scene reads and
// plays what a person and the model say, record makes the recorded sessions
// under hooks/testdata. None of it is ever part of the binary.
package e2e
