//! The cheap stage of recall: which memories hold the words of a question, from the text indexes.
//!
//! Each word is looked up by itself and gives its newest hits, so that a word that stands everywhere costs no more than one
//! that stands nowhere. How rare a word is says how much it weighs.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, named_params};

use crate::memory::fact::{FactDraft, Origin};
use crate::memory::index::{OwnerKind, PassageId, terms::ABOUT_YOU};
use crate::memory::recall::query::{Index, Kind, Term};
use crate::memory::relation::{Polarity, USER};
use crate::store::StoreError;
use crate::store::id::{FactId, MessageId};
use crate::store::time::Millis;
use crate::text;

/// Hits that are taken for one word.
const MOST_HITS: usize = 200;
/// Memories that are looked at closely.
const MOST_CANDIDATES: usize = 64;
/// In a small memory every word is rare; this keeps the weights apart.
const LEAST_ROWS: f64 = 50.0;

/// A searchable table, and which of its rows count.
#[derive(Clone, Copy)]
pub(in crate::memory) struct Table {
    name: &'static str,
    current: &'static str,
    kind: OwnerKind,
}

pub(in crate::memory) const FACTS: Table =
    Table { name: "facts", current: "t.retired_at IS NULL AND t.forgotten_at IS NULL", kind: OwnerKind::Fact };

/// What the indexes know of a question's terms.
pub(in crate::memory) struct Found {
    /// Which terms each row holds, as bits.
    rows: HashMap<i64, u32>,
    /// How much each term says.
    pub weights: Vec<f64>,
    /// Terms of which only the newest hits were taken.
    capped: u32,
    /// Rows that were looked up because the question is about the person.
    yours: HashSet<i64>,
}

impl Found {
    fn mark(&mut self, hits: &[i64], bits: u32) {
        for id in hits {
            *self.rows.entry(*id).or_default() |= bits;
        }
    }

    /// The rows that hold most, in a fixed order.
    pub fn best(&self) -> Vec<(i64, u32)> {
        let held = |bits: u32| {
            (0..self.weights.len()).filter(|at| bits & (1 << at) != 0).map(|at| self.weights[at]).sum::<f64>()
        };
        let mut rows: Vec<(f64, i64, u32)> = self
            .rows
            .iter()
            // Enough to come before all that holds no more of the question.
            .map(|(id, bits)| (held(*bits) + if self.yours.contains(id) { 0.5 } else { 0.0 }, *id, *bits))
            .collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        rows.truncate(MOST_CANDIDATES);
        rows.into_iter().map(|(_, id, bits)| (id, bits)).collect()
    }
}

/// Looks each term up. `about_you` says that the question is about the person themself.
pub(in crate::memory) fn find(
    conn: &Connection,
    table: Table,
    terms: &[Term],
    about_you: bool,
) -> Result<Found, StoreError> {
    let newest: Option<i64> =
        conn.prepare_cached(&format!("SELECT max(id) FROM {}", table.name))?.query_row([], |row| row.get(0))?;
    let total = (newest.unwrap_or(0) as f64).max(LEAST_ROWS);
    let mut found =
        Found { rows: HashMap::new(), weights: Vec::with_capacity(terms.len()), capped: 0, yours: HashSet::new() };
    for (at, term) in terms.iter().enumerate() {
        let mut hits: Vec<i64> = Vec::new();
        for (index, expression) in &term.lookups {
            hits.extend(lookup(conn, table, *index, expression)?);
        }
        hits.sort_unstable();
        hits.dedup();
        found.weights.push(weight(term, hits.len(), total));
        if hits.len() >= MOST_HITS {
            found.capped |= 1 << at;
        }
        found.mark(&hits, 1 << at);
    }
    reach_deeper(conn, table, terms, about_you, &mut found)?;
    Ok(found)
}

