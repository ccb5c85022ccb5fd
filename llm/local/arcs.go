package local

import (
	"path"
	"sort"
	"strings"
)

// arcKind says what an arc is about.
type arcKind int

const (
	editing   arcKind = iota // files were changed, or a commit landed
	operating                // something was installed, migrated, deployed, started, published
	trouble                  // a command failed and nothing was done about it
	finding                  // something was found out or answered
	choosing                 // the person chose between alternatives
	ruling                   // the person laid down a rule
	reasoned                 // the assistant chose between alternatives and said why
)

// arc is what is told as one observation: the steps of one topic.
type arc struct {
	kind     arcKind
	first    int // the steps from first to last are its time
	last     int
	edited   []int // steps that edited its files
	files    []*fileEdit
	commit   *commit
	reverted bool
	clauses  []string // the wishes that fit this arc, where a prompt had several
	split    bool     // the prompt's edits went into several arcs
	ops      []int    // steps with an operation
	choices  []choice
	text     string // of a rule, a plan or a reasoned choice
	backed   bool   // the edits that follow from a choice were committed or tested
}

// pendingEdit is an edit that no commit has taken yet.
type pendingEdit struct {
	step int
	c    change
}

const (
	maxArcs      = 5
	maxSplitArcs = 3
)

// arcs groups the steps of the batch by topic. A commit is one topic; the edits
// that no commit took are one, unless the person's wishes tell them apart;
// without edits there is at most one operation, trouble or finding.
func (s *scene) arcs() []*arc {
	var out []*arc
	var pending []pendingEdit
	start := 0
	for i := range s.steps {
		st := &s.steps[i]
		if st.revert != nil {
			var gone *arc
			if pending, gone = takeBack(pending, *st.revert, start, i); gone != nil {
				out = append(out, gone)
			}
		}
		for _, c := range st.changes {
			pending = append(pending, pendingEdit{i, c})
		}
		if st.run == nil {
			continue
		}
		for j := range st.run.commits {
			a := &arc{kind: editing, first: start, last: i, commit: &st.run.commits[j]}
			var taken []pendingEdit
			pending, taken = commitTakes(pending, a.commit)
			a.take(taken)
			out = append(out, a)
			start = i + 1
		}
	}
	if len(pending) > 0 {
		out = append(out, s.splitArcs(pending, min(start, pending[0].step))...)
	}
	out = s.attachOperations(out)
	if a := s.reasonedChoice(out); a != nil {
		out = append(out, a)
	}
	out = append(out, s.spoken(len(out) > 0)...)
	if len(out) == 0 {
		out = append(out, s.withoutEdits()...)
	}
	return out[:min(len(out), maxArcs)]
}

func (a *arc) take(edits []pendingEdit) {
	byPath := map[string]*fileEdit{}
	for _, f := range a.files {
		byPath[f.path] = f
	}
	for _, e := range edits {
		f := byPath[e.c.path]
		if e.c.verb == renames && byPath[e.c.from] != nil && f == nil {
			f = byPath[e.c.from]
			f.path = e.c.path
			byPath[f.path] = f
		}
		if f == nil {
			f = &fileEdit{path: e.c.path}
			byPath[f.path] = f
			a.files = append(a.files, f)
		}
		f.merge(e.c)
		if n := len(a.edited); n == 0 || a.edited[n-1] != e.step {
			a.edited = append(a.edited, e.step)
		}
	}
}

// commitTakes gives the edits that a commit holds: all of them, unless only some
// files were added to it.
func commitTakes(pending []pendingEdit, k *commit) (rest, taken []pendingEdit) {
	if k.all {
		return nil, pending
	}
	for _, e := range pending {
		in := false
		for _, f := range k.added {
			if e.c.path == f || strings.HasPrefix(e.c.path, strings.TrimSuffix(f, "/")+"/") {
				in = true
			}
		}
		if in {
			taken = append(taken, e)
		} else {
			rest = append(rest, e)
		}
	}
	return rest, taken
}

// takeBack removes the edits that git took back, and gives them as an attempt
// that failed.
func takeBack(pending []pendingEdit, r revert, start, at int) ([]pendingEdit, *arc) {
	var rest, gone []pendingEdit
	for _, e := range pending {
		back := r.all
		for _, p := range r.paths {
			back = back || e.c.path == p || strings.HasPrefix(e.c.path, p+"/")
		}
		if back && e.c.verb != creates {
			gone = append(gone, e)
		} else {
			rest = append(rest, e)
		}
	}
	if len(gone) == 0 {
		return rest, nil
	}
	a := &arc{kind: editing, first: start, last: at, reverted: true}
	a.take(gone)
	return rest, a
}

// splitArcs makes one arc of edits that were not committed, or up to three when
// they fall into unconnected groups that different wishes name.
func (s *scene) splitArcs(pending []pendingEdit, start int) []*arc {
	whole := &arc{kind: editing, first: start, last: len(s.steps) - 1}
	whole.take(pending)
	groups := connected(whole.files, s.arcPaths(whole))
	if len(groups) < 2 || len(groups) > 2*maxSplitArcs {
		return []*arc{whole}
	}
	wishes := s.wishes()
	var out []*arc
	for _, g := range groups {
		a := &arc{kind: editing, first: start, last: whole.last, split: true}
		for _, e := range pending {
			if g[e.c.path] || g[e.c.from] {
				a.take([]pendingEdit{e})
			}
		}
		for _, w := range wishes {
			if a.hits(w) > 0 {
				a.clauses = append(a.clauses, w)
			}
		}
		out = append(out, a)
	}
	// A wish belongs to the group it names most; groups that no wish tells apart are one topic.
	named := map[string]bool{}
	for _, a := range out {
		if len(a.clauses) > 0 {
			named[a.clauses[0]] = true
		}
		if len(a.clauses) == 0 && !s.vague {
			return []*arc{whole}
		}
	}
	if len(named) < len(out) && !s.vague || len(out) > maxSplitArcs {
		return []*arc{whole}
	}
	return out
}

