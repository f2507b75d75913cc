-- The words of a passage as its text means them, a sign a dimension: 24 bytes a word. Empty in the space of sums, where a word
-- is the same everywhere, and until the model reads the passage again.
ALTER TABLE static_vectors ADD COLUMN words BLOB NOT NULL DEFAULT x'';
ALTER TABLE dense_vectors ADD COLUMN words BLOB NOT NULL DEFAULT x'';

-- These letters are now folded like others ("Łódź" is found by "lodz"): what was indexed with them is indexed anew, and what
-- memories are compared by is written as it would be now.
INSERT OR IGNORE INTO passages_waiting SELECT kind, owner_id FROM passages WHERE terms GLOB '*[łøđœæ]*';
DELETE FROM passages WHERE (kind, owner_id) IN (SELECT kind, owner_id FROM passages_waiting);
UPDATE facts SET
    subject_key = replace(replace(replace(replace(replace(subject_key, 'ł', 'l'), 'ø', 'o'), 'đ', 'd'), 'œ', 'oe'), 'æ', 'ae'),
    value_key = replace(replace(replace(replace(replace(value_key, 'ł', 'l'), 'ø', 'o'), 'đ', 'd'), 'œ', 'oe'), 'æ', 'ae')
    WHERE subject_key || value_key GLOB '*[łøđœæ]*';
UPDATE review SET
    subject_key = replace(replace(replace(replace(replace(subject_key, 'ł', 'l'), 'ø', 'o'), 'đ', 'd'), 'œ', 'oe'), 'æ', 'ae'),
    value_key = replace(replace(replace(replace(replace(value_key, 'ł', 'l'), 'ø', 'o'), 'đ', 'd'), 'œ', 'oe'), 'æ', 'ae'),
    folded = replace(replace(replace(replace(replace(folded, 'ł', 'l'), 'ø', 'o'), 'đ', 'd'), 'œ', 'oe'), 'æ', 'ae')
    WHERE subject_key || value_key || folded GLOB '*[łøđœæ]*';

-- Whoever deletes a message, neither the prompt of another turn nor the log of changes keeps any of it.
CREATE TRIGGER messages_leave_no_text BEFORE DELETE ON messages BEGIN
    UPDATE turns SET prompt_block = NULL WHERE prompt_block IS NOT NULL
        AND id IN (SELECT turn_id FROM turn_memories WHERE kind = 'message' AND memory_id = old.id);
    DELETE FROM turn_memories WHERE kind = 'message' AND memory_id = old.id;
    UPDATE memory_events SET sentence = '', before = NULL WHERE target_kind = 'message' AND target_id = old.id;
END;
