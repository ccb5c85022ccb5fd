package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotClaudeMem says that the file is an SQLite database of another program.
var ErrNotClaudeMem = errors.New("not a claude-mem database")

// ClaudeMem is the database of claude-mem, open for reading. Its shape is looked
// up column by column: the program's own record of its schema is not reliable.
type ClaudeMem struct {
	path    string
	db      *sql.DB
	columns map[string]map[string]bool // by table
	copied  string                     // folder of a private copy; empty for none
}

// OpenClaudeMem opens the database of claude-mem at path for reading. It neither
// writes to that file nor leaves another one beside it. A log that nobody shares
// is read from a copy in the folder for temporary files. The error is
// ErrNotClaudeMem, ErrDamaged or ErrBusy where one of them applies.
func OpenClaudeMem(ctx context.Context, path string) (*ClaudeMem, error) {
	c, err := openClaudeMem(ctx, path, false)
	if err != nil {
		return nil, fmt.Errorf("open the claude-mem database %s: %w", path, named(err))
	}
	return c, nil
}

// OpenClaudeMemBase is OpenClaudeMem without the write-ahead log: what is left to
// do when that is damaged, a known state of such databases. What stands in the
// log only is not seen.
func OpenClaudeMemBase(ctx context.Context, path string) (*ClaudeMem, error) {
	c, err := openClaudeMem(ctx, path, true)
	if err != nil {
		return nil, fmt.Errorf("open the claude-mem database %s without its log: %w", path, named(err))
	}
	return c, nil
}

func openClaudeMem(ctx context.Context, path string, base bool) (*ClaudeMem, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return nil, ErrNotClaudeMem
	}
	_, shared := fileSize(path + "-shm")
	log, _ := fileSize(path + "-wal")
	if shared && !base {
		// The program runs, or was killed. SQLite reads the log with the index that is
		// shared, and is told not to write to that either.
		c, err := openClaudeMemFile(ctx, path, "mode=ro", "readonly_shm=1")
		if err == nil || isDamage(err) || errors.Is(err, ErrNotClaudeMem) || ctx.Err() != nil {
			return c, err
		}
	}
	if log <= 0 || base {
		// Without a log nobody is at work, and a file taken as unchanging needs no
		// locks and no files beside it.
		return openClaudeMemFile(ctx, path, "mode=ro", "immutable=1")
	}
	dir, err := copyWithLog(ctx, path)
	if err != nil {
		return nil, err
	}
	c, err := openClaudeMemFile(ctx, filepath.Join(dir, filepath.Base(path)), "mode=rw")
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	c.copied = dir
	return c, nil
}

func openClaudeMemFile(ctx context.Context, path string, params ...string) (*ClaudeMem, error) {
	params = append(params, fmt.Sprintf("_busy_timeout=%d", busyTimeout.Milliseconds()))
	db, err := sql.Open("sqlite", dsn(path, params...))
	if err != nil {
		return nil, err
	}
	c := &ClaudeMem{path: path, db: db, columns: map[string]map[string]bool{}}
	err = c.rows(ctx, `SELECT m.name, t.name FROM sqlite_master AS m, pragma_table_info(m.name) AS t WHERE m.type = 'table'`, nil,
		func(r row) error {
			var table, column string
			if err := r.Scan(&table, &column); err != nil {
				return err
			}
			if c.columns[table] == nil {
				c.columns[table] = map[string]bool{}
			}
			c.columns[table][column] = true
			return nil
		})
	if err == nil && !(c.has("sdk_sessions") && c.has("observations")) && !(c.has("sessions") && c.columns["memories"]["text"]) {
		err = ErrNotClaudeMem
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return c, nil
}

// Close closes the database and removes a copy that was made of it.
func (c *ClaudeMem) Close() error {
	err := c.db.Close()
	if c.copied != "" {
		err = errors.Join(err, os.RemoveAll(c.copied))
	}
	return err
}

// copyWithLog copies the database at path and its log into a new private folder.
// When the log is still the same generation afterwards, every page of the file
// that was written meanwhile stands in the copied log, too, so that the two belong
// together however they were caught.
func copyWithLog(ctx context.Context, path string) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "cmem-import-"); err != nil {
		return "", err
	}
	for range 5 {
		before := logGeneration(path)
		for _, suffix := range []string{"", "-wal"} {
			if err = copyFile(ctx, filepath.Join(dir, filepath.Base(path)+suffix), path+suffix); err != nil {
				return "", errors.Join(err, os.RemoveAll(dir))
			}
		}
		if before != "" && before == logGeneration(path) {
			return dir, nil
		}
	}
	return "", errors.Join(ErrBusy, os.RemoveAll(dir))
}

