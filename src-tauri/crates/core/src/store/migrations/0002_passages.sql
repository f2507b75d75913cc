-- Passages: the unit of recall. A message (in parts of bounded length), a fact, an episode or a procedure, as the terms it is
-- found by. Code writes them beside their owners; what is hidden or gone loses them here, by triggers, in the same
-- transaction. What still lacks its passages waits, so that nothing depends on who changed a row.

ALTER TABLE messages ADD COLUMN speaker TEXT;  -- who spoke, where it was neither the person nor Atlas

-- Without it each message that is deleted is looked for in all others.
CREATE INDEX messages_by_successor ON messages (replaced_by) WHERE replaced_by IS NOT NULL;

CREATE TABLE passages (
    id          INTEGER PRIMARY KEY,  -- kind << 50 | session << 10 | place: neighbours are id ± 1, the session is id >> 10
    kind        INTEGER NOT NULL,     -- 0 message, 1 fact, 2 episode, 3 procedure
    owner_id    INTEGER NOT NULL,
    part        INTEGER NOT NULL,     -- of a long message: which part of it
    conversation_id INTEGER,          -- of a message or an episode
    at          INTEGER NOT NULL,
    speaker     TEXT,                 -- of a message: user | assistant | a name
    is_question INTEGER NOT NULL,     -- 0 no, 1 it asks something, 2 it ends by asking
    words       INTEGER NOT NULL,     -- how many words it has, stop words too
    names       INTEGER NOT NULL,     -- how many of them stand within a sentence and are written as names
    terms       TEXT NOT NULL         -- stems, and characters and pairs of unspaced scripts, in order
);
CREATE UNIQUE INDEX passages_by_owner ON passages (kind, owner_id, part);
CREATE INDEX passages_by_speaker ON passages (speaker) WHERE speaker <> 'user' AND speaker <> 'assistant';

-- How many passages there are, and how many words they have together.
CREATE TABLE passage_totals (passages INTEGER NOT NULL, words INTEGER NOT NULL);
INSERT INTO passage_totals VALUES (0, 0);

-- The sessions of conversations: messages without a long pause between them. No place is given twice, so the counts go up only.
CREATE TABLE sessions (
    id              INTEGER PRIMARY KEY,
    conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    last_at         INTEGER NOT NULL,
    places          INTEGER NOT NULL
);
CREATE INDEX sessions_by_conversation ON sessions (conversation_id, id);
CREATE TABLE next_session (id INTEGER NOT NULL);
INSERT INTO next_session VALUES (1);

-- Owners whose passages are to be written, or to be judged again.
CREATE TABLE passages_waiting (
    kind        INTEGER NOT NULL,
    owner_id    INTEGER NOT NULL,
    PRIMARY KEY (kind, owner_id)
) WITHOUT ROWID;

-- The topics that are sealed: messages on them have no passages.
CREATE TABLE sealed_topics (topic TEXT PRIMARY KEY) WITHOUT ROWID;

-- Terms are separated by spaces and nothing else, so that "c++" is one of them.
CREATE VIRTUAL TABLE passages_fts USING fts5 (
    terms, content = 'passages', content_rowid = 'id', detail = 'none', columnsize = 0,
    tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'"
);
INSERT INTO passages_fts (passages_fts, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE passages_vocabulary USING fts5vocab (passages_fts, row);

CREATE TRIGGER passages_indexed AFTER INSERT ON passages BEGIN
    INSERT INTO passages_fts (rowid, terms) VALUES (new.id, new.terms);
    UPDATE passage_totals SET passages = passages + 1, words = words + new.words;
END;
CREATE TRIGGER passages_unindexed AFTER DELETE ON passages BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, terms) VALUES ('delete', old.id, old.terms);
    UPDATE passage_totals SET passages = passages - 1, words = words - old.words;
END;

CREATE TRIGGER messages_waiting AFTER INSERT ON messages WHEN new.state <> 'streaming' BEGIN
    INSERT OR IGNORE INTO passages_waiting VALUES (0, new.id);
END;
CREATE TRIGGER messages_changed AFTER UPDATE OF text, state, replaced_by, recall, speaker ON messages
    WHEN new.state <> 'streaming' AND (new.text, new.state, new.replaced_by, new.recall, new.speaker)
        IS NOT (old.text, old.state, old.replaced_by, old.recall, old.speaker) BEGIN
    DELETE FROM passages WHERE kind = 0 AND owner_id = new.id;
    INSERT OR IGNORE INTO passages_waiting SELECT 0, new.id WHERE new.replaced_by IS NULL AND new.recall = 1;
END;
CREATE TRIGGER messages_gone AFTER DELETE ON messages BEGIN
    DELETE FROM passages WHERE kind = 0 AND owner_id = old.id;
    DELETE FROM passages_waiting WHERE kind = 0 AND owner_id = old.id;
END;

CREATE TRIGGER facts_waiting AFTER INSERT ON facts BEGIN
    INSERT OR IGNORE INTO passages_waiting VALUES (1, new.id);
END;
CREATE TRIGGER facts_changed AFTER UPDATE OF sentence, terms, retired_at, forgotten_at ON facts
    WHEN (new.sentence, new.terms, new.retired_at IS NULL, new.forgotten_at IS NULL)
        IS NOT (old.sentence, old.terms, old.retired_at IS NULL, old.forgotten_at IS NULL) BEGIN
    DELETE FROM passages WHERE kind = 1 AND owner_id = new.id;
    INSERT OR IGNORE INTO passages_waiting SELECT 1, new.id WHERE new.retired_at IS NULL AND new.forgotten_at IS NULL;
