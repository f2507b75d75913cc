-- Forgetting: what is hidden until its purge, what must not come back by itself, and what was erased.

-- Hidden; the purge is due. After it the text is empty and the state is `forgotten`.
ALTER TABLE messages ADD COLUMN forgotten_at INTEGER;
CREATE INDEX messages_to_purge ON messages (forgotten_at) WHERE forgotten_at IS NOT NULL;
CREATE TRIGGER messages_hidden AFTER UPDATE OF forgotten_at ON messages
    WHEN (new.forgotten_at IS NULL) IS NOT (old.forgotten_at IS NULL) BEGIN
    DELETE FROM passages WHERE kind = 0 AND owner_id = new.id;
    INSERT OR IGNORE INTO passages_waiting
        SELECT 0, new.id WHERE new.forgotten_at IS NULL AND new.replaced_by IS NULL AND new.recall = 1;
END;

-- Keyed hashes of what was erased, never the text. What was said or brought up to `at` does not come back.
CREATE TABLE tombstones (
    kind        INTEGER NOT NULL,     -- 0 a text, 1 a fact as subject, relation and value, 2 the words that tell it
    hash        BLOB NOT NULL,
    at          INTEGER NOT NULL,
    PRIMARY KEY (kind, hash)
) WITHOUT ROWID;

-- Receipts: what kinds of things were erased and how many, never which.
CREATE TABLE erasures (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    forgotten_at INTEGER NOT NULL,    -- when the person asked
    at          INTEGER NOT NULL,     -- when it was erased
    counts      TEXT NOT NULL,        -- JSON: Erased
    swept       INTEGER NOT NULL DEFAULT 0  -- 1: the write-ahead log, free pages and backups hold nothing of it either
);
CREATE INDEX erasures_to_sweep ON erasures (swept) WHERE swept = 0;
