//! The purge: what was forgotten is really deleted when the time for an undo is over, with every trace of it.
//!
//! Invariant: afterwards the text is in no row, no index and no entry of the log of changes. What SQLite deletes here is
//! overwritten; the caller empties the write-ahead log, looks for what is left in the file, and renews the backups.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, Params, Transaction, named_params, params};

use super::forget::UNDO_SECONDS;
use super::phrase::{EPISODES, FACTS, MESSAGES, Phrase};
use super::receipt::{self, Erased, ErasureReceipt};
use super::tombstone;
use crate::memory::fact::FactDraft;
use crate::memory::history::undo;
use crate::memory::index;
use crate::memory::language::relation::{Holds, Key};
use crate::store::StoreError;
use crate::store::id::{FactId, ProcedureId};
use crate::store::time::Millis;

/// What was erased, and what a look at the files goes by.
#[derive(Debug, Default, PartialEq)]
pub struct Purged {
    /// One for each forget.
    pub receipts: Vec<ErasureReceipt>,
    /// Texts that stand in no row any more, and so in no file.
    pub traces: Vec<String>,
    /// There are too many traces to look for each: the file is to be written anew.
    pub many: bool,
}

/// More traces than this are not looked for one by one.
const MOST_TRACES: usize = 200;
/// More phrases than this are not looked for in kept prompts: all of those go.
const MOST_PHRASES: usize = 12;
/// The shortest trace, and how much of a long text serves as one, in bytes.
const TRACE_BYTES: std::ops::RangeInclusive<usize> = 6..=160;

/// Erases what was forgotten and whose time for an undo is over.
pub fn due(tx: &Transaction<'_>, now: DateTime<Utc>) -> Result<Purged, StoreError> {
    let until = Millis(now - TimeDelta::seconds(i64::from(UNDO_SECONDS)));
    let moments: Vec<Millis> = tx
        .prepare_cached(
            "SELECT forgotten_at FROM facts WHERE forgotten_at <= ?1
             UNION SELECT forgotten_at FROM episodes WHERE forgotten_at <= ?1
             UNION SELECT forgotten_at FROM procedures WHERE forgotten_at <= ?1
             UNION SELECT forgotten_at FROM messages WHERE forgotten_at <= ?1 ORDER BY forgotten_at",
        )?
        .query_map([until], |row| row.get("forgotten_at"))?
        .collect::<Result<_, _>>()?;
    let mut purged = Purged::default();
    for moment in moments {
        let group = Group::of(tx, moment)?;
        group.lay_tombstones(tx)?;
        let erased = group.erase(tx)?;
        purged.receipts.push(receipt::write(tx, &erased, moment.0, now)?);
        purged.many |= group.traces().nth(MOST_TRACES).is_some();
        purged.traces.extend(group.traces().take(MOST_TRACES));
    }
    if purged.many {
        purged.traces.clear();
    }
    let mut gone = Vec::new();
    for trace in purged.traces {
        if is_gone(tx, &trace)? {
            gone.push(trace);
        }
    }
    Ok(Purged { traces: gone, ..purged })
}

