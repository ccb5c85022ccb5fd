// Package fakeapi is a stand-in for the Anthropic Messages API, with which the
// real Claude Code client runs offline in tests: it answers from a script of
// turns and keeps every request, so that a test can look at what really reached
// "the model".
//
// It listens on a loopback address only and is never part of the cmem binary.
package fakeapi

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"
)

// Server is a running stand-in. Close it after use.
type Server struct {
	URL string // the base URL for ANTHROPIC_BASE_URL, no slash at the end

	http *httptest.Server

	mu       sync.Mutex
	answers  *answers
	requests []Request
	unknown  []string
}

// Request is one received call of the Messages API.
type Request struct {
	Model string
	Tools []string // names of the offered tools
	Body  []byte   // the whole body as received
}

// New starts a server on a free loopback port. Like httptest.NewServer it
// panics when there is none.
func New(script Script) *Server {
	s := &Server{answers: newAnswers(script)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", s.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]int{"input_tokens": defaultInputTokens})
	})
	mux.HandleFunc("/", s.other)
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL
	return s
}

// Close stops the server once the calls in hand are answered.
func (s *Server) Close() { s.http.Close() }

// SetScript replaces the script; the turns left of the old one are dropped.
func (s *Server) SetScript(script Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = newAnswers(script)
}

// Unused returns how many turns no request has taken yet. Turns that repeat are
// not counted.
func (s *Server) Unused() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, t := range s.answers.turns {
		if !t.Repeat {
			n++
		}
	}
	return n
}

// Requests returns the calls received so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Unknown returns "METHOD path" of each call that the API stand-in does not know.
func (s *Server) Unknown() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.unknown)
}

func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	var req struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
		Tools  []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	kept := Request{Model: req.Model, Body: body}
	for _, t := range req.Tools {
		kept.Tools = append(kept.Tools, t.Name)
	}
	n, turn := s.take(kept)

	if turn.Delay > 0 {
		select {
		case <-time.After(turn.Delay):
		case <-r.Context().Done():
			return
		}
	}
	switch {
	case turn.Status != 0:
		writeError(w, turn.Status, turn.ErrorType, turn.Message)
	case req.Stream:
		stream(w, newMessage(n, req.Model, turn))
	default:
		writeJSON(w, http.StatusOK, newMessage(n, req.Model, turn))
	}
}

// take records the request and returns its number, from 1, and its answer.
func (s *Server) take(req Request) (int, Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	return len(s.requests), s.answers.next(req.Body)
}

// other answers what is not scripted. A HEAD of the root is the client's probe
// whether the host is there.
func (s *Server) other(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		return
	}
	s.mu.Lock()
	s.unknown = append(s.unknown, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	writeError(w, http.StatusNotFound, "not_found_error", "not scripted: "+r.URL.Path)
}
