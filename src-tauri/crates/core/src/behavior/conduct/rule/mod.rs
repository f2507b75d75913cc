//! A hard rule in a person's own words, read as something that code can check.
//!
//! Invariant: a rule is compiled only where every word of it is understood. One unknown word ("never use emojis with
//! *angry* customers"), one condition ("unless asked"), and it is left to judgement.

mod counting;
mod demand;
mod form;
mod names;
mod reading;
mod tongue;
mod words;

#[cfg(test)]
mod tests;

pub(super) use counting::Keeper;
pub(super) use demand::Demand;

use super::RuleRef;
use super::sentence::Sentence;
use reading::Reading;
use words::{
    ASKING, BEGIN, CLAIM, CONDITIONS, COUNTED_NOT_OVER, COUNTED_OVER, COUNTED_UNDER, DOSES, END, FILLERS, HUMAN,
    MENTION, PROMISE, QUOTABLE, SAY, UNITS, USE,
};

/// The language of some sentences, where it is beyond doubt.
pub(super) fn language_of(sentences: &[Sentence]) -> Option<&'static str> {
    let mut tongues = tongue::Tongues::default();
    sentences.iter().for_each(|sentence| tongues.read(sentence));
    tongues.decided()
}

/// What a rule demands; `None` where only judgement can tell.
pub(super) fn compile(at: RuleRef, rule: &str) -> Option<Demand> {
    let is_never = matches!(at, RuleRef::Never(_));
    let reading = Reading::of(rule, is_never)?;
    if reading.is_unspaced() {
        return unspaced(&reading);
    }
    if reading.clone().take(&CONDITIONS) {
        return None;
    }
    quoted(&reading)
        .or_else(|| length(&reading))
        .or_else(|| language(&reading))
        .or_else(|| shape(&reading))
        .or_else(|| ending_with_question(&reading))
        .or_else(|| claim(&reading))
        .or_else(|| promise(&reading))
        .or_else(|| dosage(&reading))
        .or_else(|| mention(&reading))
}

/// "Never use the word 'guarantee'", "Always end with 'Cheers'".
fn quoted(reading: &Reading) -> Option<Demand> {
    if reading.quoted.is_empty() {
        return None;
    }
    let mut rest = reading.clone();
    let (begins, ends) = (rest.take(&BEGIN), rest.take(&END));
    rest.take(&QUOTABLE);
    rest.take(&SAY);
    rest.take(&MENTION);
    rest.take(&USE);
    rest.take(&FILLERS);
    if !rest.words.is_empty() {
        return None;
    }
    match (reading.forbids, begins, ends, reading.quoted.as_slice()) {
        (true, false, false, phrases) => Some(Demand::no_words(phrases)),
        (false, true, false, [phrase]) => Some(Demand::Begin(phrase.clone())),
        (false, false, true, [phrase]) => Some(Demand::End(phrase.clone())),
        (false, false, false, [phrase]) => Some(Demand::Hold(phrase.clone())),
        _ => None,
    }
}

/// "More than 3 sentences", "at most 50 words".
fn length(reading: &Reading) -> Option<Demand> {
    let mut rest = Reading { words: reading.whole.clone(), ..reading.clone() };
    // "No more than" is one sign, with a "no" of its own.
    let has_most = rest.take(&COUNTED_NOT_OVER);
    rest.take_polarity();
    let has_under = rest.take(&COUNTED_UNDER);
    let has_over = rest.take(&COUNTED_OVER);
    let number = rest.take_number()?;
    let unit = UNITS.iter().find(|(_, names)| rest.take_one_of(names)).map(|(unit, _)| *unit)?;
    [&SAY, &USE, &ASKING, &FILLERS].into_iter().for_each(|signs| {
        rest.take(signs);
    });
    if !rest.words.is_empty() {
        return None;
    }
    // "Never write less than 50 words" asks for more: that is for judgement.
    let is_limit = match (has_most, has_over, has_under) {
        (true, false, _) => true,
        (false, true, false) => reading.forbids,
        (false, false, _) => !reading.forbids,
        _ => false,
    };
    is_limit.then_some(Demand::AtMost(unit, number))
}