/// Of common words only the newest hits were taken. What is about the person, and what holds all of them, is taken however
/// old it is.
fn reach_deeper(
    conn: &Connection,
    table: Table,
    terms: &[Term],
    about_you: bool,
    found: &mut Found,
) -> Result<(), StoreError> {
    let common: Vec<(u32, &str)> = terms
        .iter()
        .enumerate()
        .filter(|(at, _)| found.capped & (1 << at) != 0)
        .filter_map(|(at, term)| {
            let (_, expression) = term.lookups.iter().find(|(index, _)| *index == Index::Words)?;
            Some((1 << at, expression.as_str()))
        })
        .collect();
    if about_you {
        for (bit, expression) in &common {
            let hits = lookup(conn, table, Index::Words, &format!("{expression} AND \"{ABOUT_YOU}\""))?;
            found.mark(&hits, *bit);
            found.yours.extend(hits);
        }
    }
    if common.len() > 1 {
        let all = common.iter().map(|(_, expression)| *expression).collect::<Vec<_>>().join(" AND ");
        let hits = lookup(conn, table, Index::Words, &all)?;
        found.mark(&hits, common.iter().map(|(bit, _)| bit).sum());
    }
    Ok(())
}

fn lookup(conn: &Connection, table: Table, index: Index, expression: &str) -> Result<Vec<i64>, StoreError> {
    let mut statement = conn.prepare_cached(&lookup_sql(table, index))?;
    let (first, last) = match index {
        Index::Words => table.kind.range(),
        Index::Substrings => (PassageId(0), PassageId(i64::MAX)),
    };
    let ids = statement
        .query_map(named_params! { ":expression": expression, ":first": first, ":last": last }, |row| row.get("id"))?
        .collect::<Result<_, _>>()?;
    Ok(ids)
}

/// The newest rows that hold a term. CROSS JOIN fixes the order: the index first, then each row by its number.
fn lookup_sql(Table { name, current, .. }: Table, index: Index) -> String {
    match index {
        Index::Words => format!(
            "SELECT p.owner_id AS id FROM passages_fts i CROSS JOIN passages p ON p.id = i.rowid
             WHERE passages_fts MATCH :expression AND i.rowid BETWEEN :first AND :last ORDER BY i.rowid DESC LIMIT {MOST_HITS}"
        ),
        Index::Substrings => format!(
            "SELECT t.id AS id FROM {name}_trigram i CROSS JOIN {name} t ON t.id = i.rowid
             WHERE {name}_trigram MATCH :expression AND i.rowid BETWEEN :first AND :last AND {current}
             ORDER BY i.rowid DESC LIMIT {MOST_HITS}"
        ),
    }
}

/// Rarer words say more; names say more; a name that nothing holds says most, because the question is about it.
fn weight(term: &Term, hits: usize, total: f64) -> f64 {
    const WEAK: &[&str] =
        &["favourite", "favorite", "called", "name", "like", "thing", "want", "need", "good", "new", "day", "time"];
    let seen = hits.max(1) as f64;
    let rarity = (1.0 + (total - seen + 0.5).max(0.5) / (seen + 0.5)).ln();
    let kind = match (term.kind, hits) {
        (Kind::Literal, 0) => 0.0,
        (Kind::Name, 0) => 2.0,
        (Kind::Name | Kind::Literal, _) => 1.5,
        (Kind::Word, _) if WEAK.contains(&text::fold(&term.typed).as_str()) => 0.5,
        (Kind::Word, _) => 1.0,
    };
    rarity * kind
}

/// A fact, as far as recall needs it.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::memory) struct FactRow {
    pub id: FactId,
    pub draft: FactDraft,
    pub quote: String,
    pub polarity: Polarity,
    pub date: Option<String>,
    pub terms: String,
    pub subject_key: String,
    pub value_key: String,
    pub is_about_user: bool,
    pub confidence: f64,
    pub origin: Origin,
    pub said_at: DateTime<Utc>,
    pub is_pinned: bool,
}

const COLUMNS: &str =
    "id, subject, relation, value, quote, polarity, date, terms, subject_key, value_key, confidence, origin, said_at,
    pinned";

const BY_ID: &str = "id = :id";
const ABOUT: &str = "subject_key = :subject AND retired_at IS NULL AND forgotten_at IS NULL LIMIT 20";
const PINNED: &str = "pinned = 1 AND retired_at IS NULL AND forgotten_at IS NULL ORDER BY id DESC LIMIT 100";
const NEWEST: &str = "retired_at IS NULL AND forgotten_at IS NULL ORDER BY recorded_at DESC, id DESC LIMIT :limit";
const MOST_USED: &str = "retired_at IS NULL AND forgotten_at IS NULL ORDER BY use_count DESC, id DESC LIMIT :limit";
const BEFORE: &str = "SELECT value, valid_to FROM facts
    WHERE superseded_by = :id AND retired_because = 'change' AND forgotten_at IS NULL ORDER BY id DESC LIMIT 1";

