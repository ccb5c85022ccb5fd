//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"cmem/bench/corpus"
	"cmem/memory"
	"cmem/store"
)

const (
	screenColumns  = 120
	screenLines    = 40
	screenRounds   = 10
	screenSettles  = 500 * time.Millisecond // after which its memory is looked at
	screenPatience = 30 * time.Second
)

// tui measures how long the memory browser takes to the first frame and to the
// first memories on it, and what memory it holds then.
func (b *bench) tui(ctx context.Context) error {
	var frames, memories []contender
	var dirs []string
	for _, s := range b.stores {
		if err := makeSpool(s.Dir); err != nil {
			return err
		}
		dirs = append(dirs, s.Dir)
		newest, err := newestTitles(ctx, s)
		if err != nil {
			return err
		}
		var whole sample // of the run that the first contender made
		frames = append(frames, contender{
			name: "first frame", observations: s.Observations, against: "first frame",
			run: func(ctx context.Context) (first sample, err error) {
				first, whole, err = b.browse(ctx, s.Dir, newest)
				return first, err
			},
		})
		memories = append(memories, contender{
			name: "first memories on screen", observations: s.Observations, against: "first memories on screen",
			run: func(context.Context) (sample, error) { return whole, nil },
		})
	}
	stop, err := pretendWorker(dirs...)
	if err != nil {
		return err
	}
	// Both are of the same runs: the second of each pair hands over what the first saw.
	var pairs []contender
	for i := range frames {
		pairs = append(pairs, frames[i], memories[i])
	}
	return errors.Join(b.race(ctx, "tui", min(screenRounds, b.rounds), pairs), stop())
}

// newestTitles gives the beginnings of what must be on the first screen.
func newestTitles(ctx context.Context, s corpus.Store) (titles []string, err error) {
	db, err := store.OpenReadOnly(ctx, filepath.Join(s.Dir, "cmem.db"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	items, err := db.Timeline(ctx, memory.Filter{}, memory.Cursor{}, 5)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		if r := []rune(item.Title); len(r) >= 8 {
			titles = append(titles, string(r[:8]))
		}
	}
	if len(titles) == 0 {
		err = fmt.Errorf("the newest memories of %s have no titles", s.Dir)
	}
	return titles, err
}

// browse runs the memory browser in a terminal until it has shown memories and
// then quits it.
func (b *bench) browse(ctx context.Context, dataDir string, titles []string) (first, shown sample, err error) {
	ctx, cancel := context.WithTimeout(ctx, screenPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.cmem)
	cmd.Dir = b.work
	cmd.Env = b.env(dataDir, "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8")
	begin := time.Now()
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: screenColumns, Rows: screenLines})
	if err != nil {
		return first, shown, err
	}
	defer func() { _ = terminal.Close() }() // the program has ended by then
	screen := vt.NewSafeEmulator(screenColumns, screenLines)
	go func() { _, _ = io.Copy(terminal, screen) }() // the terminal's answers; ends with it

	chunks := make(chan chunk, 64)
	go readChunks(terminal, chunks)
	quit := func() error {
		_, err := terminal.WriteString("q")
		go func() {
			for range chunks { // let it finish writing
			}
		}()
		return errors.Join(err, cmd.Wait())
	}
	for c := range chunks {
		if _, err := screen.Write(c.bytes); err != nil {
			return first, shown, errors.Join(err, quit())
		}
		text := screen.String()
		if first.wall == 0 && strings.TrimSpace(text) != "" {
			first.wall = c.at.Sub(begin)
		}
		if !containsAny(text, titles) {
			continue
		}
		shown.wall = c.at.Sub(begin)
		time.Sleep(screenSettles)
		now, _, err := memoryOf(cmd.Process.Pid)
		if err := errors.Join(err, quit()); err != nil {
			return first, shown, err
		}
		shown.peak = now
		shown.cpu = sampleOf(cmd.ProcessState, 0).cpu
		return first, shown, nil
	}
	return first, shown, fmt.Errorf("the browser ended or hung without showing any of %q: %w; the screen was:\n%s", titles, cmd.Wait(), screen.String())
}

// A chunk is what a program wrote to its terminal, and when.
type chunk struct {
	bytes []byte
	at    time.Time
}

func readChunks(terminal *os.File, chunks chan<- chunk) {
	defer close(chunks)
	for {
		buf := make([]byte, 32<<10)
		n, err := terminal.Read(buf)
		if n > 0 {
			chunks <- chunk{buf[:n], time.Now()}
		}
		if err != nil {
			return // the program has ended
		}
	}
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
