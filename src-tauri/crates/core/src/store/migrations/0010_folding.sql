-- Letters that people do not tell apart are folded to one ("isik" finds "Işık"), digits of all scripts to ASCII ("73" finds
-- "٧٣"): what was indexed with them is indexed anew, and what memories are compared by is written as it would be now.
CREATE TABLE folding (number INTEGER PRIMARY KEY, letter TEXT NOT NULL, plain TEXT NOT NULL);
INSERT INTO folding (letter, plain) VALUES ('ı', 'i'), ('ς', 'σ'), ('ى', 'ي'), ('ی', 'ي'), ('ک', 'ك'), ('ة', 'ه');
WITH RECURSIVE
    zeros (zero) AS (VALUES ('٠'), ('۰'), ('߀'), ('०'), ('০'), ('੦'), ('૦'), ('୦'), ('௦'), ('౦'), ('೦'), ('൦'), ('෦'), ('๐'), ('໐'),
        ('༠'), ('၀'), ('႐'), ('០'), ('᠐'), ('᥆'), ('᧐'), ('᪀'), ('᭐'), ('᱀'), ('꩐')),
    digits (digit) AS (SELECT 0 UNION ALL SELECT digit + 1 FROM digits WHERE digit < 9)
INSERT INTO folding (letter, plain) SELECT char(unicode(zero) + digit), digit FROM zeros, digits;

INSERT OR IGNORE INTO passages_waiting SELECT kind, owner_id FROM passages
    WHERE EXISTS (SELECT 1 FROM folding WHERE instr(terms, letter) > 0);
DELETE FROM passages WHERE (kind, owner_id) IN (SELECT kind, owner_id FROM passages_waiting);

CREATE TABLE keys_to_fold (place TEXT NOT NULL, id INTEGER NOT NULL, number INTEGER NOT NULL, said TEXT NOT NULL);
INSERT INTO keys_to_fold SELECT 'fact_subject', id, 0, subject_key FROM facts;
INSERT INTO keys_to_fold SELECT 'fact_value', id, 0, value_key FROM facts;
INSERT INTO keys_to_fold SELECT 'review_subject', id, 0, subject_key FROM review;
INSERT INTO keys_to_fold SELECT 'review_value', id, 0, value_key FROM review;
INSERT INTO keys_to_fold SELECT 'review_folded', id, 0, folded FROM review;
DELETE FROM keys_to_fold WHERE NOT EXISTS (SELECT 1 FROM folding WHERE instr(said, letter) > 0);

CREATE TABLE keys_folded AS
    WITH RECURSIVE steps (place, id, number, said) AS (
        SELECT place, id, number, said FROM keys_to_fold
        UNION ALL
        SELECT place, id, folding.number, replace(said, letter, plain)
            FROM steps JOIN folding ON folding.number = steps.number + 1
    )
    SELECT place, id, said FROM steps WHERE number = (SELECT max(number) FROM folding);
UPDATE facts SET subject_key = said FROM keys_folded WHERE place = 'fact_subject' AND keys_folded.id = facts.id;
UPDATE facts SET value_key = said FROM keys_folded WHERE place = 'fact_value' AND keys_folded.id = facts.id;
UPDATE review SET subject_key = said FROM keys_folded WHERE place = 'review_subject' AND keys_folded.id = review.id;
UPDATE review SET value_key = said FROM keys_folded WHERE place = 'review_value' AND keys_folded.id = review.id;
UPDATE review SET folded = said FROM keys_folded WHERE place = 'review_folded' AND keys_folded.id = review.id;
DROP TABLE keys_folded;
DROP TABLE keys_to_fold;
DROP TABLE folding;
