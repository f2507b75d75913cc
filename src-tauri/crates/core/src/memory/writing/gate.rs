//! The one gate through which every fact gets into memory, whoever proposes it.
//!
//! Gather what is known, decide by code, act. A model's hint is a hint: it can make a decision sharper, never bolder than the
//! sentence that it came from.

use chrono::NaiveDate;
use rusqlite::Transaction;

use crate::memory::fact::{self, Because, FactDraft, Known, NewFact, Origin};
use crate::memory::history::change::{self, Before, ChangeKind, MemoryRef, NewEvent};
use crate::memory::language::{
    date::{self, Weekdays},
    relation::{self, Holds, Key},
    sentence::ASKED_TO_REMEMBER,
    signal::{self, Signals},
    small_talk, text,
};
pub use crate::memory::writing::candidate::{Candidate, ChangeHint, Decision, Refusal, Rules, Source};
use crate::memory::writing::{
    ground::{self, Ground},
    topic,
};
use crate::store::StoreError;

/// The longest parts of a fact, in characters.
const LONGEST: [usize; 3] = [120, 80, 500];
/// The longest text that is kept whole because the person asked for it.
const LONGEST_ASKED: usize = 2000;

/// Decides about the candidates of one message, in order, and writes what is accepted.
pub fn consider(
    tx: &Transaction<'_>,
    candidates: &[Candidate],
    source: &Source<'_>,
    rules: &Rules<'_>,
) -> Result<Vec<Decision>, StoreError> {
    let said = format!("{}\n{}", source.text, source.conversation);
    let heard = Heard { source, rules, ground: Ground::new(&said, rules.today()), signals: Signals::of(source.text) };
    candidates.iter().map(|candidate| consider_one(tx, candidate, &heard)).collect()
}

/// What was said, prepared once for all candidates.
struct Heard<'a> {
    source: &'a Source<'a>,
    rules: &'a Rules<'a>,
    ground: Ground,
    signals: Signals,
}

fn consider_one(tx: &Transaction<'_>, candidate: &Candidate, heard: &Heard<'_>) -> Result<Decision, StoreError> {
    let Heard { source, rules, ground, signals } = heard;
    let person = fact::person(tx)?;
    let candidate = Candidate { draft: settled(&candidate.draft, rules.today()), ..candidate.clone() };
    let key = relation::key(&candidate.draft, person.as_deref());
    if let Some(refusal) = refusal(&candidate, &key, source, rules) {
        return Ok(Decision::Refused(refusal));
    }
    let subject_known = ground.supports_subject(&key.subject) || fact::knows_subject(tx, &key.subject)?;
    let is_wish = candidate.draft.relation == ASKED_TO_REMEMBER;
    let supported =
        if is_wish { ground.repeats(&candidate.draft.value) } else { ground.supports_value(&candidate.draft) };
    if !subject_known || !supported {
        return Ok(Decision::Refused(Refusal::Ungrounded));
    }
    let known = fact::known(tx, &key)?;
    if let Some(same) = known_already(tx, &key, &known)? {
        return confirm(tx, &same, &candidate, heard);
    }
    let ended = match relation::ended(&candidate.draft.relation) {
        Some(base) => fact::known(tx, &key.of(&base))?
            .into_iter()
            .filter(|old| relation::same_value(&base, &old.value_key, &key.value))
            .collect(),
        None => Vec::new(),
    };
    let (old, because) = if ended.is_empty() {
        replaced(&key, &known, candidate.hint, signals)
    } else {
        (ended.iter().collect(), Because::Change)
    };
    if candidate.origin == Origin::Document || old.iter().any(|old| !candidate.origin.outranks_or_equals(old.origin)) {
        return Ok(Decision::Refused(Refusal::Review));
    }
    let new = Accepted { candidate: &candidate, key: &key, old: &old, because, has_company: !known.is_empty() };
    write(tx, &new, heard, person.as_deref())
}

/// The current fact that says the same, perhaps through another relation.
fn known_already(tx: &Transaction<'_>, key: &Key, known: &[Known]) -> Result<Option<Known>, StoreError> {
    if let Some(same) = known.iter().find(|old| relation::same_value(&key.relation, &old.value_key, &key.value)) {
        return Ok(Some(same.clone()));
    }
    for kin in relation::kin(&key.relation) {
        let same = fact::known(tx, &key.of(kin))?.into_iter().find(|old| old.value_key == key.value);
        if same.is_some() {
            return Ok(same);
        }
    }
    Ok(None)
}

