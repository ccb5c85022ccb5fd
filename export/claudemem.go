package export

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"cmem/memory"
	"cmem/store"
)

// claudeMemCompressor is named as the maker of what comes from claude-mem.
const claudeMemCompressor = "claude-mem"

// bundleRows is how many rows are handed to the store in one transaction.
const bundleRows = 500

// Importer is where imported memories go: the store.
type Importer interface {
	Import(ctx context.Context, b store.Bundle) (added int, err error)
}

// ClaudeMemOptions says how to read a claude-mem database. All functions but
// Progress are needed.
type ClaudeMemOptions struct {
	// Clean cuts from the texts of one field what must not be remembered.
	Clean func(texts ...string) []string
	// Directory gives where the session with this id ran, "" when nothing tells.
	Directory func(sessionID string) string
	// Project gives the key of the project that a directory belongs to.
	Project func(dir string) string
	// Known gives the key of the only project that is known here by the name of its
	// folder, "" when there is none or more than one.
	Known func(name string) string
	// Relative gives a file's path as seen from its project.
	Relative func(project, path string) string
	// Excluded reports whether nothing of a project may be remembered.
	Excluded func(project string) bool
	// DryRun reads and counts, and stores nothing.
	DryRun bool
	// Progress, when not nil, is told how many rows are done.
	Progress func(done, total int)
}

// ClaudeMemReport says what was found in a claude-mem database.
type ClaudeMemReport struct {
	Counts       // what was taken
	Added    int // rows that the store did not have yet
	Orphans  int // memories whose session the database does not know; they are kept
	Junk     int // rows that claude-mem recorded of itself; passed over
	Empty    int // memories that say nothing; passed over
	Excluded int // rows of projects that the settings exclude; passed over
	Cut      int // prompts of which only the beginning was taken
	// Unplaced are names of projects of which no path is known. They are the keys of
	// these projects.
	Unplaced []string
	// WithoutLog says that the database's log is damaged and was left out.
	WithoutLog bool
}

// ImportClaudeMem reads the claude-mem database at path into the store, in
// transactions of bounded size, and says what it took. What the store has already
// is left as it is, so that it can be interrupted and repeated at any time. The
// database is not written to.
//
// claude-mem knows a project by the bare name of its folder, cmem by its path.
// The path is, in this order: where the session ran, by the database itself or by
// Options.Directory; the folder of that name above the files that the session's
// observations name; the one that other sessions of that name were found in, if it
// is the only one; Options.Known. A worktree ("shop/fix") counts for the project
// that it is a tree of. Failing all that the name stays, as the project's key.
func ImportClaudeMem(ctx context.Context, path string, into Importer, o ClaudeMemOptions) (ClaudeMemReport, error) {
	r, err := importClaudeMem(ctx, path, into, o, false)
	if errors.Is(err, store.ErrDamaged) {
		// A torn log beside a whole file is what such databases are found with.
		r, err = importClaudeMem(ctx, path, into, o, true)
		r.WithoutLog = true
	}
	return r, err
}

func importClaudeMem(ctx context.Context, path string, into Importer, o ClaudeMemOptions, base bool) (r ClaudeMemReport, err error) {
	open := store.OpenClaudeMem
	if base {
		open = store.OpenClaudeMemBase
	}
	db, err := open(ctx, path)
	if err != nil {
		return r, err
	}
	defer func() {
		if cerr := db.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("close the claude-mem database: %w", cerr)
		}
	}()
	n, err := db.Count(ctx)
	if err != nil {
		return r, err
	}
	m := &claudeMemImport{ClaudeMemOptions: o, db: db, into: into, report: &r, total: n.Sessions + n.Prompts + n.Observations + n.Summaries}
	for _, step := range []func(context.Context) error{m.place, m.sessions, m.prompts, m.observations, m.summaries, m.flush} {
		if err := step(ctx); err != nil {
			return r, err
		}
	}
	r.Unplaced = m.unplaced()
	return r, nil
}

// claudeMemImport is one run of ImportClaudeMem.
type claudeMemImport struct {
	ClaudeMemOptions
	db          *store.ClaudeMem
	into        Importer
	report      *ClaudeMemReport
	places      places
	bundle      store.Bundle
	done, total int
}

