package tui

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"cmem/memory"
)

// timing is how long the browser waits for what. A zero poll means that
// nothing is watched, a zero notice that notices stay.
type timing struct {
	poll   time.Duration // between two looks at the store
	status time.Duration // between two looks at the worker
	run    time.Duration // moves that follow one another faster are one run
	settle time.Duration // rest of the cursor before details are shown after a run of moves
	late   time.Duration // from where on a memory is long in coming
	near   time.Duration // rest before what is near a memory is looked for
	meant  time.Duration // rest of the typing before memories that mean the same are looked for
	counts time.Duration // from a change to the counting of the projects
	notice time.Duration // how long a notice stays
	state  time.Duration // from a change of place to remembering it
}

var defaultTiming = timing{
	poll:   75 * time.Millisecond, // each look wakes the process; with reading and drawing a change is seen within 100 ms
	status: 2 * time.Second,
	run:    200 * time.Millisecond,
	settle: 140 * time.Millisecond,
	late:   150 * time.Millisecond,
	near:   200 * time.Millisecond,
	meant:  450 * time.Millisecond,
	counts: 500 * time.Millisecond,
	notice: 4 * time.Second,
	state:  2 * time.Second,
}

const (
	moreHits = 3    // how many times as many hits are asked for when one comes to their end
	maxHits  = 1000 // and how many at most
	maxFresh = 100  // new rows that are counted one by one
)

// noVersion is a version that no store has.
const noVersion = -1

// slot is a kind of work of which only the newest counts.
type slot int

const (
	slotList  slot = iota // a page, a refresh or a search: they replace each other's rows
	slotMeant             // what means the same as a search
	slotDetail
	slotSessions
	slotProjects
	slotWatch
	slotStatus
	slotDay
	slotTheme
	slotThemes     // the person's own themes
	slotSetup      // what the machine has
	slotSettle     // the rest of the cursor
	slotNearby     // neighbours of the selection
	slotRaw        // the events behind it
	slotPage       // what a page shows
	slotCompletion // what could be typed
	slotState      // remembering the state
	slotDesk       // what is opened outside: a file, a transcript, a session
	slotCopy       // what goes to the clipboard
	slotAim        // what has to be read before memories can be changed
	slotMarks      // what is to be marked
	slots
)

// commands makes every tea.Cmd of the browser, in the files named commands*.go.
// They are the only code that calls the Source and the Desk, and the one place at which text from the store is made harmless.
// A new command of a slot cancels the one before. What must not be cancelled has no
// slot and waits for its turn: changes, exports and the installation (see inTurn).
type commands struct {
	ctx    context.Context
	source Source
	desk   Desk
	now    func() time.Time
	timing timing
	self   string // this program's file, for running its other commands
	cancel [slots]context.CancelFunc
	edits  editQueue
	// handOver hands the terminal to another program; see commands_desk.go.
	handOver func(c Command, then func(error) tea.Msg) tea.Cmd
}

// run makes a command of the slot. A panic in it is sent as a message: Bubble
// Tea would restore the terminal too, but lose what happened.
func (c *commands) run(s slot, what string, work func(ctx context.Context) tea.Msg) tea.Cmd {
	if stop := c.cancel[s]; stop != nil {
		stop()
	}
	ctx, stop := context.WithCancel(c.ctx)
	c.cancel[s] = stop
	return func() (msg tea.Msg) {
		defer stop()
		defer func() {
			if r := recover(); r != nil {
				msg = crashMsg{fmt.Errorf("panic while the browser wanted to %s: %v\n%s", what, r, debug.Stack())}
			}
		}()
		if ctx.Err() != nil {
			return nil
		}
		msg = work(ctx)
		if ctx.Err() != nil {
			return nil // nobody waits for the answer any more
		}
		return msg
	}
}

// page reads a page of list in the direction, from the cursor where it needs one.
func (c *commands) page(list int, f memory.Filter, dir direction, from memory.Cursor) tea.Cmd {
	return c.run(slotList, "read the timeline", func(ctx context.Context) tea.Msg {
		var items []memory.Item
		var err error
		switch dir {
		case fromTop:
			items, err = c.source.Timeline(ctx, f, memory.Cursor{}, pageSize)
		case fromEnd:
			items, err = c.source.TimelineNewer(ctx, f, beforeAll(), pageSize)
		case toOlder:
			items, err = c.source.Timeline(ctx, f, from, pageSize)
		case toNewer:
			items, err = c.source.TimelineNewer(ctx, f, from, pageSize)
		}
		return pageMsg{list, dir, from, cleanItems(items), len(items) >= pageSize, err}
	})
}

