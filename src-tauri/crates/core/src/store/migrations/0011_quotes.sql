-- What is remembered is a quote: the exact words, with their moment. The structure stands over it.

-- Where the person was when they wrote it, in minutes east of UTC: "tomorrow" is counted from there. NULL: not known.
ALTER TABLE messages ADD COLUMN zone INTEGER;

DROP TRIGGER facts_indexed;
DROP TRIGGER facts_edited;
DROP TRIGGER facts_unindexed;
DROP TABLE facts_trigram;

ALTER TABLE facts RENAME COLUMN sentence TO quote;  -- word for word
ALTER TABLE facts ADD COLUMN said_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE facts ADD COLUMN polarity TEXT NOT NULL DEFAULT 'holds';  -- holds | denied | ended
ALTER TABLE facts ADD COLUMN time_words TEXT;       -- the words of the quote for when it is
ALTER TABLE facts ADD COLUMN date TEXT;             -- what they mean: 2026-03-05, 2026-03-05T09:00 or 2026-03
ALTER TABLE facts ADD COLUMN topic TEXT;

ALTER TABLE review RENAME COLUMN sentence TO quote;
ALTER TABLE review ADD COLUMN said_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE review ADD COLUMN polarity TEXT NOT NULL DEFAULT 'holds';
ALTER TABLE review ADD COLUMN time_words TEXT;
ALTER TABLE review ADD COLUMN date TEXT;
ALTER TABLE review ADD COLUMN topic TEXT;

-- What was kept as it stood.
UPDATE facts SET relation = 'said', relation_key = 'said', quote = value WHERE relation = 'asked to remember';
UPDATE review SET relation = 'said', relation_key = 'said', quote = value WHERE relation = 'asked to remember';
-- What was over had a relation of its own.
UPDATE facts SET polarity = 'ended', relation_key = substr(relation_key, 11),
    relation = CASE WHEN relation LIKE 'no longer %' THEN substr(relation, 11) ELSE relation END
    WHERE relation_key LIKE 'no longer %';
-- The words of the message that it came from, where that is there; else it keeps what it was told as.
UPDATE facts SET
    said_at = coalesce((SELECT at FROM messages WHERE id = source_message_id), recorded_at),
    quote = coalesce((SELECT sentence_with(text, value) FROM messages
        WHERE id = source_message_id AND role = 'user' AND state <> 'forgotten' AND forgotten_at IS NULL), quote);
UPDATE review SET
    said_at = coalesce((SELECT at FROM messages WHERE id = source_message_id), proposed_at),
    quote = coalesce((SELECT sentence_with(text, value) FROM messages
        WHERE id = source_message_id AND role = 'user' AND state <> 'forgotten' AND forgotten_at IS NULL), quote)
    WHERE doubt <> 'seal';

CREATE VIRTUAL TABLE facts_trigram USING fts5 (quote, content = 'facts', content_rowid = 'id', tokenize = 'trigram remove_diacritics 1');
INSERT INTO facts_trigram (facts_trigram, rank) VALUES ('secure-delete', 1);
INSERT INTO facts_trigram (facts_trigram) VALUES ('rebuild');
CREATE TRIGGER facts_indexed AFTER INSERT ON facts BEGIN
    INSERT INTO facts_trigram (rowid, quote) VALUES (new.id, new.quote);
END;
CREATE TRIGGER facts_edited AFTER UPDATE OF quote ON facts BEGIN
    INSERT INTO facts_trigram (facts_trigram, rowid, quote) VALUES ('delete', old.id, old.quote);
    INSERT INTO facts_trigram (rowid, quote) VALUES (new.id, new.quote);
END;
CREATE TRIGGER facts_unindexed AFTER DELETE ON facts BEGIN
    INSERT INTO facts_trigram (facts_trigram, rowid, quote) VALUES ('delete', old.id, old.quote);
END;
DROP INDEX facts_by_sentence;
CREATE INDEX facts_by_quote ON facts (quote COLLATE NOCASE, id) WHERE retired_at IS NULL AND forgotten_at IS NULL;

-- How often a sealed topic kept something out. The topic is the person's own words in their rules; nothing of what was kept out
-- stands here.
CREATE TABLE kept_out (
    topic       TEXT PRIMARY KEY,
    times       INTEGER NOT NULL,
    last_at     INTEGER NOT NULL
) WITHOUT ROWID;
