package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"cmem/memory"
)

// Projects gives all projects with something in them, most recently active
// first. It reads counters: its cost does not depend on how much there is.
func (s *Store) Projects(ctx context.Context) ([]memory.Project, error) {
	list, err := all(ctx, s.read, func(r row) (p memory.Project, err error) {
		return p, r.Scan(&p.Key, &p.Sessions, &p.Observations, epoch{&p.LastActive},
			&p.Prompts, &p.Summaries, &p.Events, &p.TokensSpent, &p.TokensSource, &p.TokensRead)
	}, `SELECT project, sessions, observations, last_active_epoch,
			prompts, summaries, events, tokens_spent, tokens_source, tokens_read FROM projects
		WHERE sessions > 0 OR observations > 0 OR events > 0
		ORDER BY last_active_epoch DESC, project`)
	if err != nil {
		return nil, fmt.Errorf("list projects: %w", err)
	}
	return list, nil
}

// Totals are the figures of a project, or of the whole store.
type Totals struct {
	Project      string         `json:"project,omitempty"` // empty for the whole store
	Projects     int            `json:"projects"`
	Sessions     int            `json:"sessions"`
	Prompts      int            `json:"prompts"`
	Events       int            `json:"events"`
	Observations int            `json:"observations"` // active ones
	ByType       map[string]int `json:"by_type"`      // active observations
	Summaries    int            `json:"summaries"`    // active ones

	TokensSpent  int64 `json:"tokens_spent"`  // what making the observations cost
	TokensSource int64 `json:"tokens_source"` // what the events behind them would cost to read
	TokensRead   int64 `json:"tokens_read"`   // what reading all of them costs

	// Oldest and Newest are the times of the first and the last active
	// observation, zero when there is none.
	Oldest time.Time `json:"oldest,omitzero"`
	Newest time.Time `json:"newest,omitzero"`

	// WaitingBatches are batches without their final observations, and
	// WaitingEvents events that are in no batch yet; both of the whole store.
	WaitingBatches int `json:"waiting_batches"`
	WaitingEvents  int `json:"waiting_events"`
	// SizeBytes is the size of the store's file and its log.
	SizeBytes int64 `json:"size_bytes"`
}

// Totals gives the figures of a project, "" for the whole store. It reads
// counters: its cost does not depend on how much there is.
func (s *Store) Totals(ctx context.Context, project string) (Totals, error) {
	t, err := s.totals(ctx, project)
	if err != nil {
		return t, fmt.Errorf("read totals: %w", err)
	}
	return t, nil
}

func (s *Store) totals(ctx context.Context, project string) (Totals, error) {
	t := Totals{Project: project, ByType: map[string]int{}}
	of, args := "true", []any(nil)
	if project != "" {
		of, args = "project = ?", []any{project}
	}
	_, err := one(ctx, s.read, func(r row) (struct{}, error) {
		return struct{}{}, r.Scan(&t.Projects, &t.Sessions, &t.Prompts, &t.Events, &t.Observations, &t.Summaries,
			&t.TokensSpent, &t.TokensSource, &t.TokensRead)
	}, `SELECT count(*), coalesce(sum(sessions), 0), coalesce(sum(prompts), 0), coalesce(sum(events), 0),
		coalesce(sum(observations), 0), coalesce(sum(summaries), 0), coalesce(sum(tokens_spent), 0),
		coalesce(sum(tokens_source), 0), coalesce(sum(tokens_read), 0) FROM projects WHERE `+of, args...)
	if err != nil {
		return t, err
	}
	_, err = all(ctx, s.read, func(r row) (struct{}, error) {
		var name string
		var n int
		err := r.Scan(&name, &n)
		t.ByType[name] = n
		return struct{}{}, err
	}, `SELECT type, sum(observations) FROM project_types WHERE observations > 0 AND `+of+` GROUP BY type`, args...)
	if err != nil {
		return t, err
	}
	for end, direction := range map[*time.Time]string{&t.Oldest: "ASC", &t.Newest: "DESC"} {
		ms, err := number(ctx, s.read, fmt.Sprintf(`SELECT created_at_epoch FROM observations
			WHERE %s AND status = 'active' ORDER BY created_at_epoch %s, id %[2]s LIMIT 1`, of, direction), args...)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return t, err
		}
		*end = fromEpoch(ms)
	}
	for n, query := range map[*int]string{
		&t.WaitingBatches: "SELECT count(*) FROM batches WHERE state <> 'done'",
		&t.WaitingEvents:  "SELECT count(*) FROM events WHERE batch_id IS NULL",
	} {
		v, err := number(ctx, s.read, query)
		if err != nil {
			return t, err
		}
		*n = int(v)
	}
	for _, name := range []string{s.path, s.path + "-wal"} {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // without writers there is no log
		}
		if err != nil {
			return t, err
		}
		t.SizeBytes += info.Size()
	}
	return t, nil
}
