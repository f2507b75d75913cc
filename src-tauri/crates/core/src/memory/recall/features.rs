//! What a passage's place is judged by: named numbers, each with what it means.
//!
//! All are shares or cosines, so that the size of a memory does not matter.

use std::collections::HashMap;

use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::memory::index::PassageId;
use crate::memory::index::passage::Asks;
use crate::memory::recall::dense::Nearness;
use crate::memory::recall::lexical::Lexical;
use crate::memory::recall::question::{MOST_TERMS, Question};
use crate::memory::recall::scene::{Scene, Seen};

/// Why a memory stands where it does, as people are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum ReasonName {
    /// It holds words of the question, or leads to them.
    Lexical,
    /// It means something near.
    Dense,
    /// It is of the time that the question names.
    Date,
    /// What stands beside it in the conversation.
    Neighbours,
    /// What the conversation was about.
    Session,
    /// Who said it.
    Speaker,
    /// What kind of sentence it is: a question tells little.
    Form,
    /// What kind of memory it is, and how sure.
    Kind,
    /// The question is about the person, and so is it.
    AboutYou,
    /// The person pinned it.
    Pin,
    /// How old it is.
    Recency,
    /// Nothing of the question: it fills the room.
    Familiar,
}

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident: $reason:ident,)*) => {
        /// A number that a passage is judged by.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Feature { $($(#[$doc])* $name,)* }

        impl Feature {
            /// All, in the order of [`Features`].
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// What people are told it is.
            pub fn reason(self) -> ReasonName {
                match self { $(Self::$name => ReasonName::$reason,)* }
            }
        }
    };
}

features! {
    /// BM25 of the question's terms, as a share of all that they could say.
    Words: Lexical,
    /// The share of the question's meaning whose terms it holds.
    Coverage: Lexical,
    /// Its words against the best of all that was found.
    WordsOfBest: Lexical,
    /// Terms that follow one another in the question and stand together here.
    Together: Lexical,
    /// As [`Self::Coverage`], with words that mean nearly the same.
    Alike: Lexical,
    /// What of that is not the very words.
    OnlyAlike: Lexical,
    /// The words of what was said before it.
    Before: Neighbours,
    /// The words of what was said after it.
    After: Neighbours,
    /// The words of what was said two places before it.
    Before2: Neighbours,
    /// The words of what was said two places after it.
    After2: Neighbours,
    /// The share of the question's meaning that it and its neighbours hold.
    CoverageAround: Neighbours,
    /// The same, up to four places away, those farther away less.
    CoverageNear: Neighbours,
    /// The words up to four places away, those farther away less.
    WordsNear: Neighbours,
    /// Nearly the same words before it.
    AlikeBefore: Neighbours,
    /// Nearly the same words after it.
    AlikeAfter: Neighbours,
    /// Nearly the same words, in it and its neighbours.
    AlikeAround: Neighbours,
    /// The words of a question that it answers.
    Answers: Neighbours,
    /// The best words of one passage in its session.
    SessionBest: Session,
    /// The share of the question's meaning that its session holds in nearly the same words.
    SessionAlike: Session,
    /// Cosine of the sums of words.
    Sum: Dense,
    /// The same before it.
    SumBefore: Neighbours,
    /// The same after it.
    SumAfter: Neighbours,
    /// The same up to four places away, those farther away less.
    SumNear: Neighbours,
    /// The best of its session as sums of words.
    SessionSum: Session,
    /// The mean of the sums of words of its session that are in sight.
    SessionSumMean: Session,
    /// Cosine of the sentences.
    Sentence: Dense,
    /// The same before it.
    SentenceBefore: Neighbours,
    /// The same after it.
    SentenceAfter: Neighbours,
    /// The same two places before it.
    SentenceBefore2: Neighbours,
    /// The same two places after it.
    SentenceAfter2: Neighbours,
    /// Nearly the same words in a question that it answers.
    AnswersAlike: Neighbours,
    /// The sentences up to four places away, those farther away less.
    SentenceNear: Neighbours,
    /// The cosine of a question that it answers.
    AnswersSentence: Neighbours,
    /// The best sentence of its session.
    SessionSentence: Session,
    /// The mean of the sentences of its session that are in sight.
    SessionMean: Session,
    /// Somebody said it whom the question names.
    Speaker: Speaker,
    /// The only one whom the question names said it.
    OnlySpeaker: Speaker,
    /// How near it is, where the only one whom the question names said it.
    SpeakerSentence: Speaker,
    /// The only one whom the question names asks something in it.
    SpeakerAsks: Speaker,
    /// It was said to somebody whom the question names.
    SaidTo: Speaker,
    /// It asks.
    IsQuestion: Form,
    /// It ends by asking.
    EndsAsking: Form,
    /// It follows a question.
    FollowsQuestion: Form,
    /// It is very short.
    Brief: Form,
    /// How long it is.
    Length: Form,
    /// The question asks when, and it tells a time.
    TellsTime: Form,
    /// The question asks how many, and it tells a number.
    TellsNumber: Form,
    /// The question asks for a name, and it tells one or more.
    TellsName: Form,
    /// It is of the time that the question names.
    InPeriod: Date,
    /// In a large memory: how well it fits those beside it, by sums of words.
    LargeFitsSum: Neighbours,
    /// In a large memory: how well it fits those beside it, by sentences.
    LargeFitsSentence: Neighbours,
    /// In a large memory: [`Self::CoverageNear`].
    LargeCoverageNear: Neighbours,
    /// In a large memory: [`Self::SessionAlike`].
    LargeSessionAlike: Session,
    /// In a large memory: [`Self::SumNear`].
    LargeSumNear: Neighbours,
    /// In a large memory: [`Self::SessionSum`].
    LargeSessionSum: Session,
    /// In a large memory: [`Self::Sentence`].
    LargeSentence: Dense,
    /// In a large memory: [`Self::SentenceNear`].
    LargeSentenceNear: Neighbours,
    /// In a large memory: [`Self::SessionSentence`].
    LargeSessionSentence: Session,
    /// In a large memory: [`Self::Speaker`].
    LargeSpeaker: Speaker,
}