/// A draft with its parts cleaned and its relative days as dates.
pub(in crate::memory) fn settled(draft: &FactDraft, today: NaiveDate) -> FactDraft {
    let relation = relation::relation_words_for_people(&draft.relation);
    let key = relation::key(draft, None).relation;
    let is_wish = relation == ASKED_TO_REMEMBER;
    let value = text::clean(&draft.value);
    let value = if is_wish { value } else { value.trim_end_matches(['.', '!', '。', ',', ';']).trim().to_owned() };
    let is_title = key.starts_with("opinion of")
        || key.starts_with("favourite")
        || matches!(key.as_str(), "name" | "quote" | "title" | "called");
    let value = if is_title { value } else { date::absolute(&value, today, weekdays(&key)) };
    FactDraft { subject: text::clean(&draft.subject), relation, value }
}

/// A weekday is a date where the relation is about one moment.
fn weekdays(relation_key: &str) -> Weekdays {
    #[rustfmt::skip]
    const EVENTS: &[&str] = &[
        "appointment", "meeting", "flight", "exam", "interview", "deadline", "party", "wedding", "trip", "visit", "demo", "concert", "call",
        "arrival", "departure",
    ];
    let about_a_moment = matches!(relation_key, "on" | "due" | "expires" | "starts" | "ends")
        || relation_key.split(' ').any(|word| EVENTS.contains(&word));
    if about_a_moment { Weekdays::AreDates } else { Weekdays::AreHabits }
}

/// Why a candidate is refused whatever is known. Pure.
fn refusal(candidate: &Candidate, key: &Key, source: &Source<'_>, rules: &Rules<'_>) -> Option<Refusal> {
    let FactDraft { relation, value, .. } = &candidate.draft;
    if let Some(refusal) = unfit(&candidate.draft) {
        return Some(refusal);
    }
    let is_wish = relation == ASKED_TO_REMEMBER;
    if !is_wish && small_talk::is_no_fact(&key.subject, relation, value, rules.agent) {
        return Some(Refusal::NotAFact);
    }
    is_sealed(candidate, source, rules.sealed).then_some(Refusal::Sealed)
}

/// Why a draft cannot be a fact, whoever writes it. Pure.
pub(in crate::memory) fn unfit(draft: &FactDraft) -> Option<Refusal> {
    let parts = [&draft.subject, &draft.relation, &draft.value];
    // A value may be a sign alone ("🐈"), a subject or relation may not be empty either.
    if parts.iter().any(|part| !part.chars().any(|c| c.is_alphanumeric() || c as u32 > 0x2000))
        || small_talk::says_nothing(&draft.value)
        || small_talk::relates_nothing(&draft.relation)
    {
        return Some(Refusal::Empty);
    }
    let longest_value = if draft.relation == ASKED_TO_REMEMBER { LONGEST_ASKED } else { LONGEST[2] };
    let longest = [LONGEST[0], LONGEST[1], longest_value];
    if parts.iter().zip(longest).any(|(part, longest)| part.chars().count() > longest) {
        return Some(Refusal::TooLong);
    }
    parts.iter().any(|part| ground::is_recalled(part)).then_some(Refusal::Recalled)
}

fn is_sealed(candidate: &Candidate, source: &Source<'_>, sealed: &[String]) -> bool {
    let FactDraft { subject, relation, value } = &candidate.draft;
    !sealed.is_empty()
        && (candidate.topic.as_deref().is_some_and(|label| topic::is_sealed_label(label, sealed))
            || topic::touches(&format!("{subject} {relation} {value}"), sealed)
            || stands_only_in_sealed_clauses(value, source.text, sealed))
}

/// "I moved to Kyiv for treatment": what is said in one breath with a sealed topic may belong to it.
fn stands_only_in_sealed_clauses(value: &str, said: &str, sealed: &[String]) -> bool {
    let about: Vec<&str> = signal::clauses(said).into_iter().filter(|clause| signal::names(clause, value)).collect();
    !about.is_empty() && about.iter().all(|clause| topic::touches(clause, sealed))
}

