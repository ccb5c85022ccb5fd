-- The same event twice, events before their prompt, and what is forgotten for good.
--
-- A hook that is registered twice, in the person's settings and by a plugin,
-- delivers each event under two names. fingerprint is made from what such twins
-- have in common, NULL for events from before this step; twin is the name of the
-- delivery that was recognised as this event and not stored again.
ALTER TABLE events ADD COLUMN fingerprint BLOB;
ALTER TABLE events ADD COLUMN twin TEXT NOT NULL DEFAULT '';
-- The assistant's own id of the prompt. When the clock was set back in between, an
-- event can be stored before the prompt that it belongs to.
ALTER TABLE events ADD COLUMN prompt_id TEXT NOT NULL DEFAULT '';

-- By hour first: events come in the order of time, so that the pages to which the
-- index grows are those that were used a moment ago.
CREATE INDEX events_by_fingerprint ON events (created_at_epoch / 3600000, fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX events_doubled ON events (created_at_epoch) WHERE twin <> '';

-- Whether what was deleted can come back by an undo: 0 when it can, 1 when a person
-- had it forgotten, 2 when with it everything of its kind and session was, up to its id.
ALTER TABLE tombstones ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
CREATE INDEX tombstones_forgotten ON tombstones (session_id, kind) WHERE forgotten > 0;