// refresh reads the newest rows, or the rows of the window again with those
// that came since the one at known.
func (c *commands) refresh(list int, f memory.Filter, w *window, newest bool, known memory.Cursor) tea.Cmd {
	msg := refreshMsg{list: list, from: w.first(), newest: newest}
	last, limit := w.last(), max(len(w.items), pageSize)
	if !newest {
		limit = min(limit+pageSize, maxRows) // rows may have come between those of the window
	}
	return c.run(slotList, "refresh the timeline", func(ctx context.Context) tea.Msg {
		after := memory.Cursor{}
		if !newest {
			fresh, err := c.source.TimelineNewer(ctx, f, known, maxFresh)
			if err != nil {
				msg.err = err
				return msg
			}
			msg.fresh, after = cleanItems(fresh), justAbove(msg.from)
		}
		items, err := c.source.Timeline(ctx, f, after, limit)
		msg.items, msg.full, msg.err = cleanItems(items), len(items) >= limit, err
		end := slices.IndexFunc(items, func(i memory.Item) bool { return i.Cursor() == last }) + 1
		if end = max(end, pageSize); !newest && end < len(items) {
			msg.items, msg.full = msg.items[:end], true
		}
		return msg
	})
}

// search looks for text.
func (c *commands) search(list int, text string, f memory.Filter, limit int) tea.Cmd {
	if stop := c.cancel[slotMeant]; stop != nil {
		stop()
	}
	return c.run(slotList, "search", func(ctx context.Context) tea.Msg {
		hits, err := c.source.Search(ctx, text, f, limit)
		found := make([]hit, len(hits))
		for i, h := range hits {
			found[i] = hitOf(text, h)
		}
		return hitsMsg{list, found, limit, err}
	})
}

// sessions reads the sessions of these ids. One that is missing is answered
// empty, so that it is not asked for again.
func (c *commands) sessions(ids []string) tea.Cmd {
	return c.run(slotSessions, "read sessions", func(ctx context.Context) tea.Msg {
		out := make([]memory.Session, 0, len(ids))
		for _, id := range ids {
			s, err := c.source.Session(ctx, id)
			if err != nil {
				s = memory.Session{}
			}
			s = cleanSession(s)
			s.ID = id
			out = append(out, s)
		}
		return sessionsMsg{out}
	})
}

// projects counts the projects, after a rest: in a burst of arrivals once for many.
func (c *commands) projects(rest time.Duration) tea.Cmd {
	return c.run(slotProjects, "list the projects", func(ctx context.Context) tea.Msg {
		if !sleep(ctx, rest) {
			return nil
		}
		projects, err := c.source.Projects(ctx)
		return projectsMsg{projects, err}
	})
}

// watch waits until the store's version is another than the one given, or what is
// wrong with it is something else than trouble. While nothing changes nothing is
// sent, so nothing is drawn. A store with a trouble is looked at less often.
func (c *commands) watch(version int64, trouble string) tea.Cmd {
	if c.timing.poll == 0 {
		return nil
	}
	return c.run(slotWatch, "watch the store", func(ctx context.Context) tea.Msg {
		rest := c.timing.poll
		if trouble != "" {
			rest = max(rest, c.timing.status)
		}
		for {
			if !sleep(ctx, rest) {
				return nil
			}
			now, err := c.source.DataVersion(ctx)
			if err != nil && cleanLine(err.Error()) != trouble || err == nil && now != version {
				return changedMsg{now, err}
			}
		}
	})
}

// watchStatus waits until the worker's state is another than the one given.
func (c *commands) watchStatus(known Status, atOnce bool) tea.Cmd {
	if c.desk.Status == nil {
		return nil
	}
	return c.run(slotStatus, "ask for the worker's state", func(ctx context.Context) tea.Msg {
		for first := atOnce; ; first = false {
			if !first && (c.timing.status == 0 || !sleep(ctx, c.timing.status)) {
				return nil
			}
			now, err := c.desk.Status(ctx)
			if err != nil {
				now = Status{Problem: cleanLine(err.Error())}
			}
			now.Problem = cleanLine(now.Problem)
			if first || now != known {
				return statusMsg{now}
			}
		}
	})
}

// watchDay waits for the next day, when "Today" means another one.
func (c *commands) watchDay() tea.Cmd {
	if c.timing.poll == 0 {
		return nil
	}
	return c.run(slotDay, "wait for midnight", func(ctx context.Context) tea.Msg {
		day := dayOf(c.now())
		for dayOf(c.now()) == day {
			if !sleep(ctx, 30*time.Second) { // short: a machine may sleep meanwhile
				return nil
			}
		}
		return dayMsg{}
	})
}

// saveTheme remembers the theme.
func (c *commands) saveTheme(name string) tea.Cmd {
	if c.desk.SaveTheme == nil {
		return nil
	}
	return c.run(slotTheme, "remember the theme", func(context.Context) tea.Msg {
		return themeSavedMsg{c.desk.SaveTheme(name)}
	})
}

// noticeOver ends a notice after its time.
func (c *commands) noticeOver(number int) tea.Cmd {
	if c.timing.notice == 0 {
		return nil
	}
	return tea.Tick(c.timing.notice, func(time.Time) tea.Msg { return noticeOverMsg{number} })
}

// stop cancels everything that is under way.
func (c *commands) stop() {
	for _, cancel := range c.cancel {
		if cancel != nil {
			cancel()
		}
	}
}

// sleep rests for d and reports whether nobody cancelled meanwhile.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// isCancelled reports whether an error only says that nobody wants the answer.
func isCancelled(err error) bool { return errors.Is(err, context.Canceled) }
