// Command bench measures cmem as its users meet it: hooks, searches, the memory
// browser and the worker, each as a process, on stores of up to a million
// observations. What is compared runs in turns within one run, so that a busy
// machine is busy for all. README.md tells how to read the results.
//
// It is a program of its own and no part of cmem.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"cmem/bench/corpus"
)

// bench is one run: its settings and what it found.
type bench struct {
	cmem, bare string // the programs that are measured
	mini       string // a terminal program without anything in it
	root       string // of the module
	work       string // a temporary folder
	stores     []corpus.Store
	rounds     int // of quick things; slow ones run less often
	events     int // for the worker
	hooksEach  int // for the storm: hooks of each of its processes
	waiting    int // for the backlog: events in the spool
	results
}

// usualRounds is how often quick things are run unless the person says otherwise.
const usualRounds = 60

// A part is something that can be measured by itself.
type part struct {
	name    string
	measure func(*bench, context.Context) error
	bySize  bool // its report has a column for each size of store
}

var parts = []part{
	{name: "hooks", measure: (*bench).hooks},
	{name: "search", measure: (*bench).search, bySize: true},
	{name: "recall", measure: (*bench).recall},
	{name: "tui", measure: (*bench).tui},
	{name: "worker", measure: (*bench).worker},
	{name: "storm", measure: (*bench).storm},
	{name: "backlog", measure: (*bench).backlog},
	{name: "upkeep", measure: (*bench).upkeep},
	{name: "year", measure: (*bench).year},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	which := flag.String("parts", strings.Join(names, ","), "what to measure")
	sizes := flag.String("sizes", "1k,10k,100k,1M", "observations in the stores")
	quick := flag.Bool("quick", false, "small stores and few rounds: to see that it works, not to compare")
	rounds := flag.Int("rounds", usualRounds, "how often each hook is run")
	jsonPath := flag.String("json", "", "write the results as JSON into this `file` too")
	binary := flag.String("cmem", "", "measure this `binary` instead of one built from here")
	cache := flag.String("cache", "", "keep generated stores in this `folder` (default: in the user's cache folder)")
	flag.Parse()
	b := &bench{rounds: *rounds, events: 5000, hooksEach: 500, waiting: 100_000}
	if *quick {
		*sizes = "1k,10k"
		b.rounds, b.events, b.hooksEach, b.waiting = 10, 500, 50, 10_000
	}

	chosen := strings.Split(*which, ",")
	for _, name := range chosen {
		if !slices.Contains(names, name) {
			return fmt.Errorf("-parts: %q is not among %s", name, strings.Join(names, ", "))
		}
	}
	if b.root, err = moduleRoot(); err != nil {
		return err
	}
	if b.work, err = os.MkdirTemp("", "cmem-bench-*"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.work)) }()
	if err := b.build(ctx, *binary); err != nil {
		return err
	}
	if err := b.prepare(ctx, *cache, *sizes); err != nil {
		return err
	}
	for _, p := range parts {
		if !slices.Contains(chosen, p.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "measuring %s …\n", p.name)
		start := time.Now()
		if err := p.measure(b, ctx); err != nil {
			return fmt.Errorf("measure %s: %w", p.name, err)
		}
		fmt.Fprintf(os.Stderr, "  %s\n", time.Since(start).Round(time.Second))
	}
	b.describeMachine()
	if *jsonPath != "" {
		if err := b.writeJSON(*jsonPath); err != nil {
			return err
		}
	}
	return b.writeMarkdown(os.Stdout)
}

// prepare generates the stores that are not in the cache yet.
func (b *bench) prepare(ctx context.Context, cache, sizes string) error {
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		cache = filepath.Join(dir, "cmem-bench")
	}
	for text := range strings.SplitSeq(sizes, ",") {
		n, err := parseSize(text)
		if err != nil {
			return fmt.Errorf("-sizes: %w", err)
		}
		start, told := time.Now(), time.Now()
		s, err := corpus.Build(ctx, cache, n, func(done int) {
			if time.Since(told) > 10*time.Second {
				told = time.Now()
				fmt.Fprintf(os.Stderr, "generating a store of %s observations: %d %%\n", sizeName(n), 100*done/n)
			}
		})
		if err != nil {
			return err
		}
		if took := time.Since(start); took > 10*time.Second {
			fmt.Fprintf(os.Stderr, "generated %s observations in %s\n", sizeName(n), took.Round(time.Second))
		}
		b.stores = append(b.stores, s)
	}
	slices.SortFunc(b.stores, func(x, y corpus.Store) int { return x.Observations - y.Observations })
	return nil
}

// parseSize reads 1000, 10k or 1M.
func parseSize(text string) (int, error) {
	digits := strings.TrimRight(text, "kM")
	n, err := strconv.Atoi(digits)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%q is no number such as 1000, 10k or 1M", text)
	}
	switch text[len(digits):] {
	case "":
	case "k":
		n *= 1000
	case "M":
		n *= 1_000_000
	default:
		return 0, fmt.Errorf("%q is no number such as 1000, 10k or 1M", text)
	}
	return n, nil
}

// sizeName is the inverse of parseSize; nothing for 0.
func sizeName(n int) string {
	switch {
	case n == 0:
		return ""
	case n >= 1_000_000 && n%1_000_000 == 0:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n >= 1000 && n%1000 == 0:
		return fmt.Sprintf("%dk", n/1000)
	}
	return strconv.Itoa(n)
}