/// Whether no row holds a text any more. What other rows hold rightly is no trace.
fn is_gone(conn: &Connection, trace: &str) -> Result<bool, StoreError> {
    let Some(phrase) = Phrase::named(trace) else { return Ok(false) };
    for texts in [MESSAGES, FACTS, EPISODES] {
        if !phrase.all(conn, texts)?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What was forgotten at one moment.
struct Group {
    at: Millis,
    facts: Vec<Gone>,
    episodes: Vec<(i64, String)>,
    procedures: Vec<i64>,
    messages: Vec<(i64, String)>,
    /// The messages that the facts came from, with their texts; they may stay.
    sources: Vec<(i64, String)>,
    phrases: Vec<Phrase>,
}

/// A fact that goes.
struct Gone {
    id: FactId,
    sentence: String,
    value: String,
    key: Key,
    superseded_by: Option<FactId>,
}

impl Group {
    fn of(conn: &Connection, at: Millis) -> Result<Self, StoreError> {
        let mut phrases: Vec<Phrase> = Vec::new();
        let mut facts = Vec::new();
        let mut statement = conn.prepare_cached(
            "SELECT id, subject, relation, value, sentence, subject_key, relation_key, value_key, superseded_by FROM facts
             WHERE forgotten_at = ?1 ORDER BY id",
        )?;
        let mut rows = statement.query([at])?;
        while let Some(row) = rows.next()? {
            let draft =
                FactDraft { subject: row.get("subject")?, relation: row.get("relation")?, value: row.get("value")? };
            let key = Key {
                subject: row.get("subject_key")?,
                relation: row.get("relation_key")?,
                value: row.get("value_key")?,
                holds: Holds::Many,
            };
            let phrase = Phrase::of_fact(&draft);
            phrases.extend(phrase.filter(|phrase| !phrases.contains(phrase)));
            facts.push(Gone {
                id: row.get("id")?,
                sentence: row.get("sentence")?,
                value: draft.value,
                key,
                superseded_by: row.get("superseded_by")?,
            });
        }
        let ids_of = |table: &str| format!("SELECT id, '' AS text FROM {table} WHERE forgotten_at = ?1 ORDER BY id");
        Ok(Self {
            at,
            facts,
            phrases,
            episodes: texts(conn, "SELECT id, text FROM episodes WHERE forgotten_at = ?1 ORDER BY id", [at])?,
            procedures: texts(conn, &ids_of("procedures"), [at])?.into_iter().map(|(id, _)| id).collect(),
            messages: texts(conn, "SELECT id, text FROM messages WHERE forgotten_at = ?1 ORDER BY id", [at])?,
            sources: texts(
                conn,
                "SELECT DISTINCT m.id, m.text FROM facts f JOIN fact_sources s ON s.fact_id = f.id
                 JOIN messages m ON m.id = s.message_id WHERE f.forgotten_at = ?1 ORDER BY m.id",
                [at],
            )?,
        })
    }

    fn traces(&self) -> impl Iterator<Item = String> {
        let values = self.facts.iter().map(|fact| &fact.value);
        let sentences = self.facts.iter().map(|fact| &fact.sentence);
        let episodes = self.episodes.iter().map(|(_, text)| text);
        let messages = self.messages.iter().map(|(_, text)| text);
        let cut = |text: &String| text[..text.floor_char_boundary(*TRACE_BYTES.end())].to_owned();
        values.chain(sentences).chain(episodes).chain(messages).map(cut).filter(|cut| cut.len() >= *TRACE_BYTES.start())
    }

    fn lay_tombstones(&self, tx: &Transaction<'_>) -> Result<(), StoreError> {
        for fact in &self.facts {
            // Said again while it could still be undone: it is known, and stays so.
            if !is_known(tx, &fact.key)? {
                tombstone::lay_fact(tx, &fact.key, self.at.0)?;
                tombstone::lay_text(tx, &fact.sentence, self.at.0)?;
            }
        }
        for phrase in &self.phrases {
            tombstone::lay_phrase(tx, &phrase.written, self.at.0)?;
        }
        let told = self.sources.iter().chain(&self.messages).chain(&self.episodes);
        told.map(|(_, text)| text).try_for_each(|text| tombstone::lay_text(tx, text, self.at.0))
    }

    fn erase(&self, tx: &Transaction<'_>) -> Result<Erased, StoreError> {
        let mut erased = Erased { prompts: self.erase_prompts(tx)?, ..Erased::default() };
        let meant: BTreeSet<FactId> = self.facts.iter().map(|fact| fact.id).collect();
        for fact in &self.facts {
            let is_older = fact.superseded_by.is_some_and(|by| meant.contains(&by));
            erased.older_values += usize::from(is_older);
            erased.facts += usize::from(!is_older);
            restore_what_stays(tx, fact.id)?;
            erase_fact(tx, fact.id)?;
        }
        for id in self.all_episodes(tx)? {
            match erase_episode(tx, id)?.as_deref() {
                Some("summary") => erased.summaries += 1,
                Some(_) => erased.notes += 1,
                None => {}
            }
        }
        for id in &self.procedures {
            erase_row(tx, "procedures", "procedure", *id)?;
        }
        erased.procedures = self.procedures.len();
        for (id, _) in &self.messages {
            erase_message(tx, *id)?;
        }
        erased.messages = self.messages.len();
        for (id, _) in &self.sources {
            tx.prepare_cached("UPDATE turns SET extraction_owed = 0 WHERE message_id = ?1")?.execute([id])?;
        }
        erased.titles = self.erase_titles(tx)?;
        if !self.messages.is_empty() || self.sources.is_empty() {
            erased.drafts = self.erase_drafts(tx)?;
        }
        erased.conversations = erase_empty_conversations(tx, &self.messages)?;
        Ok(erased)
    }

    /// The hidden ones, and what was noted since of the same messages or of what tells it.
    fn all_episodes(&self, conn: &Connection) -> Result<BTreeSet<i64>, StoreError> {
        let mut all: BTreeSet<i64> = self.episodes.iter().map(|(id, _)| *id).collect();
        for (id, _) in self.sources.iter().chain(&self.messages) {
            all.extend(ids(conn, "SELECT id FROM episodes WHERE source_message_id = ?1", [id])?);
        }
        for phrase in &self.phrases {
            all.extend(phrase.mentions(conn, EPISODES)?);
        }
        Ok(all)
    }

    /// The kept prompts in which any of it stands.
    fn erase_prompts(&self, tx: &Transaction<'_>) -> Result<usize, StoreError> {
        let mut turns: BTreeSet<i64> = BTreeSet::new();
        let facts = self.facts.iter().map(|fact| ("fact", fact.id.0));
        let episodes = self.episodes.iter().map(|(id, _)| ("episode", *id));
        let procedures = self.procedures.iter().map(|id| ("procedure", *id));
        let messages = self.messages.iter().map(|(id, _)| ("message", *id));
        for (kind, id) in facts.chain(episodes).chain(procedures).chain(messages) {
            turns.extend(ids(
                tx,
                "SELECT turn_id AS id FROM turn_memories WHERE kind = ?1 AND memory_id = ?2
                 UNION SELECT t.id FROM memory_events e JOIN turns t ON t.message_id = e.message_id
                       WHERE e.target_kind = ?1 AND e.target_id = ?2",
                params![kind, id],
            )?);
        }
        for (id, _) in self.sources.iter().chain(&self.messages) {
            turns.extend(ids(tx, "SELECT id FROM turns WHERE message_id = ?1 OR answer_id = ?1", [id])?);
        }
        let phrases: Vec<&str> = self.phrases.iter().map(|phrase| phrase.written.as_str()).collect();
        if phrases.len() > MOST_PHRASES {
            turns.extend(ids(tx, "SELECT id FROM turns WHERE prompt_block IS NOT NULL", [])?);
        } else {
            for phrase in phrases {
                turns.extend(ids(
                    tx,
                    "SELECT id FROM turns WHERE prompt_block IS NOT NULL AND instr(prompt_block, ?1) > 0",
                    [phrase],
                )?);
            }
        }
        let mut erased = 0;
        let mut statement =
            tx.prepare_cached("UPDATE turns SET prompt_block = NULL WHERE id = ?1 AND prompt_block IS NOT NULL")?;
        for turn in turns {
            erased += statement.execute([turn])?;
        }
        Ok(erased)
    }

    /// The titles that people gave and that tell it.
    fn erase_titles(&self, tx: &Transaction<'_>) -> Result<usize, StoreError> {
        self.erase_where(
            tx,
            "SELECT id, title AS text FROM conversations WHERE title IS NOT NULL",
            "UPDATE conversations SET title = NULL WHERE id = ?1",
        )
    }

    fn erase_drafts(&self, tx: &Transaction<'_>) -> Result<usize, StoreError> {
        self.erase_where(
            tx,
            "SELECT conversation_id AS id, text FROM drafts",
            "DELETE FROM drafts WHERE conversation_id = ?1",
        )
    }

    fn erase_where(&self, tx: &Transaction<'_>, select: &str, erase: &str) -> Result<usize, StoreError> {
        let mut erased = 0;
        for (id, text) in texts(tx, select, [])? {
            if self.phrases.iter().any(|phrase| phrase.is_in(&text)) {
                erased += tx.prepare_cached(erase)?.execute([id])?;
            }
        }
        Ok(erased)
    }
}

fn is_known(conn: &Connection, key: &Key) -> Result<bool, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM facts WHERE subject_key = :subject AND relation_key = :relation AND value_key = :value
                        AND retired_at IS NULL AND forgotten_at IS NULL)",
    )?;
    let params = named_params! { ":subject": key.subject, ":relation": key.relation, ":value": key.value };
    Ok(statement.query_row(params, |row| row.get(0))?)
}