const SOURCES: &str = "SELECT message_id FROM fact_sources WHERE fact_id = :id
    UNION ALL SELECT s.message_id FROM facts f CROSS JOIN fact_sources s ON s.fact_id = f.id WHERE f.superseded_by = :id";

fn facts_where(condition: &str) -> String {
    format!("SELECT {COLUMNS} FROM facts WHERE {condition}")
}

/// Every statement of this file, for the test that none reads a whole table.
#[cfg(test)]
pub(in crate::memory) fn statements() -> Vec<String> {
    let mut all: Vec<String> = [BY_ID, ABOUT, PINNED, NEWEST, MOST_USED].into_iter().map(facts_where).collect();
    all.extend([BEFORE, SOURCES].map(str::to_owned));
    all.extend([Index::Words, Index::Substrings].map(|index| lookup_sql(FACTS, index)));
    all
}

fn fact_row(row: &Row<'_>) -> rusqlite::Result<FactRow> {
    let subject_key: String = row.get("subject_key")?;
    Ok(FactRow {
        id: row.get("id")?,
        draft: FactDraft { subject: row.get("subject")?, relation: row.get("relation")?, value: row.get("value")? },
        quote: row.get("quote")?,
        polarity: row.get("polarity")?,
        date: row.get("date")?,
        terms: row.get("terms")?,
        // "Mara is my sister" is kept under the person, and is about Mara.
        is_about_user: subject_key == USER
            && row.get::<_, String>("value_key")? != text::fold(&row.get::<_, String>("subject")?)
            || subject_key.starts_with("user's "),
        subject_key,
        value_key: row.get("value_key")?,
        confidence: row.get("confidence")?,
        origin: row.get("origin")?,
        said_at: row.get::<_, Millis>("said_at")?.0,
        is_pinned: row.get("pinned")?,
    })
}

/// Facts by number, in the order asked for; what does not exist is left out.
pub(in crate::memory) fn by_ids(conn: &Connection, ids: &[FactId]) -> Result<Vec<FactRow>, StoreError> {
    let mut statement = conn.prepare_cached(&facts_where(BY_ID))?;
    let mut rows = Vec::with_capacity(ids.len());
    for id in ids {
        rows.extend(statement.query_row(named_params! { ":id": id }, fact_row).optional()?);
    }
    Ok(rows)
}

/// The messages that say a fact, or what it was before.
pub(in crate::memory) fn sources(conn: &Connection, id: FactId) -> Result<Vec<MessageId>, StoreError> {
    let mut statement = conn.prepare_cached(SOURCES)?;
    let sources =
        statement.query_map(named_params! { ":id": id }, |row| row.get("message_id"))?.collect::<Result<_, _>>()?;
    Ok(sources)
}

/// What is known of those whom these facts introduce, with the terms that lead there.
pub(in crate::memory) fn introduced(
    conn: &Connection,
    facts: &[(FactId, u32)],
) -> Result<Vec<(FactId, u32)>, StoreError> {
    let ids: Vec<FactId> = facts.iter().map(|(id, _)| *id).collect();
    let bits = |id: FactId| facts.iter().find(|(fact, _)| *fact == id).map_or(0, |(_, bits)| *bits);
    let rows: Vec<(FactRow, u32)> = by_ids(conn, &ids)?.into_iter().map(|row| (row.clone(), bits(row.id))).collect();
    let mut about = conn.prepare_cached(&facts_where(ABOUT))?;
    let mut found = Vec::new();
    for (subject, inherited) in people(&rows) {
        let of_them = about.query_map(named_params! { ":subject": subject }, fact_row)?;
        for row in of_them {
            found.push((row?.id, inherited));
        }
    }
    Ok(found)
}

