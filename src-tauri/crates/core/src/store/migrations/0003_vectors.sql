-- Passages as vectors: in eight bits a dimension to measure with, in one bit a dimension to scan. Which model made a vector
-- stands beside it; vectors of different models are never compared. All of it goes with its passage.

CREATE TABLE static_vectors (
    passage_id  INTEGER PRIMARY KEY,
    model       INTEGER NOT NULL,
    vector      BLOB NOT NULL         -- 256 signed bytes
);
CREATE TABLE dense_vectors (
    passage_id  INTEGER PRIMARY KEY,
    model       INTEGER NOT NULL,
    vector      BLOB NOT NULL         -- 384 signed bytes
);

-- The signs of both, apart from them so that all can be read at once. A model of 0: not read yet, and the bits are zeros, so
-- that the row keeps its length.
CREATE TABLE vector_codes (
    passage_id   INTEGER PRIMARY KEY,
    static_model INTEGER NOT NULL,
    static_code  BLOB NOT NULL,
    dense_model  INTEGER NOT NULL,
    dense_code   BLOB NOT NULL,
    speaker      INTEGER NOT NULL     -- who said it, in one byte; 0 for nobody
);

-- The models in force. When another takes over, everything waits for it.
CREATE TABLE vector_models (
    space       TEXT PRIMARY KEY,     -- static | dense
    model       INTEGER NOT NULL
) WITHOUT ROWID;

-- Passages that a model has not read yet.
CREATE TABLE static_waiting (passage_id INTEGER PRIMARY KEY);
CREATE TABLE dense_waiting (passage_id INTEGER PRIMARY KEY);
INSERT INTO static_waiting SELECT id FROM passages;
INSERT INTO dense_waiting SELECT id FROM passages;

-- Which codes came, changed or went, for who holds them in memory. No number is given twice, and none is left out.
CREATE TABLE vector_changes (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    passage_id  INTEGER NOT NULL
);

CREATE TRIGGER passages_unread AFTER INSERT ON passages BEGIN
    INSERT INTO static_waiting VALUES (new.id);
    INSERT INTO dense_waiting VALUES (new.id);
END;
CREATE TRIGGER passages_unvectored AFTER DELETE ON passages BEGIN
    DELETE FROM static_waiting WHERE passage_id = old.id;
    DELETE FROM dense_waiting WHERE passage_id = old.id;
    DELETE FROM static_vectors WHERE passage_id = old.id;
    DELETE FROM dense_vectors WHERE passage_id = old.id;
    DELETE FROM vector_codes WHERE passage_id = old.id;
END;

CREATE TRIGGER vector_codes_came AFTER INSERT ON vector_codes BEGIN
    INSERT INTO vector_changes (passage_id) VALUES (new.passage_id);
END;
CREATE TRIGGER vector_codes_changed AFTER UPDATE ON vector_codes BEGIN
    INSERT INTO vector_changes (passage_id) VALUES (new.passage_id);
END;
CREATE TRIGGER vector_codes_went AFTER DELETE ON vector_codes BEGIN
    INSERT INTO vector_changes (passage_id) VALUES (old.passage_id);
END;
