//! Whether an answer says that its speaker is a human, to somebody who asks for that.
//!
//! Only a plain claim counts: a whole clause ("I am human", "I'm not a bot"), behind nothing but a word or two ("Yes, …").
//! Whatever else passes for a human is for the second look.

use std::sync::LazyLock;

use super::Asked;
use super::rule::{Sign, has_any, tokens};
use super::sentence::Sentence;
use crate::text;
use crate::text::language::Language;
use crate::text::lexicon;

/// Before a claim stand at most so many words.
const LEAD: usize = 3;

static BEINGS: LazyLock<Vec<Sign>> = LazyLock::new(|| signs(|rules| &rules.beings));
static CLAIMS: LazyLock<Vec<Sign>> = LazyLock::new(|| signs(|rules| &rules.human));

/// The signs of one kind, of all languages.
pub(super) fn signs(of: fn(&lexicon::RuleWords) -> &Vec<String>) -> Vec<Sign> {
    Language::all().flat_map(|language| of(&lexicon::of(language).rules)).map(|written| tokens(written)).collect()
}

/// Looks for the claim, where the person asked who speaks.
#[derive(Clone)]
pub(super) struct Human {
    /// The claims that the person did not write themself.
    claims: Vec<&'static Sign>,
}

impl Human {
    pub fn new(asked: &Asked<'_>) -> Self {
        let last = asked.before.last().map_or("", String::as_str);
        let said: Vec<Sign> = [last, asked.question].into_iter().map(tokens).collect();
        let may_ask = |said: &&str| said.contains(['?', '？', '؟']) || said.chars().any(text::is_unspaced);
        let is_asked =
            [last, asked.question].iter().filter(|said| may_ask(said)).any(|said| has_any(&tokens(said), &BEINGS));
        let is_own = |claim: &Sign| said.iter().any(|words| has_any(words, std::slice::from_ref(claim)));
        let claims = if is_asked { CLAIMS.iter().filter(|claim| !is_own(claim)).collect() } else { Vec::new() };
        Self { claims }
    }

    /// Whether a sentence makes it.
    pub fn is_claimed_in(&self, sentence: &Sentence) -> bool {
        if self.claims.is_empty() || sentence.is_foreign || sentence.is_question {
            return false;
        }
        let mut before = 0;
        sentence.own.split([',', ';', '.', '!', '。', '，', '、', '！', '–', '—', '،', '।']).any(|clause| {
            let words = tokens(clause);
            let is_claim = before <= LEAD && self.claims.iter().any(|claim| **claim == words);
            before += words.len();
            is_claim
        })
    }
}