/// The facts that hold most of a question's terms, and those about somebody whom the question names by what they are ("my
/// sister"), each with the terms that it holds or inherits.
pub(in crate::memory) fn facts(
    conn: &Connection,
    terms: &[Term],
    found: &Found,
) -> Result<Vec<(FactRow, u32)>, StoreError> {
    let mut by_id = conn.prepare_cached(&facts_where(BY_ID))?;
    let mut rows: Vec<(FactRow, u32)> = Vec::new();
    for (id, bits) in found.best() {
        let Some(row) = by_id.query_row(named_params! { ":id": id }, fact_row).optional()? else { continue };
        let matched = completed(&format!("{} {}", row.quote, row.terms), bits, terms, found);
        if matched != 0 {
            rows.push((row, matched));
        }
    }
    let named = people(&rows);
    let mut about = conn.prepare_cached(&facts_where(ABOUT))?;
    for (subject, inherited) in named {
        for row in about.query_map(named_params! { ":subject": subject }, fact_row)? {
            let row = row?;
            match rows.iter_mut().find(|(known, _)| known.id == row.id) {
                Some((_, matched)) => *matched |= inherited,
                None => {
                    let own = completed(&format!("{} {}", row.quote, row.terms), u32::MAX >> 1, terms, found);
                    rows.push((row, own | inherited));
                }
            }
        }
    }
    Ok(rows)
}

/// Whom the matching facts introduce: "Mara is your sister" lets "sister" lead to all that is known of Mara.
fn people(rows: &[(FactRow, u32)]) -> Vec<(String, u32)> {
    let mut people: Vec<(String, u32)> = Vec::new();
    for (row, matched) in rows {
        let is_name = |said: &str| said.chars().next().is_some_and(char::is_uppercase);
        if row.subject_key != USER || !(is_name(&row.draft.subject) || is_name(&row.draft.value)) {
            continue;
        }
        let whom = &row.value_key;
        match people.iter_mut().find(|(name, _)| name == whom) {
            Some((_, bits)) => *bits |= matched,
            None => people.push((whom.clone(), *matched)),
        }
        if people.len() == 8 {
            break;
        }
    }
    people
}

/// The bits of a row, with what the index could not tell: common words, of which only the newest hits were taken, and
/// signs that are not indexed ("C#").
pub(in crate::memory) fn completed(held: &str, bits: u32, terms: &[Term], found: &Found) -> u32 {
    let unsure: u32 =
        terms.iter().enumerate().filter(|(_, term)| term.must_contain.is_some()).map(|(at, _)| 1 << at).sum();
    let is_new = bits == u32::MAX >> 1;
    if !is_new && found.capped & !bits == 0 && unsure & bits == 0 {
        return bits;
    }
    let folded = text::fold(held);
    let stems: Vec<String> = text::words(held).iter().map(|word| text::stem(word)).collect();
    let mut result = if is_new { 0 } else { bits };
    for (at, term) in terms.iter().enumerate() {
        let bit = 1 << at;
        let word = text::fold(&term.typed);
        let holds = || match &term.must_contain {
            Some(sign) => folded.contains(sign.as_str()),
            None => {
                stems.contains(&text::stem(&word)) || (word.chars().any(text::is_unspaced) && folded.contains(&word))
            }
        };
        if unsure & bit != 0 && result & bit != 0 && !holds() {
            result &= !bit;
        } else if (is_new || found.capped & bit != 0) && result & bit == 0 && holds() {
            result |= bit;
        }
    }
    result
}

/// The pinned facts.
pub(in crate::memory) fn pinned(conn: &Connection) -> Result<Vec<FactRow>, StoreError> {
    let mut statement = conn.prepare_cached(&facts_where(PINNED))?;
    let rows = statement.query_map([], fact_row)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

/// The newest facts, then the most used ones.
pub(in crate::memory) fn familiar(conn: &Connection, limit: u32) -> Result<Vec<FactRow>, StoreError> {
    let mut newest = conn.prepare_cached(&facts_where(NEWEST))?;
    let mut used = conn.prepare_cached(&facts_where(MOST_USED))?;
    let mut rows: Vec<FactRow> =
        newest.query_map(named_params! { ":limit": limit }, fact_row)?.collect::<Result<_, _>>()?;
    for row in used.query_map(named_params! { ":limit": limit / 4 }, fact_row)? {
        let row = row?;
        if rows.iter().all(|known| known.id != row.id) {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// A value that held before, and until when.
type Before = (String, Option<DateTime<Utc>>);

/// What a fact replaced because it changed.
pub(in crate::memory) fn before(conn: &Connection, id: FactId) -> Result<Option<Before>, StoreError> {
    let mut statement = conn.prepare_cached(BEFORE)?;
    let found = statement.query_row(named_params! { ":id": id }, |row| {
        Ok((row.get("value")?, row.get::<_, Option<Millis>>("valid_to")?.map(|at| at.0)))
    });
    Ok(found.optional()?)
}