/// Whether a note or summary of a conversation may be stored: not where it, or what it is about, touches a sealed topic, and
/// not where it repeats recalled memory.
pub fn admits_episode(note: &str, said: &str, sealed: &[String]) -> Result<(), Refusal> {
    if text::clean(note).is_empty() {
        return Err(Refusal::Empty);
    }
    if ground::is_recalled(note) {
        return Err(Refusal::Recalled);
    }
    if topic::touches(note, sealed) || topic::touches(said, sealed) {
        return Err(Refusal::Sealed);
    }
    Ok(())
}

/// Which known facts a new value takes the place of, and why. Pure.
fn replaced<'a>(
    key: &Key,
    known: &'a [Known],
    hint: Option<ChangeHint>,
    signals: &Signals,
) -> (Vec<&'a Known>, Because) {
    let because = match hint {
        Some(ChangeHint::Correct) => Because::Correction,
        Some(ChangeHint::Change) => Because::Change,
        Some(ChangeHint::Add) | None if signals.corrects => Because::Correction,
        Some(ChangeHint::Add) | None => Because::Change,
    };
    let hinted = matches!(hint, Some(ChangeHint::Change | ChangeHint::Correct));
    let denied = || known.iter().filter(|old| signals.denies(&old.value)).collect::<Vec<_>>();
    let old = match key.holds {
        Holds::One => known.iter().collect(),
        Holds::MostlyOne if signals.adds => denied(),
        Holds::MostlyOne if hinted || signals.changes || signals.corrects || signals.is_new => known.iter().collect(),
        Holds::MostlyOne | Holds::Many if !hinted => denied(),
        Holds::MostlyOne | Holds::Many => {
            let (denied, named) = (denied(), known.iter().filter(|old| signals.names(&old.value)).collect::<Vec<_>>());
            let alone = signals.changes || signals.corrects;
            match (denied.len(), named.len(), known.len()) {
                (1.., _, _) => denied,
                _ if signals.adds => Vec::new(),
                (0, 1, _) => named,
                (0, 0, 1) if alone => known.iter().collect(),
                _ => Vec::new(),
            }
        }
    };
    (old, because)
}

fn confirm(
    tx: &Transaction<'_>,
    known: &Known,
    candidate: &Candidate,
    heard: &Heard<'_>,
) -> Result<Decision, StoreError> {
    let Heard { source, rules, .. } = heard;
    let added = match source.message {
        Some(message) => fact::add_source(tx, known.id, message, rules.utc())?,
        None => false,
    };
    let stronger = candidate.origin.outranks_or_equals(known.origin) && candidate.origin != known.origin;
    if !added && !stronger {
        return Ok(Decision::Confirmed(None));
    }
    let confidence = known.confidence.max(candidate.confidence);
    let origin = if stronger { candidate.origin } else { known.origin };
    tx.prepare_cached("UPDATE facts SET confidence = ?1, origin = ?2 WHERE id = ?3")?
        .execute((confidence, origin, known.id))?;
    let before = Before {
        target_stays: true,
        confidence: Some(known.confidence),
        origin: Some(known.origin),
        source: source.message.filter(|_| added),
        with: Vec::new(),
    };
    let event = NewEvent {
        kind: ChangeKind::Confirmed,
        target: MemoryRef::Fact(known.id),
        other: None,
        before,
        sentence: &known.sentence,
        why: candidate.why,
        message: source.message,
    };
    Ok(Decision::Confirmed(Some(change::record(tx, &event, rules.utc())?)))
}

/// A fact that is to be written, and what it takes the place of.
struct Accepted<'a> {
    candidate: &'a Candidate,
    key: &'a Key,
    old: &'a [&'a Known],
    because: Because,
    has_company: bool,
}

