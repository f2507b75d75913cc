//! What a new fact stands for among those that are known: one that says the same, ones that it takes the place of, and one
//! that it does not go together with.

use rusqlite::Connection;

use crate::memory::fact::{Because, Known};
use crate::memory::language::{
    relation::{self, Holds, Key},
    signal::Signals,
};
use crate::memory::writing::candidate::{Authority, Candidate, ChangeHint, Source};
use crate::memory::writing::names;
use crate::store::StoreError;

/// What a new value takes the place of, and why.
pub(super) struct Replaced<'a> {
    pub old: Vec<&'a Known>,
    pub because: Because,
    /// What it does not seem to go together with, where nothing says which of the two is right.
    pub exclusive: Option<&'a Known>,
}

/// The current fact that says the same, perhaps through another relation.
pub(super) fn known_already(conn: &Connection, key: &Key, known: &[Known]) -> Result<Option<Known>, StoreError> {
    if let Some(same) = known.iter().find(|old| relation::same_value(&key.relation, &old.value_key, &key.value)) {
        return Ok(Some(same.clone()));
    }
    for kin in relation::kin(&key.relation) {
        let same = names::known(conn, &key.of(kin))?
            .into_iter()
            .find(|old| relation::same_value(kin, &old.value_key, &key.value));
        if same.is_some() {
            return Ok(same);
        }
    }
    Ok(None)
}

/// The facts whose end a candidate tells: "no longer works at Acme".
pub(super) fn ended(conn: &Connection, candidate: &Candidate, key: &Key) -> Result<Vec<Known>, StoreError> {
    let Some(base) = relation::ended(&candidate.draft.relation) else { return Ok(Vec::new()) };
    let known = names::known(conn, &key.of(&base))?;
    Ok(known.into_iter().filter(|old| relation::same_value(&base, &old.value_key, &key.value)).collect())
}

/// The facts that a candidate says the contrary of: "eats meat" of "doesn't eat meat".
pub(super) fn opposed(conn: &Connection, key: &Key) -> Result<Vec<Known>, StoreError> {
    let mut found = Vec::new();
    for relation in relation::opposites(&key.relation) {
        let known = names::known(conn, &key.of(&relation))?;
        found.extend(known.into_iter().filter(|old| relation::same_value(&relation, &old.value_key, &key.value)));
    }
    Ok(found)
}

/// The facts that say that what a candidate says had ended: who plays again no longer "no longer plays".
pub(super) fn resumed(conn: &Connection, key: &Key) -> Result<Vec<Known>, StoreError> {
    let known = names::known(conn, &key.of(&relation::end_of(&key.relation)))?;
    Ok(known.into_iter().filter(|old| relation::same_value(&key.relation, &old.value_key, &key.value)).collect())
}

/// What becomes of them. A sentence that says "not" says which is right; one that does not needs a word about the change.
pub(super) fn contradicted<'a>(
    key: &Key,
    opposed: &'a [Known],
    hint: Option<ChangeHint>,
    signals: &Signals,
) -> Replaced<'a> {
    let corrects = hint == Some(ChangeHint::Correct) || (hint.is_none() && signals.corrects);
    let because = if corrects { Because::Correction } else { Because::Change };
    let is_told = relation::is_negative(&key.relation)
        || matches!(hint, Some(ChangeHint::Change | ChangeHint::Correct))
        || signals.changes
        || signals.corrects
        || signals.is_new;
    match is_told {
        true => Replaced { old: opposed.iter().collect(), because, exclusive: None },
        false => Replaced { old: Vec::new(), because, exclusive: opposed.last() },
    }
}

/// Which known facts a new value takes the place of, and why. Pure.
pub(super) fn replaced<'a>(
    key: &Key,
    known: &[&'a Known],
    hint: Option<ChangeHint>,
    signals: &Signals,
) -> Replaced<'a> {
    let because = match hint {
        Some(ChangeHint::Correct) => Because::Correction,
        Some(ChangeHint::Change) => Because::Change,
        Some(ChangeHint::Add) | None if signals.corrects => Because::Correction,
        Some(ChangeHint::Add) | None => Because::Change,
    };
    let hinted = matches!(hint, Some(ChangeHint::Change | ChangeHint::Correct));
    let changes = signals.changes || signals.corrects;
    let words = format!("{} {}", key.relation, relation::synonyms(key).join(" "));
    let denied = || known.iter().copied().filter(|old| signals.denies(&words, &old.value)).collect::<Vec<_>>();
    let old = match key.holds {
        // "I'm also a beekeeper": what usually is one can be two where the sentence says so.
        Holds::One if signals.adds && !changes && !hinted && relation::can_have_company(&key.relation) => Vec::new(),
        Holds::One => known.to_vec(),
        Holds::MostlyOne if signals.adds => denied(),
        Holds::MostlyOne if hinted || changes || signals.is_new => known.to_vec(),
        Holds::MostlyOne => denied(),
        Holds::Many if hinted || signals.is_mistaken => {
            let (denied, named) =
                (denied(), known.iter().copied().filter(|old| signals.names(&old.value)).collect::<Vec<_>>());
            // What is no verb ("dose", "is at") seldom has two: there the hint is enough.
            let is_property = hint.is_some() && !relation::is_list(&key.relation);
            let alone = changes || is_property || hint == Some(ChangeHint::Correct);
            match (denied.len(), named.len(), known.len()) {
                (1.., _, _) => denied,
                _ if signals.adds => Vec::new(),
                (0, 1, _) => named,
                (0, 0, 1) if alone => known.to_vec(),
                _ => Vec::new(),
            }
        }
        Holds::Many => denied(),
    };
    let unsaid = key.holds == Holds::MostlyOne && old.is_empty() && !signals.adds && hint != Some(ChangeHint::Add);
    let exclusive = if unsaid { known.last().copied() } else { None };
    Replaced { old, because, exclusive }
}

/// The known facts that a new value can take the place of. What the same message said goes together with it, unless the message
/// says that something changed: "my favourite colours are blue and green".
pub(super) fn rivals<'a>(
    known: &'a [Known],
    hint: Option<ChangeHint>,
    signals: &Signals,
    source: &Source<'_>,
) -> Vec<&'a Known> {
    let hinted = matches!(hint, Some(ChangeHint::Change | ChangeHint::Correct));
    let together = |old: &Known| source.message.is_some() && old.source_message == source.message;
    let changes = hinted || signals.changes || signals.corrects;
    known.iter().filter(|old| changes || !together(old)).collect()
}

/// What gives way to a value that the person accepts, as they were shown.
pub(super) fn by_hand<'a>(key: &Key, known: &'a [Known], authority: Authority) -> Vec<&'a Known> {
    match (key.holds, authority) {
        (Holds::One, _) | (Holds::MostlyOne, Authority::InPlace) => known.iter().collect(),
        (Holds::MostlyOne, Authority::Beside) | (Holds::Many, _) => Vec::new(),
    }
}
