-- Times are Unix milliseconds, UTC. Texts of people are stored byte for byte.

CREATE TABLE conversations (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    title       TEXT,                 -- what the person called it; without it the first message is the title
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    summed_up_at INTEGER              -- when its summary was written; older than updated_at: one is owed
);
CREATE INDEX conversations_by_update ON conversations (updated_at DESC);

CREATE TABLE messages (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    turn_id         INTEGER,          -- the turn that wrote it; no foreign key: the two point at each other
    role            TEXT NOT NULL,    -- user | assistant
    text            TEXT NOT NULL,
    at              INTEGER NOT NULL,
    state           TEXT NOT NULL,    -- complete | streaming | partial | cutByLimit
    model           TEXT,
    provider        TEXT,
    prompt_tokens   INTEGER,
    completion_tokens INTEGER,
    cost            REAL,             -- US dollars; NULL is unknown, never 0
    replaced_by     INTEGER REFERENCES messages (id) ON DELETE SET NULL,
    recall          INTEGER NOT NULL DEFAULT 1  -- 0: recall and reflection pass it by
);
CREATE INDEX messages_by_conversation ON messages (conversation_id, id);
CREATE INDEX messages_streaming ON messages (state) WHERE state = 'streaming';

CREATE TABLE turns (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    message_id      INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    answer_id       INTEGER REFERENCES messages (id) ON DELETE SET NULL,
    started_at      INTEGER NOT NULL,
    ended_at        INTEGER,
    outcome         TEXT NOT NULL,    -- running | completed | cancelled | failed
    failure         TEXT,             -- JSON: FailureView
    healing         TEXT,             -- JSON: [HealingNote]
    spec_version    INTEGER NOT NULL,
    prompt_block    TEXT,             -- the volatile part of the prompt, as sent; NULL once something in it was forgotten
    extraction_owed INTEGER NOT NULL DEFAULT 0  -- 1: facts are still to be taken from it by a second call
);
CREATE INDEX turns_owed ON turns (extraction_owed) WHERE extraction_owed > 0;
CREATE INDEX turns_running ON turns (outcome) WHERE outcome = 'running';
CREATE INDEX turns_by_message ON turns (message_id, id);
CREATE INDEX turns_by_answer ON turns (answer_id);
CREATE INDEX turns_by_conversation ON turns (conversation_id, id);

-- Which memories stood in the prompt of a turn.
CREATE TABLE turn_memories (
    turn_id     INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    kind        TEXT NOT NULL,        -- fact | episode | procedure
    memory_id   INTEGER NOT NULL,
    sentence    TEXT NOT NULL,
    PRIMARY KEY (turn_id, position)
) WITHOUT ROWID;
CREATE INDEX turn_memories_by_memory ON turn_memories (kind, memory_id);

