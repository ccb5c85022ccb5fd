-- What a person changes by hand.
--
-- Why an observation has its status, by which one it was superseded (a uid, which
-- is the same on every machine) and when a person last changed it.
ALTER TABLE observations ADD COLUMN status_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE observations ADD COLUMN superseded_by TEXT NOT NULL DEFAULT '';
ALTER TABLE observations ADD COLUMN edited_at TEXT;
ALTER TABLE observations ADD COLUMN edited_at_epoch INTEGER;

-- What a person deleted, without its text: so that it does not come back from the
-- events that it was made from, and so that its id is not given to another row.
CREATE TABLE tombstones (
  id               INTEGER PRIMARY KEY,
  kind             TEXT    NOT NULL, -- observation, summary, prompt
  row_id           INTEGER NOT NULL, -- the id that it had
  uid              TEXT    NOT NULL DEFAULT '', -- prompts have none
  session_id       TEXT    NOT NULL,
  prompt_number    INTEGER NOT NULL DEFAULT 0,
  batch_id         INTEGER, -- NULL: not made from a batch
  content_hash     TEXT    NOT NULL DEFAULT '', -- observations
  deleted_at       TEXT    NOT NULL,
  deleted_at_epoch INTEGER NOT NULL,
  UNIQUE (kind, row_id)
);
CREATE INDEX tombstones_by_session ON tombstones (session_id, kind, content_hash, prompt_number);
CREATE INDEX tombstones_by_batch ON tombstones (batch_id) WHERE batch_id IS NOT NULL;

-- Sessions are few beside what is in them: a filter by assistant or branch finds
-- them first.
CREATE INDEX sdk_sessions_by_agent ON sdk_sessions (agent, session_id);