/// What the fact had replaced and what was not forgotten with it is current again.
fn restore_what_stays(tx: &Transaction<'_>, id: FactId) -> Result<(), StoreError> {
    let stays: bool = tx
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM facts WHERE superseded_by = ?1 AND forgotten_at IS NULL)")?
        .query_row([id], |row| row.get(0))?;
    if stays { undo::restore_what_it_replaced(tx, id) } else { Ok(()) }
}

/// Deletes one fact now, with every trace of it.
pub(in crate::memory) fn erase_fact(tx: &Transaction<'_>, id: FactId) -> Result<(), StoreError> {
    erase_row(tx, "facts", "fact", id.0)
}

/// Deletes one procedure now, with every trace of it.
pub(in crate::memory) fn erase_procedure(tx: &Transaction<'_>, id: ProcedureId) -> Result<(), StoreError> {
    erase_row(tx, "procedures", "procedure", id.0)
}

/// The kind of what was deleted; none where it was gone. Where it was a summary, another one is owed.
fn erase_episode(tx: &Transaction<'_>, id: i64) -> Result<Option<String>, StoreError> {
    let kind = texts(tx, "SELECT id, kind AS text FROM episodes WHERE id = ?1", [id])?.pop().map(|(_, kind)| kind);
    if kind.is_some() {
        tx.prepare_cached(
            "UPDATE conversations SET summed_up_at = NULL WHERE id = (SELECT conversation_id FROM episodes WHERE id = ?1)",
        )?
        .execute([id])?;
        erase_row(tx, "episodes", "episode", id)?;
    }
    Ok(kind)
}

