//! The cheap stage by words: which passages hold which terms of a question, and how rare each term is.
//!
//! Each term may cost so much and no more. Terms that are too common to be read whole are looked for only where the rarer
//! ones are; where all are common, where they stand together, and in the newest passages.

use std::collections::HashSet;

use rusqlite::{Connection, named_params};

use crate::memory::index::{OwnerKind, PassageId, spelling, terms::ABOUT_YOU};
use crate::memory::recall::query::quoted;
use crate::memory::recall::question::Question;
use crate::store::StoreError;

/// As many postings are read for one question, for all its terms together.
const BUDGET: usize = 9_000;
/// Each term may read at least so many.
const LEAST_SHARE: usize = 1_500;
/// As many passages about the person are taken for each term.
const MOST_YOURS: usize = 100;
/// Substrings are slower to look for, and only what words do not find is looked for in this way.
const MOST_SUBSTRINGS: usize = 200;

/// What the word index knows of a question's terms.
#[derive(Debug, Default)]
pub(in crate::memory) struct Lexical {
    /// How much each term says: its inverse document frequency.
    pub rarity: Vec<f32>,
    /// Terms that no passage holds, as bits.
    pub unknown: u32,
    /// Passages and the terms that they hold, as bits; ascending.
    pub hits: Vec<(PassageId, u32)>,
    /// Passages about the person that hold one of the terms, where the question is about the person.
    pub yours: HashSet<PassageId>,
    /// How many words a passage has on average.
    pub usual_words: f32,
}

impl Lexical {
    /// Looks the terms of a question up.
    pub fn look_up(conn: &Connection, question: &Question) -> Result<Self, StoreError> {
        let (passages, words) = totals(conn)?;
        let share = (BUDGET / question.terms.len().max(1)).max(LEAST_SHARE);
        let mut found = Self { usual_words: (words / passages.max(1.0)).max(1.0), ..Self::default() };
        let mut lists: Vec<Vec<PassageId>> = Vec::new();
        for asked in &question.terms {
            let mut list = if asked.is_literal { Vec::new() } else { newest(conn, &quoted(&asked.term), share)? };
            if list.is_empty() && (asked.is_literal || is_hidden_in_words(&asked.term)) {
                list = substring(conn, &asked.typed)?;
            }
            if list.is_empty()
                && !asked.is_name
                && let Some(meant) = spelling::meant(conn, &asked.typed)?
            {
                list = newest(conn, &quoted(&meant), share)?;
            }
            lists.push(list);
        }
        let common: Vec<bool> = lists.iter().map(|list| list.len() >= share).collect();
        for (at, list) in lists.iter().enumerate() {
            let held = if common[at] { frequency(conn, list)?.min(passages) } else { list.len() as f32 };
            let says = if question.terms[at].is_time { TIME } else { 1.0 };
            found.rarity.push(says * rarity(passages, held));
            found.unknown |= u32::from(held == 0.0) << at;
        }
        let expressions: Vec<String> = question.terms.iter().map(|asked| quoted(&asked.term)).collect();
        let rare: Vec<&str> = (0..lists.len())
            .filter(|at| !common[*at] && !lists[*at].is_empty() && !question.terms[*at].is_literal)
            .map(|at| expressions[at].as_str())
            .collect();
        for at in (0..lists.len()).filter(|at| common[*at]) {
            if !rare.is_empty() {
                lists[at] = newest(conn, &format!("({}) AND {}", rare.join(" OR "), expressions[at]), share)?;
            }
        }
        let all: Vec<&str> = (0..lists.len()).filter(|at| common[*at]).map(|at| expressions[at].as_str()).collect();
        if rare.is_empty() && all.len() > 1 {
            let together = newest(conn, &all.join(" AND "), LEAST_SHARE)?;
            (0..lists.len()).filter(|at| common[*at]).for_each(|at| lists[at].extend(&together));
        }
        if question.is_about_you {
            for (at, expression) in expressions.iter().enumerate().filter(|(at, _)| !question.terms[*at].is_literal) {
                let yours = newest(conn, &format!("{expression} AND \"{ABOUT_YOU}\""), MOST_YOURS)?;
                lists[at].extend(&yours);
                found.yours.extend(yours);
            }
        }
        found.hits = merged(lists);
        Ok(found)
    }

    /// The terms that a passage is known to hold.
    pub fn held(&self, id: PassageId) -> u32 {
        self.hits.binary_search_by_key(&id, |(hit, _)| *hit).map_or(0, |at| self.hits[at].1)
    }

