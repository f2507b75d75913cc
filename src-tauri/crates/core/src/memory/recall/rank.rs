//! One score over named features, for all kinds of memory alike: words, meaning, what stands beside, who said it and when.

use std::cmp::Ordering;

use chrono::{NaiveDate, NaiveTime};
use rusqlite::{Connection, named_params};
use rustc_hash::FxHashMap;

use crate::memory::index::vectors::{Survey, Surveyed};
use crate::memory::index::{Index, Owner, OwnerKind, PassageId};
use crate::memory::recall::Ask;
use crate::memory::recall::alike::Alike;
use crate::memory::recall::dense::{self, Nearness};
use crate::memory::recall::features::Feature;
use crate::memory::recall::features::Features;
use crate::memory::recall::in_context::InContext;
use crate::memory::recall::kind::KINDS;
use crate::memory::recall::lexical::Lexical;
use crate::memory::recall::question::{self, Question};
use crate::memory::recall::scene::Scene;
use crate::memory::recall::silence::{self, Evidence};
use crate::memory::recall::view::View;
use crate::memory::recall::weights::{self, Column};
use crate::store::StoreError;
use crate::store::time::Millis;

/// As many messages are looked at closely.
const MOST: usize = 400;
/// As many of the best messages are looked at still more closely, word by word; the others are left behind.
pub(in crate::memory) const MOST_CLOSELY: usize = 160;
/// What is about the person, as the question is, is chosen as if it held so much more of it.
const YOURS: f32 = 0.5;

/// A passage with its score.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Which passage.
    pub id: PassageId,
    /// The memory that it is of.
    pub owner: Owner,
    /// Which part of it.
    pub part: u32,
    /// The terms of the question that it holds, as bits.
    pub held: u32,
    /// What it is judged by.
    pub features: Features,
    /// Higher is better.
    pub score: f32,
    /// Whether it follows a question that holds some of the same terms.
    pub answers: bool,
    /// Its terms as numbers, ascending, to tell near copies.
    pub fingerprint: Vec<u64>,
}

impl Candidate {
    /// One of the numbers that it is judged by.
    pub fn feature(&self, feature: Feature) -> f32 {
        self.features[feature as usize]
    }

    fn set(&mut self, feature: Feature, value: f32) {
        self.features[feature as usize] = value;
    }
}

/// What a question finds, before memories are told.
#[derive(Debug)]
pub(in crate::memory) struct Ranking {
    /// Best first.
    pub candidates: Vec<Candidate>,
    /// Which weights were used.
    pub column: Column,
    /// What is known of the question besides.
    pub asked: silence::Asked,
}

/// The share of a question that a passage holds, for the first look.
fn share(lexical: &Lexical, id: PassageId, bits: u32) -> f32 {
    lexical.share(bits) + if lexical.yours.contains(&id) { YOURS } else { 0.0 }
}

impl Ranking {
    /// What it shows of the question.
    pub fn evidence(&self) -> Evidence {
        let found: Vec<(&[f32], f32)> =
            self.candidates.iter().map(|candidate| (candidate.features.as_slice(), candidate.score)).collect();
        Evidence::of(&found, self.asked)
    }
}

/// Best first; among equals the later.
fn better(a: &Candidate, b: &Candidate) -> Ordering {
    b.score.total_cmp(&a.score).then(b.id.cmp(&a.id))
}

/// Puts passages in order; the best of them after a closer look at so many.
pub(in crate::memory) fn rank(
    conn: &Connection,
    index: &Index,
    question: &Question,
    ask: &Ask<'_>,
    closely: usize,
) -> Result<Ranking, StoreError> {
    let mut lexical = Lexical::look_up(conn, question)?;
    for kind in KINDS {
        for (id, bits) in kind.led_to(conn, &lexical)? {
            lexical.add(id, bits);
        }
    }
    let directions = dense::directions(index, question);
    let words: Vec<(PassageId, f32)> =
        lexical.hits.iter().map(|(id, bits)| (*id, share(&lexical, *id, *bits))).collect();
    let survey = Survey { words: &words, directions: &directions, named: &question.speakers, most: MOST };
    let chosen = index.survey(conn, &survey)?;
    let column = if question.is_for_words() { Column::WordsAlone } else { Column::of(&directions, &chosen) };
    let near = Nearness::of(conn, &directions, &chosen)?;
    let wanted = wanted(&chosen, column, by_time(conn, question, ask)?);
    let scene = {
        let mut alike = Alike::new(question, index.models().static_model().ok());
        Scene::look(conn, question, &lexical, &mut alike, &wanted, ask.conversation)?
    };
    let view = View::new(question, &lexical, &scene, &near, ask.now, column);
    let mut candidates: Vec<Candidate> =
        wanted.into_iter().filter_map(|id| Some(candidate(&view, scene.place_of(id)?, column))).collect();
    candidates.sort_unstable_by(better);
    if column == Column::Whole {
        let mut left = closely;
        candidates.retain(|candidate| {
            let is_message = candidate.owner.kind == OwnerKind::Message;
            left = left.saturating_sub(usize::from(is_message && left > 0));
            !is_message || left > 0
        });
        let ids = candidates.iter().map(|candidate| candidate.id);
        let in_context = InContext::look(conn, &directions, question, &lexical, ids)?;
        look_closely(&mut candidates, &in_context);
        candidates.sort_unstable_by(better);
    }
    let asked = asked(question, &lexical, &candidates);
    Ok(Ranking { candidates, column, asked })
}