/// The row with its sources and index entries, its place in prompts, and its text in the log.
fn erase_row(tx: &Transaction<'_>, table: &str, kind: &str, id: i64) -> Result<(), StoreError> {
    let target = named_params! { ":kind": kind, ":id": id };
    tx.prepare_cached(
        "UPDATE turns SET prompt_block = NULL WHERE id IN (SELECT turn_id FROM turn_memories WHERE kind = :kind AND memory_id = :id)",
    )?
    .execute(target)?;
    tx.prepare_cached("DELETE FROM turn_memories WHERE kind = :kind AND memory_id = :id")?.execute(target)?;
    redact(tx, kind, id)?;
    tx.prepare_cached(&format!("DELETE FROM {table} WHERE id = ?1"))?.execute([id])?;
    Ok(())
}

/// The log keeps that something happened, and not to what.
fn redact(tx: &Transaction<'_>, kind: &str, id: i64) -> Result<(), StoreError> {
    tx.prepare_cached(
        "UPDATE memory_events SET sentence = '', before = NULL WHERE target_kind = :kind AND target_id = :id",
    )?
    .execute(named_params! { ":kind": kind, ":id": id })?;
    Ok(())
}

/// The text of a message, and what is kept of the turns that it was in. That there was a message stays.
fn erase_message(tx: &Transaction<'_>, id: i64) -> Result<(), StoreError> {
    tx.prepare_cached(
        "UPDATE messages SET text = '', state = 'forgotten', forgotten_at = NULL, recall = 0 WHERE id = ?1",
    )?
    .execute([id])?;
    tx.prepare_cached(
        "DELETE FROM turn_memories WHERE (kind = 'message' AND memory_id = ?1)
             OR turn_id IN (SELECT id FROM turns WHERE message_id = ?1 OR answer_id = ?1)",
    )?
    .execute([id])?;
    tx.prepare_cached(
        "UPDATE turns SET prompt_block = NULL, failure = NULL, healing = NULL, extraction_owed = 0
         WHERE message_id = ?1 OR answer_id = ?1",
    )?
    .execute([id])?;
    redact(tx, "message", id)
}