    /// Adds that a passage leads to these terms.
    pub fn add(&mut self, id: PassageId, bits: u32) {
        match self.hits.binary_search_by_key(&id, |(hit, _)| *hit) {
            Ok(at) => self.hits[at].1 |= bits,
            Err(at) => self.hits.insert(at, (id, bits)),
        }
    }

    /// The share of a question's meaning that these terms have.
    pub fn share(&self, bits: u32) -> f32 {
        self.weighed(|at| if bits & (1 << at) != 0 { 1.0 } else { 0.0 })
    }

    /// A share of a question's meaning: so much as there is of each term, weighed by what the term says.
    pub fn weighed(&self, has: impl Fn(usize) -> f32) -> f32 {
        let (mut all, mut held) = (1e-6, 0.0);
        for (at, rarity) in self.rarity.iter().enumerate() {
            all += rarity;
            held += rarity * has(at);
        }
        held / all
    }
}

/// How much a word that says when still counts as a word.
const TIME: f32 = 0.25;
/// In a small memory every word is rare; this keeps the weights apart.
const LEAST_PASSAGES: f32 = 50.0;

fn rarity(passages: f32, held: f32) -> f32 {
    let passages = passages.max(LEAST_PASSAGES);
    (1.0 + (passages - held + 0.5).max(0.5) / (held + 0.5)).ln()
}

fn totals(conn: &Connection) -> Result<(f32, f32), StoreError> {
    let mut statement = conn.prepare_cached("SELECT passages, words FROM passage_totals")?;
    Ok(statement.query_row([], |row| Ok((row.get("passages")?, row.get("words")?)))?)
}

/// In how many passages a term stands, about: by how far back the newest of them reach. Counting all would take milliseconds.
fn frequency(conn: &Connection, newest: &[PassageId]) -> Result<f32, StoreError> {
    let messages: Vec<&PassageId> = newest.iter().filter(|id| id.kind() == OwnerKind::Message).collect();
    let Some(oldest) = messages.last() else { return Ok(newest.len() as f32) };
    let mut statement = conn.prepare_cached("SELECT id FROM next_session")?;
    let sessions: i64 = statement.query_row([], |row| row.get("id"))?;
    let share = (sessions - oldest.session()).max(1) as f32 / sessions.max(1) as f32;
    Ok((messages.len() as f32 / share).max(newest.len() as f32))
}

/// The newest passages that match an expression.
fn newest(conn: &Connection, expression: &str, most: usize) -> Result<Vec<PassageId>, StoreError> {
    let mut statement = conn.prepare_cached(NEWEST)?;
    let rows = statement
        .query_map(named_params! { ":expression": expression, ":most": most as i64 }, |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    Ok(rows)
}

const NEWEST: &str =
    "SELECT rowid FROM passages_fts WHERE passages_fts MATCH :expression ORDER BY rowid DESC LIMIT :most";

/// Prefixes that are written together with the word (Hebrew, Arabic) hide it from the index of words.
fn is_hidden_in_words(term: &str) -> bool {
    !term.is_ascii() && term.chars().count() >= 3
}

/// The passages of what holds a text as it stands, anywhere.
fn substring(conn: &Connection, typed: &str) -> Result<Vec<PassageId>, StoreError> {
    let mut found = Vec::new();
    if typed.chars().count() < 3 {
        return Ok(found);
    }
    for (table, kind) in
        [("messages", OwnerKind::Message), ("facts", OwnerKind::Fact), ("episodes", OwnerKind::Episode)]
    {
        let mut statement = conn.prepare_cached(&format!(
            "SELECT p.id FROM {table}_trigram t CROSS JOIN passages p ON p.kind = :kind AND p.owner_id = t.rowid AND p.part = 0
             WHERE {table}_trigram MATCH :expression ORDER BY t.rowid DESC LIMIT {MOST_SUBSTRINGS}"
        ))?;
        let rows = statement
            .query_map(named_params! { ":kind": kind, ":expression": quoted(typed) }, |row| row.get(0))?
            .collect::<Result<Vec<PassageId>, _>>()?;
        found.extend(rows);
    }
    Ok(found)
}

/// Lists of passages, one a term, as one list.
fn merged(lists: Vec<Vec<PassageId>>) -> Vec<(PassageId, u32)> {
    let mut all: Vec<(PassageId, u32)> = Vec::with_capacity(lists.iter().map(Vec::len).sum());
    for (at, list) in lists.into_iter().enumerate() {
        all.extend(list.into_iter().map(|id| (id, 1 << at)));
    }
    all.sort_unstable();
    all.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 |= next.1;
        }
        same
    });
    all
}
