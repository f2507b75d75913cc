-- A forget that takes everything along, and imports that can be taken back whole.

-- What goes with a forget and is no memory: hidden until its purge, which deletes it and this row.
CREATE TABLE hidden (
    id          INTEGER PRIMARY KEY,
    at          INTEGER NOT NULL,     -- when the person asked
    kind        TEXT NOT NULL,        -- title | draft | review | name
    target_id   INTEGER NOT NULL,     -- the conversation of a title or a draft, the candidate of Review
    name        TEXT                  -- under which everything about somebody or something is forgotten
);
CREATE INDEX hidden_by_target ON hidden (kind, target_id);
CREATE INDEX hidden_by_time ON hidden (at);

-- A candidate that is hidden comes back with an undo.
DROP TRIGGER review_forgets_with_its_message;
CREATE TRIGGER review_forgets_with_its_message AFTER UPDATE OF recall ON messages WHEN new.recall = 0 BEGIN
    DELETE FROM review WHERE source_message_id = new.id
        AND NOT EXISTS (SELECT 1 FROM hidden WHERE kind = 'review' AND target_id = review.id);
END;

-- Whoever deletes a memory, the log of changes keeps no text of it.
CREATE TRIGGER facts_leave_no_text AFTER DELETE ON facts BEGIN
    UPDATE memory_events SET sentence = '', before = NULL WHERE target_kind = 'fact' AND target_id = old.id;
END;
CREATE TRIGGER episodes_leave_no_text AFTER DELETE ON episodes BEGIN
    UPDATE memory_events SET sentence = '', before = NULL WHERE target_kind = 'episode' AND target_id = old.id;
END;
CREATE TRIGGER procedures_leave_no_text AFTER DELETE ON procedures BEGIN
    UPDATE memory_events SET sentence = '', before = NULL WHERE target_kind = 'procedure' AND target_id = old.id;
END;

-- The titles that people gave and that are not about to be purged.
CREATE VIEW given_titles (id, title) AS SELECT id, title FROM conversations
    WHERE title IS NOT NULL AND NOT EXISTS (SELECT 1 FROM hidden WHERE kind = 'title' AND target_id = conversations.id);

-- Imports that were made, to be taken back whole. No names of files: they are texts of people.
CREATE TABLE imports (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    at          INTEGER NOT NULL,
    format      TEXT NOT NULL,        -- notes | chatgpt | claude | atlas
    conversations INTEGER NOT NULL,   -- what it brought, in numbers
    messages    INTEGER NOT NULL,
    added       INTEGER NOT NULL,
    review      INTEGER NOT NULL,
    undone_at   INTEGER
);
-- The rows that an import wrote: of each table, those in a row.
CREATE TABLE import_rows (
    import_id   INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
    kind        TEXT NOT NULL,        -- the table
    first_id    INTEGER NOT NULL,
    last_id     INTEGER NOT NULL,
    PRIMARY KEY (import_id, kind)
) WITHOUT ROWID;

-- Counts what changes a line of the memory files, so that nobody reads all facts to learn that nothing did.
CREATE TABLE facts_version (version INTEGER NOT NULL);
INSERT INTO facts_version VALUES (1);
CREATE TRIGGER facts_came AFTER INSERT ON facts BEGIN
    UPDATE facts_version SET version = version + 1;
END;
CREATE TRIGGER facts_went AFTER DELETE ON facts BEGIN
    UPDATE facts_version SET version = version + 1;
END;
CREATE TRIGGER facts_differ AFTER UPDATE OF subject, sentence, origin, recorded_at, retired_at, forgotten_at, pinned ON facts BEGIN
    UPDATE facts_version SET version = version + 1;
END;

-- Many messages at once are indexed at once: FTS5 writes what it holds to its tables at the end of each statement that fires a
-- trigger. While `later` is 1, within one transaction, code does what these triggers do.
CREATE TABLE indexing (later INTEGER NOT NULL);
INSERT INTO indexing VALUES (0);
DROP TRIGGER messages_indexed;
CREATE TRIGGER messages_indexed AFTER INSERT ON messages
    WHEN new.state <> 'streaming' AND (SELECT later FROM indexing) = 0 BEGIN
    INSERT INTO messages_trigram (rowid, text) VALUES (new.id, new.text);
END;
DROP TRIGGER messages_waiting;
CREATE TRIGGER messages_waiting AFTER INSERT ON messages
    WHEN new.state <> 'streaming' AND (SELECT later FROM indexing) = 0 BEGIN
    INSERT OR IGNORE INTO passages_waiting VALUES (0, new.id);
END;
DROP TRIGGER passages_indexed;
CREATE TRIGGER passages_indexed AFTER INSERT ON passages WHEN (SELECT later FROM indexing) = 0 BEGIN
    INSERT INTO passages_fts (rowid, terms) VALUES (new.id, new.terms);
    UPDATE passage_totals SET passages = passages + 1, words = words + new.words;
END;
DROP TRIGGER passages_unread;
CREATE TRIGGER passages_unread AFTER INSERT ON passages WHEN (SELECT later FROM indexing) = 0 BEGIN
    INSERT INTO static_waiting VALUES (new.id);
    INSERT INTO dense_waiting VALUES (new.id);
END;
