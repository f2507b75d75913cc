//! An answer, checked while it is written: each sentence as soon as it is whole, and nothing twice.

use std::ops::Range;

use super::human::Human;
use super::key::Keys;
use super::leak::Leak;
use super::rule::{self, Keeper};
use super::sealed::Sealed;
use super::sentence::{Cutter, Sentence};
use super::{Asked, RuleRef, Violation, ViolationKind, hard_rules, instruction};
use crate::behavior::spec::{BehaviorSpec, Rule};

/// A sentence of more bytes than this is not looked at before it is whole.
const LONGEST_SUSPECT: usize = 600;

/// Checks one answer as it grows. A sentence costs what it is long, however long the answer is.
#[derive(Clone)]
pub struct Watch {
    spec: BehaviorSpec,
    cutter: Cutter,
    keepers: Vec<Keeper>,
    keys: Keys,
    leak: Leak,
    sealed: Sealed,
    human: Human,
    /// What was read behind the last sentence, for what stands between two of them.
    text: String,
    /// Where `text` begins in the answer.
    text_start: usize,
    length: usize,
    found: Vec<Violation>,
}

impl Watch {
    /// A watch over one answer to what was asked.
    pub fn new(spec: &BehaviorSpec, asked: &Asked<'_>) -> Self {
        let keeper = |(at, rule): (RuleRef, &Rule)| Some(Keeper::new(at, rule::compile(at, &rule.text)?, asked));
        Self {
            spec: spec.clone(),
            cutter: Cutter::default(),
            keepers: hard_rules(spec).filter_map(keeper).collect(),
            keys: Keys::new(asked),
            leak: Leak::new(asked),
            sealed: Sealed::new(&spec.sealed_topics, asked),
            human: Human::new(asked),
            text: String::new(),
            text_start: 0,
            length: 0,
            found: Vec::new(),
        }
    }

    /// Takes the next piece of the answer. The first rule that the sentences broke which became whole with it.
    pub fn push(&mut self, delta: &str) -> Option<Violation> {
        let before = self.found.len();
        self.read(delta);
        self.found.get(before).cloned()
    }

    /// Whether a word is a key, before it is part of a whole sentence: so that it is never shown.
    pub fn key_in(&self, word: &str) -> Option<Violation> {
        let (rule, kind) = (RuleRef::BuiltIn, ViolationKind::LeakedKey);
        let at = self.length..self.length + word.len();
        let instruction = || instruction(&self.spec, rule, kind);
        self.keys.is_one(word).then(|| Violation { rule, kind, at, instruction: instruction() })
    }

    /// Whether the sentence that is being written breaks a rule as it stands. Its end may still say otherwise.
    pub fn is_suspicious(&self) -> bool {
        if self.text.trim().is_empty() || self.text.len() > LONGEST_SUSPECT {
            return false;
        }
        let mut trial = self.clone();
        for sentence in trial.cutter.finish() {
            trial.judge(&sentence);
        }
        trial.found.len() > self.found.len()
    }

    /// Everything that the answer breaks, with what only its end can tell, in the order of the text.
    pub fn finish(mut self) -> Vec<Violation> {
        for sentence in self.cutter.finish() {
            self.judge(&sentence);
        }
        for at in 0..self.keepers.len() {
            if let Some(place) = self.keepers[at].finish(self.length) {
                self.note(self.keepers[at].rule, ViolationKind::ForbiddenClaim, place);
            }
        }
        self.found.sort_by_key(|violation| (violation.at.start, violation.rule));
        self.found
    }

    /// Takes a piece and keeps what is found.
    pub(super) fn read(&mut self, delta: &str) {
        self.length += delta.len();
        self.text.push_str(delta);
        for sentence in self.cutter.push(delta) {
            self.judge(&sentence);
        }
    }

    fn judge(&mut self, sentence: &Sentence) {
        let gap = &self.text[..sentence.at.start - self.text_start];
        for keeper in &mut self.keepers {
            if let Some(at) = keeper.read(sentence, gap) {
                let rule = keeper.rule;
                let kind = ViolationKind::ForbiddenClaim;
                self.found.push(Violation { rule, kind, at, instruction: instruction(&self.spec, rule, kind) });
            }
        }
        if self.keys.are_in(&sentence.written) {
            self.note(RuleRef::BuiltIn, ViolationKind::LeakedKey, sentence.at.clone());
        }
        if self.leak.is_in(&sentence.written) {
            self.note(RuleRef::BuiltIn, ViolationKind::LeakedPrompt, sentence.at.clone());
        }
        if self.sealed.are_in(sentence) {
            self.note(RuleRef::BuiltIn, ViolationKind::SealedTopic, sentence.at.clone());
        }
        if self.human.is_claimed_in(sentence) {
            self.note(RuleRef::BuiltIn, ViolationKind::ClaimsHuman, sentence.at.clone());
        }
        self.text.drain(..sentence.at.end - self.text_start);
        self.text_start = sentence.at.end;
    }

    /// Keeps the first place of each rule.
    fn note(&mut self, rule: RuleRef, kind: ViolationKind, at: Range<usize>) {
        if !self.found.iter().any(|known| known.rule == rule && known.kind == kind) {
            self.found.push(Violation { rule, kind, at, instruction: instruction(&self.spec, rule, kind) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behavior::render;

    #[test]
    fn a_long_answer_is_read_once_and_only_its_last_sentence_is_kept() {
        let spec = BehaviorSpec { sealed_topics: vec!["my health".into()], ..BehaviorSpec::default() };
        let prompt = render(&spec);
        let mut watch = Watch::new(&spec, &Asked { question: "Go on", prompt: &[&prompt], ..Asked::default() });
        let sentence = "This is one of very many sentences, and I have nothing new to say in it. ";
        for read in 1..=1_700 {
            assert_eq!(watch.push(sentence), None);
            assert!(watch.text.len() <= sentence.len(), "after {read} sentences");
        }
        assert_eq!(watch.length, 1_700 * sentence.len());
        assert_eq!(watch.finish(), []);
    }
}
