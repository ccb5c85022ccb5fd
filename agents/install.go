package agents

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"cmem/config/jsonfile"
)

// Options say how to install and uninstall.
type Options struct {
	DryRun bool      // only plan
	Force  bool      // install even a binary that will not stay where it is
	Now    time.Time // names the backups
}

// attempts is how often to start again when Claude Code writes a file between our
// reading and writing it.
const attempts = 3

// Install adds our hooks and our MCP server to Claude Code's settings, or brings
// them up to date. When they are, it writes nothing.
func (c Claude) Install(o Options) (Report, error) {
	return run(o, func() (Plan, error) { return c.PlanInstall(o.Force) })
}

// Uninstall removes what Install added.
func (c Claude) Uninstall(o Options) (Report, error) {
	return run(o, c.PlanUninstall)
}

// run plans and applies, and starts again when a file was written meanwhile.
func run(o Options, plan func() (Plan, error)) (Report, error) {
	var all Report
	for attempt := 1; ; attempt++ {
		p, err := plan()
		if err != nil {
			return all, err
		}
		all.Plan.Notes = p.Notes
		if o.DryRun {
			all.Plan = p
			return all, nil
		}
		r, err := p.Apply(o.Now)
		all.Plan.Changes = append(all.Plan.Changes, p.Changes[:len(r.Written)]...)
		all.Written = append(all.Written, r.Written...)
		all.Backups = append(all.Backups, r.Backups...)
		if !errors.Is(err, jsonfile.ErrChanged) || attempt == attempts {
			return all, err
		}
	}
}

// PlanInstall says what Install would do. It fails when a file is not what Claude
// Code writes, is read-only, or when Binary is no program that will be there
// tomorrow; force permits a temporary one.
func (c Claude) PlanInstall(force bool) (Plan, error) {
	if err := checkBinary(c.Binary, force); err != nil {
		return Plan{}, err
	}
	var p Plan
	if strings.ContainsAny(c.Binary, " \t\n\"'`$&|;<>()*?[]{}!#") {
		p.Notes = append(p.Notes, fmt.Sprintf("The path %s has characters that a shell takes apart. Claude Code starts hooks without a shell; a version that is too old for that will fail to start them.", c.Binary))
	}
	for _, part := range c.parts() {
		file, doc, err := part.read()
		if err != nil {
			return Plan{}, err
		}
		if err := part.add(c, doc); err != nil {
			return Plan{}, err
		}
		if after := doc.Bytes(); !bytes.Equal(after, file.Data) {
			p.Changes = append(p.Changes, Change{Path: file.Path, What: part.what, file: file, before: file.Data, after: after, keep: file.Existed})
		}
	}
	return p, nil
}

// PlanUninstall says what Uninstall would do.
func (c Claude) PlanUninstall() (Plan, error) {
	var p Plan
	for _, part := range c.parts() {
		file, doc, err := part.read()
		if err != nil {
			return Plan{}, err
		}
		before := doc.Bytes()
		called := part.called(c, doc)
		if err := part.remove(c, doc); err != nil {
			return Plan{}, err
		}
		if after := doc.Bytes(); !bytes.Equal(after, before) {
			change := Change{Path: file.Path, What: part.what, file: file, before: file.Data, after: after, keep: true}
			if err := part.restore(Claude{Binary: called}, &change); err != nil {
				return Plan{}, err
			}
			p.Changes = append(p.Changes, change)
		}
	}
	return p, nil
}

// part is what we have in one of the files.
type part struct {
	path        string
	what        string // for people
	add, remove func(Claude, *jsonfile.Doc) error
	called      func(Claude, *jsonfile.Doc) string // the program that the first of our entries calls
}

func (c Claude) parts() []part {
	return []part{
		{c.Settings, "hooks", Claude.addHooks, Claude.removeHooks, Claude.calledByHooks},
		{c.Global, "MCP server", Claude.addServer, Claude.removeServer, Claude.calledByServer},
	}
}

func (p part) read() (*jsonfile.File, *jsonfile.Doc, error) {
	file, err := jsonfile.Read(p.path)
	if err != nil {
		return nil, nil, err
	}
	doc, err := jsonfile.Parse(file.Path, file.Data)
	return file, doc, err
}

// restore looks for the file that Install once found. A backup is that file when
// installing into it gives what is there now to the byte: then nobody has changed
// anything since, and the backup is the exact answer, spaces inside an empty
// object included. The same holds for no file at all.
func (p part) restore(c Claude, change *Change) error {
	backups, err := listBackups(p.path)
	if err != nil {
		return err
	}
	contents := map[string][]byte{}
	for _, path := range slices.Backward(backups) { // newest first
		data, err := os.ReadFile(path)
		if err != nil {
			continue // a backup that cannot be read is no help, and no harm
		}
		contents[path] = data
		if change.keep && p.gives(c, data, change.before) {
			change.after, change.keep = data, false
		}
	}
	if change.keep && !change.file.Linked() && (p.gives(c, nil, change.before) || len(backups) == 0 && string(bytes.TrimSpace(change.after)) == "{}") {
		change.after, change.keep, change.remove = nil, false, true
	}
	if change.keep {
		return nil
	}
	// Backups that hold the same, or the same with entries of ours, are of no use.
	for path, data := range contents {
		if bytes.Equal(data, change.after) || p.gives(Claude{Binary: p.calledIn(data)}, change.after, data) {
			change.drop = append(change.drop, path)
		}
	}
	slices.Sort(change.drop)
	return nil
}

// gives reports whether installing into the file before gives the file after.
func (p part) gives(c Claude, before, after []byte) bool {
	doc, err := jsonfile.Parse(p.path, before)
	if err != nil || p.called(c, doc) != "" {
		return false
	}
	return p.add(c, doc) == nil && bytes.Equal(doc.Bytes(), after)
}

// calledIn returns the program that our entries in a file call, "" for none.
func (p part) calledIn(data []byte) string {
	doc, err := jsonfile.Parse(p.path, data)
	if err != nil {
		return ""
	}
	return p.called(Claude{}, doc)
}
