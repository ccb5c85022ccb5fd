package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cmem/config"
	"cmem/export"
	"cmem/hooks"
	"cmem/hooks/spool"
	"cmem/memory"
	"cmem/store"
	"cmem/worker"
)

const (
	// At portionEvents waiting events the worker's turn comes after the prompt in
	// hand; at mostEvents or mostBytes at once.
	portionEvents = 256
	mostEvents    = 1024
	mostBytes     = 64 << 20
	// workerPatience is how long another worker may leave the spool as it is.
	workerPatience = 10 * time.Minute
	// sentPerCall is about how many tokens of events a provider is sent at most in a
	// call, for the estimate.
	sentPerCall = 12_000
	// eventsPerCall is how many events of a prompt are sent together at most.
	eventsPerCall = 60
)

// transcriptImport is one run of `cmem import claude-code`.
type transcriptImport struct {
	app     *App
	cfg     *config.Config
	store   *store.Store // nil in a dry run without a store
	worker  worker.Options
	deliver func(ctx context.Context, e memory.Event) error

	waiting int // events delivered since the worker's last turn
	bytes   int

	transcripts, sessions, known, events int
	excluded                             int // events
	watchers                             int // sessions that watch others
	broken                               []error
	calls                                int   // that a provider would be asked
	tokens                               int64 // that it would be sent
}

func (a *App) importClaudeCode(ctx context.Context, args []string, dryRun, yes bool) (err error) {
	dir := hooks.TranscriptsDir(a.Getenv, a.home())
	if len(args) > 0 {
		dir = args[0]
	}
	cfg, err := a.loadConfig()
	if err != nil {
		return err
	}
	if _, err := hooks.Recordable(cfg, memory.Event{}); err != nil {
		return err
	}
	found, err := hooks.FindTranscripts(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(found) == 0 {
		return fmt.Errorf("there are no Claude Code transcripts in %s; if they are elsewhere: cmem import claude-code PATH", a.shortPath(dir))
	}
	if err != nil {
		return err
	}
	s, err := openForImport(ctx, cfg, dryRun)
	if err != nil {
		return err
	}
	if s != nil {
		defer func() {
			if cerr := s.Close(); err == nil {
				err = cerr
			}
		}()
	}
	log := newLog(cfg, "import")
	m := &transcriptImport{app: a, cfg: cfg, store: s, worker: workerOptions(cfg, log, a.Version)}
	m.worker.Idle = 0 // leave as soon as all is done
	paid := cfg.String("provider") != "local"
	if !dryRun {
		// Events that hooks delivered a moment ago must be known before transcripts are
		// compared with what is known.
		if err := m.work(ctx); err != nil {
			return m.stopped(ctx, err)
		}
	}
	if dryRun || paid && !yes {
		plan := *m
		plan.deliver = plan.estimate
		if err := plan.run(ctx, found, "Counting"); err != nil {
			return plan.stopped(ctx, err)
		}
		if dryRun {
			return plan.tellPlan(dir, paid)
		}
		if ok, err := plan.agreed(); err != nil || !ok {
			return err
		}
	}
	return m.do(ctx, found, dir)
}

func (m *transcriptImport) do(ctx context.Context, found []hooks.Transcript, dir string) error {
	before, err := m.store.Totals(ctx, "")
	if err != nil {
		return err
	}
	m.deliver = m.intoSpool
	err = m.run(ctx, found, "Importing")
	if werr := m.work(ctx); err == nil {
		err = werr
	}
	if err != nil {
		return m.stopped(ctx, err)
	}
	after, err := m.store.Totals(ctx, "")
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Nothing new in %s.\n", m.app.shortPath(dir))
	if m.events > 0 {
		text = fmt.Sprintf("Imported from %s: %s of %s gave %s and %s.\n", m.app.shortPath(dir), count(m.events, "event"), count(m.sessions, "session"),
			count(max(after.Observations-before.Observations, 0), "observation"), count(max(after.Summaries-before.Summaries, 0), "summary"))
	}
	if err := m.app.print("%s", text); err != nil {
		return err
	}
	m.notes()
	if after.WaitingBatches > 0 {
		m.app.say("%s wait for %s; `cmem status` says how far it is.", count(after.WaitingBatches, "batch"), m.cfg.String("provider"))
	}
	return nil
}

// stopped tells what an import that did not come to its end has left.
func (m *transcriptImport) stopped(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return fmt.Errorf("%w; what was imported before that is kept, and the same command goes on", err)
	}
	m.app.say("Stopped after %s of %s. They are kept; the same command goes on.", count(m.events, "event"), count(m.sessions, "session"))
	return errSilent
}

// notes tells what did not go in and why.
func (m *transcriptImport) notes() {
	note := func(n int, format string, args ...any) {
		if n > 0 {
			m.app.say(format, args...)
		}
	}
	note(m.known, "Passed over: %s known already.", isAre(m.known, "session"))
	note(m.excluded, "Passed over: %s of projects and tools that your settings exclude.", count(m.excluded, "event"))
	note(m.watchers, "Passed over: %s of programs that watch sessions.", count(m.watchers, "transcript"))
	const shown = 3
	for _, err := range m.broken[:min(len(m.broken), shown)] {
		m.app.say("Not read to its end: %s", oneLine(err.Error(), 500))
	}
	note(len(m.broken)-shown, "Not read to their end: %s more.", count(len(m.broken)-shown, "transcript"))
}

