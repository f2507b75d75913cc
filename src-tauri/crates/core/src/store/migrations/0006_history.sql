-- Lists of memory in every order, a page at a time, and what came from elsewhere.

-- All that a list of current facts needs to decide and to count, without the texts.
CREATE INDEX facts_listed ON facts (id, recorded_at, use_count, confidence, origin, pinned)
    WHERE retired_at IS NULL AND forgotten_at IS NULL;
CREATE INDEX facts_by_confidence ON facts (confidence, id DESC) WHERE retired_at IS NULL AND forgotten_at IS NULL;
CREATE INDEX facts_by_sentence ON facts (sentence COLLATE NOCASE, id) WHERE retired_at IS NULL AND forgotten_at IS NULL;
CREATE INDEX facts_past ON facts (recorded_at DESC, id DESC) WHERE retired_at IS NOT NULL AND forgotten_at IS NULL;
CREATE INDEX memory_events_by_time ON memory_events (at DESC, id DESC);

-- What was imported, so that importing it again adds nothing. The keys are keyed hashes: they tell nothing of what they name.
CREATE TABLE imported (
    key         TEXT PRIMARY KEY,     -- of a conversation of another program, or of a line that was proposed
    at          INTEGER NOT NULL
) WITHOUT ROWID;
