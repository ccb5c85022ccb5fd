package worker

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cmem/store"
)

// clockSaid notes that a worker looked at the clock so long ago, and that it had gone
// on evenly for so long.
func (s *setup) clockSaid(ago, even time.Duration) {
	path := filepath.Join(s.DataDir, clockFile)
	now := time.Now()
	if err := os.WriteFile(path, []byte(now.Add(-even).UTC().Format(time.RFC3339)), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Chtimes(path, now, now.Add(-ago)); err != nil {
		s.t.Fatal(err)
	}
}

func TestAClockThatWasSetForwardDropsNoRawEvents(t *testing.T) {
	const day = 24 * time.Hour
	tests := map[string]struct {
		ago, even time.Duration // 0: never noted
		dropped   bool
	}{
		"at the first run":                      {},
		"in ordinary use":                       {ago: time.Hour, even: 3 * day, dropped: true},
		"after a weekend":                       {ago: 3 * day, even: 40 * day, dropped: true},
		"when the clock has jumped by a year":   {ago: 365 * day, even: 400 * day},
		"an hour after it has jumped":           {ago: time.Minute, even: time.Hour},
		"when the clock was set back":           {ago: -day, even: 400 * day},
		"when it went on evenly for over a day": {ago: time.Minute, even: 25 * time.Hour, dropped: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newSetup(t) // its events are an hour old
			s.KeepRaw = time.Minute
			s.turn("修复缓存", 1)
			if tt.even != 0 {
				s.clockSaid(tt.ago, tt.even)
			}
			s.run()
			s.read(func(ctx context.Context, db *store.Store) {
				events, err := db.RawEvents(ctx, "s1", 1, "", 100)
				if err != nil || len(events) != 3 {
					t.Fatalf("%d events, %v", len(events), err)
				}
				for _, e := range events {
					if dropped := e.Payload == nil; dropped != tt.dropped {
						t.Errorf("the raw event %s was dropped: %v, want %v", e.ID, dropped, tt.dropped)
					}
				}
			})
		})
	}
}