func (m *transcriptImport) tellPlan(dir string, paid bool) error {
	if err := m.app.print("Would import from %s: %s of %s in %s.\n", m.app.shortPath(dir), count(m.events, "event"), count(m.sessions, "session"),
		count(m.transcripts, "transcript")); err != nil {
		return err
	}
	m.notes()
	if paid {
		m.app.say("%s", m.cost())
	}
	m.app.say("Nothing was stored. Without --dry-run it is.")
	return nil
}

// cost says what a provider would be sent.
func (m *transcriptImport) cost() string {
	provider := m.cfg.String("provider")
	return fmt.Sprintf("About %s tokens of %s would be sent to %s (%s), in about %s.", grouped(int(m.tokens)), count(m.events, "event"), provider,
		m.cfg.String(provider+".model"), count(m.calls, "call"))
}

// agreed asks whether the estimated amount may be sent.
func (m *transcriptImport) agreed() (bool, error) {
	if m.events == 0 {
		return true, nil
	}
	m.app.say("%s", m.cost())
	ok, err := m.app.confirm("Go on? [y/N] ")
	if err == nil && !ok {
		m.app.say("Nothing was imported. For an import that sends nothing: CMEM_PROVIDER=local cmem import claude-code")
	}
	return ok, err
}

// run gives the new events of all transcripts to deliver.
func (m *transcriptImport) run(ctx context.Context, found []hooks.Transcript, what string) error {
	progress, finish := m.app.progress(what)
	defer finish()
	for i, t := range found {
		if progress != nil {
			progress(i, len(found))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		m.transcripts++
		if err := m.transcript(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// transcript gives the new events of one transcript to deliver.
func (m *transcriptImport) transcript(ctx context.Context, t hooks.Transcript) error {
	seen := map[string]*recordedSession{} // by session: a transcript may hold another's lines
	var held []memory.Event               // the beginning of a session counts when something follows
	fresh, old := 0, 0
	for te, err := range t.Events(ctx) {
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			m.broken = append(m.broken, err)
			break
		}
		e := te.Event
		if m.watches(e) {
			m.watchers++
			return nil
		}
		rec := seen[e.SessionID]
		if rec == nil {
			if rec, err = readRecorded(ctx, m.store, e.SessionID); err != nil {
				return err
			}
			seen[e.SessionID] = rec
		}
		ok, err := hooks.Recordable(m.cfg, e)
		switch {
		case err != nil:
			return err
		case !ok:
			m.excluded++
			continue
		case te.Last && (fresh == 0 || rec.endedAfter(e)):
			continue
		case rec.has(e):
			old++
			continue
		case e.Name == memory.EventSessionStart:
			held = append(held, e)
			continue
		}
		for _, e := range append(held, e) {
			if err := m.deliver(ctx, e); err != nil {
				return err
			}
			m.events++
		}
		held = nil
		fresh++
	}
	switch {
	case fresh > 0:
		m.sessions++
	case old > 0:
		m.known++
	}
	return nil
}

// watches reports whether an event is of a program that watches sessions instead
// of being one, ourselves included.
func (m *transcriptImport) watches(e memory.Event) bool {
	if e.Name == memory.EventUserPromptSubmit && export.SelfCapture(e.Prompt) {
		return true
	}
	rel, err := filepath.Rel(m.cfg.DataDir(), e.CWD)
	return err == nil && filepath.IsAbs(e.CWD) && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// intoSpool delivers an event as a hook would have, and lets the worker work when
// enough of them wait.
func (m *transcriptImport) intoSpool(ctx context.Context, e memory.Event) error {
	full := m.waiting >= mostEvents || m.bytes >= mostBytes
	// Between two prompts, so that the events of one are compressed together.
	if full || m.waiting >= portionEvents && e.Name == memory.EventUserPromptSubmit {
		if err := m.work(ctx); err != nil {
			return err
		}
	}
	if m.waiting == 0 {
		if err := m.pauseOthers(); err != nil {
			return err
		}
	}
	err := spool.DeliverAs(m.cfg.Spool(), e.ID, e.Raw)
	if errors.Is(err, fs.ErrExist) {
		// An import that was killed has left a part of this very event.
		if err = os.Remove(filepath.Join(filepath.Dir(spool.NewDir(m.cfg.Spool())), "tmp", e.ID)); err == nil {
			err = spool.DeliverAs(m.cfg.Spool(), e.ID, e.Raw)
		}
	}
	if err != nil {
		return fmt.Errorf("deliver an event to the spool: %w", err)
	}
	m.waiting++
	m.bytes += len(e.Raw)
	return nil
}

// pauseOthers asks a running worker to leave, so that it does not compress half of
// a prompt while the other half is being delivered. One that is busy for longer
// may stay.
func (m *transcriptImport) pauseOthers() error {
	s, err := worker.ReadStatus(m.cfg.DataDir())
	if err != nil || !s.Running {
		return err
	}
	_, _ = worker.Stop(m.cfg.DataDir(), stopPatience) // it is only for better batches
	return nil
}

// work lets a worker, ours or one that is there already, take in all that waits.
func (m *transcriptImport) work(ctx context.Context) error {
	m.waiting, m.bytes = 0, 0
	left, since := -1, time.Now()
	for {
		err := worker.Run(ctx, m.worker)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && !errors.Is(err, worker.ErrRunning) {
			return err
		}
		names, err := spool.List(m.cfg.Spool())
		if err != nil || len(names) == 0 {
			return err
		}
		if len(names) != left {
			left, since = len(names), time.Now()
		}
		if time.Since(since) > workerPatience {
			return fmt.Errorf("the worker has taken in nothing for %s (%s waiting); `cmem doctor` says more", workerPatience, count(left, "event"))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
