//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"cmem/bench/corpus"
	"cmem/memory"
	"cmem/store"
)

// The columns in which every program shows the details of what the cursor is
// on, and nothing else.
const (
	listTo      = 56 // the list and the filter line stand before this column
	detailsFrom = 72
	detailsTo   = 116
)

const (
	startRounds = 12 // starts of each program that count
	keyRounds   = 100
	walk        = 10 // rows from the newest at which the burst of keys begins
	repeatRate  = 33 * time.Millisecond
	idleTime    = 10 * time.Second

	miniRows = "Fixed the token"
)

// tui measures the memory browser in a terminal against the smallest program
// of its kind.
func (b *bench) tui(ctx context.Context) (err error) {
	programs, dirs, err := b.screenPrograms(ctx)
	if err != nil {
		return err
	}
	stop, err := pretendWorker(dirs...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	if err := b.timeStarts(ctx, programs); err != nil {
		return err
	}
	if err := b.timeKeys(ctx, programs); err != nil {
		return err
	}
	b.tellScreens(programs)
	return nil
}

// screenPrograms gives mini, and the browser on every store.
func (b *bench) screenPrograms(ctx context.Context) (programs []*screenProgram, dirs []string, err error) {
	command := func(program, dir string) func(context.Context) *exec.Cmd {
		return func(ctx context.Context) *exec.Cmd {
			// Every start is a first one: a browser comes back to where it was left.
			_ = os.Remove(filepath.Join(dir, "ui.json"))
			cmd := exec.CommandContext(ctx, program)
			cmd.Dir = b.work
			cmd.Env = b.env(dir, "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8")
			return cmd
		}
	}
	programs = append(programs, &screenProgram{name: "mini", texts: []string{miniRows}, command: command(b.mini, b.work)})
	for _, s := range b.stores {
		p := &screenProgram{name: "cmem", observations: s.Observations, command: command(b.cmem, s.Dir)}
		if err := p.expect(ctx, s); err != nil {
			return nil, nil, fmt.Errorf("ask %s what must be on the screen: %w", s.Dir, err)
		}
		programs, dirs = append(programs, p), append(dirs, s.Dir)
	}
	return programs, dirs, nil
}

// expect asks the store what must be on the first screen, and what on those of
// the words that are searched for.
func (p *screenProgram) expect(ctx context.Context, s corpus.Store) (err error) {
	db, err := store.OpenReadOnly(ctx, filepath.Join(s.Dir, "cmem.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	items, err := db.Timeline(ctx, memory.Filter{}, memory.Cursor{}, 5)
	if err != nil {
		return err
	}
	for _, item := range items {
		p.texts = appendBeginning(p.texts, item.Title)
	}
	if len(p.texts) == 0 {
		return errors.New("the newest memories have no titles")
	}
	for _, q := range s.Queries {
		word := filterWord{text: q.Text}
		hits, err := db.Search(ctx, q.Text, memory.Filter{}, searchLimit)
		if err != nil {
			return err
		}
		for _, hit := range hits {
			word.titles = appendBeginning(word.titles, hit.Observation.Title)
		}
		p.words = append(p.words, word)
	}
	return nil
}

// appendBeginning appends as much of a title as is on a screen for certain.
func appendBeginning(titles []string, title string) []string {
	if r := []rune(title); len(r) >= 8 {
		return append(titles, string(r[:8]))
	}
	return titles
}

// timeStarts starts and quits the programs in turns, on a terminal that answers
// and on a mute one.
func (b *bench) timeStarts(ctx context.Context, programs []*screenProgram) error {
	n := len(programs) * 2
	for round := range warmUps + min(startRounds, b.rounds) {
		for i := range n {
			i = (i + round) % n
			p, mute := programs[i/2], i%2
			t, err := openTerminal(p.command(ctx), mute == 1)
			if err != nil {
				return err
			}
			first, shown, err := t.started(ctx, p.texts)
			if err != nil {
				return errors.Join(err, t.close())
			}
			t.quiet(100 * time.Millisecond)
			took, left, err := t.quit("q")
			if err != nil {
				return err
			}
			for _, l := range left {
				if !slices.Contains(p.left, l) {
					p.left = append(p.left, l)
				}
			}
			if round >= warmUps {
				p.starts[mute] = append(p.starts[mute], milliseconds(first))
				p.shown[mute] = append(p.shown[mute], milliseconds(shown))
				p.quits = append(p.quits, milliseconds(took))
			}
		}
	}
	return nil
}

// timeKeys holds all programs open side by side and types into them in turns.
func (b *bench) timeKeys(ctx context.Context, programs []*screenProgram) (err error) {
	var open []*terminal
	defer func() {
		for _, t := range open {
			err = errors.Join(err, t.close())
		}
	}()
	for _, p := range programs {
		t, err := openTerminal(p.command(ctx), false)
		if err != nil {
			return err
		}
		open = append(open, t)
		if _, _, err := t.started(ctx, p.texts); err != nil {
			return err
		}
		t.quiet(keyQuiet)
	}
	for _, measure := range []func(*bench, []*screenProgram, []*terminal) error{
		(*bench).timeIdle, (*bench).timeMoves, (*bench).timeBursts, (*bench).timeFilters,
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := measure(b, programs, open); err != nil {
			return err
		}
	}
	return nil
}

// timeIdle leaves all programs alone at the same time.
func (b *bench) timeIdle(programs []*screenProgram, open []*terminal) error {
	idle := min(idleTime, idleTime*time.Duration(b.rounds)/usualRounds)
	type reading struct {
		cpu   time.Duration
		waits int
		bytes int
	}
	read := func(t *terminal) (r reading, err error) {
		r.cpu, r.waits, err = activityOf(t.cmd.Process.Pid)
		t.mu.Lock()
		r.bytes = t.bytes
		t.mu.Unlock()
		return r, err
	}
	for _, t := range open {
		t.quiet(500 * time.Millisecond)
	}
	var before []reading
	for _, t := range open {
		r, err := read(t)
		if err != nil {
			return err
		}
		before = append(before, r)
	}
	begin := time.Now()
	time.Sleep(idle)
	for i, t := range open {
		r, err := read(t)
		if err != nil {
			return err
		}
		now, _, err := memoryOf(t.cmd.Process.Pid)
		if err != nil {
			return err
		}
		seconds := time.Since(begin).Seconds()
		programs[i].cpu = 100 * (r.cpu - before[i].cpu).Seconds() / seconds
		programs[i].waits = float64(r.waits-before[i].waits) / seconds
		programs[i].idleBytes = r.bytes - before[i].bytes
		programs[i].memory = float64(now) / 1e6
	}
	return nil
}

// timeMoves moves the cursor down and up again, and then down as a key that is
// held does.
func (b *bench) timeMoves(programs []*screenProgram, open []*terminal) error {
	rounds := max(min(keyRounds, 2*b.rounds), 8)
	for n := range warmUps + rounds {
		// As many rows down as up, across headlines and pages of the window.
		key := "j"
		if n%16 >= 8 {
			key = "k"
		}
		for i, t := range open {
			// A pause that is no multiple of a frame, so that no key keeps step
			// with a clock.
			time.Sleep(time.Duration(5+n*7%17) * time.Millisecond)
			a, err := t.press(key, keyQuiet)
			if err != nil {
				return err
			}
			if n < warmUps {
				continue
			}
			p := programs[i]
			p.keys, p.lasts = append(p.keys, milliseconds(a.first)), append(p.lasts, milliseconds(a.last))
			p.frames, p.all = append(p.frames, float64(a.frame)), append(p.all, float64(a.bytes))
		}
	}
	const held = 20
	for i, t := range open {
		t.quiet(200 * time.Millisecond)
		t.mu.Lock()
		before := t.bytes
		t.mu.Unlock()
		for range held {
			if err := t.write("j"); err != nil {
				return err
			}
			time.Sleep(repeatRate)
		}
		t.mu.Lock() // what comes when the cursor rests is not of a move
		programs[i].run = float64(t.bytes-before) / held
		t.mu.Unlock()
		t.quiet(200 * time.Millisecond)
		if _, err := t.press(strings.Repeat("k", held), 200*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// timeBursts types many keys at once, down and up again, and looks whether the
// cursor stands where it stood.
func (b *bench) timeBursts(programs []*screenProgram, open []*terminal) error {
	for i, t := range open {
		p := programs[i]
		for range walk {
			if _, err := t.press("j", keyQuiet); err != nil {
				return err
			}
		}
		t.quiet(300 * time.Millisecond)
		before := t.part(detailsFrom, detailsTo)
		down, err := t.press(strings.Repeat("j", burst), 300*time.Millisecond)
		if err != nil {
			return err
		}
		below := t.part(detailsFrom, detailsTo)
		up, err := t.press(strings.Repeat("k", burst), 300*time.Millisecond)
		if err != nil {
			return err
		}
		p.burst = milliseconds(max(down.last, up.last))
		p.lost = below == before || t.part(detailsFrom, detailsTo) != before
	}
	return nil
}

// timeFilters types words into the filter line, letter by letter: from each to
// the last change in the list. What the details of the first result make beside
// it comes when the typing rests, and is none of it.
func (b *bench) timeFilters(programs []*screenProgram, open []*terminal) error {
	const quiet = 150 * time.Millisecond
	for i, t := range open {
		p := programs[i]
		if len(p.words) == 0 {
			continue
		}
		if _, err := t.press("/", quiet); err != nil {
			return err
		}
		for _, word := range p.words {
			for at, letter := range word.text {
				if letter == ' ' { // asks for nothing yet
					if err := t.write(" "); err != nil {
						return err
					}
					t.quiet(quiet)
					continue
				}
				begin := time.Now()
				last, err := t.narrow(string(letter), 2*quiet)
				if err != nil {
					return err
				}
				if at+utf8.RuneLen(letter) == len(word.text) {
					if last, err = t.shows(word.titles, begin, last); err != nil {
						return fmt.Errorf("find %q: %w", word.text, err)
					}
				}
				if ms := milliseconds(last); len(p.filter) == 0 || ms > slices.Max(p.filter) {
					p.slowest = word.text[:at+utf8.RuneLen(letter)]
				}
				p.filter = append(p.filter, milliseconds(last))
			}
			if err := t.write(strings.Repeat("\x7f", utf8.RuneCountInString(word.text))); err != nil {
				return err
			}
			t.quiet(2 * quiet)
		}
	}
	return nil
}