END;
CREATE TRIGGER facts_gone AFTER DELETE ON facts BEGIN
    DELETE FROM passages WHERE kind = 1 AND owner_id = old.id;
    DELETE FROM passages_waiting WHERE kind = 1 AND owner_id = old.id;
END;

CREATE TRIGGER episodes_waiting AFTER INSERT ON episodes BEGIN
    INSERT OR IGNORE INTO passages_waiting VALUES (2, new.id);
END;
CREATE TRIGGER episodes_changed AFTER UPDATE OF text, at, forgotten_at ON episodes
    WHEN (new.text, new.at, new.forgotten_at IS NULL) IS NOT (old.text, old.at, old.forgotten_at IS NULL) BEGIN
    DELETE FROM passages WHERE kind = 2 AND owner_id = new.id;
    INSERT OR IGNORE INTO passages_waiting SELECT 2, new.id WHERE new.forgotten_at IS NULL;
END;
CREATE TRIGGER episodes_gone AFTER DELETE ON episodes BEGIN
    DELETE FROM passages WHERE kind = 2 AND owner_id = old.id;
    DELETE FROM passages_waiting WHERE kind = 2 AND owner_id = old.id;
END;

CREATE TRIGGER procedures_waiting AFTER INSERT ON procedures BEGIN
    INSERT OR IGNORE INTO passages_waiting VALUES (3, new.id);
END;
CREATE TRIGGER procedures_changed AFTER UPDATE OF trigger, strategy, lesson, forgotten_at ON procedures
    WHEN (new.trigger, new.strategy, new.lesson, new.forgotten_at IS NULL)
        IS NOT (old.trigger, old.strategy, old.lesson, old.forgotten_at IS NULL) BEGIN
    DELETE FROM passages WHERE kind = 3 AND owner_id = new.id;
    INSERT OR IGNORE INTO passages_waiting SELECT 3, new.id WHERE new.forgotten_at IS NULL;
END;
CREATE TRIGGER procedures_gone AFTER DELETE ON procedures BEGIN
    DELETE FROM passages WHERE kind = 3 AND owner_id = old.id;
    DELETE FROM passages_waiting WHERE kind = 3 AND owner_id = old.id;
END;

-- What was there before there were passages.
INSERT INTO passages_waiting SELECT 0, id FROM messages WHERE state <> 'streaming' AND replaced_by IS NULL AND recall = 1;
INSERT INTO passages_waiting SELECT 1, id FROM facts WHERE retired_at IS NULL AND forgotten_at IS NULL;
INSERT INTO passages_waiting SELECT 2, id FROM episodes WHERE forgotten_at IS NULL;
INSERT INTO passages_waiting SELECT 3, id FROM procedures WHERE forgotten_at IS NULL;

-- One index of words is enough: the passages' own. What stays finds substrings, for the search of lists.
DROP TRIGGER messages_indexed;
DROP TRIGGER messages_finished;
DROP TRIGGER messages_edited;
DROP TRIGGER messages_unindexed;
DROP TRIGGER facts_indexed;
DROP TRIGGER facts_edited;
DROP TRIGGER facts_unindexed;
DROP TRIGGER episodes_indexed;
DROP TRIGGER episodes_edited;
DROP TRIGGER episodes_unindexed;
DROP TABLE messages_fts;
DROP TABLE facts_fts;
DROP TABLE episodes_fts;
ALTER TABLE episodes DROP COLUMN terms;

CREATE TRIGGER messages_indexed AFTER INSERT ON messages WHEN new.state <> 'streaming' BEGIN
    INSERT INTO messages_trigram (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER messages_finished AFTER UPDATE OF state ON messages WHEN old.state = 'streaming' AND new.state <> 'streaming' BEGIN
    INSERT INTO messages_trigram (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER messages_edited AFTER UPDATE OF text ON messages WHEN old.state <> 'streaming' BEGIN
    INSERT INTO messages_trigram (messages_trigram, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO messages_trigram (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER messages_unindexed AFTER DELETE ON messages WHEN old.state <> 'streaming' BEGIN
    INSERT INTO messages_trigram (messages_trigram, rowid, text) VALUES ('delete', old.id, old.text);
END;

CREATE TRIGGER facts_indexed AFTER INSERT ON facts BEGIN
    INSERT INTO facts_trigram (rowid, sentence) VALUES (new.id, new.sentence);
END;
CREATE TRIGGER facts_edited AFTER UPDATE OF sentence ON facts BEGIN
    INSERT INTO facts_trigram (facts_trigram, rowid, sentence) VALUES ('delete', old.id, old.sentence);
    INSERT INTO facts_trigram (rowid, sentence) VALUES (new.id, new.sentence);
END;
CREATE TRIGGER facts_unindexed AFTER DELETE ON facts BEGIN
    INSERT INTO facts_trigram (facts_trigram, rowid, sentence) VALUES ('delete', old.id, old.sentence);
END;

CREATE TRIGGER episodes_indexed AFTER INSERT ON episodes BEGIN
    INSERT INTO episodes_trigram (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER episodes_edited AFTER UPDATE OF text ON episodes BEGIN
    INSERT INTO episodes_trigram (episodes_trigram, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO episodes_trigram (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER episodes_unindexed AFTER DELETE ON episodes BEGIN
    INSERT INTO episodes_trigram (episodes_trigram, rowid, text) VALUES ('delete', old.id, old.text);
END;