CREATE TABLE facts (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    subject         TEXT NOT NULL,
    relation        TEXT NOT NULL,
    value           TEXT NOT NULL,
    sentence        TEXT NOT NULL,    -- the whole for people and for the index
    terms           TEXT NOT NULL DEFAULT '',  -- what else it is found by: synonyms; characters and pairs of unspaced scripts
    subject_key     TEXT NOT NULL,    -- normalised, to compare by
    relation_key    TEXT NOT NULL,
    value_key       TEXT NOT NULL,
    confidence      REAL NOT NULL,
    origin          TEXT NOT NULL,    -- said | inferred | imported | document
    source_message_id INTEGER REFERENCES messages (id) ON DELETE SET NULL,
    valid_from      INTEGER,
    valid_to        INTEGER,
    recorded_at     INTEGER NOT NULL,
    retired_at      INTEGER,
    superseded_by   INTEGER REFERENCES facts (id) ON DELETE SET NULL,
    retired_because TEXT,             -- change | correction | edit
    level           INTEGER NOT NULL DEFAULT 0,  -- the tower: 0 raw, 1 deduplicated
    pinned          INTEGER NOT NULL DEFAULT 0,
    use_count       INTEGER NOT NULL DEFAULT 0,
    last_used_at    INTEGER,
    forgotten_at    INTEGER           -- hidden; the purge is due
);
CREATE INDEX facts_current ON facts (subject_key, relation_key) WHERE retired_at IS NULL AND forgotten_at IS NULL;
CREATE INDEX facts_by_value ON facts (subject_key, value_key, relation_key) WHERE retired_at IS NULL AND forgotten_at IS NULL;
CREATE INDEX facts_by_time ON facts (recorded_at DESC, id DESC) WHERE retired_at IS NULL AND forgotten_at IS NULL;
CREATE INDEX facts_by_use ON facts (use_count DESC, id DESC) WHERE retired_at IS NULL AND forgotten_at IS NULL;
CREATE INDEX facts_pinned ON facts (id) WHERE pinned = 1;
CREATE INDEX facts_by_source ON facts (source_message_id);
CREATE INDEX facts_by_successor ON facts (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX facts_to_purge ON facts (forgotten_at) WHERE forgotten_at IS NOT NULL;

-- Every message that supports a fact, the first one and each that confirmed it.
CREATE TABLE fact_sources (
    fact_id     INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    message_id  INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    at          INTEGER NOT NULL,
    PRIMARY KEY (fact_id, message_id)
) WITHOUT ROWID;
CREATE INDEX fact_sources_by_message ON fact_sources (message_id);

CREATE TABLE episodes (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    kind            TEXT NOT NULL,    -- note | summary
    text            TEXT NOT NULL,
    terms           TEXT NOT NULL DEFAULT '',  -- as for facts
    at              INTEGER NOT NULL,
    conversation_id INTEGER REFERENCES conversations (id) ON DELETE SET NULL,
    source_message_id INTEGER REFERENCES messages (id) ON DELETE SET NULL,
    use_count       INTEGER NOT NULL DEFAULT 0,
    last_used_at    INTEGER,
    forgotten_at    INTEGER
);
CREATE INDEX episodes_by_time ON episodes (at DESC, id DESC) WHERE forgotten_at IS NULL;
CREATE INDEX episodes_by_use ON episodes (use_count DESC, id DESC) WHERE forgotten_at IS NULL;
CREATE INDEX episodes_by_conversation ON episodes (conversation_id, kind);
CREATE INDEX episodes_by_source ON episodes (source_message_id);
CREATE INDEX episodes_to_purge ON episodes (forgotten_at) WHERE forgotten_at IS NOT NULL;

CREATE TABLE procedures (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    signature       TEXT NOT NULL UNIQUE,  -- failure kind, provider, model and remedy, as one key
    trigger         TEXT NOT NULL,
    strategy        TEXT NOT NULL,
    category        TEXT NOT NULL,
    remedy          TEXT NOT NULL,
    lesson          TEXT,
    successes       INTEGER NOT NULL DEFAULT 0,
    failures        INTEGER NOT NULL DEFAULT 0,
    created_at      INTEGER NOT NULL,
    last_used_at    INTEGER NOT NULL,
    forgotten_at    INTEGER
);

-- The log of memory changes: what, why, from which message. What was forgotten is redacted here too.
CREATE TABLE memory_events (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    at          INTEGER NOT NULL,
    kind        TEXT NOT NULL,        -- added | confirmed | superseded | edited | forgotten
    target_kind TEXT NOT NULL,        -- fact | episode | procedure
    target_id   INTEGER NOT NULL,
    other_id    INTEGER,              -- the fact that was replaced or edited
    before      TEXT,                 -- JSON, what an undo needs; ids and times, never text
    sentence    TEXT NOT NULL,
    why         TEXT NOT NULL,
    message_id  INTEGER REFERENCES messages (id) ON DELETE SET NULL,
    undone_at   INTEGER
);
CREATE INDEX memory_events_by_message ON memory_events (message_id);
CREATE INDEX memory_events_by_target ON memory_events (target_kind, target_id);
CREATE INDEX memory_events_by_other ON memory_events (other_id) WHERE other_id IS NOT NULL;

CREATE TABLE spec_versions (
    version     INTEGER PRIMARY KEY AUTOINCREMENT,
    spec        TEXT NOT NULL,        -- JSON: BehaviorSpec
    saved_at    INTEGER NOT NULL
);

CREATE TABLE settings (
    name        TEXT PRIMARY KEY,
    value       TEXT NOT NULL         -- JSON
) WITHOUT ROWID;

-- What was typed and not yet sent; conversation 0 is the one that does not exist yet.
CREATE TABLE drafts (
    conversation_id INTEGER PRIMARY KEY,
    text        TEXT NOT NULL
);

-- Indexes over text. Each holds no text of its own; the triggers keep it in step. `terms` finds what words cannot: one and
-- two characters of scripts without spaces, and synonyms of a relation.
CREATE VIRTUAL TABLE messages_fts USING fts5 (text, content = 'messages', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE messages_trigram USING fts5 (text, content = 'messages', content_rowid = 'id', tokenize = 'trigram remove_diacritics 1');
CREATE VIRTUAL TABLE facts_fts USING fts5 (sentence, terms, content = 'facts', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE facts_trigram USING fts5 (sentence, content = 'facts', content_rowid = 'id', tokenize = 'trigram remove_diacritics 1');
CREATE VIRTUAL TABLE episodes_fts USING fts5 (text, terms, content = 'episodes', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE episodes_trigram USING fts5 (text, content = 'episodes', content_rowid = 'id', tokenize = 'trigram remove_diacritics 1');

INSERT INTO messages_fts (messages_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO messages_trigram (messages_trigram, rank) VALUES ('secure-delete', 1);
INSERT INTO facts_fts (facts_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO facts_trigram (facts_trigram, rank) VALUES ('secure-delete', 1);
INSERT INTO episodes_fts (episodes_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO episodes_trigram (episodes_trigram, rank) VALUES ('secure-delete', 1);

-- A streaming message is indexed once, when it is finished.
CREATE TRIGGER messages_indexed AFTER INSERT ON messages WHEN new.state <> 'streaming' BEGIN
    INSERT INTO messages_fts (rowid, text) VALUES (new.id, new.text);
    INSERT INTO messages_trigram (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER messages_finished AFTER UPDATE OF state ON messages WHEN old.state = 'streaming' AND new.state <> 'streaming' BEGIN
    INSERT INTO messages_fts (rowid, text) VALUES (new.id, new.text);
    INSERT INTO messages_trigram (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER messages_edited AFTER UPDATE OF text ON messages WHEN old.state <> 'streaming' BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO messages_trigram (messages_trigram, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO messages_fts (rowid, text) VALUES (new.id, new.text);
    INSERT INTO messages_trigram (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER messages_unindexed AFTER DELETE ON messages WHEN old.state <> 'streaming' BEGIN
    INSERT INTO messages_fts (messages_fts, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO messages_trigram (messages_trigram, rowid, text) VALUES ('delete', old.id, old.text);
END;

CREATE TRIGGER facts_indexed AFTER INSERT ON facts BEGIN
    INSERT INTO facts_fts (rowid, sentence, terms) VALUES (new.id, new.sentence, new.terms);
    INSERT INTO facts_trigram (rowid, sentence) VALUES (new.id, new.sentence);
END;
CREATE TRIGGER facts_edited AFTER UPDATE OF sentence, terms ON facts BEGIN
    INSERT INTO facts_fts (facts_fts, rowid, sentence, terms) VALUES ('delete', old.id, old.sentence, old.terms);
    INSERT INTO facts_trigram (facts_trigram, rowid, sentence) VALUES ('delete', old.id, old.sentence);
    INSERT INTO facts_fts (rowid, sentence, terms) VALUES (new.id, new.sentence, new.terms);
    INSERT INTO facts_trigram (rowid, sentence) VALUES (new.id, new.sentence);
END;
CREATE TRIGGER facts_unindexed AFTER DELETE ON facts BEGIN
    INSERT INTO facts_fts (facts_fts, rowid, sentence, terms) VALUES ('delete', old.id, old.sentence, old.terms);
    INSERT INTO facts_trigram (facts_trigram, rowid, sentence) VALUES ('delete', old.id, old.sentence);
END;

CREATE TRIGGER episodes_indexed AFTER INSERT ON episodes BEGIN
    INSERT INTO episodes_fts (rowid, text, terms) VALUES (new.id, new.text, new.terms);
    INSERT INTO episodes_trigram (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER episodes_edited AFTER UPDATE OF text, terms ON episodes BEGIN
    INSERT INTO episodes_fts (episodes_fts, rowid, text, terms) VALUES ('delete', old.id, old.text, old.terms);
    INSERT INTO episodes_trigram (episodes_trigram, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO episodes_fts (rowid, text, terms) VALUES (new.id, new.text, new.terms);
    INSERT INTO episodes_trigram (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER episodes_unindexed AFTER DELETE ON episodes BEGIN
    INSERT INTO episodes_fts (episodes_fts, rowid, text, terms) VALUES ('delete', old.id, old.text, old.terms);
    INSERT INTO episodes_trigram (episodes_trigram, rowid, text) VALUES ('delete', old.id, old.text);
END;
