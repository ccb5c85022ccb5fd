package store

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// claudeMemPage is how many rows of a claude-mem database are held at once.
	claudeMemPage = 200
	// claudeMemText and claudeMemPrompt bound, in characters, what is read of one
	// text: rows of a megabyte occur, and what a model wrote is never that long.
	claudeMemText   = 100_000
	claudeMemPrompt = 32_000
)

// ClaudeMemSession is a row of sdk_sessions, or what another row knows of it:
// Row is 0 when the database holds no such session.
type ClaudeMemSession struct {
	Row       int64
	ID        string // the assistant's own id of the session
	MemoryID  string // claude-mem's id of it, which observations name
	Doubled   bool   // an earlier row of another assistant has the same ID
	Platform  string
	Project   string // the bare name of a folder
	CWD       string // where one of its tools ran; mostly empty
	Prompt    string // the first one; where another row names the session, its beginning
	Prompted  bool   // the table of prompts has some of it
	Title     string
	StartedAt time.Time
	LastAt    time.Time // zero when nothing is known to have followed
	EndedAt   time.Time
}

// ClaudeMemPrompt is a row of user_prompts.
type ClaudeMemPrompt struct {
	Row       int64
	Session   ClaudeMemSession
	Number    int
	Text      string
	Cut       bool // Text is the beginning of a longer one
	CreatedAt time.Time
}

// ClaudeMemObservation is a row of observations, or of the older memories. Lists
// are as they stand: JSON, mostly.
type ClaudeMemObservation struct {
	Row                                       int64
	Session                                   ClaudeMemSession
	Project, MergedInto                       string
	Type, Title, Subtitle, Narrative, Text    string
	Facts, Concepts, FilesRead, FilesModified string
	PromptNumber, Tokens                      int
	Model                                     string
	CreatedAt                                 time.Time
}

// ClaudeMemSummary is a row of session_summaries, or of the older overviews.
type ClaudeMemSummary struct {
	Row                                                         int64
	Session                                                     ClaudeMemSession
	Project, MergedInto                                         string
	Request, Investigated, Learned, Completed, NextSteps, Notes string
	FilesRead, FilesModified                                    string
	PromptNumber, Tokens                                        int
	CreatedAt                                                   time.Time
	Newest                                                      bool // no later one of its session
}

// ClaudeMemCounts says how many rows there are.
type ClaudeMemCounts struct{ Sessions, Prompts, Observations, Summaries int }

// Count counts the rows.
func (c *ClaudeMem) Count(ctx context.Context) (ClaudeMemCounts, error) {
	var n ClaudeMemCounts
	for _, t := range []struct {
		table string
		to    *int
	}{
		{"sdk_sessions", &n.Sessions}, {"sessions", &n.Sessions}, {"user_prompts", &n.Prompts}, {"observations", &n.Observations},
		{"memories", &n.Observations}, {"session_summaries", &n.Summaries}, {"overviews", &n.Summaries},
	} {
		if !c.has(t.table) {
			continue
		}
		err := c.rows(ctx, "SELECT count(*) FROM "+t.table, nil, func(r row) error {
			var rows int
			err := r.Scan(&rows)
			*t.to += rows
			return err
		})
		if err != nil {
			return n, fmt.Errorf("count %s of %s: %w", t.table, c.path, named(err))
		}
	}
	return n, nil
}

