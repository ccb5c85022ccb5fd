-- The first schema of a cmem store.
--
-- Table and column names are a public contract: people read this file with
-- sqlite3. Times stand twice, as ISO 8601 UTC text for people (created_at) and
-- as milliseconds since 1970 for the program (created_at_epoch). Lists are JSON
-- arrays of strings. Triggers use plain SQL only, so that a change made with
-- sqlite3 keeps the search index and the counters in step.

PRAGMA application_id = 0x636d656d; -- "cmem"

CREATE TABLE sdk_sessions (
  id                  INTEGER PRIMARY KEY,
  session_id          TEXT    NOT NULL UNIQUE,
  agent               TEXT    NOT NULL DEFAULT 'claude-code',
  project             TEXT    NOT NULL DEFAULT '',
  cwd                 TEXT    NOT NULL DEFAULT '',
  transcript_path     TEXT    NOT NULL DEFAULT '',
  git_branch          TEXT    NOT NULL DEFAULT '',
  status              TEXT    NOT NULL DEFAULT 'active', -- active, completed
  title               TEXT    NOT NULL DEFAULT '',
  created_at          TEXT    NOT NULL,
  created_at_epoch    INTEGER NOT NULL,
  last_event_at       TEXT    NOT NULL,
  last_event_at_epoch INTEGER NOT NULL,
  completed_at        TEXT,
  completed_at_epoch  INTEGER,
  prompt_count        INTEGER NOT NULL DEFAULT 0, -- kept by triggers
  observation_count   INTEGER NOT NULL DEFAULT 0, -- active ones, kept by triggers
  summary_due         INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sdk_sessions_by_time ON sdk_sessions (created_at_epoch, id);
CREATE INDEX sdk_sessions_by_project ON sdk_sessions (project, created_at_epoch, id);
CREATE INDEX sdk_sessions_due ON sdk_sessions (id) WHERE summary_due = 1;

CREATE TABLE user_prompts (
  id               INTEGER PRIMARY KEY,
  session_id       TEXT    NOT NULL REFERENCES sdk_sessions (session_id) ON DELETE CASCADE,
  project          TEXT    NOT NULL,
  prompt_number    INTEGER NOT NULL, -- 1, 2, … within the session
  prompt_id        TEXT    NOT NULL DEFAULT '', -- the assistant's own id
  machine          INTEGER NOT NULL DEFAULT 0,  -- 1: written by the host, not by a person
  tokens_read      INTEGER NOT NULL DEFAULT 0,
  created_at       TEXT    NOT NULL,
  created_at_epoch INTEGER NOT NULL,
  prompt_text      TEXT    NOT NULL,
  UNIQUE (session_id, prompt_number)
);
CREATE INDEX user_prompts_by_time ON user_prompts (created_at_epoch, id);
CREATE INDEX user_prompts_by_project ON user_prompts (project, created_at_epoch, id);
CREATE INDEX user_prompts_by_session ON user_prompts (session_id, created_at_epoch, id);
CREATE INDEX user_prompts_by_prompt_id ON user_prompts (session_id, prompt_id);

-- What the hooks reported, each once. The whole payload is kept, compressed with
-- zstd; retention sets it to NULL.
CREATE TABLE events (
  id               INTEGER PRIMARY KEY,
  event_id         TEXT    NOT NULL UNIQUE, -- ordered by time
  session_id       TEXT    NOT NULL REFERENCES sdk_sessions (session_id) ON DELETE CASCADE,
  project          TEXT    NOT NULL,
  prompt_number    INTEGER NOT NULL, -- 0: before the first prompt
  batch_id         INTEGER,          -- NULL: not yet in a batch
  event            TEXT    NOT NULL,
  tool_name        TEXT    NOT NULL DEFAULT '',
  tool_use_id      TEXT    NOT NULL DEFAULT '',
  agent_id         TEXT    NOT NULL DEFAULT '', -- set inside a subagent
  git_branch       TEXT    NOT NULL DEFAULT '',
  git_commit       TEXT    NOT NULL DEFAULT '',
  created_at       TEXT    NOT NULL,
  created_at_epoch INTEGER NOT NULL,
  payload          BLOB
);
CREATE INDEX events_by_prompt ON events (session_id, prompt_number, event_id);
CREATE INDEX events_by_batch ON events (batch_id, event_id) WHERE batch_id IS NOT NULL;
CREATE INDEX events_unbatched ON events (session_id, prompt_number, event_id) WHERE batch_id IS NULL;
CREATE INDEX events_story ON events (session_id, event_id)
  WHERE event IN ('Stop', 'SubagentStop') OR tool_name IN ('TodoWrite', 'TaskCreate', 'TaskUpdate');
CREATE INDEX events_with_payload ON events (created_at_epoch) WHERE payload IS NOT NULL;

-- Runs of events of one prompt that are compressed together.
CREATE TABLE batches (
  id                 INTEGER PRIMARY KEY,
  session_id         TEXT    NOT NULL REFERENCES sdk_sessions (session_id) ON DELETE CASCADE,
  project            TEXT    NOT NULL,
  prompt_number      INTEGER NOT NULL,
  state              TEXT    NOT NULL DEFAULT 'pending', -- pending, provisional, done
  events             INTEGER NOT NULL,
  attempts           INTEGER NOT NULL DEFAULT 0,
  next_attempt_epoch INTEGER NOT NULL DEFAULT 0,
  last_error         TEXT    NOT NULL DEFAULT '',
  created_at         TEXT    NOT NULL,
  created_at_epoch   INTEGER NOT NULL
);
CREATE INDEX batches_open ON batches (id) WHERE state <> 'done';
CREATE INDEX batches_by_session ON batches (session_id, state);

-- The columns that lists filter by come first, the long texts last.
CREATE TABLE observations (
  id                INTEGER PRIMARY KEY,
  uid               TEXT    NOT NULL UNIQUE, -- stable across exports and machines
  session_id        TEXT    NOT NULL REFERENCES sdk_sessions (session_id) ON DELETE CASCADE,
  project           TEXT    NOT NULL,
  prompt_number     INTEGER NOT NULL DEFAULT 0,
  batch_id          INTEGER, -- NULL: not made from a batch
  created_at        TEXT    NOT NULL,
  created_at_epoch  INTEGER NOT NULL,
  type              TEXT    NOT NULL, -- decision, bugfix, feature, refactor, discovery, change, …
  status            TEXT    NOT NULL DEFAULT 'active', -- active, archived, superseded, invalid
  scope             TEXT    NOT NULL DEFAULT 'project', -- project, global, team
  certainty         TEXT    NOT NULL DEFAULT '', -- observed, claimed, confirmed, disputed, retracted
  pinned            INTEGER NOT NULL DEFAULT 0,
  weight            REAL    NOT NULL DEFAULT 1,
  valid_until       TEXT,
  valid_until_epoch INTEGER,
  provisional       INTEGER NOT NULL DEFAULT 0, -- 1: a stand-in until the provider returns
  tool_name         TEXT    NOT NULL DEFAULT '',
  compressor        TEXT    NOT NULL DEFAULT '',
  model             TEXT    NOT NULL DEFAULT '',
  tokens_spent      INTEGER NOT NULL DEFAULT 0, -- what making it cost
  tokens_source     INTEGER NOT NULL DEFAULT 0, -- what the events behind it would cost to read
  tokens_read       INTEGER NOT NULL DEFAULT 0, -- what reading it costs
  git_branch        TEXT    NOT NULL DEFAULT '',
  git_commit        TEXT    NOT NULL DEFAULT '',
  content_hash      TEXT    NOT NULL,
  concepts          TEXT    NOT NULL DEFAULT '[]',
  tags              TEXT    NOT NULL DEFAULT '[]',
  files_read        TEXT    NOT NULL DEFAULT '[]',
  files_modified    TEXT    NOT NULL DEFAULT '[]',
  title             TEXT    NOT NULL DEFAULT '',
  subtitle          TEXT    NOT NULL DEFAULT '',
  facts             TEXT    NOT NULL DEFAULT '[]',
  narrative         TEXT    NOT NULL DEFAULT '',
  tokens            TEXT    NOT NULL DEFAULT '', -- search words that the tokenizer does not find by itself
  files             TEXT    GENERATED ALWAYS AS (files_read || ' ' || files_modified) VIRTUAL,
  UNIQUE (session_id, content_hash)
);
-- A page of a list reads these from one end; what a filter asks most stands in the
-- index itself, so that rows which do not match are passed over without reading them.
CREATE INDEX observations_by_time
  ON observations (created_at_epoch, id, status, type, pinned, valid_until_epoch);
CREATE INDEX observations_by_project
  ON observations (project, created_at_epoch, id, status, type, pinned, valid_until_epoch);
CREATE INDEX observations_by_session
  ON observations (session_id, created_at_epoch, id, status, type, pinned, valid_until_epoch);
CREATE INDEX observations_pinned ON observations (created_at_epoch, id, project, status) WHERE pinned = 1;
CREATE INDEX observations_by_batch ON observations (batch_id) WHERE batch_id IS NOT NULL;

CREATE TABLE session_summaries (
  id               INTEGER PRIMARY KEY,
  uid              TEXT    NOT NULL UNIQUE,
  session_id       TEXT    NOT NULL REFERENCES sdk_sessions (session_id) ON DELETE CASCADE,
  project          TEXT    NOT NULL,
  prompt_number    INTEGER NOT NULL DEFAULT 0,
  created_at       TEXT    NOT NULL,
  created_at_epoch INTEGER NOT NULL,
  status           TEXT    NOT NULL DEFAULT 'active', -- the newest of a session is active, the others superseded
  compressor       TEXT    NOT NULL DEFAULT '',
  model            TEXT    NOT NULL DEFAULT '',
  provisional      INTEGER NOT NULL DEFAULT 0,
  tokens_spent     INTEGER NOT NULL DEFAULT 0,
  tokens_read      INTEGER NOT NULL DEFAULT 0,
  request          TEXT    NOT NULL DEFAULT '',
  investigated     TEXT    NOT NULL DEFAULT '',
  learned          TEXT    NOT NULL DEFAULT '',
  completed        TEXT    NOT NULL DEFAULT '',
  next_steps       TEXT    NOT NULL DEFAULT '',
  notes            TEXT    NOT NULL DEFAULT '',
  files_read       TEXT    NOT NULL DEFAULT '[]',
  files_modified   TEXT    NOT NULL DEFAULT '[]'
);
CREATE INDEX session_summaries_by_time ON session_summaries (created_at_epoch, id, status);
CREATE INDEX session_summaries_by_project ON session_summaries (project, created_at_epoch, id, status);
CREATE INDEX session_summaries_by_session ON session_summaries (session_id, created_at_epoch, id, status);

-- Counters, kept by triggers, so that a project list or a status line costs the
-- same at a million observations as at ten. Observations and summaries count
-- while they are active.
CREATE TABLE projects (
  project           TEXT    PRIMARY KEY,
  sessions          INTEGER NOT NULL DEFAULT 0,
  prompts           INTEGER NOT NULL DEFAULT 0,
  events            INTEGER NOT NULL DEFAULT 0,
  observations      INTEGER NOT NULL DEFAULT 0,
  summaries         INTEGER NOT NULL DEFAULT 0,
  tokens_spent      INTEGER NOT NULL DEFAULT 0,
  tokens_source     INTEGER NOT NULL DEFAULT 0,
  tokens_read       INTEGER NOT NULL DEFAULT 0,
  last_active_epoch INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TABLE project_types (
  project      TEXT    NOT NULL,
  type         TEXT    NOT NULL,
  observations INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (project, type)
) WITHOUT ROWID;

CREATE TRIGGER sdk_sessions_counted AFTER INSERT ON sdk_sessions BEGIN
  INSERT INTO projects (project, sessions, last_active_epoch) VALUES (new.project, 1, new.last_event_at_epoch)
    ON CONFLICT (project) DO UPDATE SET
      sessions = sessions + 1,
      last_active_epoch = max(last_active_epoch, excluded.last_active_epoch);
END;
CREATE TRIGGER sdk_sessions_uncounted AFTER DELETE ON sdk_sessions BEGIN
  UPDATE projects SET sessions = sessions - 1 WHERE project = old.project;
END;
CREATE TRIGGER sdk_sessions_recounted AFTER UPDATE OF project, last_event_at_epoch ON sdk_sessions BEGIN
  UPDATE projects SET sessions = sessions - 1 WHERE project = old.project;
  INSERT INTO projects (project, sessions, last_active_epoch) VALUES (new.project, 1, new.last_event_at_epoch)
    ON CONFLICT (project) DO UPDATE SET
      sessions = sessions + 1,
      last_active_epoch = max(last_active_epoch, excluded.last_active_epoch);
END;

CREATE TRIGGER user_prompts_counted AFTER INSERT ON user_prompts BEGIN
  UPDATE sdk_sessions SET prompt_count = prompt_count + 1 WHERE session_id = new.session_id;
  INSERT INTO projects (project, prompts) VALUES (new.project, 1)
    ON CONFLICT (project) DO UPDATE SET prompts = prompts + 1;
END;
CREATE TRIGGER user_prompts_uncounted AFTER DELETE ON user_prompts BEGIN
  UPDATE sdk_sessions SET prompt_count = prompt_count - 1 WHERE session_id = old.session_id;
  UPDATE projects SET prompts = prompts - 1 WHERE project = old.project;
END;
CREATE TRIGGER user_prompts_recounted AFTER UPDATE OF session_id, project ON user_prompts BEGIN
  UPDATE sdk_sessions SET prompt_count = prompt_count - 1 WHERE session_id = old.session_id;
  UPDATE sdk_sessions SET prompt_count = prompt_count + 1 WHERE session_id = new.session_id;
  UPDATE projects SET prompts = prompts - 1 WHERE project = old.project;
  INSERT INTO projects (project, prompts) VALUES (new.project, 1)
    ON CONFLICT (project) DO UPDATE SET prompts = prompts + 1;
END;

CREATE TRIGGER events_counted AFTER INSERT ON events BEGIN
  INSERT INTO projects (project, events) VALUES (new.project, 1)
    ON CONFLICT (project) DO UPDATE SET events = events + 1;
END;
CREATE TRIGGER events_uncounted AFTER DELETE ON events BEGIN
  UPDATE projects SET events = events - 1 WHERE project = old.project;
END;
CREATE TRIGGER events_recounted AFTER UPDATE OF project ON events BEGIN
  UPDATE projects SET events = events - 1 WHERE project = old.project;
  INSERT INTO projects (project, events) VALUES (new.project, 1)
    ON CONFLICT (project) DO UPDATE SET events = events + 1;
END;

CREATE TRIGGER observations_counted AFTER INSERT ON observations WHEN new.status = 'active' BEGIN
  UPDATE sdk_sessions SET observation_count = observation_count + 1 WHERE session_id = new.session_id;
  INSERT INTO projects (project, observations, tokens_spent, tokens_source, tokens_read)
    VALUES (new.project, 1, new.tokens_spent, new.tokens_source, new.tokens_read)
    ON CONFLICT (project) DO UPDATE SET
      observations = observations + 1,
      tokens_spent = tokens_spent + excluded.tokens_spent,
      tokens_source = tokens_source + excluded.tokens_source,
      tokens_read = tokens_read + excluded.tokens_read;
  INSERT INTO project_types (project, type, observations) VALUES (new.project, new.type, 1)
    ON CONFLICT (project, type) DO UPDATE SET observations = observations + 1;
END;
CREATE TRIGGER observations_uncounted AFTER DELETE ON observations WHEN old.status = 'active' BEGIN
  UPDATE sdk_sessions SET observation_count = observation_count - 1 WHERE session_id = old.session_id;
  UPDATE projects SET
      observations = observations - 1,
      tokens_spent = tokens_spent - old.tokens_spent,
      tokens_source = tokens_source - old.tokens_source,
      tokens_read = tokens_read - old.tokens_read
    WHERE project = old.project;
  UPDATE project_types SET observations = observations - 1 WHERE project = old.project AND type = old.type;
END;
CREATE TRIGGER observations_recounted
AFTER UPDATE OF session_id, project, type, status, tokens_spent, tokens_source, tokens_read ON observations BEGIN
  UPDATE sdk_sessions SET observation_count = observation_count - 1
    WHERE session_id = old.session_id AND old.status = 'active';
  UPDATE projects SET
      observations = observations - 1,
      tokens_spent = tokens_spent - old.tokens_spent,
      tokens_source = tokens_source - old.tokens_source,
      tokens_read = tokens_read - old.tokens_read
    WHERE project = old.project AND old.status = 'active';
  UPDATE project_types SET observations = observations - 1
    WHERE project = old.project AND type = old.type AND old.status = 'active';
  UPDATE sdk_sessions SET observation_count = observation_count + 1
    WHERE session_id = new.session_id AND new.status = 'active';
  INSERT INTO projects (project, observations, tokens_spent, tokens_source, tokens_read)
    SELECT new.project, 1, new.tokens_spent, new.tokens_source, new.tokens_read WHERE new.status = 'active'
    ON CONFLICT (project) DO UPDATE SET
      observations = observations + 1,
      tokens_spent = tokens_spent + excluded.tokens_spent,
      tokens_source = tokens_source + excluded.tokens_source,
      tokens_read = tokens_read + excluded.tokens_read;
  INSERT INTO project_types (project, type, observations)
    SELECT new.project, new.type, 1 WHERE new.status = 'active'
    ON CONFLICT (project, type) DO UPDATE SET observations = observations + 1;
END;

CREATE TRIGGER session_summaries_counted AFTER INSERT ON session_summaries WHEN new.status = 'active' BEGIN
  INSERT INTO projects (project, summaries) VALUES (new.project, 1)
    ON CONFLICT (project) DO UPDATE SET summaries = summaries + 1;
END;
CREATE TRIGGER session_summaries_uncounted AFTER DELETE ON session_summaries WHEN old.status = 'active' BEGIN
  UPDATE projects SET summaries = summaries - 1 WHERE project = old.project;
END;
CREATE TRIGGER session_summaries_recounted AFTER UPDATE OF project, status ON session_summaries BEGIN
  UPDATE projects SET summaries = summaries - 1 WHERE project = old.project AND old.status = 'active';
  INSERT INTO projects (project, summaries) SELECT new.project, 1 WHERE new.status = 'active'
    ON CONFLICT (project) DO UPDATE SET summaries = summaries + 1;
END;

-- Search. The index holds no copy of the text: it reads it from observations.
CREATE VIRTUAL TABLE observations_fts USING fts5 (
  title, subtitle, narrative, facts, concepts, files, tokens,
  content = 'observations', content_rowid = 'id',
  tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO observations_fts (observations_fts, rank)
  VALUES ('rank', 'bm25(3.0, 1.5, 1.0, 1.5, 1.5, 2.0, 1.0)');

CREATE TRIGGER observations_indexed AFTER INSERT ON observations BEGIN
  INSERT INTO observations_fts (rowid, title, subtitle, narrative, facts, concepts, files, tokens)
    VALUES (new.id, new.title, new.subtitle, new.narrative, new.facts, new.concepts, new.files, new.tokens);
END;
CREATE TRIGGER observations_unindexed AFTER DELETE ON observations BEGIN
  INSERT INTO observations_fts (observations_fts, rowid, title, subtitle, narrative, facts, concepts, files, tokens)
    VALUES ('delete', old.id, old.title, old.subtitle, old.narrative, old.facts, old.concepts, old.files, old.tokens);
END;
CREATE TRIGGER observations_reindexed
AFTER UPDATE OF id, title, subtitle, narrative, facts, concepts, files_read, files_modified, tokens ON observations BEGIN
  INSERT INTO observations_fts (observations_fts, rowid, title, subtitle, narrative, facts, concepts, files, tokens)
    VALUES ('delete', old.id, old.title, old.subtitle, old.narrative, old.facts, old.concepts, old.files, old.tokens);
  INSERT INTO observations_fts (rowid, title, subtitle, narrative, facts, concepts, files, tokens)
    VALUES (new.id, new.title, new.subtitle, new.narrative, new.facts, new.concepts, new.files, new.tokens);
END;