/// "Always answer in German", "Never answer in English".
fn language(reading: &Reading) -> Option<Demand> {
    let mut rest = reading.clone();
    let tongue = names::take_language(&mut rest)?;
    rest.take(&SAY);
    rest.take(&USE);
    rest.take(&ASKING);
    rest.take(&FILLERS);
    rest.words.is_empty().then_some(Demand::Language { tongue, forbidden: reading.forbids })
}

/// "Never use emojis", "No links".
fn shape(reading: &Reading) -> Option<Demand> {
    if !reading.forbids {
        return None;
    }
    let mut rest = reading.clone();
    let form = form::take_form(&mut rest)?;
    rest.take(&SAY);
    rest.take(&USE);
    rest.take(&ASKING);
    rest.take(&MENTION);
    rest.take(&FILLERS);
    rest.words.is_empty().then_some(Demand::No(form))
}

/// "Always end with a question".
fn ending_with_question(reading: &Reading) -> Option<Demand> {
    let mut rest = reading.clone();
    let ends = rest.take(&END);
    let asks = form::take_form(&mut rest) == Some(form::Form::Question);
    rest.take(&FILLERS);
    (ends && asks && !reading.forbids && rest.words.is_empty()).then_some(Demand::EndAsking)
}

/// "Never say you are a doctor", "Never claim to be a lawyer".
fn claim(reading: &Reading) -> Option<Demand> {
    let mut rest = reading.clone();
    if !reading.forbids || !rest.take(&CLAIM) || reading.is_list() {
        return None;
    }
    rest.take(&FILLERS);
    if rest.words.iter().all(|word| HUMAN.contains(&word.as_str())) {
        return Some(Demand::NoHuman);
    }
    let is_short = (1..=2).contains(&rest.words.len());
    is_short.then_some(Demand::NoClaim(rest.words))
}

/// "Never promise a refund".
fn promise(reading: &Reading) -> Option<Demand> {
    let mut rest = reading.clone();
    if !reading.forbids || !rest.take(&PROMISE) || reading.is_list() {
        return None;
    }
    rest.take(&FILLERS);
    let is_short = (1..=2).contains(&rest.words.len());
    is_short.then(|| Demand::no_promise(&rest.words))
}

/// "Never give medical dosages".
fn dosage(reading: &Reading) -> Option<Demand> {
    let mut rest = reading.clone();
    if !reading.forbids || !rest.take(&DOSES) {
        return None;
    }
    rest.take(&SAY);
    rest.take(&USE);
    rest.take(&MENTION);
    rest.take(&FILLERS);
    rest.words.is_empty().then_some(Demand::No(form::Form::Dose))
}

/// "Do not mention CompetitorCo", "Nenne nie den Preis".
fn mention(reading: &Reading) -> Option<Demand> {
    let mut rest = reading.clone();
    if !reading.forbids || !rest.take(&MENTION) || reading.is_list() {
        return None;
    }
    rest.take(&FILLERS);
    let is_short = (1..=3).contains(&rest.words.len());
    is_short.then(|| Demand::no_talk(&rest.words))
}

/// Rules of scripts without spaces: what is quoted, the language, emoji.
fn unspaced(reading: &Reading) -> Option<Demand> {
    const LONGEST: usize = 24;
    if reading.folded.chars().count() > LONGEST {
        return None;
    }
    if names::has_unspaced_answer(&reading.folded)
        && let Some(tongue) = names::language_in(&reading.folded)
    {
        return Some(Demand::Language { tongue, forbidden: reading.forbids });
    }
    if !reading.forbids {
        return None;
    }
    let form = form::form_in(&reading.folded);
    form.map(Demand::No).or_else(|| match reading.quoted.as_slice() {
        [] => None,
        phrases => Some(Demand::no_words(phrases)),
    })
}