// Sessions gives every session in the order of its row.
func (c *ClaudeMem) Sessions(ctx context.Context) iter.Seq2[ClaudeMemSession, error] {
	const t, old = "sdk_sessions", "sessions"
	memoryID := c.col(t, "x", "memory_session_id", "sdk_session_id")
	last := fmt.Sprintf("(SELECT max(%s) FROM observations AS o WHERE %s = %s)", c.col("observations", "o", "created_at_epoch"),
		c.col("observations", "o", "memory_session_id", "sdk_session_id"), memoryID)
	columns := append(c.sessionColumns("x"), c.workDir(c.col(t, "x", "content_session_id", "claude_session_id")),
		c.text(claudeMemPrompt+1, t, "x", "user_prompt"), c.prompted(), c.text(500, t, "x", "custom_title"),
		c.text(40, t, "x", "started_at"), c.col(t, "x", "started_at_epoch"), last,
		c.text(40, t, "x", "completed_at"), c.col(t, "x", "completed_at_epoch"))
	modern := pages(ctx, c, t, "", columns, func(r row) (at int64, v ClaudeMemSession, err error) {
		err = scanLoose(r, append([]any{&at}, append(v.fields(), &v.CWD, &v.Prompt, &v.Prompted, &v.Title,
			&v.StartedAt, &v.StartedAt, &v.LastAt, &v.EndedAt, &v.EndedAt)...))
		v.Prompt, _ = cutPrompt(v.Prompt)
		return at, v, err
	})
	oldest := pages(ctx, c, old, "", []string{
		c.text(500, old, "x", "session_id"), c.text(500, old, "x", "project"), c.text(40, old, "x", "created_at"), c.col(old, "x", "created_at_epoch"),
	}, func(r row) (at int64, v ClaudeMemSession, err error) {
		err = scanLoose(r, []any{&at, &v.ID, &v.Project, &v.StartedAt, &v.StartedAt})
		v.Row, v.MemoryID = at, v.ID
		return at, v, err
	})
	return both(modern, oldest)
}

// workDir is where one of the session's tools ran, which newer databases know.
func (c *ClaudeMem) workDir(sessionID string) string {
	var from []string
	for _, t := range []string{"tool_uses", "pending_messages"} {
		if c.columns[t]["cwd"] && c.columns[t]["content_session_id"] {
			from = append(from, fmt.Sprintf("(SELECT substr(w.cwd, 1, 4000) FROM %s AS w WHERE w.content_session_id = %s AND w.cwd <> '' LIMIT 1)", t, sessionID))
		}
	}
	return "coalesce(" + strings.Join(append(from, "NULL", "NULL"), ", ") + ")"
}

// prompted tells whether the table of prompts has some of the session x.
func (c *ClaudeMem) prompted() string {
	const t = "user_prompts"
	if !c.has(t) {
		return "0"
	}
	row, id := c.col(t, "p", "session_db_id"), c.col(t, "p", "content_session_id", "claude_session_id")
	return fmt.Sprintf("EXISTS (SELECT 1 FROM user_prompts AS p WHERE %s = x.rowid OR %s IS NULL AND %s = %s)",
		row, row, id, c.col("sdk_sessions", "x", "content_session_id", "claude_session_id"))
}

// Prompts gives every prompt in the order of its row.
func (c *ClaudeMem) Prompts(ctx context.Context) iter.Seq2[ClaudeMemPrompt, error] {
	const t = "user_prompts"
	id := c.col(t, "x", "content_session_id", "claude_session_id")
	join := fmt.Sprintf("LEFT JOIN sdk_sessions AS s ON s.rowid = coalesce(%s, (SELECT min(m.rowid) FROM sdk_sessions AS m WHERE %s = %s))",
		c.col(t, "x", "session_db_id"), c.col("sdk_sessions", "m", "content_session_id", "claude_session_id"), id)
	columns := append(c.sessionColumns("s"), id, c.col(t, "x", "prompt_number"), c.text(claudeMemPrompt+1, t, "x", "prompt_text"),
		c.text(40, t, "x", "created_at"), c.col(t, "x", "created_at_epoch"))
	return pages(ctx, c, t, join, columns, func(r row) (at int64, v ClaudeMemPrompt, err error) {
		own := ""
		err = scanLoose(r, append([]any{&at}, append(v.Session.fields(), &own, &v.Number, &v.Text, &v.CreatedAt, &v.CreatedAt)...))
		v.Row, v.Session.ID = at, cmp.Or(v.Session.ID, own)
		v.Text, v.Cut = cutPrompt(v.Text)
		return at, v, err
	})
}

