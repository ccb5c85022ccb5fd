// Command retrieval measures how well memories are found: it reads data sets of
// documents, searches and the right answers, and tells for each way of searching
// how many of the right ones it finds, how long it takes and what the index costs.
//
//	go run ./bench/retrieval [-kinds] [-only NAME] [FOLDER]
//
// Without a folder it takes its own sets. docs/search.md tells what the figures mean.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

func main() {
	kinds := flag.Bool("kinds", false, "tell the figures of each kind of question, too")
	only := flag.String("only", "", "take only sets with this in their names")
	flag.Parse()
	folder := "bench/retrieval/testdata"
	if flag.NArg() > 0 {
		folder = flag.Arg(0)
	}
	if err := run(context.Background(), os.Stdout, folder, *only, *kinds); err != nil {
		fmt.Fprintln(os.Stderr, "retrieval:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, folder, only string, kinds bool) error {
	sets, err := readSets(folder)
	if err != nil {
		return err
	}
	for _, s := range sets {
		if !strings.Contains(s.Name, only) {
			continue
		}
		o, err := measure(ctx, s)
		if err != nil {
			return err
		}
		if err := o.tell(out, kinds); err != nil {
			return err
		}
		a, err := readActions(folder, s.Name)
		if err != nil {
			return err
		}
		if a == nil || len(s.Groups) != 1 {
			continue
		}
		failures, prompts, err := tellUnasked(ctx, s.Groups[0], a)
		if err != nil {
			return fmt.Errorf("tell unasked in %s: %w", s.Name, err)
		}
		if err := tellTellings(out, failures, prompts); err != nil {
			return err
		}
	}
	return nil
}

// tell writes what was measured as a table of Markdown.
func (o outcome) tell(out io.Writer, kinds bool) error {
	var b strings.Builder
	each := time.Duration(max(o.docs, 1))
	fmt.Fprintf(&b, "\n%s: %d documents; an observation takes %v to store, %v to encode and %d bytes\n\n",
		o.name, o.docs, (o.stored / each).Round(time.Microsecond), (o.encoded / each).Round(time.Microsecond), o.bytes/int64(max(o.docs, 1)))
	b.WriteString("| by | kind | questions | R@5 | R@10 | MRR | nDCG@10 | sure and right | sure | falsely sure | newer first | p50 | p95 |\n")
	b.WriteString("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, way := range ways {
		names := []string{""}
		if kinds {
			for kind := range o.figures[way] {
				names = append(names, kind)
			}
			slices.Sort(names)
			names = slices.Compact(names)
		}
		for _, kind := range names {
			if f := o.figures[way][kind]; f != nil {
				f.tell(&b, way, kind)
			}
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (f *figures) tell(b *strings.Builder, way, kind string) {
	round := func(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
	fmt.Fprintf(b, "| %s | %s | %d |", way, kind, f.n+f.unanswerable)
	if f.n > 0 {
		fmt.Fprintf(b, " %.3f | %.3f | %.3f | %.3f |", f.mean(f.recall5), f.mean(f.recall10), f.mean(f.reciprocal), f.mean(f.ndcg))
	} else {
		b.WriteString(" | | | |")
	}
	fmt.Fprintf(b, " %d | %d | %s | %s | %v | %v |\n", f.sureRight, f.sure, of(f.injected, f.unanswerable), of(f.newerFirst, f.pairs),
		round(f.percentile(50)), round(f.percentile(95)))
}

// of writes a share, nothing where there is none.
func of(n, all int) string {
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", n, all)
}
