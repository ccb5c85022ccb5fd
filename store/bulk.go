package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// updates are changes of many rows of a table, gathered by the columns that they
// set. One statement for many rows is several times as fast as one for each: FTS5
// writes its index at the end of every statement.
type updates struct {
	table  string
	groups []*updateGroup
}

type updateGroup struct {
	columns []string
	rows    [][]any // the columns' values, then the id
}

// add adds the change of the row with the id.
func (u *updates) add(id any, columns []string, values []any) {
	row := append(slices.Clone(values), id)
	for _, g := range u.groups {
		if slices.Equal(g.columns, columns) {
			g.rows = append(g.rows, row)
			return
		}
	}
	u.groups = append(u.groups, &updateGroup{columns: columns, rows: [][]any{row}})
}

// run makes the changes. An error of one of them is told by failed, which gets the
// row's id and the error and gives the error to return.
func (u *updates) run(ctx context.Context, t tx, failed func(id any, err error) error) error {
	for _, g := range u.groups {
		if len(g.rows) > 1 && !slices.ContainsFunc(g.rows, func(row []any) bool { return slices.ContainsFunc(row, notInJSON) }) {
			err := u.runAtOnce(ctx, t, g)
			if err == nil {
				continue
			}
			if !isDuplicate(err) {
				return err
			}
			// Which one it was is found by doing them one by one.
		}
		sets := strings.ReplaceAll(quoted(g.columns), ", ", " = ?, ") + " = ?"
		for _, row := range g.rows {
			if _, err := t.exec(ctx, fmt.Sprintf("UPDATE %s SET %s WHERE id = ?", u.table, sets), row...); err != nil {
				return failed(row[len(row)-1], err)
			}
		}
	}
	return nil
}

func (u *updates) runAtOnce(ctx context.Context, t tx, g *updateGroup) error {
	rows, err := json.Marshal(g.rows)
	if err != nil {
		return err
	}
	var sets []string
	for i, c := range g.columns {
		sets = append(sets, fmt.Sprintf("%s = j.value ->> %d", quoted([]string{c}), i))
	}
	_, err = t.exec(ctx, fmt.Sprintf("UPDATE %s AS r SET %s FROM json_each(?) AS j WHERE r.id = j.value ->> %d",
		u.table, strings.Join(sets, ", "), len(g.columns)), string(rows))
	return err
}

// notInJSON reports whether a value might not come out of JSON as it went in.
func notInJSON(value any) bool {
	switch v := value.(type) {
	case nil, bool, int, int64:
		return false
	case float64:
		return v*1024 != float64(int64(v*1024))
	case string:
		return !utf8.ValidString(v) || strings.ContainsRune(v, 0)
	}
	return true
}