func (m *claudeMemImport) sessions(ctx context.Context) error {
	for s, err := range m.db.Sessions(ctx) {
		if err != nil {
			return err
		}
		if project, take := m.take(ctx, s, s.Project); take {
			m.session(s, project)
		}
		if err := m.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (m *claudeMemImport) session(s store.ClaudeMemSession, project string) {
	m.report.Sessions++
	prompt := m.clean(s.Prompt)
	title := m.clean(s.Title)
	if title == "" {
		title = prompt
	}
	began := earliestKnown(s.StartedAt, s.LastAt, s.EndedAt)
	m.bundle.Sessions = append(m.bundle.Sessions, memory.Session{
		ID: sessionID(s), Agent: agentOfSession(s), Project: project, CWD: s.CWD, Status: memory.SessionCompleted, Title: title,
		CreatedAt: began, LastEventAt: latest(began, s.LastAt, s.EndedAt), CompletedAt: latest(began, s.LastAt, s.EndedAt),
	})
	if s.Prompt != "" && !s.Prompted {
		// Databases from before the table of prompts, and private turns.
		m.prompt(store.ClaudeMemPrompt{Session: s, Number: 1, Text: s.Prompt, CreatedAt: began}, project)
	}
}

func (m *claudeMemImport) prompts(ctx context.Context) error {
	for p, err := range m.db.Prompts(ctx) {
		if err != nil {
			return err
		}
		if p.Session.Row == 0 {
			m.report.Orphans++
		}
		switch project, take := m.take(ctx, p.Session, p.Session.Project); {
		case !take:
		case SelfCapture(p.Text):
			m.report.Junk++
		default:
			if p.Cut {
				m.report.Cut++
			}
			m.prompt(p, project)
		}
		if err := m.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (m *claudeMemImport) prompt(p store.ClaudeMemPrompt, project string) {
	text := m.clean(p.Text)
	if text == "" {
		m.report.Empty++
		return
	}
	if p.Cut {
		text += "…"
	}
	m.report.Prompts++
	m.bundle.Prompts = append(m.bundle.Prompts, memory.Prompt{
		SessionID: sessionID(p.Session), Project: project, Number: max(p.Number, 1), Text: text, CreatedAt: p.CreatedAt,
	})
}

func (m *claudeMemImport) observations(ctx context.Context) error {
	for v, err := range m.db.Observations(ctx) {
		if err != nil {
			return err
		}
		if project, take := m.takeRow(ctx, v.Session, v.Project, v.MergedInto); take {
			if o, ok := m.observation(v, project); ok {
				m.report.Observations++
				m.bundle.Observations = append(m.bundle.Observations, o)
			} else {
				m.report.Empty++
			}
		}
		if err := m.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (m *claudeMemImport) summaries(ctx context.Context) error {
	for v, err := range m.db.Summaries(ctx) {
		if err != nil {
			return err
		}
		if project, take := m.takeRow(ctx, v.Session, v.Project, v.MergedInto); take {
			if s, ok := m.summary(v, project); ok {
				m.report.Summaries++
				m.bundle.Summaries = append(m.bundle.Summaries, s)
			} else {
				m.report.Empty++
			}
		}
		if err := m.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// takeRow is take for a memory, which may belong to another project than its
// session.
func (m *claudeMemImport) takeRow(ctx context.Context, s store.ClaudeMemSession, project, mergedInto string) (key string, ok bool) {
	if s.Row == 0 {
		m.report.Orphans++
	}
	if mergedInto != "" {
		project = mergedInto
	}
	if project == "" {
		project = s.Project
	}
	return m.take(ctx, s, project)
}

// take gives the key of the project that a row belongs to and whether the row is
// wanted; one that is not is counted.
func (m *claudeMemImport) take(ctx context.Context, s store.ClaudeMemSession, project string) (key string, ok bool) {
	if isSelfProject(project) || isSelfProject(s.Project) || SelfCapture(s.Prompt) {
		m.report.Junk++
		return "", false
	}
	if key, ok = m.wanted(ctx, s, project); !ok {
		m.report.Excluded++
	}
	return key, ok
}

// next counts a row as done and hands the bundle over when it is full.
func (m *claudeMemImport) next(ctx context.Context) error {
	m.done++
	if m.Progress != nil {
		m.Progress(min(m.done, m.total), m.total)
	}
	return m.room(ctx)
}

func (m *claudeMemImport) room(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b := m.bundle
	if len(b.Sessions)+len(b.Prompts)+len(b.Observations)+len(b.Summaries) < bundleRows {
		return nil
	}
	return m.flush(ctx)
}

func (m *claudeMemImport) flush(ctx context.Context) error {
	b := m.bundle
	m.bundle = store.Bundle{}
	if m.DryRun {
		return nil
	}
	added, err := m.into.Import(ctx, b)
	m.report.Added += added
	return err
}

// versionName is what a project is called that claude-mem made of its own plugin
// folder: its version.
var versionName = regexp.MustCompile(`^\d+\.\d+\.\d+([-+.].*)?$`)

// isSelfProject reports whether a project is claude-mem watching itself.
func isSelfProject(project string) bool {
	return project == "observer-sessions" || versionName.MatchString(project)
}

// SelfCapture reports whether a prompt is what claude-mem asks its own model: such
// a session is no person's.
func SelfCapture(prompt string) bool {
	prompt = strings.TrimSpace(prompt)
	for _, begin := range []string{"You are a Claude-Mem", "You are Claude-Mem", "Hello memory agent, you are continuing", "<observed_from_primary_session>"} {
		if strings.HasPrefix(prompt, begin) {
			return true
		}
	}
	return false
}
