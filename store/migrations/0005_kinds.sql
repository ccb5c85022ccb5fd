-- Prompts and summaries are searched, too, and some memories count in every project.

-- How far each index of words has come: the worker goes from the newest row down.
CREATE TABLE search_indexes (
  name      TEXT    PRIMARY KEY, -- the table whose rows it has
  version   INTEGER NOT NULL, -- of the rules by which the words beside the text (tokens) are made
  below     INTEGER NOT NULL, -- rows with smaller ids have the words of an earlier version; 0 for none
  unindexed INTEGER NOT NULL  -- rows with smaller ids are not in the index yet; 0 for none
) WITHOUT ROWID;
INSERT INTO search_indexes VALUES ('observations',
  coalesce((SELECT version FROM search_tokens), 0), coalesce((SELECT below FROM search_tokens), 0), 0);
DROP TABLE search_tokens;

-- As for observations: words that the tokenizer does not find by itself.
ALTER TABLE user_prompts ADD COLUMN tokens TEXT NOT NULL DEFAULT '';
ALTER TABLE session_summaries ADD COLUMN tokens TEXT NOT NULL DEFAULT '';

CREATE VIRTUAL TABLE user_prompts_fts USING fts5 (
  prompt_text, tokens,
  content = 'user_prompts', content_rowid = 'id',
  tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE session_summaries_fts USING fts5 (
  request, investigated, learned, completed, next_steps, notes, tokens,
  content = 'session_summaries', content_rowid = 'id',
  tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO user_prompts_fts (user_prompts_fts, rank) VALUES ('rank', 'bm25(1.0, 1.0)');
INSERT INTO session_summaries_fts (session_summaries_fts, rank)
  VALUES ('rank', 'bm25(2.0, 1.0, 1.5, 1.5, 1.0, 1.0, 1.0)');

-- What is there already is put into them in small pieces, so that nobody waits for it:
-- a large store would take a minute. Until then rows below "unindexed" are in no index,
-- and must not be taken out of one.
INSERT INTO search_indexes SELECT 'user_prompts', 1, coalesce(max(id) + 1, 0), coalesce(max(id) + 1, 0) FROM user_prompts;
INSERT INTO search_indexes SELECT 'session_summaries', 1, coalesce(max(id) + 1, 0), coalesce(max(id) + 1, 0) FROM session_summaries;

CREATE TRIGGER user_prompts_indexed AFTER INSERT ON user_prompts
WHEN new.id >= coalesce((SELECT unindexed FROM search_indexes WHERE name = 'user_prompts'), 0) BEGIN
  INSERT INTO user_prompts_fts (rowid, prompt_text, tokens) VALUES (new.id, new.prompt_text, new.tokens);
END;
CREATE TRIGGER user_prompts_unindexed AFTER DELETE ON user_prompts
WHEN old.id >= coalesce((SELECT unindexed FROM search_indexes WHERE name = 'user_prompts'), 0) BEGIN
  INSERT INTO user_prompts_fts (user_prompts_fts, rowid, prompt_text, tokens)
    VALUES ('delete', old.id, old.prompt_text, old.tokens);
END;
CREATE TRIGGER user_prompts_reindexed AFTER UPDATE OF id, prompt_text, tokens ON user_prompts BEGIN
  INSERT INTO user_prompts_fts (user_prompts_fts, rowid, prompt_text, tokens)
    SELECT 'delete', old.id, old.prompt_text, old.tokens
    WHERE old.id >= coalesce((SELECT unindexed FROM search_indexes WHERE name = 'user_prompts'), 0);
  INSERT INTO user_prompts_fts (rowid, prompt_text, tokens)
    SELECT new.id, new.prompt_text, new.tokens
    WHERE new.id >= coalesce((SELECT unindexed FROM search_indexes WHERE name = 'user_prompts'), 0);
END;

CREATE TRIGGER session_summaries_indexed AFTER INSERT ON session_summaries
WHEN new.id >= coalesce((SELECT unindexed FROM search_indexes WHERE name = 'session_summaries'), 0) BEGIN
  INSERT INTO session_summaries_fts (rowid, request, investigated, learned, completed, next_steps, notes, tokens)
    VALUES (new.id, new.request, new.investigated, new.learned, new.completed, new.next_steps, new.notes, new.tokens);
END;
CREATE TRIGGER session_summaries_unindexed AFTER DELETE ON session_summaries
WHEN old.id >= coalesce((SELECT unindexed FROM search_indexes WHERE name = 'session_summaries'), 0) BEGIN
  INSERT INTO session_summaries_fts (session_summaries_fts, rowid, request, investigated, learned, completed, next_steps, notes, tokens)
    VALUES ('delete', old.id, old.request, old.investigated, old.learned, old.completed, old.next_steps, old.notes, old.tokens);
END;
CREATE TRIGGER session_summaries_reindexed
AFTER UPDATE OF id, request, investigated, learned, completed, next_steps, notes, tokens ON session_summaries BEGIN
  INSERT INTO session_summaries_fts (session_summaries_fts, rowid, request, investigated, learned, completed, next_steps, notes, tokens)
    SELECT 'delete', old.id, old.request, old.investigated, old.learned, old.completed, old.next_steps, old.notes, old.tokens
    WHERE old.id >= coalesce((SELECT unindexed FROM search_indexes WHERE name = 'session_summaries'), 0);
  INSERT INTO session_summaries_fts (rowid, request, investigated, learned, completed, next_steps, notes, tokens)
    SELECT new.id, new.request, new.investigated, new.learned, new.completed, new.next_steps, new.notes, new.tokens
    WHERE new.id >= coalesce((SELECT unindexed FROM search_indexes WHERE name = 'session_summaries'), 0);
END;

-- The global layer: what counts in every project is a small part of all.
CREATE INDEX observations_global
  ON observations (created_at_epoch, id, project, status, type, pinned, valid_until_epoch) WHERE scope <> 'project';
