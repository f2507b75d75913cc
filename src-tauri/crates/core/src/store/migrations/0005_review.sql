-- What waits for the person's word before it is remembered. A row is never changed but in its state; an edit makes a new one.
CREATE TABLE review (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    subject         TEXT NOT NULL,
    relation        TEXT NOT NULL,
    value           TEXT NOT NULL,
    sentence        TEXT NOT NULL,    -- the whole for people
    folded          TEXT NOT NULL,    -- the sentence to search in
    subject_key     TEXT NOT NULL,    -- normalised, to compare by
    relation_key    TEXT NOT NULL,
    value_key       TEXT NOT NULL,
    confidence      REAL NOT NULL,
    origin          TEXT NOT NULL,    -- said | inferred | imported | document
    doubt           TEXT NOT NULL,    -- document | imported | overrules | exclusive | seal
    conflicts_with  INTEGER REFERENCES facts (id) ON DELETE SET NULL,
    source_message_id INTEGER REFERENCES messages (id) ON DELETE CASCADE,  -- the latest message that proposed it
    source_title    TEXT,             -- where it comes from when that is no conversation: "MEMORY.md"
    proposed_at     INTEGER NOT NULL,
    state           TEXT NOT NULL,    -- waiting | accepted | dismissed | edited
    fact_id         INTEGER REFERENCES facts (id) ON DELETE CASCADE,       -- what it became
    edited_into     INTEGER REFERENCES review (id) ON DELETE SET NULL
);
CREATE INDEX review_waiting ON review (proposed_at DESC, id DESC) WHERE state = 'waiting';
CREATE INDEX review_by_key ON review (subject_key, relation_key, value_key);
CREATE INDEX review_by_source ON review (source_message_id);
CREATE INDEX review_by_fact ON review (fact_id) WHERE fact_id IS NOT NULL;
CREATE INDEX review_by_conflict ON review (conflicts_with) WHERE conflicts_with IS NOT NULL;

-- What is forgotten waits nowhere, and what no longer waits is in no log.
CREATE TRIGGER review_leaves_no_text AFTER DELETE ON review BEGIN
    UPDATE memory_events SET sentence = '', before = NULL WHERE target_kind = 'review' AND target_id = old.id;
END;
CREATE TRIGGER review_forgets_with_its_fact AFTER DELETE ON facts WHEN old.forgotten_at IS NOT NULL BEGIN
    DELETE FROM review WHERE subject_key = old.subject_key AND relation_key = old.relation_key AND value_key = old.value_key;
END;
CREATE TRIGGER review_forgets_with_its_message AFTER UPDATE OF recall ON messages WHEN new.recall = 0 BEGIN
    DELETE FROM review WHERE source_message_id = new.id;
END;

-- Which turn made a message support a fact, where the ops of an answer did; NULL where code or the person did.
ALTER TABLE fact_sources ADD COLUMN turn_id INTEGER;
