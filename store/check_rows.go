package store

import (
	"context"
	"fmt"
	"strings"
)

// Every table whose rows belong to a session, with its word for people.
var sessionTables = []struct{ table, word string }{
	{"user_prompts", "prompts"},
	{"events", "events"},
	{"batches", "batches"},
	{"observations", "observations"},
	{"session_summaries", "summaries"},
}

const (
	orphansTerm = "NOT EXISTS (SELECT 1 FROM sdk_sessions AS s WHERE s.session_id = %s.session_id)"
	// An event whose batch is gone would never be compressed; an observation
	// whose batch is gone is whole without it.
	lostEventsTerm = "batch_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM batches AS b WHERE b.id = events.batch_id)"
)

func (s *Store) checkOrphans(ctx context.Context) ([]Finding, error) {
	var problems []string
	for _, t := range sessionTables {
		n, err := number(ctx, s.read, fmt.Sprintf("SELECT count(*) FROM %s WHERE "+orphansTerm, t.table, t.table))
		if err != nil {
			return nil, err
		}
		if n > 0 {
			problems = append(problems, fmt.Sprintf("%d %s without their session", n, t.word))
		}
	}
	n, err := number(ctx, s.read, "SELECT count(*) FROM events WHERE "+lostEventsTerm)
	if err != nil {
		return nil, err
	}
	if n > 0 {
		problems = append(problems, fmt.Sprintf("%d events without their batch", n))
	}
	if len(problems) == 0 {
		return nil, nil
	}
	return []Finding{{
		Name:    CheckOrphans,
		Problem: strings.Join(problems, ", "),
		Advice:  "create the missing sessions anew and group the events again",
		Fixable: true,
	}}, nil
}

func (s *Store) fixOrphans(ctx context.Context) error {
	return s.transact(ctx, func(t tx) error {
		for _, table := range sessionTables {
			_, err := t.exec(ctx, fmt.Sprintf(`INSERT INTO sdk_sessions (session_id, project, status,
					created_at, created_at_epoch, last_event_at, last_event_at_epoch)
				SELECT session_id, min(project), 'completed', min(created_at), min(created_at_epoch), max(created_at), max(created_at_epoch)
				FROM %s WHERE `+orphansTerm+` GROUP BY session_id`, table.table, table.table))
			if err != nil {
				return err
			}
		}
		_, err := t.exec(ctx, "UPDATE events SET batch_id = NULL WHERE "+lostEventsTerm)
		return err
	})
}

// risenTerm finds tombstones of memories that are there. Because of them nothing
// more would be taken of the memory's batch.
const risenTerm = `kind = 'observation' AND EXISTS (SELECT 1 FROM observations AS r WHERE r.id = row_id AND r.uid = tombstones.uid)
	OR kind = 'summary' AND EXISTS (SELECT 1 FROM session_summaries AS r WHERE r.id = row_id AND r.uid = tombstones.uid)
	OR kind = 'prompt' AND EXISTS (SELECT 1 FROM user_prompts AS r WHERE r.id = row_id)`

func (s *Store) checkDeleted(ctx context.Context) ([]Finding, error) {
	n, err := number(ctx, s.read, "SELECT count(*) FROM tombstones WHERE "+risenTerm)
	if err != nil || n == 0 {
		return nil, err
	}
	return []Finding{{
		Name:    CheckDeleted,
		Problem: fmt.Sprintf("%d memories are there and noted as deleted", n),
		Advice:  "remove the notes that they are deleted",
		Fixable: true,
	}}, nil
}

func (s *Store) fixDeleted(ctx context.Context) error {
	return s.transact(ctx, func(t tx) error {
		_, err := t.exec(ctx, "DELETE FROM tombstones WHERE "+risenTerm)
		return err
	})
}

