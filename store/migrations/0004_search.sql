-- By which version of the rules the words beside the text (observations.tokens) are made.
CREATE TABLE search_tokens (
  only    INTEGER PRIMARY KEY CHECK (only = 1),
  version INTEGER NOT NULL,
  below   INTEGER NOT NULL -- rows with smaller ids have those of an earlier version; 0 for none
);
INSERT INTO search_tokens (only, version, below) VALUES (1, 1, 0);

-- What observations are about, as numbers, for searching by meaning.
--
-- Nothing of it is worth keeping: it is made from the observations, by the worker,
-- and made anew when a text changes or another model is used.
CREATE TABLE embedding_models (
  id      INTEGER PRIMARY KEY,
  name    TEXT    NOT NULL UNIQUE, -- numbers of different models cannot be compared
  encoded INTEGER NOT NULL DEFAULT 0 -- observations that it has encoded
);

CREATE TABLE embeddings (
  observation_id INTEGER NOT NULL,
  model          INTEGER NOT NULL REFERENCES embedding_models (id) ON DELETE CASCADE,
  block          INTEGER NOT NULL, -- of embedding_blocks, 0 when the text has no words
  vector         BLOB    NOT NULL, -- a signed byte a dimension
  words          BLOB    NOT NULL, -- numbers of the model's words in it, two bytes each, little endian, sorted
  PRIMARY KEY (observation_id, model)
) WITHOUT ROWID;

-- A search looks at the sketches of all of a project's vectors before it reads the
-- vectors themselves: the signs of their numbers, a bit each.
CREATE TABLE embedding_blocks (
  id       INTEGER PRIMARY KEY,
  model    INTEGER NOT NULL REFERENCES embedding_models (id) ON DELETE CASCADE,
  project  TEXT    NOT NULL,
  entries  INTEGER NOT NULL,
  ids      BLOB    NOT NULL, -- of observations, eight bytes each, little endian
  sketches BLOB    NOT NULL  -- in the order of ids
);
CREATE INDEX embedding_blocks_by_project ON embedding_blocks (model, project, id);

-- What is to be encoded, and which entries of blocks are of no use any more.
CREATE TABLE embeddings_due (
  model          INTEGER NOT NULL REFERENCES embedding_models (id) ON DELETE CASCADE,
  observation_id INTEGER NOT NULL,
  PRIMARY KEY (model, observation_id)
) WITHOUT ROWID;
CREATE TABLE embeddings_gone (
  block          INTEGER NOT NULL,
  observation_id INTEGER NOT NULL,
  PRIMARY KEY (block, observation_id)
) WITHOUT ROWID;

CREATE TRIGGER observations_to_encode AFTER INSERT ON observations BEGIN
  INSERT OR IGNORE INTO embeddings_due SELECT id, new.id FROM embedding_models;
END;
CREATE TRIGGER observations_unencoded AFTER DELETE ON observations BEGIN
  DELETE FROM embeddings_due WHERE model IN (SELECT id FROM embedding_models) AND observation_id = old.id;
  DELETE FROM embeddings WHERE observation_id = old.id;
END;
CREATE TRIGGER observations_to_encode_anew
AFTER UPDATE OF id, project, title, subtitle, narrative, facts, concepts, tags, files_read, files_modified ON observations BEGIN
  DELETE FROM embeddings WHERE observation_id = old.id;
  INSERT OR IGNORE INTO embeddings_due SELECT id, new.id FROM embedding_models;
END;
CREATE TRIGGER embeddings_counted AFTER INSERT ON embeddings BEGIN
  UPDATE embedding_models SET encoded = encoded + 1 WHERE id = new.model;
END;
CREATE TRIGGER embeddings_uncounted AFTER DELETE ON embeddings BEGIN
  UPDATE embedding_models SET encoded = encoded - 1 WHERE id = old.model;
  INSERT OR IGNORE INTO embeddings_gone SELECT old.block, old.observation_id WHERE old.block > 0;
END;
