-- The words of a passage as its text means them, a sign a dimension: 24 bytes a word. Empty in the space of sums, where a word
-- is the same everywhere, and until the model reads the passage again.
ALTER TABLE static_vectors ADD COLUMN words BLOB NOT NULL DEFAULT x'';
ALTER TABLE dense_vectors ADD COLUMN words BLOB NOT NULL DEFAULT x'';

-- These letters are now folded like others ("Łódź" is found by "lodz"): what was indexed with them is indexed anew.
INSERT OR IGNORE INTO passages_waiting SELECT kind, owner_id FROM passages WHERE terms GLOB '*[łøđœæ]*';
DELETE FROM passages WHERE (kind, owner_id) IN (SELECT kind, owner_id FROM passages_waiting);
