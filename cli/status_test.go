package cli

import (
	"testing"
	"time"

	"cmem/worker"
)

func TestProgressIsToldInAPersonsWords(t *testing.T) {
	since := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	for want, p := range map[string]worker.Progress{
		"12,300 of 100,000 events, about 29 s left":   {Done: 12_300, Left: 87_700, Since: since, At: since.Add(4 * time.Second)},
		"12,300 of 100,000 events, about 14 min left": {Done: 12_300, Left: 87_700, Since: since, At: since.Add(2 * time.Minute)},
		"0 of 100,000 events":                         {Left: 100_000, Since: since, At: since.Add(time.Second)},
		"99,999 of 100,000 events, about 1 s left":    {Done: 99_999, Left: 1, Since: since, At: since.Add(time.Second)},
	} {
		if got := describeProgress(p); got != want {
			t.Errorf("%+v is told as %q, want %q", p, got, want)
		}
	}
}
