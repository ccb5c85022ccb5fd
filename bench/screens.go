package main

import (
	"context"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strings"
)

const burst = 200 // keys that are typed at once

// A screenProgram is a program that is measured in a terminal.
type screenProgram struct {
	name         string
	observations int
	texts        []string // one of which is there when rows are shown
	command      func(context.Context) *exec.Cmd
	words        []filterWord // to type into the filter line

	starts      [2][]float64 // first frames in ms: answering, mute
	shown       [2][]float64
	quits       []float64
	left        []string
	keys, lasts []float64
	frames, all []float64 // bytes of a move: of its first frame, and with what came behind it
	run         float64   // bytes of a move in a run of moves
	burst       float64   // ms
	lost        bool
	filter      []float64
	slowest     string  // what stood in the filter line when it took longest
	cpu         float64 // percent while idle
	waits       float64 // a second while idle
	idleBytes   int
	memory      float64 // MB
}

// A filterWord is a word with the beginnings of titles that it finds.
type filterWord struct {
	text   string
	titles []string
}

// tellScreens puts what was found into the results.
func (b *bench) tellScreens(programs []*screenProgram) {
	for _, p := range programs {
		add := func(name string, values []float64) {
			if len(values) > 0 {
				b.Rows = append(b.Rows, Row{Part: "tui", Name: p.name + ": " + name, Observations: p.observations, Runs: len(values), WallMS: distOf(slices.Clone(values))})
			}
		}
		add("first frame", p.starts[0])
		add("first frame, mute terminal", p.starts[1])
		add("first rows", p.shown[0])
		add("key to frame", p.keys)
		add("key to last change", p.lasts)
		add("letter to results", p.filter)
		add("quit", p.quits)
		where := p.name
		if p.observations > 0 {
			where += " at " + sizeName(p.observations)
		}
		tell := func(name string, value float64, unit string) { b.figure("tui", where+": "+name, value, unit) }
		tell("a move, its frame", distOf(slices.Clone(p.frames)).Median, "bytes")
		tell("a move, with the details behind it", distOf(slices.Clone(p.all)).Median, "bytes")
		tell("a move while the key is held", p.run, "bytes")
		tell(fmt.Sprintf("%d keys at once", burst), p.burst, "ms")
		tell("idle", p.cpu, "% CPU")
		tell("idle, woken", p.waits, "times a second")
		tell("memory", p.memory, "MB")
	}
	b.screenTargets(programs)
}

// screenTargets compares with mini, and the largest store with the smallest.
func (b *bench) screenTargets(programs []*screenProgram) {
	mini, small, big := programs[0], programs[1], programs[len(programs)-1]
	median := func(v []float64) float64 { return distOf(slices.Clone(v)).Median }
	p95 := func(v []float64) float64 { return distOf(slices.Clone(v)).P95 }
	ratio := func(name string, a, of, limit float64, unit string) {
		b.target(name, a/math.Max(of, 1e-9), limit, "×", fmt.Sprintf("%s %s, %s %s", exact(a), unit, exact(of), unit))
	}
	at := " at " + sizeName(big.observations)
	ratio("first frame"+at+", of mini's", median(big.starts[0]), median(mini.starts[0]), 2, "ms")
	ratio("first frame on a mute terminal"+at+", of mini's", median(big.starts[1]), median(mini.starts[1]), 2, "ms")
	ratio("key to frame"+at+", p95, of mini's", p95(big.keys), p95(mini.keys), 1.2, "ms")
	b.target("letter in the filter line to results"+at+", p95", p95(big.filter), 50, "ms", fmt.Sprintf("median %s ms; slowest for %q", exact(median(big.filter)), big.slowest))
	worst := slices.MaxFunc(programs[1:], func(x, y *screenProgram) int { return int(median(x.frames) - median(y.frames)) })
	b.target("bytes a cursor move, its frame", median(worst.frames), 600, "bytes", fmt.Sprintf("with the details behind it %s", exact(median(worst.all))))
	lost, left := 0.0, []string{}
	quits, idle, bytes := 0.0, 0.0, 0.0
	for _, p := range programs[1:] {
		if p.lost {
			lost++
		}
		left = append(left, p.left...)
		quits, idle, bytes = math.Max(quits, p95(p.quits)), math.Max(idle, p.cpu), math.Max(bytes, float64(p.idleBytes))
	}
	b.target(fmt.Sprintf("bursts of %d keys that lost one", burst), lost, 0, "", fmt.Sprintf("%s ms%s", exact(big.burst), at))
	b.target("bytes written while idle", bytes, 0, "bytes", "")
	b.target("CPU while idle", idle, 1, "%", fmt.Sprintf("mini %s", exact(mini.cpu)))
	ratio("memory"+at+", of "+sizeName(small.observations), big.memory, small.memory, 1.3, "MB")
	b.target("quit, p95", quits, 50, "ms", fmt.Sprintf("mini %s ms", exact(p95(mini.quits))))
	b.target("left over in the terminal", float64(len(left)), 0, "", strings.Join(left, ", "))
}