fn write(
    tx: &Transaction<'_>,
    new: &Accepted<'_>,
    heard: &Heard<'_>,
    person: Option<&str>,
) -> Result<Decision, StoreError> {
    let Accepted { candidate, key, old, because, has_company } = *new;
    let Heard { source, rules, .. } = heard;
    let now = rules.utc();
    let valid_from = match because {
        _ if old.is_empty() => None,
        // The right value was true all the while that the wrong one was believed.
        Because::Correction | Because::Edit => old.iter().map(|old| old.valid_from.unwrap_or(old.recorded_at)).min(),
        Because::Change => Some(now),
    };
    let new = NewFact {
        draft: &candidate.draft,
        key,
        confidence: candidate.confidence.clamp(0.0, 1.0),
        origin: candidate.origin,
        message: source.message,
        valid_from,
        pinned: false,
    };
    let id = fact::insert(tx, &new, person, now)?;
    for old in old {
        fact::retire(tx, old.id, id, because, now)?;
    }
    let sentence = fact::sentence_of(tx, id)?;
    let event = NewEvent {
        kind: if old.is_empty() { ChangeKind::Added } else { ChangeKind::Superseded },
        target: MemoryRef::Fact(id),
        other: old.first().map(|old| old.id),
        before: Before::default(),
        sentence: &sentence,
        why: candidate.why,
        message: source.message,
    };
    let change = change::record(tx, &event, now)?;
    Ok(match (old.is_empty(), has_company) {
        (false, _) => Decision::Superseded { old: old.iter().map(|old| old.id).collect(), change },
        (true, true) => Decision::KeptBeside(change),
        (true, false) => Decision::Added(change),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::testing::{Memory, draft};

    fn refused(decision: &Decision) -> Option<Refusal> {
        match decision {
            Decision::Refused(refusal) => Some(*refusal),
            _ => None,
        }
    }

    #[test]
    fn a_new_fact_is_added_with_its_message_and_can_be_told_as_a_change() {
        let mut memory = Memory::new();
        let decisions = memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        let Decision::Added(change) = &decisions[0] else { panic!("{decisions:?}") };
        assert_eq!((change.kind, change.sentence.as_str()), (ChangeKind::Added, "You live in Porto"));
        let fact = &memory.facts()[0];
        assert_eq!((change.fact, change.message), (Some(fact.id), fact.source_message));
        assert_eq!((fact.confidence, fact.origin, fact.recorded_at), (0.9, Origin::Said, memory.utc()));
        assert_eq!(fact.source_conversation, Some(memory.conversation()));
    }

    #[test]
    fn the_same_fact_in_other_words_is_confirmed_once_for_each_message() {
        let mut memory = Memory::new();
        memory.say("I live in Berlin.", &[["user", "lives in", "Berlin"]]);
        let again = memory.say(
            "I'm based in Berlin, Germany.",
            &[["me", "is based in", "Berlin, Germany"], ["user", "home", "Berlin"]],
        );
        assert!(matches!(again.as_slice(), [Decision::Confirmed(Some(_)), Decision::Confirmed(None)]), "{again:?}");
        assert_eq!(memory.known(), ["You live in Berlin"]);
    }

    #[test]
    fn a_relation_that_holds_one_value_takes_the_new_one_and_keeps_the_old_as_history() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        memory.later(chrono::TimeDelta::days(30));
        memory.say("I moved to Lyon.", &[["user", "lives in", "Lyon"]]);
        let facts = memory.facts();
        assert_eq!((facts.len(), facts[0].value.as_str(), &facts[0].replaced), (1, "Lyon", &vec!["Porto".to_owned()]));
        let history = fact::history(&memory.conn, facts[0].id).unwrap();
        assert_eq!(history.iter().map(|fact| fact.value.as_str()).collect::<Vec<_>>(), ["Lyon", "Porto"]);
        assert_eq!((history[1].valid_to, history[1].retired_at), (Some(memory.utc()), Some(memory.utc())));
        assert_eq!(history[0].valid_from, Some(memory.utc()));
    }

    #[test]
    fn a_correction_says_that_the_old_value_never_was_true() {
        let mut memory = Memory::new();
        let began = memory.utc();
        memory.say("My flight is on Thursday.", &[["user's flight", "is on", "Thursday"]]);
        memory.later(chrono::TimeDelta::minutes(5));
        memory.say("Actually, my flight is on Friday.", &[["user's flight", "is on", "Friday"]]);
        let of = draft(["user's flight", "is on", ""]);
        let true_then = fact::true_at(&memory.conn, &of, began).unwrap();
        let believed_then = fact::believed_at(&memory.conn, &of, began).unwrap();
        assert_eq!(true_then[0].value, "Friday 2026-03-06");
        assert_eq!(believed_then[0].value, "Thursday 2026-03-05");
        assert_eq!((true_then.len(), believed_then.len(), believed_then[0].valid_to), (1, 1, None));
    }

    #[test]
    fn lists_keep_all_their_values_whatever_a_model_thinks() {
        let mut memory = Memory::new();
        memory.say("I speak French.", &[["user", "speaks", "French"]]);
        let more =
            memory.say_as("I speak Hindi too.", &[["user", "speaks", "Hindi"]], Origin::Said, Some(ChangeHint::Change));
        assert!(matches!(more[0], Decision::KeptBeside(_)));
        let lone =
            memory.say_as("I speak Thai.", &[["user", "speaks", "Thai"]], Origin::Said, Some(ChangeHint::Change));
        assert!(matches!(lone[0], Decision::KeptBeside(_)));
        assert_eq!(memory.known().len(), 3);
    }

    #[test]
    fn a_value_of_a_list_goes_where_the_sentence_says_so() {
        let mut memory = Memory::new();
        memory.say("I speak French and Spanish.", &[["user", "speaks", "French"], ["user", "speaks", "Spanish"]]);
        memory.say("I speak Hindi and French, but no longer Spanish.", &[["user", "speaks", "Hindi"]]);
        assert_eq!(memory.known(), ["You speak French", "You speak Hindi"]);
    }

    #[test]
    fn mostly_one_gives_way_to_what_is_new() {
        let mut memory = Memory::new();
        memory.say("I work at Acme.", &[["user", "works at", "Acme"]]);
        memory.say("I also work at the zoo.", &[["user", "works at", "the zoo"]]);
        assert_eq!(memory.known().len(), 2);
        memory.say("I work at Globex now.", &[["user", "works at", "Globex"]]);
        assert_eq!(memory.known(), ["You work at Globex"]);
    }

    #[test]
    fn what_has_ended_ends() {
        let mut memory = Memory::new();
        memory.say("I work at Acme.", &[["user", "works at", "Acme"]]);
        memory.say("I no longer work at Acme.", &[["user", "no longer works at", "Acme"]]);
        assert_eq!(memory.known(), ["You no longer work at Acme"]);
    }

    #[test]
    fn love_that_turns_to_hate_leaves_one_current_and_one_past() {
        let mut memory = Memory::new();
        memory.say("I love jazz", &[["user", "loves", "jazz"]]);
        memory.say("I love jazz", &[["user", "opinion of jazz", "loves"]]);
        memory.say("I can't stand jazz any more", &[["user", "hates", "jazz"]]);
        let facts = memory.facts();
        assert_eq!((facts.len(), facts[0].sentence.as_str()), (1, "You hate jazz"));
        assert_eq!(fact::history(&memory.conn, facts[0].id).unwrap().len(), 2);
    }

    #[test]
    fn a_model_and_an_import_never_overrule_the_person() {
        let mut memory = Memory::new();
        memory.say("I'm vegetarian.", &[["user", "diet", "vegetarian"]]);
        for origin in [Origin::Document, Origin::Imported, Origin::Inferred] {
            let decisions = memory.say_as(
                "the user eats meat",
                &[["user", "diet", "eats meat"]],
                origin,
                Some(ChangeHint::Correct),
            );
            assert_eq!(refused(&decisions[0]), Some(Refusal::Review), "{origin:?}");
        }
        assert_eq!(memory.known(), ["Your diet is vegetarian"]);
    }

    #[test]
    fn what_is_no_fact_is_refused_with_its_reason() {
        let mut memory = Memory::new();
        for (said, fact, reason) in [
            ("The weather is lovely.", ["user", "lives in", "Tokyo"], Refusal::Ungrounded),
            ("ok do that", ["assistant", "is", "warm but direct"], Refusal::NotAFact),
            ("ok do that", ["user", "said", "ok do that"], Refusal::NotAFact),
            ("I live in Rome", ["user", "lives in", ""], Refusal::Empty),
            ("I live in Rome", ["user", "lives in", "unknown"], Refusal::Empty),
            ("I like </memory-context>", ["user", "likes", "</memory-context>"], Refusal::Recalled),
            ("Zoe lives in Rome", ["Bruno", "lives in", "Rome"], Refusal::Ungrounded),
        ] {
            assert_eq!(refused(&memory.say(said, &[fact])[0]), Some(reason), "{fact:?}");
        }
        let long = "x".repeat(501);
        assert_eq!(refused(&memory.say(&long, &[["user", "likes", &long]])[0]), Some(Refusal::TooLong));
        assert_eq!(memory.known(), Vec::<String>::new());
    }

    #[test]
    fn somebody_known_may_be_meant_without_being_named() {
        let mut memory = Memory::new();
        memory.say("Mara is my sister", &[["Mara", "is", "user's sister"]]);
        memory.say("She lives in Oslo now", &[["Mara", "lives in", "Oslo"]]);
        assert_eq!(memory.known(), ["Mara is your sister", "Mara lives in Oslo"]);
    }

    #[test]
    fn a_sealed_topic_is_refused_for_every_writer_and_what_is_beside_it_is_not() {
        let mut memory = Memory::new();
        memory.sealed = vec!["my health".to_owned()];
        for (said, fact) in [
            ("Ich habe Diabetes.", ["user", "Krankheit", "Diabetes"]),
            ("我有糖尿病", ["用户", "患有", "糖尿病"]),
            ("I go to Bern for chemotherapy", ["user", "goes to", "Bern"]),
        ] {
            for origin in [Origin::Said, Origin::Inferred, Origin::Imported, Origin::Document] {
                assert_eq!(refused(&memory.say_as(said, &[fact], origin, None)[0]), Some(Refusal::Sealed), "{fact:?}");
            }
        }
        let labelled = Candidate {
            draft: draft(["user", "carries", "a pen"]),
            origin: Origin::Said,
            confidence: 1.0,
            hint: None,
            topic: Some("健康".into()),
            why: "a test",
        };
        assert_eq!(refused(&memory.propose("I carry a pen", &[labelled])[0]), Some(Refusal::Sealed));
        memory.say("I live in Kyiv, and I have diabetes.", &[["user", "lives in", "Kyiv"]]);
        assert_eq!(memory.known(), ["You live in Kyiv"]);
        assert_eq!(admits_episode("talked about insulin", "", &memory.sealed), Err(Refusal::Sealed));
        assert_eq!(admits_episode("talked about Kyiv", "I live in Kyiv", &memory.sealed), Ok(()));
    }

    #[test]
    fn relative_days_are_stored_as_dates() {
        let mut memory = Memory::new();
        memory.say("The demo is tomorrow.", &[["demo", "is on", "tomorrow"]]);
        memory.say("I love Tomorrow Never Knows", &[["user", "loves", "Tomorrow Never Knows"]]);
        assert_eq!(memory.known(), ["Demo is on 3 March 2026", "You love Tomorrow Never Knows"]);
    }

    #[test]
    fn what_one_is_and_what_one_works_as_are_one_fact() {
        let mut memory = Memory::new();
        memory.say("I'm a nurse", &[["user", "is a", "nurse"]]);
        memory.say("I work as a nurse", &[["user", "occupation", "Nurse"], ["user", "works as", "a nurse"]]);
        assert_eq!(memory.known(), ["You are a nurse"]);
    }

    #[test]
    fn a_question_states_nothing() {
        let mut memory = Memory::new();
        for question in ["What's the weather in Oslo?", "Do I live in Oslo?", "how is the weather in Oslo"] {
            let decisions = memory.say(question, &[["user", "lives in", "Oslo"]]);
            assert_eq!(refused(&decisions[0]), Some(Refusal::Ungrounded), "{question}");
        }
    }

    #[test]
    fn text_in_any_script_is_kept_as_it_was_said() {
        let mut memory = Memory::new();
        for [subject, relation, value] in [
            ["user", "يعيش في", "بيروت"],
            ["user", "lives with", "🐈‍⬛"],
            ["Café", "is", "my cat"],
            ["用户", "喜欢", "苏州的评弹"],
        ] {
            memory.say(&format!("{subject} {relation} {value}"), &[[subject, relation, value]]);
        }
        let values: Vec<String> = memory.facts().into_iter().map(|fact| fact.value).collect();
        assert_eq!(values, ["بيروت", "🐈‍⬛", "my cat", "苏州的评弹"]);
    }
}
