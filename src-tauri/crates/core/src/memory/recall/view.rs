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

/// How far away something still speaks for a passage.
const NEAR: i64 = 4;
/// What is left of a word at each place farther away.
const FADING_WORD: f32 = 0.85;
/// What is left of a likeness at each place farther away.
const FADING: f32 = 0.6;
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
    alike: Vec<f32>,
    sums: Vec<f32>,
    sentences: Vec<f32>,
    best_words: f32,
    sessions: FxHashMap<i64, InSession>,
}

/// What is best in the sight of a session.
#[derive(Default)]
struct InSession {
    sum: f32,
    sentence: f32,
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
    ) -> Self {
        let all = scene.all();
        let words: Vec<f32> = all.iter().map(|seen| saturated(lexical, seen)).collect();
        let mut view = Self {
            alike: all.iter().map(|seen| lexical.weighed(|at| seen.alike[at])).collect(),
            sums: all.iter().map(|seen| near.sum(seen.id)).collect(),
            sentences: all.iter().map(|seen| near.sentence(seen.id)).collect(),
            best_words: words.iter().copied().fold(1e-6, f32::max),
            sessions: FxHashMap::default(),
            question,
            lexical,
            scene,
            near,
            now,
            words,
        };
        for (at, seen) in all.iter().enumerate() {
            let session = view.sessions.entry(seen.id.session()).or_default();
            session.sum = session.sum.max(view.sums[at]);
            session.sentence = session.sentence.max(view.sentences[at]);
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
        let seen = &self.scene.all()[at];
        let beside = |by: i64| self.scene.beside(at, by);
        let of = |values: &[f32], place: Option<usize>| place.map_or(0.0, |place| values[place]);
        let faded = |near: fn(&Nearness, PassageId) -> f32| {
            let there = |by: i64| seen.id.neighbour(by).map_or(0.0, |id| near(self.near, id));
            (1..=NEAR).map(|away| FADING.powi(away as i32) * (there(-away) + there(away))).sum::<f32>()
        };
        let [before, after] = [beside(-1), beside(1)];
        let follows = before.is_some_and(|before| self.scene.all()[before].asks == Asks::AtTheEnd);
        let is_by_the_one = seen.is_by_named && self.question.speakers.len() == 1;
        let session = &self.sessions[&seen.id.session()];
        let (near, sums_near) = (self.coverage_near(at), faded(Nearness::sum));
        let (fits_sum, fits_sentence) = self.near.fits(seen.id);
        let large = self.lexical.crowd;
        let when = |holds: bool, value: f32| if holds { value } else { 0.0 };
        let value = |feature: Feature| match feature {
            Feature::Words => self.words[at],
            Feature::WordsOfBest => self.words[at] / self.best_words,
            Feature::OnlyAlike => self.lexical.weighed(|term| when(seen.counts[term] == 0, seen.alike[term])),
            Feature::Before => of(&self.words, before),
            Feature::After => of(&self.words, after),
            Feature::Before2 => of(&self.words, beside(-2)),
            Feature::CoverageNear => near,
            Feature::AlikeAround => self.alike_around(seen, [before, after]),
            Feature::Answers => when(follows, of(&self.words, before)),
            Feature::SessionAlike => session.all_alike,
            Feature::Sum => self.sums[at],
            Feature::SumBefore => of(&self.sums, before),
            Feature::SumNear => sums_near,
            Feature::SessionSum => session.sum,
            Feature::Sentence => self.sentences[at],
            Feature::SentenceAfter => of(&self.sentences, after),
            Feature::SentenceBefore2 => of(&self.sentences, beside(-2)),
            Feature::SentenceAfter2 => of(&self.sentences, beside(2)),
            Feature::AnswersAlike => when(follows, of(&self.alike, before)),
            Feature::AnswersSentence => when(follows, of(&self.sentences, before)),
            Feature::SessionSentence => session.sentence,
            Feature::Speaker => when(seen.is_by_named, if self.question.names_all { 0.5 } else { 1.0 }),
            Feature::OnlySpeaker => when(is_by_the_one, 1.0),
            Feature::SpeakerSentence => when(is_by_the_one, self.sentences[at]),
            Feature::SpeakerAsks => when(is_by_the_one && seen.asks == Asks::AtTheEnd, 1.0),
            Feature::EndsAsking => when(seen.asks == Asks::AtTheEnd, 1.0),
            Feature::FollowsQuestion => when(follows, 1.0),
            Feature::Brief => (1.0 - seen.words / 8.0).max(0.0),
            Feature::Length => seen.words.ln_1p(),
            Feature::TellsTime => when(self.question.wants.time && seen.tells_time, 1.0),
            Feature::TellsNumber => when(self.question.wants.number && seen.tells_number, 1.0),
            Feature::TellsName => when(self.question.wants.name, (seen.names / 2.0).min(1.0)),
            Feature::InPeriod => when(self.is_in_period(seen), 1.0),
            Feature::LargeFitsSum => large * fits_sum,
            Feature::LargeFitsSentence => large * fits_sentence,
            Feature::LargeCoverageNear => large * near,
            Feature::LargeSessionAlike => large * session.all_alike,
            Feature::LargeSumNear => large * sums_near,
            Feature::LargeSessionSum => large * session.sum,
            Feature::LargeSentenceNear => large * faded(Nearness::sentence),
            Feature::LargeSpeaker => when(seen.is_by_named, large),
            // The closer look comes later.
            Feature::InContext | Feature::InContextNear => 0.0,
        };
        std::array::from_fn(|feature| value(Feature::ALL[feature]))
    }

    fn coverage_near(&self, at: usize) -> f32 {
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
