package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"cmem/hooks/spool"
	"cmem/worker"
)

const (
	loadProcesses = 16 // hooks at the same time
	// Prompts that have no end are taken to have ended after half a minute.
	backlogRest = 35 * time.Second
	backlogIdle = 10 * time.Second
	// idleShare is the share of a core below which a process has nothing to do.
	idleShare = 0.02
)

// backlog measures a spool in which very many events wait: what the worker needs to
// take them in, what it holds when it is idle, and what hooks cost meanwhile.
func (b *bench) backlog(ctx context.Context) (err error) {
	dir := filepath.Join(b.work, "backlog")
	if err := makeSpool(dir); err != nil {
		return err
	}
	if err := b.replay(dir, b.waiting); err != nil {
		return err
	}
	alone, err := b.alone(ctx)
	if err != nil {
		return err
	}
	quiet := b.loadRow("backlog", "PostToolUse, 16 at once, no worker", alone)

	cmd, ended, err := b.startWorker(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopWorker(dir, ended)) }()
	peak := make(chan int64, 1)
	watching, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	go func() { peak <- highest(watching, cmd.Process.Pid) }()

	begin := time.Now()
	beside, err := b.load(ctx, dir)
	if err != nil {
		return err
	}
	if empty, err := spool.Empty(filepath.Join(dir, "spool")); err != nil || empty {
		return errors.Join(err, errors.New("the worker was done before the hooks were"))
	}
	busy := b.loadRow("backlog", "PostToolUse, 16 at once, while the worker drains", beside)
	for {
		if empty, err := spool.Empty(filepath.Join(dir, "spool")); err != nil {
			return err
		} else if empty {
			break
		}
		select {
		case err := <-ended:
			ended <- err
			return errors.Join(err, errors.New("the worker left before it was done"))
		case <-time.After(100 * time.Millisecond):
		}
	}
	b.figure("backlog", fmt.Sprintf("%d waiting events drained in", b.waiting), time.Since(begin).Seconds(), "s")
	if err := b.untilDone(ctx, dir, ended); err != nil {
		return err
	}
	stopWatching()
	most := <-peak
	if err := untilIdle(cmd.Process.Pid); err != nil {
		return err
	}
	before, waits, err := activityOf(cmd.Process.Pid)
	if err != nil {
		return err
	}
	time.Sleep(backlogIdle)
	after, waitsAfter, err := activityOf(cmd.Process.Pid)
	if err != nil {
		return err
	}
	idle, _, err := memoryOf(cmd.Process.Pid)
	if err != nil {
		return err
	}
	b.figure("backlog", "CPU of the idle worker", 100*float64(after-before)/float64(backlogIdle), "% of a core")
	b.figure("backlog", "the idle worker is woken", float64(waitsAfter-waits)/backlogIdle.Seconds(), "times a second")
	b.targetOf("backlog", "most memory while it works", float64(most)/1e6, 40, "MB", "")
	b.targetOf("backlog", "memory when it is idle", float64(idle)/1e6, 20, "MB", "")
	for _, r := range []loaded{quiet, busy} {
		b.targetOf("backlog", "p99 of "+r.name, r.p99/r.median, 3, "× median", fmt.Sprintf("%.1f ms of %.1f ms", r.p99, r.median))
	}
	return os.RemoveAll(dir)
}

// startWorker starts a worker that stays, and waits until it is the one that works in
// dir: hooks would start another one before.
func (b *bench) startWorker(ctx context.Context, dir string) (cmd *exec.Cmd, ended chan error, err error) {
	cmd = exec.CommandContext(ctx, b.cmem, "worker", "run")
	cmd.Env = b.env(dir, "CMEM_WORKER_IDLE=10m")
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	ended = make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		if status, err := worker.ReadStatus(dir); err == nil && status.Running && status.PID == cmd.Process.Pid {
			return cmd, ended, nil
		}
		select {
		case err := <-ended:
			return nil, nil, errors.Join(err, errors.New("the worker left at once"))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func stopWorker(dir string, ended <-chan error) error {
	_, err := worker.Stop(dir, time.Minute)
	return errors.Join(err, <-ended)
}

// alone is load without a worker beside it.
func (b *bench) alone(ctx context.Context) (list []sample, err error) {
	dir := filepath.Join(b.work, "backlog-alone")
	stop, err := pretendWorker(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	return b.load(ctx, dir)
}

// load runs a number of hooks of many sessions at the same time.
func (b *bench) load(ctx context.Context, dir string) ([]sample, error) {
	return b.loadWhile(ctx, dir, func(call int) bool { return call < b.hooksEach/5 })
}

// loadWhile runs hooks of many sessions at the same time, in each as long as more says so.
func (b *bench) loadWhile(ctx context.Context, dir string, more func(call int) bool) ([]sample, error) {
	edit, err := b.payload("PostToolUse-Edit")
	if err != nil {
		return nil, err
	}
	var (
		mu   sync.Mutex
		list []sample
		errs []error
		all  sync.WaitGroup
	)
	for i := range loadProcesses {
		all.Go(func() {
			for j := 0; more(j); j++ {
				s, err := b.process(ctx, dir, inSession(edit, i, j), nil, b.cmem)
				mu.Lock()
				if err != nil {
					errs = append(errs, err)
				}
				list = append(list, s)
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	all.Wait()
	return list, errors.Join(errs...)
}

// loaded is how long hooks took under load, in milliseconds.
type loaded struct {
	name        string
	median, p99 float64
}

func (b *bench) loadRow(part, name string, list []sample) loaded {
	b.Rows = append(b.Rows, newRow(part, contender{name: name}, list))
	var wall []float64
	for _, s := range list {
		wall = append(wall, milliseconds(s.wall))
	}
	slices.Sort(wall)
	return loaded{name, percentile(wall, 50), percentile(wall, 99)}
}

// untilDone waits until no batch and no event is left to work on.
func (b *bench) untilDone(ctx context.Context, dir string, ended chan error) error {
	for quiet := 0; quiet < 3; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			ended <- err
			return errors.Join(err, errors.New("the worker left before it was done"))
		case <-time.After(time.Second):
		}
		t, err := totalsOf(ctx, dir)
		if err != nil {
			return err
		}
		if t.WaitingBatches == 0 {
			quiet++
		} else {
			quiet = 0
		}
	}
	return nil
}

// untilIdle waits until a worker has done also what it does later, and tidied up.
func untilIdle(pid int) error {
	const look, patience = 3 * time.Second, 5 * time.Minute
	time.Sleep(backlogRest)
	before, _, err := activityOf(pid)
	for end := time.Now().Add(patience); err == nil; {
		time.Sleep(look)
		var now time.Duration
		if now, _, err = activityOf(pid); err != nil {
			break
		}
		if float64(now-before) < idleShare*float64(look) {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("the worker still works %s after it was done", patience+backlogRest)
		}
		before = now
	}
	return err
}

// highest gives the most memory that a process has held, in bytes, until ctx ends.
func highest(ctx context.Context, pid int) (peak int64) {
	for ctx.Err() == nil {
		if _, most, err := memoryOf(pid); err == nil {
			peak = max(peak, most)
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	return peak
}
