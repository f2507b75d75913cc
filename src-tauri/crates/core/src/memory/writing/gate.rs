//! The one gate through which every fact gets into memory, whoever proposes it.
//!
//! Gather what is known, decide by code, act. A model's hint is a hint: it can make a decision sharper, never bolder than the
//! sentence that it came from. What the gate would not decide alone waits in [`review`].

use chrono::NaiveDate;
use rusqlite::Transaction;

use crate::memory::fact::{self, Because, FactDraft, Known, Origin};
use crate::memory::forgetting::{forget, tombstone};
use crate::memory::history::change::ChangeKind;
use crate::memory::language::{
    relation::{self, Key},
    sentence::ASKED_TO_REMEMBER,
    signal::{self, Signals},
    stance::{self, Stance},
    verb,
};
pub use crate::memory::writing::candidate::{Authority, Candidate, ChangeHint, Decision, Refusal, Rules, Source};
pub use crate::memory::writing::refusal::admits_episode;
use crate::memory::writing::{
    ground::{self, Ground},
    keep::{self, Kept},
    names, paste,
    refusal::refusal,
    replace::{self, Replaced},
    restate,
    review::{self, Doubt, Waiting},
};
use crate::store::StoreError;
use crate::text;
use crate::text::date::{self, Weekdays};

/// Decides about the candidates of one message, in order, and writes what is accepted.
pub fn consider(
    tx: &Transaction<'_>,
    candidates: &[Candidate],
    source: &Source<'_>,
    rules: &Rules<'_>,
) -> Result<Vec<Decision>, StoreError> {
    let parts = paste::split(source.text);
    let heard = Heard {
        own: Ground::new(&format!("{}\n{}", parts.own, source.conversation), rules.today()),
        pasted: (!parts.pasted.is_empty()).then(|| Ground::new(&parts.pasted, rules.today())),
        signals: Signals::of(&parts.own),
        source,
        rules,
        said: ground::asserted(&parts.own),
        earlier: ground::asserted(source.conversation),
    };
    candidates.iter().map(|candidate| consider_one(tx, candidate, &heard)).collect()
}

/// Takes over what the person vouches for: it needs no support, overrules all origins, and waits for nobody.
pub(in crate::memory) fn accept(
    tx: &Transaction<'_>,
    candidate: &Candidate,
    source: &Source<'_>,
    rules: &Rules<'_>,
    authority: Authority,
) -> Result<Decision, StoreError> {
    let person = fact::person(tx)?;
    let candidate = Candidate { draft: settled(&candidate.draft, rules.today()), ..candidate.clone() };
    let key = names::key(tx, &candidate.draft, person.as_deref())?;
    if let Some(refusal) = refusal(&candidate, &key, source, rules) {
        return Ok(Decision::Refused(refusal));
    }
    let known = names::known(tx, &key)?;
    if let Some(same) = replace::known_already(tx, &key, &known)? {
        return keep::confirm(tx, &same, &candidate, source, rules);
    }
    let ended = replace::ended(tx, &candidate, &key)?;
    let opposed = replace::opposed(tx, &key)?;
    let old = match (ended.as_slice(), opposed.as_slice()) {
        ([], []) => replace::by_hand(&key, &known, authority),
        ([], opposed) => opposed.iter().collect(),
        (ended, _) => ended.iter().collect(),
    };
    let kept = Kept {
        candidate: &candidate,
        key: &key,
        old: &old,
        because: Because::Change,
        has_company: !known.is_empty(),
        kind: ChangeKind::Accepted,
    };
    keep::write(tx, &kept, source, rules, person.as_deref())
}

/// What was said, prepared once for all candidates.
struct Heard<'a> {
    source: &'a Source<'a>,
    rules: &'a Rules<'a>,
    /// The person's own words, here and before.
    own: Ground,
    /// What they pasted or quoted along with them.
    pasted: Option<Ground>,
    signals: Signals,
    /// What the person states in this message in their own words.
    said: String,
    /// What they stated before.
    earlier: String,
}