// wishes gives what the person asked for and what the plan ticked off, a wish each.
func (s *scene) wishes() []string {
	var out []string
	for _, q := range s.asked {
		out = append(out, splitClauses(q)...)
	}
	for i := len(s.steps) - 1; i >= 0; i-- {
		if t := s.steps[i].todos; len(t) > 0 {
			for _, d := range t {
				if d.Status == "completed" {
					out = append(out, oneLine(first(string(d.Content), string(d.Subject))))
				}
			}
			break
		}
	}
	return out
}

// arcPaths gives the paths between a red run and the green one of the same
// check: what was edited to make it green belongs together.
func (s *scene) arcPaths(a *arc) map[string]bool {
	paths := map[string]bool{}
	red := map[string]int{}
	for i := a.first; i <= a.last; i++ {
		r := s.steps[i].run
		if r == nil || !r.isCheck() {
			continue
		}
		from, was := red[r.key()]
		switch {
		case !r.ok && !was:
			red[r.key()] = i
		case r.ok && was:
			for j := from; j <= i; j++ {
				for _, c := range s.steps[j].changes {
					paths[c.path] = true
				}
			}
			delete(red, r.key())
		}
	}
	return paths
}

// connected groups files that were changed for one reason, as far as their names
// and changed lines tell. together names files known to belong together.
func connected(files []*fileEdit, together map[string]bool) []map[string]bool {
	group := make([]int, len(files))
	for i := range group {
		group[i] = i
	}
	var find func(int) int
	find = func(i int) int {
		if group[i] != i {
			group[i] = find(group[i])
		}
		return group[i]
	}
	largest := 0
	for i, f := range files {
		if isCode(f.path) && (!isCode(files[largest].path) || f.plus+f.minus > files[largest].plus+files[largest].minus) {
			largest = i
		}
	}
	for i, f := range files {
		for j := range files[:i] {
			if linked(f, files[j]) || together[f.path] && together[files[j].path] {
				group[find(i)] = find(j)
			}
		}
	}
	// Documents and configuration go with the code that they were changed beside.
	if isCode(files[largest].path) {
		for i, f := range files {
			if !isCode(f.path) {
				group[find(i)] = find(largest)
			}
		}
	}
	byRoot := map[int]map[string]bool{}
	var order []int
	for i, f := range files {
		r := find(i)
		if byRoot[r] == nil {
			byRoot[r] = map[string]bool{}
			order = append(order, r)
		}
		byRoot[r][f.path] = true
	}
	sort.SliceStable(order, func(i, j int) bool { return order[i] < order[j] })
	out := make([]map[string]bool, 0, len(order))
	for _, r := range order {
		out = append(out, byRoot[r])
	}
	return out
}

func linked(a, b *fileEdit) bool {
	if stem(a.path) == stem(b.path) || path.Dir(a.path) == path.Dir(b.path) && path.Dir(a.path) != "." && isCode(a.path) && isCode(b.path) {
		return true
	}
	for w := range a.words {
		if b.words[w] {
			return true
		}
	}
	for _, e := range a.effects {
		for _, g := range b.effects {
			if lastPart(e.name) == lastPart(g.name) && len(e.name) > 3 {
				return true
			}
		}
	}
	return false
}

// stem gives the name of a file without what makes it a test of another.
func stem(file string) string {
	base := strings.ToLower(path.Base(file))
	base, _, _ = strings.Cut(base, ".")
	base = strings.TrimSuffix(strings.TrimPrefix(base, "test_"), "_test")
	base = strings.TrimSuffix(base, "_spec")
	if strings.HasSuffix(strings.ToLower(path.Ext(file)), "java") || strings.HasSuffix(file, ".kt") {
		base = strings.TrimSuffix(base, "test")
	}
	return base
}

// hits counts how many of the arc's names a sentence has.
func (a *arc) hits(sentence string) int {
	n := 0
	low := strings.ToLower(sentence)
	for _, name := range a.names() {
		if hasWord(sentence, name) || len(name) > 4 && hasWord(low, strings.ToLower(name)) {
			n++
		}
	}
	return n
}

// names gives the identifiers by which the arc may be spoken of.
func (a *arc) names() []string {
	var out []string
	for _, f := range a.files {
		out = appendNew(out, 60, path.Base(f.path))
		if s := stem(f.path); len(s) > 2 {
			out = appendNew(out, 60, s)
		}
		for _, e := range f.effects {
			out = appendNew(out, 60, e.name, lastPart(e.name), e.from)
		}
		for _, v := range f.values {
			out = appendNew(out, 60, lastPart(v.key))
		}
		for _, d := range strings.Split(path.Dir(f.path), "/") {
			if len(d) > 3 && !genericDirs[d] {
				out = appendNew(out, 60, d)
			}
		}
	}
	return out
}