/// How far away something still speaks for a passage.
const NEAR: i64 = 4;

/// One number for each feature.
pub type Features = [f32; Feature::ALL.len()];

/// All that the features are computed from.
pub(in crate::memory) struct View<'a> {
    /// The question.
    pub question: &'a Question,
    /// What the word index knows.
    pub lexical: &'a Lexical,
    /// The passages.
    pub scene: &'a Scene,
    /// How near they are.
    pub near: &'a Nearness,
    /// Now, where the person is.
    pub now: DateTime<FixedOffset>,
    words: HashMap<PassageId, f32>,
    best_words: f32,
    sessions: HashMap<i64, InSession>,
}

/// What is best in a session.
#[derive(Default)]
struct InSession {
    words: f32,
    sum: f32,
    sentence: f32,
    sentences: f32,
    sums: f32,
    seen: f32,
    alike: [f32; MOST_TERMS],
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
        let mut view = Self {
            question,
            lexical,
            scene,
            near,
            now,
            words: HashMap::new(),
            best_words: 1e-6,
            sessions: HashMap::new(),
        };
        for seen in scene.all() {
            let words = view.saturated(seen);
            view.words.insert(seen.id, words);
            view.best_words = view.best_words.max(words);
            let session = view.sessions.entry(seen.id.session()).or_default();
            session.words = session.words.max(words);
            session.sum = session.sum.max(near.sum(seen.id));
            session.sentence = session.sentence.max(near.sentence(seen.id));
            session.sentences += near.sentence(seen.id);
            session.sums += near.sum(seen.id);
            session.seen += 1.0;
            session.alike.iter_mut().zip(&seen.alike).for_each(|(best, alike)| *best = best.max(*alike));
        }
        view
    }

    /// BM25, as a share of the mass of the question.
    fn saturated(&self, seen: &Seen) -> f32 {
        const SATURATION: f32 = 1.2;
        const LENGTH: f32 = 0.4;
        let long = 1.0 - LENGTH + LENGTH * seen.words / self.lexical.usual_words;
        let said = |at: usize| {
            let count = f32::from(seen.counts[at]);
            self.lexical.rarity[at] * count * (SATURATION + 1.0) / (count + SATURATION * long)
        };
        self.terms().map(said).sum::<f32>() / self.lexical.mass()
    }

    fn terms(&self) -> std::ops::Range<usize> {
        0..self.lexical.rarity.len()
    }

    /// The mass of the question's terms, each weighed by what a passage has of it.
    fn weighed(&self, has: impl Fn(usize) -> f32) -> f32 {
        self.terms().map(|at| self.lexical.rarity[at] * has(at)).sum::<f32>() / self.lexical.mass()
    }

    /// The features of one passage.
    pub fn features(&self, seen: &Seen) -> Features {
        let beside = |by: i64| self.scene.beside(seen.id, by);
        let [before, after] = [beside(-1), beside(1)];
        let words = |seen: Option<&Seen>| seen.map_or(0.0, |seen| self.words.get(&seen.id).copied().unwrap_or(0.0));
        let sum = |seen: Option<&Seen>| seen.map_or(0.0, |seen| self.near.sum(seen.id));
        let sentence = |seen: Option<&Seen>| seen.map_or(0.0, |seen| self.near.sentence(seen.id));
        let alike = |seen: Option<&Seen>| seen.map_or(0.0, |seen| self.weighed(|at| seen.alike[at]));
        let nearest = |at: usize| [before, after].into_iter().flatten().map(|seen| seen.alike[at]).fold(0.0, f32::max);
        let around = [Some(seen), before, after].into_iter().flatten().map(Seen::held).fold(0, |all, held| all | held);
        let follows = before.is_some_and(|before| before.asks == Asks::AtTheEnd);
        let session = &self.sessions[&seen.id.session()];
        let is_said_to = !seen.is_by_named && [before, after].into_iter().flatten().any(|beside| beside.is_by_named);
        let farther =
            || (-NEAR..=NEAR).filter(|by| *by != 0).filter_map(|by| Some((by.unsigned_abs() as i32, beside(by)?)));
        let faded = |of: &dyn Fn(Option<&Seen>) -> f32| {
            farther().map(|(away, there)| 0.6_f32.powi(away) * of(Some(there))).sum::<f32>()
        };
        let mut held_near = [0.0_f32; MOST_TERMS];
        for (away, there) in farther().chain([(0, seen)]) {
            let left = 0.85_f32.powi(away);
            held_near
                .iter_mut()
                .zip(&there.counts)
                .filter(|(_, count)| **count > 0)
                .for_each(|(held, _)| *held = held.max(left));
        }
        let flag = |holds: bool| if holds { 1.0 } else { 0.0 };
        let value = |feature: Feature| match feature {
            Feature::WordsOfBest => words(Some(seen)) / self.best_words,
            Feature::CoverageNear => self.weighed(|at| held_near[at]),
            Feature::WordsNear => faded(&words),
            Feature::SumNear => faded(&sum),
            Feature::SentenceNear => faded(&sentence),
            Feature::SessionAlike => self.weighed(|at| session.alike[at]),
            Feature::AnswersAlike => flag(follows) * alike(before),
            Feature::SpeakerSentence => {
                flag(seen.is_by_named && self.question.speakers.len() == 1) * sentence(Some(seen))
            }
            Feature::Words => words(Some(seen)),
            Feature::Coverage => self.lexical.share(seen.held()),
            Feature::Together => self.together(seen),
            Feature::Alike => alike(Some(seen)),
            Feature::OnlyAlike => self.weighed(|at| if seen.counts[at] > 0 { 0.0 } else { seen.alike[at] }),
            Feature::Before => words(before),
            Feature::After => words(after),
            Feature::Before2 => words(beside(-2)),
            Feature::After2 => words(beside(2)),
            Feature::CoverageAround => self.lexical.share(around),
            Feature::AlikeBefore => alike(before),
            Feature::AlikeAfter => alike(after),
            Feature::AlikeAround => self.weighed(|at| seen.alike[at].max(0.8 * nearest(at))),
            Feature::Answers => flag(follows) * words(before),
            Feature::SessionBest => session.words,
            Feature::Sum => sum(Some(seen)),
            Feature::SumBefore => sum(before),
            Feature::SumAfter => sum(after),
            Feature::SessionSum => session.sum,
            Feature::Sentence => sentence(Some(seen)),
            Feature::SentenceBefore => sentence(before),
            Feature::SentenceAfter => sentence(after),
            Feature::SentenceBefore2 => sentence(beside(-2)),
            Feature::SentenceAfter2 => sentence(beside(2)),
            Feature::AnswersSentence => flag(follows) * sentence(before),
            Feature::SessionSentence => session.sentence,
            Feature::SessionSumMean => session.sums / session.seen,
            Feature::SpeakerAsks => {
                flag(seen.is_by_named && self.question.speakers.len() == 1 && seen.asks == Asks::AtTheEnd)
            }
            Feature::SessionMean => session.sentences / session.seen,
            Feature::Speaker => flag(seen.is_by_named) * if self.question.names_all { 0.5 } else { 1.0 },
            Feature::OnlySpeaker => flag(seen.is_by_named && self.question.speakers.len() == 1),
            Feature::SaidTo => flag(is_said_to),
            Feature::IsQuestion => flag(seen.asks != Asks::Nothing),
            Feature::EndsAsking => flag(seen.asks == Asks::AtTheEnd),
            Feature::FollowsQuestion => flag(follows),
            Feature::Brief => (1.0 - seen.words / 8.0).max(0.0),
            Feature::Length => seen.words.ln_1p(),
            Feature::TellsTime => flag(self.question.wants.time && seen.tells_time),
            Feature::TellsNumber => flag(self.question.wants.number && seen.tells_number),
            Feature::TellsName => flag(self.question.wants.name) * (seen.names / 2.0).min(1.0),
            Feature::InPeriod => flag(self.is_in_period(seen)),
            Feature::LargeFitsSum => self.lexical.crowd * self.near.fits(seen.id).0,
            Feature::LargeFitsSentence => self.lexical.crowd * self.near.fits(seen.id).1,
            Feature::LargeCoverageNear => self.lexical.crowd * self.weighed(|at| held_near[at]),
            Feature::LargeSessionAlike => self.lexical.crowd * self.weighed(|at| session.alike[at]),
            Feature::LargeSumNear => self.lexical.crowd * faded(&sum),
            Feature::LargeSessionSum => self.lexical.crowd * session.sum,
            Feature::LargeSentence => self.lexical.crowd * sentence(Some(seen)),
            Feature::LargeSentenceNear => self.lexical.crowd * faded(&sentence),
            Feature::LargeSessionSentence => self.lexical.crowd * session.sentence,
            Feature::LargeSpeaker => self.lexical.crowd * flag(seen.is_by_named),
        };
        std::array::from_fn(|at| value(Feature::ALL[at]))
    }

    fn together(&self, seen: &Seen) -> f32 {
        let rarity = &self.lexical.rarity;
        let pairs = (1..rarity.len().min(MOST_TERMS)).filter(|at| seen.pairs & (1 << (at - 1)) != 0);
        pairs.map(|at| rarity[at - 1].min(rarity[at])).sum::<f32>() / self.lexical.mass()
    }

    fn is_in_period(&self, seen: &Seen) -> bool {
        let day = seen.at.with_timezone(&self.now.timezone()).date_naive();
        self.question.periods.iter().any(|period| period.holds(day))
    }
}
