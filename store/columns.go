package store

import (
	"encoding/json"
	"fmt"
	"time"
)

// epoch reads a column of milliseconds since 1970 into a time.
type epoch struct{ t *time.Time }

// Scan implements sql.Scanner.
func (e epoch) Scan(src any) error {
	ms, ok := src.(int64)
	if !ok {
		return fmt.Errorf("%T in a time column", src)
	}
	*e.t = fromEpoch(ms)
	return nil
}

// nullTime is a time for a pair of columns, text and milliseconds; the zero time
// is NULL in both.
func nullTime(t time.Time) (text, ms any) {
	if t.IsZero() {
		return nil, nil
	}
	return isoTime(t), t.UnixMilli()
}

// list reads a column that holds a JSON array of strings.
type list struct{ l *[]string }

// Scan implements sql.Scanner.
func (l list) Scan(src any) error {
	s, ok := src.(string)
	if !ok {
		return fmt.Errorf("%T in a list column", src)
	}
	*l.l = decodeList(s)
	return nil
}

// encodeIDs writes ids as a JSON array, for json_each.
func encodeIDs(ids []int64) string {
	if len(ids) == 0 {
		return "[]"
	}
	b, err := json.Marshal(ids)
	if err != nil {
		panic("store: a list of numbers does not encode: " + err.Error()) // cannot happen
	}
	return string(b)
}