// logGeneration gives the header of the log beside path, which holds a salt that
// changes each time the log is begun anew; "" when there is none.
func logGeneration(path string) string {
	f, err := os.Open(path + "-wal")
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // only read
	header := make([]byte, 32)
	if _, err := io.ReadFull(f, header); err != nil {
		return ""
	}
	return string(header)
}

func copyFile(ctx context.Context, to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // only read
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	for err == nil && ctx.Err() == nil {
		_, err = io.CopyN(out, in, 16<<20)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, ctx.Err(), out.Close())
}

func fileSize(path string) (size int64, there bool) {
	info, err := os.Stat(path)
	if err != nil {
		return -1, false
	}
	return info.Size(), true
}

func (c *ClaudeMem) has(table string) bool { return c.columns[table] != nil }

// rows calls do for each row of a query.
func (c *ClaudeMem) rows(ctx context.Context, query string, args []any, do func(row) error) error {
	rows, err := c.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells what went wrong
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// col gives the first of names that table (called as in the query) has, "NULL"
// for none: a column that was renamed, or that came or went with a version.
func (c *ClaudeMem) col(table, as string, names ...string) string {
	for _, n := range names {
		if c.columns[table][n] {
			return as + "." + n
		}
	}
	return "NULL"
}

// text is col as text, with at most limit characters of it.
func (c *ClaudeMem) text(limit int, table, as string, names ...string) string {
	return fmt.Sprintf("substr(%s, 1, %d)", c.col(table, as, names...), limit)
}

// sessionColumns are the columns that name the row called as of sdk_sessions; all
// of them are NULL when there is none.
func (c *ClaudeMem) sessionColumns(as string) []string {
	const t = "sdk_sessions"
	id := c.col(t, as, "content_session_id", "claude_session_id")
	doubled := "0"
	if c.columns[t]["platform_source"] {
		doubled = fmt.Sprintf("EXISTS (SELECT 1 FROM sdk_sessions AS e WHERE %s = %s AND e.rowid < %s.rowid)",
			c.col(t, "e", "content_session_id", "claude_session_id"), id, as)
	}
	return []string{
		as + ".rowid", id, c.col(t, as, "memory_session_id", "sdk_session_id"), doubled,
		c.text(100, t, as, "platform_source"), c.text(500, t, as, "project"), c.text(200, t, as, "user_prompt"),
	}
}

func (s *ClaudeMemSession) fields() []any {
	return []any{&s.Row, &s.ID, &s.MemoryID, &s.Doubled, &s.Platform, &s.Project, &s.Prompt}
}

// byMemoryID joins the session that the rows of table, called x, name.
func (c *ClaudeMem) byMemoryID(table string) string {
	return fmt.Sprintf("LEFT JOIN sdk_sessions AS s ON s.rowid = (SELECT min(m.rowid) FROM sdk_sessions AS m WHERE %s = %s)",
		c.col("sdk_sessions", "m", "memory_session_id", "sdk_session_id"), c.col(table, "x", "memory_session_id", "sdk_session_id"))
}

// pages gives the rows x of table in their order, a page at a time. After an
// error it ends. Tables that the database lacks are passed over.
func pages[T any](ctx context.Context, c *ClaudeMem, table, join string, columns []string, scan func(row) (rowid int64, v T, err error)) iter.Seq2[T, error] {
	query := fmt.Sprintf("SELECT x.rowid, %s FROM %s AS x %s WHERE x.rowid > ? ORDER BY x.rowid LIMIT %d",
		strings.Join(columns, ", "), table, join, claudeMemPage)
	return func(yield func(T, error) bool) {
		for after := int64(-1 << 62); c.has(table); {
			page := make([]T, 0, claudeMemPage)
			err := c.rows(ctx, query, []any{after}, func(r row) error {
				id, v, err := scan(r)
				after = id
				page = append(page, v)
				return err
			})
			if err != nil {
				var zero T
				yield(zero, fmt.Errorf("read %s of %s: %w", table, c.path, named(err)))
				return
			}
			for _, v := range page {
				if !yield(v, nil) {
					return
				}
			}
			if len(page) < claudeMemPage {
				return
			}
		}
	}
}
