package cli

import (
	"fmt"
	"strings"

	"cmem/store"
)

// worthShrinking is from which size on something is said about what takes room.
const worthShrinking = 50 << 20

// describeSizes says what the data directory's room is used for.
func describeSizes(z store.Sizes) string {
	parts := []string{bytesText(z.File+z.Log) + " store"}
	add := func(n int64, what string) {
		if n > 0 {
			parts = append(parts, bytesText(n)+" "+what)
		}
	}
	var within []string
	for _, p := range []struct {
		n    int64
		what string
	}{{z.RawEvents, "raw events"}, {z.Search, "search index"}, {z.Free, "free"}, {z.Log, "log"}} {
		if p.n > 0 {
			within = append(within, "~"+bytesText(p.n)+" "+p.what)
		}
	}
	if len(within) > 0 {
		parts[0] += " (" + strings.Join(within, ", ") + ")"
	}
	add(z.Backups, "in "+count(z.BackupFiles, "backup"))
	add(z.Damaged, "in damaged stores put aside")
	return strings.Join(parts, ", ")
}

// shrinkers says what would take less room, the most first to mention. keepDays is
// the setting retention.raw_days.
func shrinkers(z store.Sizes, keepDays int) (list []string) {
	if z.RawEvents >= worthShrinking && keepDays == 0 {
		list = append(list, fmt.Sprintf("`cmem config set retention.raw_days 90` drops raw events older than 90 days, of ~%s", bytesText(z.RawEvents)))
	}
	if z.Free >= worthShrinking || z.Free >= worthShrinking/10 && !z.Shrinks {
		list = append(list, fmt.Sprintf("`cmem compact` gives back up to %s", bytesText(z.Free)))
	}
	if z.Backups >= worthShrinking {
		list = append(list, fmt.Sprintf("backups that you do not need can be deleted, %s; `cmem restore` lists them", bytesText(z.Backups)))
	}
	if z.Damaged >= worthShrinking {
		list = append(list, fmt.Sprintf("damaged stores that you miss nothing of can be deleted, %s", bytesText(z.Damaged)))
	}
	return list
}