/// The passages that are looked at, ascending.
fn wanted(chosen: &[Surveyed], column: Column, by_time: Vec<PassageId>) -> Vec<PassageId> {
    let mut wanted: Vec<PassageId> = chosen.iter().map(|one| one.passage).collect();
    if column == Column::WordsAlone {
        // Nothing else finds the answer that stands beside a question which holds its words.
        wanted.extend(chosen.iter().flat_map(|one| [-1, 1].into_iter().filter_map(|by| one.passage.neighbour(by))));
    }
    wanted.extend(by_time);
    wanted.sort_unstable();
    wanted.dedup();
    wanted
}

/// What was said in the time that a question asks for, where it asks for nothing else.
fn by_time(conn: &Connection, question: &Question, ask: &Ask<'_>) -> Result<Vec<PassageId>, StoreError> {
    let mut found = Vec::new();
    if !question.asks_by_time() {
        return Ok(found);
    }
    let moment =
        |day: NaiveDate| Some(day.and_time(NaiveTime::MIN).and_local_timezone(ask.now.timezone()).single()?.to_utc());
    let mut statement = conn.prepare_cached(
        "SELECT p.id FROM sessions s CROSS JOIN passages p ON p.id BETWEEN s.id << 10 AND (s.id << 10 | 1023)
         WHERE s.last_at >= :from AND s.last_at < :to LIMIT :most",
    )?;
    for period in &question.periods {
        let (Some(from), Some(to)) = (moment(period.from), period.to.succ_opt().and_then(moment)) else { continue };
        let params = named_params! { ":from": Millis(from), ":to": Millis(to), ":most": MOST as i64 };
        found.extend(statement.query_map(params, |row| row.get(0))?.collect::<Result<Vec<PassageId>, _>>()?);
    }
    Ok(found)
}

/// Nearly the same words, told by the model that reads each word as its text means it.
fn look_closely(candidates: &mut [Candidate], in_context: &InContext<'_>) {
    let mut sessions: FxHashMap<i64, f32> = FxHashMap::default();
    for candidate in candidates.iter_mut() {
        let (own, near) = in_context.of(candidate.id);
        candidate.set(Feature::Alike, own);
        candidate.set(Feature::AlikeAround, near);
        let best = sessions.entry(candidate.id.session()).or_default();
        *best = best.max(near);
    }
    for candidate in candidates {
        candidate.set(Feature::AlikeSession, sessions[&candidate.id.session()]);
        candidate.score = weights::score(&candidate.features, Column::Whole);
    }
}

fn candidate(view: &View<'_>, place: usize, column: Column) -> Candidate {
    let (seen, features) = (view.seen(place), view.features(place));
    Candidate {
        id: seen.id,
        owner: seen.owner,
        part: seen.part,
        held: seen.held(),
        answers: view.answers(place),
        score: weights::score(&features, column),
        features,
        fingerprint: seen.fingerprint.clone(),
    }
}

/// What is known of a question besides what it finds.
fn asked(question: &Question, lexical: &Lexical, candidates: &[Candidate]) -> silence::Asked {
    let is_unknown = |(at, asked): (usize, &question::Asked)| asked.is_name && lexical.unknown & (1 << at) != 0;
    // What of the person's is asked about is in no memory: whatever else fits is about something else.
    let is_another = question.yours != 0 && question.yours & !lexical.unknown == 0;
    let coverage = candidates.iter().map(|candidate| lexical.share(candidate.held)).fold(0.0, f32::max);
    silence::Asked {
        coverage: if is_another { 0.0 } else { coverage },
        terms: (question.terms.len() as f32).ln_1p(),
        unknown: lexical.share(lexical.unknown),
        unknown_name: !question.names_somebody && question.terms.iter().enumerate().any(is_unknown),
    }
}