/// A conversation of which nothing is left goes.
fn erase_empty_conversations(tx: &Transaction<'_>, messages: &[(i64, String)]) -> Result<usize, StoreError> {
    let mut touched = BTreeSet::new();
    for (id, _) in messages {
        touched.extend(ids(tx, "SELECT conversation_id AS id FROM messages WHERE id = ?1", [id])?);
    }
    let mut erased = 0;
    for id in touched {
        let gone = tx
            .prepare_cached(
                "DELETE FROM conversations WHERE id = ?1
                 AND NOT EXISTS (SELECT 1 FROM messages WHERE conversation_id = ?1 AND state <> 'forgotten')",
            )?
            .execute([id])?;
        if gone > 0 {
            tx.prepare_cached("DELETE FROM drafts WHERE conversation_id = ?1")?.execute([id])?;
            erased += gone;
        }
    }
    Ok(erased)
}

/// Deletes all memory: facts, episodes, procedures and the log of changes. Conversations stay, and recall passes them by.
pub fn wipe(tx: &Transaction<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
    let mut statement = tx.prepare("SELECT subject_key, relation_key, value_key FROM facts")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let key = Key {
            subject: row.get("subject_key")?,
            relation: row.get("relation_key")?,
            value: row.get("value_key")?,
            holds: Holds::Many,
        };
        tombstone::lay_fact(tx, &key, now)?;
    }
    index::wiping(tx, &["facts_trigram", "episodes_trigram", "passages_fts"], || {
        tx.execute_batch(
            "DELETE FROM review;
             DELETE FROM fact_sources;
             DELETE FROM facts;
             DELETE FROM episodes;
             DELETE FROM procedures;
             DELETE FROM memory_events;
             DELETE FROM turn_memories;
             UPDATE turns SET prompt_block = NULL WHERE prompt_block IS NOT NULL;
             UPDATE messages SET recall = 0 WHERE recall = 1;",
        )?;
        Ok(())
    })
}

/// Deletes what forgetting itself keeps: its receipts, and what bars the forgotten from coming back.
pub fn wipe_traces(tx: &Transaction<'_>) -> Result<(), StoreError> {
    tx.execute_batch("DELETE FROM tombstones; DELETE FROM erasures;")?;
    Ok(())
}

fn ids(conn: &Connection, sql: &str, params: impl Params) -> Result<Vec<i64>, StoreError> {
    let ids = conn.prepare_cached(sql)?.query_map(params, |row| row.get("id"))?.collect::<Result<_, _>>()?;
    Ok(ids)
}