impl Heard<'_> {
    /// Where a candidate really comes from: what only a pasted text says was not said by the person. `None` where nothing
    /// supports it.
    fn origin(&self, tx: &Transaction<'_>, candidate: &Candidate, key: &Key) -> Result<Option<Origin>, StoreError> {
        if self.supported_by(tx, &self.own, candidate, key)? {
            return Ok(Some(candidate.origin));
        }
        match &self.pasted {
            Some(pasted) if self.supported_by(tx, pasted, candidate, key)? => Ok(Some(Origin::Document)),
            _ => Ok(None),
        }
    }

    /// A candidate as the message really says it: what it takes back has ended, what it tells of the past was so once. `None`
    /// where it only supposes it, or says it of somebody else.
    fn as_said(
        &self,
        tx: &Transaction<'_>,
        candidate: &Candidate,
        person: Option<&str>,
    ) -> Result<Option<FactDraft>, StoreError> {
        let draft = &candidate.draft;
        let key = names::key(tx, draft, person)?;
        if candidate.origin == Origin::Document || draft.relation == ASKED_TO_REMEMBER {
            return Ok(Some(draft.clone()));
        }
        Ok(match stance::of(&self.said, &self.earlier, draft, &key) {
            Stance::Stated => Some(draft.clone()),
            Stance::Unsaid => None,
            // What never was has no past to end.
            Stance::Over | Stance::Not if verb::tells_of_the_past(&relation::relation_words(&draft.relation)) => None,
            Stance::Once => restate::once(draft),
            Stance::Over => Some(restate::over(draft, &key)),
            Stance::Not => {
                let known = names::known(tx, &key)?;
                let is_known = replace::known_already(tx, &key, &known)?.is_some();
                restate::not(draft, &key).or_else(|| is_known.then(|| restate::over(draft, &key)))
            }
        })
    }

    fn supported_by(
        &self,
        tx: &Transaction<'_>,
        ground: &Ground,
        candidate: &Candidate,
        key: &Key,
    ) -> Result<bool, StoreError> {
        let is_wish = candidate.draft.relation == ASKED_TO_REMEMBER;
        let value =
            if is_wish { ground.repeats(&candidate.draft.value) } else { ground.supports_value(&candidate.draft) };
        Ok(value && (ground.supports_subject(&key.subject) || fact::knows_subject(tx, &key.subject)?))
    }
}

fn consider_one(tx: &Transaction<'_>, candidate: &Candidate, heard: &Heard<'_>) -> Result<Decision, StoreError> {
    let Heard { source, rules, .. } = heard;
    let person = fact::person(tx)?;
    let candidate = Candidate { draft: settled(&candidate.draft, rules.today()), ..candidate.clone() };
    let Some(draft) = heard.as_said(tx, &candidate, person.as_deref())? else {
        return Ok(Decision::Refused(Refusal::Ungrounded));
    };
    let candidate = Candidate { draft, ..candidate };
    let key = names::key(tx, &candidate.draft, person.as_deref())?;
    if let Some(refusal) = refusal(&candidate, &key, source, rules) {
        // A model that knows what a message is about may know more than the words that Atlas does.
        if let (Refusal::Sealed, Some(message)) = (refusal, source.message)
            && signal::names(source.text, &candidate.draft.value)
        {
            forget::pass_by(tx, message)?;
        }
        return Ok(Decision::Refused(refusal));
    }
    // "You live in Lyon" is how a memory is told, not what somebody is called.
    let is_told = text::fold(&candidate.draft.value).starts_with("you")
        && !fact::with_sentence(tx, &candidate.draft.value)?.is_empty();
    if is_told {
        return Ok(Decision::Refused(Refusal::Recalled));
    }
    let Some(origin) = heard.origin(tx, &candidate, &key)? else {
        return Ok(Decision::Refused(Refusal::Ungrounded));
    };
    let candidate = Candidate { origin, ..candidate };
    if tombstone::bars(tx, &key, candidate.origin, source)? {
        return Ok(Decision::Refused(Refusal::Forgotten));
    }
    decide(tx, &candidate, &key, heard, person.as_deref())
}

