-- What belongs to no agent, and holds no text of anyone. Each row's state is JSON that its owner alone reads.

CREATE TABLE services (
    name     TEXT PRIMARY KEY,
    state    TEXT NOT NULL,
    saved_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE breakers (
    provider TEXT PRIMARY KEY,
    state    TEXT NOT NULL,
    saved_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