// Observations gives every observation in the order of its row, those of the
// oldest generation last.
func (c *ClaudeMem) Observations(ctx context.Context) iter.Seq2[ClaudeMemObservation, error] {
	read := func(t, join string, session []string, from func(*ClaudeMemSession) []any) iter.Seq2[ClaudeMemObservation, error] {
		columns := append(slices.Clone(session), c.text(500, t, "x", "memory_session_id", "sdk_session_id", "session_id"),
			c.text(500, t, "x", "project"), c.text(500, t, "x", "merged_into_project"), c.text(100, t, "x", "type"))
		for _, name := range []string{"title", "subtitle", "narrative", "text", "facts", "concepts"} {
			columns = append(columns, c.text(claudeMemText, t, "x", name))
		}
		columns = append(columns, c.text(claudeMemText, t, "x", "files_read", "files_touched"), c.text(claudeMemText, t, "x", "files_modified"),
			c.col(t, "x", "prompt_number"), c.col(t, "x", "discovery_tokens"), c.text(200, t, "x", "generated_by_model"),
			c.text(40, t, "x", "created_at"), c.col(t, "x", "created_at_epoch"))
		return pages(ctx, c, t, join, columns, func(r row) (at int64, v ClaudeMemObservation, err error) {
			own := ""
			err = scanLoose(r, append([]any{&at}, append(from(&v.Session), &own, &v.Project, &v.MergedInto, &v.Type, &v.Title, &v.Subtitle, &v.Narrative,
				&v.Text, &v.Facts, &v.Concepts, &v.FilesRead, &v.FilesModified, &v.PromptNumber, &v.Tokens, &v.Model, &v.CreatedAt, &v.CreatedAt)...))
			v.Row, v.Session.MemoryID, v.Session.ID = at, own, cmp.Or(v.Session.ID, own)
			return at, v, err
		})
	}
	return both(
		read("observations", c.byMemoryID("observations"), c.sessionColumns("s"), (*ClaudeMemSession).fields),
		read("memories", "", nil, func(*ClaudeMemSession) []any { return nil }),
	)
}

// Summaries gives every summary in the order of its row, those of the oldest
// generation last.
func (c *ClaudeMem) Summaries(ctx context.Context) iter.Seq2[ClaudeMemSummary, error] {
	read := func(t, join string, session []string, from func(*ClaudeMemSession) []any) iter.Seq2[ClaudeMemSummary, error] {
		id := c.col(t, "x", "memory_session_id", "sdk_session_id", "session_id")
		at := c.col(t, "x", "created_at_epoch")
		newest := fmt.Sprintf("NOT EXISTS (SELECT 1 FROM %s AS n WHERE %s = %s AND (%s, n.rowid) > (%s, x.rowid))", t,
			c.col(t, "n", "memory_session_id", "sdk_session_id", "session_id"), id, c.col(t, "n", "created_at_epoch"), at)
		columns := append(slices.Clone(session), id, c.text(500, t, "x", "project"), c.text(500, t, "x", "merged_into_project"))
		for _, name := range []string{"request", "investigated", "learned"} {
			columns = append(columns, c.text(claudeMemText, t, "x", name))
		}
		columns = append(columns, c.text(claudeMemText, t, "x", "completed", "content"))
		for _, name := range []string{"next_steps", "notes", "files_read"} {
			columns = append(columns, c.text(claudeMemText, t, "x", name))
		}
		columns = append(columns, c.text(claudeMemText, t, "x", "files_edited", "files_modified"), c.col(t, "x", "prompt_number"),
			c.col(t, "x", "discovery_tokens"), c.text(40, t, "x", "created_at"), at, newest)
		return pages(ctx, c, t, join, columns, func(r row) (at int64, v ClaudeMemSummary, err error) {
			own := ""
			err = scanLoose(r, append([]any{&at}, append(from(&v.Session), &own, &v.Project, &v.MergedInto, &v.Request, &v.Investigated, &v.Learned,
				&v.Completed, &v.NextSteps, &v.Notes, &v.FilesRead, &v.FilesModified, &v.PromptNumber, &v.Tokens, &v.CreatedAt, &v.CreatedAt, &v.Newest)...))
			v.Row, v.Session.MemoryID, v.Session.ID = at, own, cmp.Or(v.Session.ID, own)
			return at, v, err
		})
	}
	return both(
		read("session_summaries", c.byMemoryID("session_summaries"), c.sessionColumns("s"), (*ClaudeMemSession).fields),
		read("overviews", "", nil, func(*ClaudeMemSession) []any { return nil }),
	)
}

