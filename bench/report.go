package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Row is what was found about one contender.
type Row struct {
	Part         string  `json:"part"`
	Name         string  `json:"name"`
	Observations int     `json:"observations,omitempty"` // in its store
	Runs         int     `json:"runs"`
	WallMS       Dist    `json:"wall_ms"`
	CPUMS        Dist    `json:"cpu_ms,omitzero"`
	PeakMB       float64 `json:"peak_mb,omitempty"` // median of the most memory held, in units of 1,000,000 bytes
	// Against names the row that the ratios of medians compare with.
	Against   string  `json:"against,omitempty"`
	WallRatio float64 `json:"wall_ratio,omitempty"`
	CPURatio  float64 `json:"cpu_ratio,omitempty"`
	PeakRatio float64 `json:"peak_ratio,omitempty"`
}

// Figure is a single number that was found.
type Figure struct {
	Part  string  `json:"part"`
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// results is all that was found, and where.
type results struct {
	Machine machine  `json:"machine"`
	Rows    []Row    `json:"rows"`
	Figures []Figure `json:"figures"`
	Targets []Target `json:"targets,omitempty"`
}

type machine struct {
	OS   string    `json:"os"`
	Arch string    `json:"arch"`
	CPUs int       `json:"cpus"`
	Go   string    `json:"go"`
	Load string    `json:"load,omitempty"` // averages at the end of the run, where the system tells
	Time time.Time `json:"time"`
}

func newRow(part string, c contender, samples []sample) Row {
	var wall, cpu, peak []float64
	for _, s := range samples {
		wall = append(wall, milliseconds(s.wall))
		if s.cpu > 0 {
			cpu = append(cpu, milliseconds(s.cpu))
		}
		if s.peak > 0 {
			peak = append(peak, float64(s.peak)/1e6)
		}
	}
	return Row{
		Part: part, Name: c.name, Observations: c.observations, Runs: len(samples), Against: c.against,
		WallMS: distOf(wall), CPUMS: distOf(cpu), PeakMB: distOf(peak).Median,
	}
}

// compare fills in the ratios of r to the yardstick.
func (r *Row) compare(yardstick Row) {
	ratio := func(a, b float64) float64 {
		if b == 0 {
			return 0
		}
		return a / b
	}
	r.WallRatio = ratio(r.WallMS.Median, yardstick.WallMS.Median)
	r.CPURatio = ratio(r.CPUMS.Median, yardstick.CPUMS.Median)
	r.PeakRatio = ratio(r.PeakMB, yardstick.PeakMB)
	if yardstick.Observations > 0 {
		r.Against = fmt.Sprintf("%s at %s", r.Against, sizeName(yardstick.Observations))
	}
}

func (b *bench) figure(part, name string, value float64, unit string) {
	b.Figures = append(b.Figures, Figure{part, name, value, unit})
}

func (b *bench) describeMachine() {
	b.Machine = machine{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version(), Time: time.Now().UTC()}
	if raw, err := os.ReadFile("/proc/loadavg"); err == nil {
		b.Machine.Load = strings.Join(strings.Fields(string(raw))[:3], " ")
	}
}

func (b *bench) writeJSON(path string) error {
	raw, err := json.MarshalIndent(b.results, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}

func (r results) writeMarkdown(w io.Writer) error {
	var s strings.Builder
	m := r.Machine
	fmt.Fprintf(&s, "%s/%s, %d CPUs, %s, %s UTC", m.OS, m.Arch, m.CPUs, m.Go, m.Time.Format(time.DateTime))
	if m.Load != "" {
		fmt.Fprintf(&s, ", load averages at the end %s", m.Load)
	}
	s.WriteString("\n")
	for _, p := range parts {
		rows := slices.DeleteFunc(slices.Clone(r.Rows), func(row Row) bool { return row.Part != p.name })
		figures := slices.DeleteFunc(slices.Clone(r.Figures), func(f Figure) bool { return f.Part != p.name })
		targets := slices.DeleteFunc(slices.Clone(r.Targets), func(t Target) bool { return t.Part != p.name })
		if len(rows)+len(figures)+len(targets) == 0 {
			continue
		}
		fmt.Fprintf(&s, "\n## %s\n", p.name)
		switch {
		case len(rows) == 0:
		case p.bySize:
			tableBySize(&s, rows)
		default:
			table(&s, rows)
		}
		if len(figures) > 0 {
			s.WriteString("\n| | | |\n| --- | ---: | --- |\n")
		}
		for _, f := range figures {
			fmt.Fprintf(&s, "| %s | %s | %s |\n", f.Name, exact(f.Value), f.Unit)
		}
		if len(targets) > 0 {
			tableOfTargets(&s, targets)
		}
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// table writes a line for each row, and the columns in which something stands.
func table(s *strings.Builder, rows []Row) {
	type column struct {
		head  string
		value func(Row) string
	}
	columns := []column{
		{"wall ms", func(r Row) string { return number(r.WallMS.Median) }},
		{"p95", func(r Row) string { return number(r.WallMS.P95) }},
		{"CPU ms", func(r Row) string { return number(r.CPUMS.Median) }},
		{"p95", func(r Row) string { return number(r.CPUMS.P95) }},
		{"memory MB", func(r Row) string { return number(r.PeakMB) }},
		{"wall ×", func(r Row) string { return number(r.WallRatio) }},
		{"CPU ×", func(r Row) string { return number(r.CPURatio) }},
		{"memory ×", func(r Row) string { return number(r.PeakRatio) }},
		{"of", func(r Row) string { return r.Against }},
	}
	columns = slices.DeleteFunc(columns, func(c column) bool {
		return !slices.ContainsFunc(rows, func(r Row) bool { return c.value(r) != "" })
	})
	s.WriteString("\n| what | store | runs |")
	for _, c := range columns {
		s.WriteString(" " + c.head + " |")
	}
	s.WriteString("\n| --- | ---: | ---: |" + strings.Repeat(" ---: |", len(columns)) + "\n")
	for _, r := range rows {
		fmt.Fprintf(s, "| %s | %s | %d |", r.Name, sizeName(r.Observations), r.Runs)
		for _, c := range columns {
			s.WriteString(" " + c.value(r) + " |")
		}
		s.WriteString("\n")
	}
}

// tableBySize writes a line for each name and a column for each store, with
// median and, in brackets, p95 of wall time in milliseconds.
func tableBySize(s *strings.Builder, rows []Row) {
	var names []string
	var sizes []int
	cells := map[string]map[int]string{}
	for _, r := range rows {
		if cells[r.Name] == nil {
			cells[r.Name] = map[int]string{}
			names = append(names, r.Name)
		}
		if !slices.Contains(sizes, r.Observations) {
			sizes = append(sizes, r.Observations)
		}
		cells[r.Name][r.Observations] = fmt.Sprintf("%s (%s)", number(r.WallMS.Median), number(r.WallMS.P95))
	}
	slices.Sort(sizes)
	s.WriteString("\n| wall ms (p95) |")
	for _, n := range sizes {
		s.WriteString(" " + sizeName(n) + " |")
	}
	s.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(sizes)) + "\n")
	for _, name := range names {
		s.WriteString("| " + name + " |")
		for _, n := range sizes {
			s.WriteString(" " + cells[name][n] + " |")
		}
		s.WriteString("\n")
	}
}

// number gives three digits that mean something, and nothing for nothing.
func number(v float64) string {
	switch {
	case v == 0:
		return ""
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}
