package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"cmem/worker"
)

const (
	stormProcesses = 16
	stormKills     = 5
	stormPatience  = 10 * time.Minute // for the worker to store what is left
)

// storm measures hooks that come from many sessions at once, with the worker
// awake beside them and killed now and then, and checks that each event is
// stored once.
func (b *bench) storm(ctx context.Context) (err error) {
	edit, err := b.payload("PostToolUse-Edit")
	if err != nil {
		return err
	}
	dir := filepath.Join(b.work, "storm")
	if err := makeSpool(dir); err != nil {
		return err
	}
	defer func() {
		_, stopErr := worker.Stop(dir, time.Minute)
		err = errors.Join(err, stopErr)
	}()
	total := stormProcesses * b.hooksEach
	samples := make(chan sample, total)
	failed := make(chan error, stormProcesses)
	begin := time.Now()
	var all sync.WaitGroup
	for i := range stormProcesses {
		all.Go(func() {
			for j := range b.hooksEach {
				s, err := b.process(ctx, dir, inSession(edit, i, j), nil, b.cmem)
				if err != nil {
					failed <- err
					return
				}
				samples <- s
			}
		})
	}
	killed := make(chan int, 1)
	stopKilling := make(chan struct{})
	go func() { killed <- killWorkers(dir, samples, total, stopKilling) }()
	all.Wait()
	close(stopKilling)
	took := time.Since(begin)
	kills := <-killed
	close(samples)
	select {
	case err := <-failed:
		return err
	default:
	}
	var list []sample
	for s := range samples {
		list = append(list, s)
	}
	row := newRow("storm", contender{name: fmt.Sprintf("PostToolUse, %d at once", stormProcesses)}, list)
	b.Rows = append(b.Rows, row)
	b.figure("storm", "hooks", float64(total)/took.Seconds(), "a second")
	b.figure("storm", "worker killed", float64(kills), "times")
	stored, err := b.allStored(ctx, dir, total)
	if err != nil {
		return err
	}
	b.figure("storm", "events in the store, each once", float64(stored), fmt.Sprintf("of %d", total))
	return nil
}

// inSession gives a recorded payload as the call-th one of another session.
func inSession(payload []byte, session, call int) []byte {
	payload = bytes.Replace(payload, []byte("00000001-0000-4000-8000-000000000001"), fmt.Appendf(nil, "%08d-0000-4000-8000-000000000000", session), 1)
	return bytes.Replace(payload, []byte("toolu_200"), fmt.Appendf(nil, "toolu_%d_%d", session, call), 1)
}

// killWorkers kills the worker of dataDir whenever another part of the hooks has
// been delivered, and gives how often it did.
func killWorkers(dataDir string, samples chan sample, total int, stop <-chan struct{}) (kills int) {
	for kills < stormKills {
		select {
		case <-stop:
			return kills
		case <-time.After(20 * time.Millisecond):
		}
		if len(samples) < (kills+1)*total/(stormKills+2) {
			continue
		}
		status, err := worker.ReadStatus(dataDir)
		if err != nil || !status.Running || status.PID == 0 {
			continue
		}
		p, err := os.FindProcess(status.PID)
		if err == nil && p.Kill() == nil {
			kills++
		}
	}
	return kills
}

// allStored wakes the worker with one more hook where it is needed and waits
// until the store has all events.
func (b *bench) allStored(ctx context.Context, dir string, total int) (int, error) {
	stop, err := json.Marshal(map[string]string{
		"hook_event_name": "SessionEnd", "session_id": "last", "cwd": "/home/dev/projects/webshop", "reason": "other",
	})
	if err != nil {
		return 0, err
	}
	begin, extra := time.Now(), 0
	var last time.Time
	for {
		// The first one is for certain after the worker was killed the last time.
		if status, err := worker.ReadStatus(dir); err != nil || extra == 0 || !status.Running && time.Since(last) > 3*time.Second {
			if _, runErr := b.process(ctx, dir, stop, nil, b.cmem); err != nil || runErr != nil {
				return 0, errors.Join(err, runErr)
			}
			extra++
			last = time.Now()
		}
		totals, err := totalsOf(ctx, dir)
		if err == nil && totals.Events >= total+extra {
			return totals.Events - extra, nil
		}
		if time.Since(begin) > stormPatience {
			return 0, fmt.Errorf("%d of %d events are stored after %s: %w", totals.Events-extra, total, stormPatience, err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}
