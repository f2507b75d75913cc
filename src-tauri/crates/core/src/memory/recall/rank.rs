//! One score over named features, for all kinds of memory alike: words, meaning, what stands beside, who said it and when.

use std::cmp::Ordering;

use rusqlite::Connection;

use crate::memory::index::vectors::{Survey, Surveyed};
use crate::memory::index::{Index, Owner, PassageId};
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

/// As many messages are looked at closely. In a small memory more are: there is less to look through, and next to nothing is
/// missed.
const MOST: usize = 96;
const MOST_OF_FEW: usize = 600;
/// So many passages are few.
const FEW: f32 = 1_000.0;
/// As many of the best are looked at still more closely, word by word.
pub(in crate::memory) const MOST_CLOSELY: usize = 48;
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
    /// Its terms as numbers, ascending, to tell near copies.
    pub fingerprint: Vec<u64>,
}

impl Candidate {
    /// One of the numbers that it is judged by.
    pub fn feature(&self, feature: Feature) -> f32 {
        self.features[feature as usize]
    }

    fn look_closely(&mut self, in_context: &InContext<'_>) {
        let (own, near) = in_context.of(self.id);
        self.features[Feature::InContext as usize] = own;
        self.features[Feature::InContextNear as usize] = near;
        self.score = weights::score(&self.features, Column::Whole);
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
    let most = if lexical.passages <= FEW { MOST_OF_FEW } else { MOST };
    let survey = Survey { words: &words, directions: &directions, named: &question.speakers, most };
    let chosen = index.survey(conn, &survey)?;
    let column = Column::of(&directions, &chosen);
    let near = Nearness::of(conn, &directions, &chosen)?;
    let wanted = wanted(&chosen, column);
    let scene = {
        let mut alike = Alike::new(question, index.models().static_model().ok());
        Scene::look(conn, question, &lexical, &mut alike, &wanted, ask.conversation)?
    };
    let view = View::new(question, &lexical, &scene, &near, ask.now);
    let mut candidates: Vec<Candidate> =
        wanted.into_iter().filter_map(|id| Some(candidate(&view, scene.place_of(id)?, column))).collect();
    candidates.sort_unstable_by(better);
    if column == Column::Whole {
        let best = candidates.len().min(closely);
        let ids = candidates[..best].iter().map(|candidate| candidate.id);
        let in_context = InContext::look(conn, &directions, question, &lexical, ids)?;
        candidates[..best].iter_mut().for_each(|candidate| candidate.look_closely(&in_context));
        candidates.sort_unstable_by(better);
    }
    let asked = asked(question, &lexical, &candidates);
    Ok(Ranking { candidates, column, asked })
}

/// The passages that are looked at, ascending.
fn wanted(chosen: &[Surveyed], column: Column) -> Vec<PassageId> {
    let mut wanted: Vec<PassageId> = chosen.iter().map(|one| one.passage).collect();
    if column == Column::WordsAlone {
        // Nothing else finds the answer that stands beside a question which holds its words.
        wanted.extend(chosen.iter().flat_map(|one| [-1, 1].into_iter().filter_map(|by| one.passage.neighbour(by))));
    }
    wanted.sort_unstable();
    wanted.dedup();
    wanted
}

fn candidate(view: &View<'_>, place: usize, column: Column) -> Candidate {
    let (seen, features) = (view.seen(place), view.features(place));
    Candidate {
        id: seen.id,
        owner: seen.owner,
        part: seen.part,
        held: seen.held(),
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
        unknown: lexical.share(lexical.unknown),
        unknown_name: !question.names_somebody && question.terms.iter().enumerate().any(is_unknown),
    }
}