fn texts(conn: &Connection, sql: &str, params: impl Params) -> Result<Vec<(i64, String)>, StoreError> {
    let texts = conn
        .prepare_cached(sql)?
        .query_map(params, |row| Ok((row.get("id")?, row.get("text")?)))?
        .collect::<Result<_, _>>()?;
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::conversation;
    use crate::memory::forgetting::forget;
    use crate::memory::testing::Memory;

    /// Every text in every table and index of memory, as one. Messages are the person's own affair.
    fn everything(conn: &Connection) -> String {
        let mut all = String::new();
        let tables: Vec<String> = conn
            .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        for table in tables.iter().filter(|table| !table.starts_with("messages")) {
            let mut statement = conn.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap();
            let columns = statement.column_count();
            let mut rows = statement.query([]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                for column in 0..columns {
                    match row.get_ref(column).unwrap() {
                        rusqlite::types::ValueRef::Text(text) | rusqlite::types::ValueRef::Blob(text) => {
                            all.push_str(&String::from_utf8_lossy(text));
                        }
                        _ => {}
                    }
                }
            }
        }
        all
    }

    #[test]
    fn after_the_purge_nothing_of_memory_holds_the_text() {
        let mut memory = Memory::new();
        memory.say("My passphrase is zebrafink.", &[["user", "passphrase", "zebrafink"]]);
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        let (id, now) = (memory.facts()[0].id, memory.utc());
        memory.write(|tx| {
            tx.execute_batch(
                "INSERT INTO turns (id, conversation_id, message_id, started_at, outcome, spec_version, prompt_block)
                 VALUES (1, 1, 2, 1, 'completed', 1, 'You know: zebrafink'), (2, 1, 2, 1, 'completed', 1, 'other'),
                        (3, 1, 1, 1, 'completed', 1, 'stored: it'), (4, 1, 2, 1, 'completed', 1, 'you said zebrafink');
                 INSERT INTO turn_memories VALUES (1, 0, 'fact', 1, 'Your passphrase is zebrafink');",
            )
            .unwrap();
            forget::facts(tx, &[id], None, now).unwrap()
        });
        assert!(everything(&memory.conn).contains("zebrafink"));
        assert_eq!(memory.write(|tx| due(tx, now).unwrap()), Purged::default());
        let later = now + TimeDelta::seconds(10);
        let purged = memory.write(|tx| due(tx, later).unwrap());
        assert_eq!(purged.receipts[0].lines, ["1 fact", "3 kept prompts"]);
        assert_eq!(receipt::list(&memory.conn).unwrap(), purged.receipts);
        let left = everything(&memory.conn);
        assert!(!left.contains("zebrafink") && !left.contains("ebrafi") && left.contains("Porto"));
        let blocks: Vec<Option<String>> = memory
            .conn
            .prepare("SELECT prompt_block FROM turns ORDER BY id")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(blocks, [None, Some("other".to_owned()), None, None]);
        for index in ["facts_trigram", "passages_fts"] {
            memory.conn.execute(&format!("INSERT INTO {index} ({index}) VALUES ('integrity-check')"), []).unwrap();
        }
    }

    #[test]
    fn a_forgotten_fact_takes_its_history_along() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        memory.say("I moved to Lyon.", &[["user", "lives in", "Lyon"]]);
        let (id, now) = (memory.facts()[0].id, memory.utc());
        memory.write(|tx| forget::facts(tx, &[id, id], None, now).unwrap());
        let purged = memory.write(|tx| due(tx, now + TimeDelta::minutes(1)).unwrap());
        assert_eq!(purged.receipts[0].lines, ["1 fact", "1 older value"]);
        let left: i64 = memory.conn.query_row("SELECT count(*) FROM facts", [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0);
    }

    #[test]
    fn a_deleted_conversation_takes_what_only_it_taught() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        let second = memory.new_conversation();
        memory.say("Porto is my home; I drink tea", &[["user", "lives in", "Porto"], ["user", "drinks", "tea"]]);
        let now = memory.utc();
        memory.write(|tx| forget::erase_learned_from(tx, second, now).unwrap());
        assert!(conversation::get(&memory.conn, second).is_err(), "with its last message it is gone");
        assert_eq!(memory.known(), ["You live in Porto"]);
    }

    #[test]
    fn what_a_forgotten_fact_of_one_conversation_had_replaced_is_current_again() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        let second = memory.new_conversation();
        memory.say("I moved to Lyon.", &[["user", "lives in", "Lyon"]]);
        let now = memory.utc();
        memory.write(|tx| forget::erase_learned_from(tx, second, now).unwrap());
        assert_eq!(memory.known(), ["You live in Porto"]);
    }

    #[test]
    fn a_wipe_leaves_no_memory() {
        let mut memory = Memory::new();
        memory.say("My passphrase is zebrafink.", &[["user", "passphrase", "zebrafink"]]);
        let now = memory.utc();
        memory.write(|tx| wipe(tx, now).unwrap());
        assert!(!everything(&memory.conn).contains("zebrafink"));
        assert_eq!(memory.known(), Vec::<String>::new());
    }
}