// What the counters ought to be.
const (
	sessionCounts = `SELECT s.id,
			(SELECT count(*) FROM user_prompts AS p WHERE p.session_id = s.session_id) AS prompts,
			(SELECT count(*) FROM observations AS o WHERE o.session_id = s.session_id AND o.status = 'active') AS observations
		FROM sdk_sessions AS s`
	projectCounts = `SELECT project, sum(sessions) AS sessions, sum(prompts) AS prompts, sum(events) AS events,
			sum(observations) AS observations, sum(summaries) AS summaries,
			sum(spent) AS tokens_spent, sum(source) AS tokens_source, sum(tread) AS tokens_read, max(last) AS last_active_epoch
		FROM (
			SELECT project, 1 AS sessions, 0 AS prompts, 0 AS events, 0 AS observations, 0 AS summaries,
				0 AS spent, 0 AS source, 0 AS tread, last_event_at_epoch AS last FROM sdk_sessions
			UNION ALL SELECT project, 0, 1, 0, 0, 0, 0, 0, 0, 0 FROM user_prompts
			UNION ALL SELECT project, 0, 0, 1, 0, 0, 0, 0, 0, 0 FROM events
			UNION ALL SELECT project, 0, 0, 0, 1, 0, tokens_spent, tokens_source, tokens_read, 0 FROM observations WHERE status = 'active'
			UNION ALL SELECT project, 0, 0, 0, 0, 1, 0, 0, 0, 0 FROM session_summaries WHERE status = 'active')
		GROUP BY project`
	typeCounts = `SELECT project, type, count(*) AS observations FROM observations WHERE status = 'active' GROUP BY project, type`

	// The time of the last activity is no counter: it may be later than all that is left.
	countedColumns = "project, sessions, prompts, events, observations, summaries, tokens_spent, tokens_source, tokens_read"
	emptyProject   = "sessions = 0 AND prompts = 0 AND events = 0 AND observations = 0 AND summaries = 0"
)

func (s *Store) checkCounters(ctx context.Context) ([]Finding, error) {
	n, err := number(ctx, s.read, fmt.Sprintf(`SELECT
		(SELECT count(*) FROM (%s) AS c JOIN sdk_sessions AS s USING (id)
			WHERE c.prompts <> s.prompt_count OR c.observations <> s.observation_count)
		+ (SELECT count(*) FROM (SELECT %s FROM (%s) EXCEPT SELECT %[2]s FROM projects))
		+ (SELECT count(*) FROM (SELECT %[2]s FROM projects WHERE NOT (%[4]s) EXCEPT SELECT %[2]s FROM (%[3]s)))
		+ (SELECT count(*) FROM (SELECT * FROM (%[5]s) EXCEPT SELECT project, type, observations FROM project_types))
		+ (SELECT count(*) FROM (SELECT project, type, observations FROM project_types WHERE observations <> 0 EXCEPT SELECT * FROM (%[5]s)))`,
		sessionCounts, countedColumns, projectCounts, emptyProject, typeCounts))
	if err != nil || n == 0 {
		return nil, err
	}
	return []Finding{{
		Name:    CheckCounters,
		Problem: fmt.Sprintf("%d counters of sessions and projects are wrong", n),
		Advice:  "count anew",
		Fixable: true,
	}}, nil
}

func (s *Store) fixCounters(ctx context.Context) error {
	return s.transact(ctx, func(t tx) error {
		for _, statement := range []string{
			`UPDATE sdk_sessions SET prompt_count = c.prompts, observation_count = c.observations
				FROM (` + sessionCounts + `) AS c WHERE c.id = sdk_sessions.id
				AND (c.prompts <> prompt_count OR c.observations <> observation_count)`,
			"DELETE FROM projects",
			"INSERT INTO projects (" + countedColumns + ", last_active_epoch) SELECT " + countedColumns +
				", last_active_epoch FROM (" + projectCounts + ")",
			"DELETE FROM project_types",
			"INSERT INTO project_types (project, type, observations) " + typeCounts,
		} {
			if _, err := t.exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}
