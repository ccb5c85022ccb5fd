package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cmem/bench/corpus"
	"cmem/hooks/early"
	"cmem/memory"
	"cmem/store"
)

// actions gives the hooks of calls at which something may be told: the opening of a file
// of which something is remembered, of one of which nothing is, of one that the session has
// opened before, and a failing command. plain is a data directory without a store.
func (b *bench) actions(ctx context.Context, plain string) ([]contender, error) {
	read, err := b.payload("PreToolUse-Read")
	if err != nil {
		return nil, err
	}
	failing, err := b.payload("PostToolUseFailure-Bash")
	if err != nil {
		return nil, err
	}
	sessions := 0
	// Every call is of another session, for each tells a memory once.
	anew := func(payload []byte, more ...string) []byte {
		sessions++
		more = append(more, "00000001-0000-4000-8000-000000000001", "bench-"+strconv.Itoa(sessions))
		return []byte(strings.NewReplacer(more...).Replace(string(payload)))
	}
	silent := func(out []byte) error {
		if len(out) > 0 {
			return errors.New("it must print nothing")
		}
		return nil
	}
	run := func(dir string, check func([]byte) error, payload func() []byte) func(context.Context) (sample, error) {
		return func(ctx context.Context) (sample, error) {
			return b.process(ctx, dir, payload(), check, b.cmem)
		}
	}
	contenders := []contender{{
		name: "PreToolUse, no store", against: "bare program",
		run: run(plain, silent, func() []byte { return read }),
	}}
	for _, s := range b.stores {
		known, err := aChangedFile(ctx, s)
		if err != nil {
			return nil, err
		}
		if err := os.RemoveAll(filepath.Join(s.Dir, early.ToldDir)); err != nil {
			return nil, err
		}
		again := anew(read, "src/main.go", "src/nothing-is-known-of-this-one.go")
		if _, err := b.process(ctx, s.Dir, again, silent, b.cmem); err != nil { // notes that it was opened
			return nil, err
		}
		contenders = append(contenders,
			contender{name: "PreToolUse, opened before", observations: s.Observations, against: "bare program", run: run(s.Dir, silent, func() []byte { return again })},
			contender{name: "PreToolUse, nothing known", observations: s.Observations, against: "PostToolUse", run: run(s.Dir, silent, func() []byte {
				return anew(read, "src/main.go", "src/nothing-is-known-of-this-one.go")
			})},
			contender{name: "PreToolUse, told", observations: s.Observations, against: "PostToolUse", run: run(s.Dir, isRecall, func() []byte {
				return anew(read, "src/main.go", known)
			})},
			contender{name: "PostToolUseFailure, searched", observations: s.Observations, against: "PostToolUse", run: run(s.Dir, nil, func() []byte {
				return anew(failing, `partial\noops`, `panic: cannot connect: ERR_CACHE_TIMEOUT while the session expired`)
			})})
	}
	return contenders, nil
}

// forgetTold removes what the sessions of a measurement were told.
func forgetTold(stores []corpus.Store) error {
	var errs []error
	for _, s := range stores {
		errs = append(errs, os.RemoveAll(filepath.Join(s.Dir, early.ToldDir)))
	}
	return errors.Join(errs...)
}

// aChangedFile gives a file that is worth to be told about in the big project of a store.
func aChangedFile(ctx context.Context, of corpus.Store) (path string, err error) {
	s, err := store.OpenReadOnly(ctx, filepath.Join(of.Dir, "cmem.db"))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	list, err := s.ListObservations(ctx, memory.Filter{Project: corpus.BigProject}, memory.Cursor{}, 100)
	if err != nil {
		return "", err
	}
	for _, o := range list {
		if len(o.FilesModified) > 0 {
			return o.FilesModified[0], nil
		}
	}
	return "", fmt.Errorf("no memory of %s changed a file", of.Dir)
}

// isRecall checks the answer to a PreToolUse: a block of memories.
func isRecall(out []byte) error {
	if !json.Valid(out) || !bytes.Contains(out, []byte("<cmem-recall")) {
		return fmt.Errorf("the answer to PreToolUse is %q; was the deadline missed?", out)
	}
	return nil
}
