-- Lists of memory in every order, a page at a time, and what came from elsewhere.

-- All that a list of current facts needs to decide and to count, without the texts.
CREATE INDEX facts_listed ON facts (id, recorded_at, use_count, confidence, origin, pinned)
    WHERE retired_at IS NULL AND forgotten_at IS NULL;
CREATE INDEX facts_by_confidence ON facts (confidence, id DESC) WHERE retired_at IS NULL AND forgotten_at IS NULL;
CREATE INDEX facts_by_sentence ON facts (sentence COLLATE NOCASE, id) WHERE retired_at IS NULL AND forgotten_at IS NULL;
CREATE INDEX facts_past ON facts (recorded_at DESC, id DESC) WHERE retired_at IS NOT NULL AND forgotten_at IS NULL;
CREATE INDEX facts_by_subject_time ON facts (subject_key, recorded_at);
CREATE INDEX memory_events_by_time ON memory_events (at DESC, id DESC);

-- Conversations of other programs that were imported, so that importing them again adds nothing but what is new in them.
CREATE TABLE imported (
    key         TEXT PRIMARY KEY,     -- a hash of the name that the other program gave it
    conversation_id INTEGER REFERENCES conversations (id) ON DELETE SET NULL,  -- NULL: it was deleted, and stays so
    messages    INTEGER NOT NULL,     -- as many as it had
    at          INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX imported_by_conversation ON imported (conversation_id);
