//! The features of passages, computed from what a question sees of them and of those around them.

use chrono::{DateTime, FixedOffset};
use rustc_hash::FxHashMap;

use crate::memory::index::PassageId;
use crate::memory::index::passage::Asks;
use crate::memory::recall::dense::Nearness;
use crate::memory::recall::features::{Feature, Features};
use crate::memory::recall::lexical::Lexical;
use crate::memory::recall::question::{MOST_TERMS, Question};
use crate::memory::recall::scene::{Scene, Seen};
use crate::memory::recall::weights::Column;

/// How far away something still speaks for a passage.
const NEAR: i64 = 4;
/// What is left of a word at each place farther away.
const FADING_WORD: f32 = 0.85;
/// What a neighbour's word counts against one of one's own.
pub(in crate::memory) const BESIDE: f32 = 0.8;
/// BM25: how quickly a word that comes again says nothing more, and how much length counts.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.4;

/// All that the features are computed from. Lists are in the order of the scene.
pub(in crate::memory) struct View<'a> {
    question: &'a Question,
    lexical: &'a Lexical,
    scene: &'a Scene,
    near: &'a Nearness,
    now: DateTime<FixedOffset>,
    words: Vec<f32>,
    /// How near a passage is, in the space that tells most.
    nearness: fn(&Nearness, PassageId) -> f32,
    best_words: f32,
    sessions: FxHashMap<i64, InSession>,
}

/// What is best in the sight of a session.
#[derive(Default)]
struct InSession {
    meaning: f32,
    alike: [f32; MOST_TERMS],
    all_alike: f32,
}

impl<'a> View<'a> {
    /// Gathers what is the same for all passages.
    pub fn new(
        question: &'a Question,
        lexical: &'a Lexical,
        scene: &'a Scene,
        near: &'a Nearness,
        now: DateTime<FixedOffset>,
        column: Column,
    ) -> Self {
        let all = scene.all();
        let words: Vec<f32> = all.iter().map(|seen| saturated(lexical, seen)).collect();
        let mut view = Self {
            nearness: if column == Column::Whole { Nearness::sentence } else { Nearness::sum },
            best_words: words.iter().copied().fold(1e-6, f32::max),
            sessions: FxHashMap::default(),
            question,
            lexical,
            scene,
            near,
            now,
            words,
        };
        for seen in all {
            let session = view.sessions.entry(seen.id.session()).or_default();
            session.meaning = session.meaning.max((view.nearness)(near, seen.id));
            session.alike.iter_mut().zip(&seen.alike).for_each(|(best, alike)| *best = best.max(*alike));
        }
        for session in view.sessions.values_mut() {
            session.all_alike = lexical.weighed(|at| session.alike[at]);
        }
        view
    }

    /// The passage at a place of the scene.
    pub fn seen(&self, at: usize) -> &Seen {
        &self.scene.all()[at]
    }

    /// The features of the passage at a place of the scene.
    pub fn features(&self, at: usize) -> Features {
        let seen = self.seen(at);
        let nearness = |by: i64| seen.id.neighbour(by).map_or(0.0, |id| (self.nearness)(self.near, id));
        let session = &self.sessions[&seen.id.session()];
        let when = |holds: bool, value: f32| if holds { value } else { 0.0 };
        let value = |feature: Feature| match feature {
            Feature::Words => self.words[at] / self.best_words,
            Feature::WordsAround => self.words_around(at),
            Feature::Alike => self.lexical.weighed(|term| seen.alike[term]),
            Feature::AlikeAround => self.alike_around(seen, [-1, 1].map(|by| self.scene.beside(at, by))),
            Feature::AlikeSession => session.all_alike,
            Feature::Meaning => nearness(0),
            Feature::MeaningAround => nearness(1) + nearness(-2) + nearness(2),
            Feature::MeaningSession => session.meaning,
            Feature::Speaker => when(seen.is_by_asked, 1.0),
            Feature::Assistant => when(seen.is_by_assistant, 1.0),
            Feature::AssistantAsked => when(seen.is_by_assistant && self.question.speaks_to_assistant, 1.0),
            Feature::Tells => self.tells(seen),
            Feature::InPeriod => when(self.is_in_period(seen), 1.0),
            Feature::Asks => when(seen.asks == Asks::AtTheEnd, 1.0),
            Feature::Length => seen.words.ln_1p(),
        };
        std::array::from_fn(|feature| value(Feature::ALL[feature]))
    }

    fn words_around(&self, at: usize) -> f32 {
        let mut held = [0.0_f32; MOST_TERMS];
        for by in -NEAR..=NEAR {
            // Farther away than the scene reaches, the word index knows.
            let bits = match self.scene.beside(at, by) {
                Some(there) => self.scene.all()[there].held(),
                None => self.scene.all()[at].id.neighbour(by).map_or(0, |id| self.lexical.held(id)),
            };
            let left = FADING_WORD.powi(by.unsigned_abs() as i32);
            let terms = held.iter_mut().enumerate().filter(|(term, _)| bits & (1 << term) != 0);
            terms.for_each(|(_, held)| *held = held.max(left));
        }
        self.lexical.weighed(|term| held[term])
    }

    fn alike_around(&self, seen: &Seen, beside: [Option<usize>; 2]) -> f32 {
        let there = beside.map(|place| place.map(|place| &self.scene.all()[place].alike));
        let nearest = |term: usize| there.iter().flatten().map(|alike| alike[term]).fold(0.0, f32::max);
        self.lexical.weighed(|term| seen.alike[term].max(BESIDE * nearest(term)))
    }

    /// Whether it follows a question that holds some of the same terms.
    pub fn answers(&self, at: usize) -> bool {
        let before = self.scene.beside(at, -1).map(|before| self.seen(before));
        before.is_some_and(|before| before.asks == Asks::AtTheEnd && before.held() != 0)
    }

    fn tells(&self, seen: &Seen) -> f32 {
        let wants = self.question.wants;
        let number = |holds: bool| f32::from(u8::from(holds));
        let names = if wants.name { (seen.names / 2.0).min(1.0) } else { 0.0 };
        number(wants.time && seen.tells_time) + number(wants.number && seen.tells_number) + names
    }

    fn is_in_period(&self, seen: &Seen) -> bool {
        let day = seen.at.with_timezone(&self.now.timezone()).date_naive();
        self.question.periods.iter().any(|period| period.holds(day))
    }
}

/// BM25, as a share of what the question could have at most.
fn saturated(lexical: &Lexical, seen: &Seen) -> f32 {
    let long = 1.0 - LENGTH + LENGTH * seen.words / lexical.usual_words;
    lexical.weighed(|term| {
        let count = f32::from(seen.counts[term]);
        count * (SATURATION + 1.0) / (count + SATURATION * long)
    })
}
