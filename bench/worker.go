package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"cmem/hooks/spool"
	"cmem/store"
)

const (
	workerRounds = 3
	workerIdle   = time.Second
)

// recorded gives the payloads of the recorded sessions, in order.
func (b *bench) recorded() ([]json.RawMessage, error) {
	files, err := filepath.Glob(filepath.Join(b.root, "hooks", "testdata", "sessions", "*.jsonl"))
	if err != nil {
		return nil, err
	}
	var all []json.RawMessage
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(bytes.NewReader(raw))
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var line struct{ Payload json.RawMessage }
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all = append(all, line.Payload)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("there are no recorded sessions")
	}
	return all, nil
}

// replay delivers n events to the spool of dataDir: the recorded sessions again
// and again, each time as sessions of their own.
func (b *bench) replay(dataDir string, n int) error {
	recorded, err := b.recorded()
	if err != nil {
		return err
	}
	for i := range n {
		var fields map[string]any
		if err := json.Unmarshal(recorded[i%len(recorded)], &fields); err != nil {
			return err
		}
		for _, id := range []string{"session_id", "prompt_id"} {
			if value, ok := fields[id].(string); ok {
				fields[id] = fmt.Sprintf("%s-%d", value, i/len(recorded))
			}
		}
		payload, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		if _, err := spool.Deliver(filepath.Join(dataDir, "spool"), payload); err != nil {
			return err
		}
	}
	return nil
}

// worker measures how fast the worker turns waiting events into observations.
func (b *bench) worker(ctx context.Context) error {
	var drained, whole []sample
	var events, observations int
	for round := range workerRounds {
		dir := filepath.Join(b.work, fmt.Sprintf("worker-%d", round))
		if err := makeSpool(dir); err != nil {
			return err
		}
		if err := b.replay(dir, b.events); err != nil {
			return err
		}
		d, w, err := b.work1(ctx, dir)
		if err != nil {
			return err
		}
		drained, whole = append(drained, d), append(whole, w)
		totals, err := totalsOf(ctx, dir)
		if err != nil {
			return err
		}
		if totals.Events != b.events || totals.Observations == 0 {
			return fmt.Errorf("the store has %d events and %d observations after %d events", totals.Events, totals.Observations, b.events)
		}
		events, observations = totals.Events, totals.Observations
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	in := newRow("worker", contender{name: fmt.Sprintf("%d events into the store", events)}, drained)
	out := newRow("worker", contender{name: fmt.Sprintf("%d events to %d observations", events, observations)}, whole)
	b.Rows = append(b.Rows, in, out)
	b.figure("worker", "events drained", float64(events)/in.WallMS.Median*1000, "a second")
	b.figure("worker", "events worked through", float64(events)/out.WallMS.Median*1000, "a second")
	b.figure("worker", "observations made", float64(observations)/out.WallMS.Median*1000, "a second")
	b.figure("worker", "peak memory", out.PeakMB, "MB")
	return nil
}

// work1 runs a worker on dataDir until it is idle: how long until the spool was
// empty, and until all was done.
func (b *bench) work1(ctx context.Context, dataDir string) (drained, whole sample, err error) {
	cmd := exec.CommandContext(ctx, b.cmem, "worker", "run")
	cmd.Env = b.env(dataDir, "CMEM_WORKER_IDLE="+workerIdle.String())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return drained, whole, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				return drained, whole, fmt.Errorf("cmem worker run: %w\n%s", err, stderr.Bytes())
			}
			if drained.wall == 0 {
				return drained, whole, errors.New("the worker left events in the spool")
			}
			peak := whole.peak
			whole = sampleOf(cmd.ProcessState, time.Since(begin)-workerIdle)
			whole.peak = peak
			return drained, whole, nil
		case <-time.After(20 * time.Millisecond):
			if empty, err := spool.Empty(filepath.Join(dataDir, "spool")); err == nil && empty && drained.wall == 0 {
				drained.wall = time.Since(begin)
			}
			if _, peak, err := memoryOf(cmd.Process.Pid); err == nil {
				whole.peak = max(whole.peak, peak)
			}
		}
	}
}

func totalsOf(ctx context.Context, dataDir string) (t store.Totals, err error) {
	db, err := store.OpenReadOnly(ctx, filepath.Join(dataDir, "cmem.db"))
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.Totals(ctx, "")
}