// SessionFiles gives the lists of files that the observations of a session name,
// as they stand; of a long session those of its beginning.
func (c *ClaudeMem) SessionFiles(ctx context.Context, memoryID string) (lists []string, err error) {
	const t, limit = "observations", 100
	id := c.col(t, "x", "memory_session_id", "sdk_session_id")
	if id == "NULL" || memoryID == "" {
		return nil, nil
	}
	err = c.rows(ctx, fmt.Sprintf("SELECT %s, %s FROM observations AS x WHERE %s = ? LIMIT %d",
		c.text(claudeMemText, t, "x", "files_read"), c.text(claudeMemText, t, "x", "files_modified"), id, limit), []any{memoryID},
		func(r row) error {
			var read, modified string
			err := scanLoose(r, []any{&read, &modified})
			lists = append(lists, read, modified)
			return err
		})
	if err != nil {
		return nil, fmt.Errorf("read the files of session %s of %s: %w", memoryID, c.path, named(err))
	}
	return lists, nil
}

// both gives what the first sequence gives, then what the second one does.
func both[T any](first, second iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, rows := range []iter.Seq2[T, error]{first, second} {
			for v, err := range rows {
				if !yield(v, err) || err != nil {
					return
				}
			}
		}
	}
}

// scanLoose scans a row into variables of the types that loose knows.
func scanLoose(r row, to []any) error {
	loosely := make([]any, len(to))
	for i, v := range to {
		loosely[i] = loose{v}
	}
	return r.Scan(loosely...)
}

// loose takes whatever a column holds: SQLite lets any type stand in any column.
type loose struct{ to any }

// Scan implements sql.Scanner.
func (l loose) Scan(v any) error {
	text := ""
	switch v := v.(type) {
	case nil:
	case []byte:
		text = string(v)
	case time.Time:
		text = v.UTC().Format(timeLayout)
	case float64:
		text = strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		if text = "0"; v {
			text = "1"
		}
	default:
		text = fmt.Sprint(v)
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(number) || number > 1<<62 || number < -1<<62 {
		number = 0
	}
	switch to := l.to.(type) {
	case *string:
		*to = text
	case *int64:
		*to = int64(number)
	case *int:
		*to = int(number)
	case *bool:
		*to = number != 0
	case *time.Time:
		if at := looseTime(text, int64(number)); !at.IsZero() {
			*to = at
		}
	default:
		return fmt.Errorf("no column goes into %T", l.to)
	}
	return nil
}

// looseTime reads milliseconds or, in old rows, seconds since 1970, or a date.
func looseTime(text string, number int64) time.Time {
	const inSeconds = 100_000_000_000 // as milliseconds, 1973; as seconds, the year 5138
	switch {
	case number >= inSeconds:
		return fromEpoch(number)
	case number > 0 && len(text) > 8:
		return time.Unix(number, 0).UTC()
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05", time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC().Truncate(time.Millisecond)
		}
	}
	return time.Time{}
}

// cutPrompt cuts a text that is one character longer than is read.
func cutPrompt(s string) (cut string, longer bool) {
	if utf8.RuneCountInString(s) <= claudeMemPrompt {
		return s, false
	}
	return string([]rune(s)[:claudeMemPrompt]), true
}
