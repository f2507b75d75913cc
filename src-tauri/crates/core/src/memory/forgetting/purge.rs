//! The purge: what was forgotten is really deleted when the time for an undo is over, with every trace of it.
//!
//! Invariant: afterwards the text is in no row, no index and no entry of the log of changes. What SQLite deletes here is
//! overwritten; the caller empties the write-ahead log, looks for what is left in the file, and renews the backups.

use std::collections::{BTreeSet, HashSet};

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, Transaction, named_params, params};

use super::erase::{self, ids, texts};
use super::forget::UNDO_SECONDS;
use super::phrase::{EPISODES, FACTS, MESSAGES, Phrase, Phrases};
use super::receipt::{self, Erased, ErasureReceipt};
use super::{along, tombstone};
use crate::memory::fact::FactDraft;
use crate::memory::history::change::BESIDE;
use crate::memory::history::undo;
use crate::memory::index;
use crate::memory::relation::{Holds, Key};
use crate::store::StoreError;
use crate::store::id::{FactId, MessageId};
use crate::store::time::Millis;

/// What was erased, and what a look at the files goes by.
#[derive(Debug, Default, PartialEq)]
pub struct Purged {
    /// One for each forget.
    pub receipts: Vec<ErasureReceipt>,
    /// Texts that were erased; see [`gone`].
    pub traces: Vec<String>,
    /// There are too many traces to look for each: the file is to be written anew.
    pub many: bool,
}

/// More traces than this are not looked for one by one.
pub const MOST_TRACES: usize = 50;
/// More phrases than this are not looked for in kept prompts: all of those go.
const MOST_PHRASES: usize = 12;
/// The shortest trace, in bytes.
const SHORTEST_TRACE: usize = 6;
/// By how much of its beginning a text is known again in other rows, in bytes.
const BEGINNING: usize = 160;

/// Erases what was forgotten and whose time for an undo is over.
pub fn due(tx: &Transaction<'_>, now: DateTime<Utc>) -> Result<Purged, StoreError> {
    let until = Millis(now - TimeDelta::seconds(i64::from(UNDO_SECONDS)));
    let moments: Vec<Millis> = tx
        .prepare_cached(
            "SELECT forgotten_at FROM facts WHERE forgotten_at <= ?1
             UNION SELECT forgotten_at FROM episodes WHERE forgotten_at <= ?1
             UNION SELECT forgotten_at FROM procedures WHERE forgotten_at <= ?1
             UNION SELECT forgotten_at FROM messages WHERE forgotten_at <= ?1
             UNION SELECT at FROM hidden WHERE at <= ?1 ORDER BY forgotten_at",
        )?
        .query_map([until], |row| row.get("forgotten_at"))?
        .collect::<Result<_, _>>()?;
    let mut purged = Purged::default();
    for moment in moments {
        let group = Group::of(tx, moment)?;
        group.lay_tombstones(tx)?;
        let erased = index::deleting(tx, index::OF_ALL, group.size(), || group.erase(tx))?;
        purged.receipts.push(receipt::write(tx, &erased, moment.0, now)?);
        purged.many |= group.traces().nth(MOST_TRACES).is_some();
        purged.traces.extend(group.traces().take(MOST_TRACES));
    }
    if purged.many {
        purged.traces.clear();
    }
    Ok(purged)
}

/// Those of the traces that stand in no row any more: what other rows hold rightly is none.
pub fn gone(conn: &Connection, traces: Vec<String>) -> Result<Vec<String>, StoreError> {
    let mut gone = Vec::new();
    for trace in traces {
        if trace.len() >= SHORTEST_TRACE && is_gone(conn, &trace)? {
            gone.push(trace);
        }
    }
    Ok(gone)
}

/// Whether no row holds a text any more, known by its beginning or its end: letters may begin alike.
fn is_gone(conn: &Connection, trace: &str) -> Result<bool, StoreError> {
    let beginning = &trace[..trace.floor_char_boundary(BEGINNING)];
    let end = &trace[trace.ceil_char_boundary(trace.len().saturating_sub(BEGINNING))..];
    Ok(stands_nowhere(conn, beginning)? || end != beginning && stands_nowhere(conn, end)?)
}

fn stands_nowhere(conn: &Connection, text: &str) -> Result<bool, StoreError> {
    let Some(phrase) = Phrase::named(text) else { return Ok(false) };
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
    /// What tells it.
    phrases: Vec<Phrase>,
    /// Under which names everything was forgotten; among the phrases too.
    names: Vec<Phrase>,
}

/// A fact that goes.
struct Gone {
    id: FactId,
    quote: String,
    value: String,
    key: Key,
    superseded_by: Option<FactId>,
}

