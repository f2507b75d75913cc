-- What failed, what was done about it, and what came of it: the timeline of the Health page. Nothing that a person or a
-- model wrote.
CREATE TABLE health_events (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    at          INTEGER NOT NULL,
    source      TEXT NOT NULL,        -- turn | background | engine | store | conduct
    code        TEXT NOT NULL,        -- the failure's stable code
    provider    TEXT NOT NULL,
    model       TEXT NOT NULL,
    phase       TEXT NOT NULL,        -- asking | answering | after
    trigger     TEXT NOT NULL,        -- what happened, in words for people
    remedy      TEXT,                 -- the remedy's stable code; NULL where there was nothing to do
    outcome     TEXT NOT NULL,        -- worked | failed | told
    waited_ms   INTEGER NOT NULL DEFAULT 0,
    turn_id     INTEGER REFERENCES turns (id) ON DELETE SET NULL
);
CREATE INDEX health_events_by_time ON health_events (at);
CREATE INDEX health_events_by_turn ON health_events (turn_id) WHERE turn_id IS NOT NULL;

-- How an answer kept to its rules and its role. Figures and codes only.
CREATE TABLE conduct_samples (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    at          INTEGER NOT NULL,
    turn_id     INTEGER REFERENCES turns (id) ON DELETE SET NULL,
    model       TEXT NOT NULL,
    provider    TEXT NOT NULL,
    violations  TEXT NOT NULL,        -- JSON: codes
    on_role     REAL                  -- 0 to 1; NULL where it was not measured
);
CREATE INDEX conduct_samples_by_time ON conduct_samples (at);
CREATE INDEX conduct_samples_by_turn ON conduct_samples (turn_id) WHERE turn_id IS NOT NULL;

-- Counts that fade with age, so that what worked last year does not decide today; both are as of weighed_at.
ALTER TABLE procedures ADD COLUMN recent_successes REAL NOT NULL DEFAULT 0;
ALTER TABLE procedures ADD COLUMN recent_failures REAL NOT NULL DEFAULT 0;
ALTER TABLE procedures ADD COLUMN weighed_at INTEGER;
ALTER TABLE procedures ADD COLUMN retired_at INTEGER;     -- not tried any more: the person, or it kept failing
ALTER TABLE procedures ADD COLUMN lesson_by TEXT;         -- model | rules | person
ALTER TABLE procedures ADD COLUMN lesson_failures INTEGER NOT NULL DEFAULT 0;  -- failures in a row since the lesson was written
-- One signature for all turns: failure, provider, model, phase, remedy. Older ones knew no phase and other names.
UPDATE procedures SET remedy = 'wait' WHERE remedy = 'wait_and_retry';
UPDATE procedures SET remedy = 'repair' WHERE remedy = 'leave_out';
UPDATE procedures SET recent_successes = successes, recent_failures = failures, weighed_at = last_used_at;

-- A message that waits for the network: since when.
ALTER TABLE turns ADD COLUMN queued_at INTEGER;
CREATE INDEX turns_queued ON turns (queued_at) WHERE queued_at IS NOT NULL;