/// What becomes of a candidate that is fit and supported, by what is known.
fn decide(
    tx: &Transaction<'_>,
    candidate: &Candidate,
    key: &Key,
    heard: &Heard<'_>,
    person: Option<&str>,
) -> Result<Decision, StoreError> {
    let Heard { source, rules, signals, .. } = heard;
    let known = names::known(tx, key)?;
    if let Some(same) = replace::known_already(tx, key, &known)? {
        return keep::confirm(tx, &same, candidate, source, rules);
    }
    let ended = replace::ended(tx, candidate, key)?;
    let opposed = replace::opposed(tx, key)?;
    let resumed = replace::resumed(tx, key)?;
    let rivals = replace::rivals(&known, candidate.hint, signals, source);
    let Replaced { mut old, because, exclusive } = match (ended.as_slice(), opposed.as_slice()) {
        ([], []) => replace::replaced(key, &rivals, candidate.hint, signals),
        ([], opposed) => replace::contradicted(key, opposed, candidate.hint, signals),
        (ended, _) => Replaced { old: ended.iter().collect(), because: Because::Change, exclusive: None },
    };
    old.extend(&resumed);
    if let Some((doubt, other)) = doubt(candidate, &old, exclusive) {
        let waiting = Waiting { candidate, key, doubt, conflict: other.map(|other| other.id), title: None };
        let waits = review::wait(tx, &waiting, source, rules)?;
        return Ok(Decision::Refused(if waits { Refusal::Review } else { Refusal::Dismissed }));
    }
    let kind = if old.is_empty() { ChangeKind::Added } else { ChangeKind::Superseded };
    let kept = Kept { candidate, key, old: &old, because, has_company: !known.is_empty(), kind };
    keep::write(tx, &kept, source, rules, person)
}

/// Why only the person can decide about a candidate, and what it goes against. Pure.
fn doubt<'a>(
    candidate: &Candidate,
    old: &[&'a Known],
    exclusive: Option<&'a Known>,
) -> Option<(Doubt, Option<&'a Known>)> {
    let stronger = old.iter().find(|old| !candidate.origin.outranks_or_equals(old.origin)).copied();
    match (candidate.origin, stronger, exclusive) {
        (Origin::Document, ..) => Some((Doubt::Document, stronger.or(exclusive).or(old.first().copied()))),
        (_, Some(stronger), _) => Some((Doubt::Overrules, Some(stronger))),
        (_, None, Some(other)) => Some((Doubt::Exclusive, Some(other))),
        (_, None, None) => None,
    }
}

/// A draft with its parts cleaned and its relative days as dates.
pub fn settled(draft: &FactDraft, today: NaiveDate) -> FactDraft {
    let relation = relation::relation_words_for_people(&draft.relation);
    // "has an exam tomorrow" means another day tomorrow.
    let relation = date::absolute(&relation, today, Weekdays::AreHabits);
    let key = relation::key(draft, None).relation;
    let is_wish = relation == ASKED_TO_REMEMBER;
    let value = text::clean(&draft.value);
    let value = if is_wish { value } else { value.trim_end_matches(['.', '!', '。', ',', ';']).trim().to_owned() };
    let is_title = key.starts_with("opinion of")
        || key.starts_with("favourite")
        || matches!(key.as_str(), "name" | "quote" | "title" | "called");
    let value = if is_title { value } else { date::absolute(&value, today, weekdays(&key, &draft.relation)) };
    FactDraft { subject: text::clean(&draft.subject), relation, value }
}

/// A weekday is a date where the relation is about one moment.
fn weekdays(relation_key: &str, relation: &str) -> Weekdays {
    #[rustfmt::skip]
    const EVENTS: &[&str] = &[
        "appointment", "meeting", "flight", "exam", "interview", "deadline", "party", "wedding", "trip", "visit", "demo", "concert", "call",
        "arrival", "departure", "arrives", "arrive", "leaves", "happens",
    ];
    let about_a_moment = matches!(relation_key, "on" | "in" | "due" | "expires" | "starts" | "ends")
        || relation_key.split(' ').any(|word| EVENTS.contains(&word));
    match about_a_moment {
        true if verb::tells_of_the_past(&relation::relation_words(relation)) => Weekdays::WereDates,
        true => Weekdays::AreDates,
        false => Weekdays::AreHabits,
    }
}

#[cfg(test)]
mod tests;