impl Group {
    fn of(conn: &Connection, at: Millis) -> Result<Self, StoreError> {
        let names = along::names(conn, at)?;
        let (mut phrases, mut seen) = (names.clone(), names.iter().cloned().collect::<HashSet<_>>());
        let mut facts = Vec::new();
        let mut statement = conn.prepare_cached(
            "SELECT id, subject, relation, value, quote, subject_key, relation_key, value_key, superseded_by FROM facts
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
            phrases.extend(Phrase::of_fact(&draft).into_iter().filter(|phrase| seen.insert(phrase.clone())));
            facts.push(Gone {
                id: row.get("id")?,
                quote: row.get("quote")?,
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
            names,
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

    /// How many rows of text go.
    fn size(&self) -> usize {
        self.facts.len() + self.episodes.len() + self.messages.len()
    }

    fn traces(&self) -> impl Iterator<Item = String> {
        let values = self.facts.iter().map(|fact| &fact.value);
        let quotes = self.facts.iter().map(|fact| &fact.quote);
        let episodes = self.episodes.iter().map(|(_, text)| text);
        let messages = self.messages.iter().map(|(_, text)| text);
        values.chain(quotes).chain(episodes).chain(messages).filter(|text| text.len() >= SHORTEST_TRACE).cloned()
    }

    fn lay_tombstones(&self, tx: &Transaction<'_>) -> Result<(), StoreError> {
        for fact in &self.facts {
            // Said again while it could still be undone: it is known, and stays so.
            if !is_known(tx, &fact.key)? {
                tombstone::lay_fact(tx, &fact.key, self.at.0)?;
                tombstone::lay_text(tx, &fact.quote, self.at.0)?;
            }
        }
        for phrase in &self.phrases {
            tombstone::lay_phrase(tx, &phrase.written, self.at.0)?;
        }
        for name in &self.names {
            tombstone::lay_name(tx, &name.written, self.at.0)?;
        }
        let told = self.sources.iter().chain(&self.messages).chain(&self.episodes);
        told.map(|(_, text)| text).try_for_each(|text| tombstone::lay_text(tx, text, self.at.0))
    }

    fn erase(&self, tx: &Transaction<'_>) -> Result<Erased, StoreError> {
        let mut erased = Erased { prompts: self.erase_prompts(tx)?, ..Erased::default() };
        self.erase_reports(tx)?;
        along::erase(tx, self.at, &mut erased)?;
        let meant: BTreeSet<FactId> = self.facts.iter().map(|fact| fact.id).collect();
        for fact in &self.facts {
            let is_older = fact.superseded_by.is_some_and(|by| meant.contains(&by));
            erased.older_values += usize::from(is_older);
            erased.facts += usize::from(!is_older);
            restore_what_stays(tx, fact.id)?;
            erase::fact(tx, fact.id)?;
        }
        for id in self.all_episodes(tx)? {
            match erase::episode(tx, id)?.as_deref() {
                Some("summary") => erased.summaries += 1,
                Some(_) => erased.notes += 1,
                None => {}
            }
        }
        for id in &self.procedures {
            erase::row(tx, "procedures", "procedure", *id)?;
        }
        erased.procedures = self.procedures.len();
        for (id, _) in &self.sources {
            tx.prepare_cached("UPDATE turns SET extraction_owed = 0 WHERE message_id = ?1")?.execute([id])?;
        }
        let messages: Vec<MessageId> = self.messages.iter().map(|(id, _)| MessageId(*id)).collect();
        erased.conversations = erase::messages(tx, &messages)?;
        erased.messages = messages.len();
        tx.prepare_cached(
            "UPDATE memory_events SET before = NULL WHERE target_kind = ?1 AND target_id = 0 AND at = ?2",
        )?
        .execute(params![BESIDE, self.at])?;
        Ok(erased)
    }

    /// The hidden ones, and what was noted since of the same messages or of what tells it.
    fn all_episodes(&self, conn: &Connection) -> Result<BTreeSet<i64>, StoreError> {
        let mut all: BTreeSet<i64> = self.episodes.iter().map(|(id, _)| *id).collect();
        for (id, _) in self.sources.iter().chain(&self.messages) {
            all.extend(ids(conn, "SELECT id FROM episodes WHERE source_message_id = ?1", [id])?);
        }
        let told = Phrases::of(&self.phrases);
        let since = texts(conn, "SELECT id, text FROM episodes WHERE at > ?1 AND forgotten_at IS NULL", [self.at])?;
        all.extend(since.into_iter().filter(|(_, text)| told.are_in(text)).map(|(id, _)| id));
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
        if self.phrases.len() > MOST_PHRASES {
            turns.extend(ids(tx, "SELECT id FROM turns WHERE prompt_block IS NOT NULL", [])?);
        } else {
            for phrase in &self.phrases {
                turns.extend(ids(
                    tx,
                    "SELECT id FROM turns WHERE prompt_block IS NOT NULL
                         AND (instr(prompt_block, :written) > 0 OR instr(lower(prompt_block), lower(:written)) > 0)",
                    named_params! { ":written": phrase.written },
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

    /// What was kept of failures and their healing, where a server quoted any of it.
    fn erase_reports(&self, tx: &Transaction<'_>) -> Result<(), StoreError> {
        let told = Phrases::of(&self.phrases);
        for column in ["failure", "healing"] {
            let kept = format!("SELECT id, {column} AS text FROM turns WHERE length({column}) > 2");
            for (id, text) in texts(tx, &kept, [])? {
                if told.are_in(&text) {
                    tx.prepare_cached(&format!("UPDATE turns SET {column} = NULL WHERE id = ?1"))?.execute([id])?;
                }
            }
        }
        Ok(())
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
        assert_eq!(memory.known(), ["I live in Porto."]);
    }

    #[test]
    fn what_a_forgotten_fact_of_one_conversation_had_replaced_is_current_again() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        let second = memory.new_conversation();
        memory.say("I moved to Lyon.", &[["user", "lives in", "Lyon"]]);
        let now = memory.utc();
        memory.write(|tx| forget::erase_learned_from(tx, second, now).unwrap());
        assert_eq!(memory.known(), ["I live in Porto."]);
    }

    #[test]
    fn a_wipe_leaves_no_memory() {
        let mut memory = Memory::new();
        memory.say("My passphrase is zebrafink.", &[["user", "passphrase", "zebrafink"]]);
        let now = memory.utc();
        memory.write(|tx| erase::wipe(tx, now).unwrap());
        assert!(!everything(&memory.conn).contains("zebrafink"));
        assert_eq!(memory.known(), Vec::<String>::new());
    }
}
