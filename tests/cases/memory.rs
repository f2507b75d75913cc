//! The hard cases of memory: what was said in order, and what Atlas must know, recall and forget afterwards.
//!
//! A step's message is stored; what the person tells Atlas itself to do is done as a turn does it; what a model proposed goes
//! through the gate.

use atlas_core::memory::conversation::{self, MessageState, NewMessage, Role};
use atlas_core::memory::fact::{self, Fact, FactDraft, Origin};
use atlas_core::memory::find;
use atlas_core::memory::forgetting::{forget, purge};
use atlas_core::memory::history::change::MemoryRef;
use atlas_core::memory::index::{self, Index};
use atlas_core::memory::language::relation;
use atlas_core::memory::page::MemoryQuery;
use atlas_core::memory::recall::{self, Ask, Recalled, RecalledItem, Room, fence};
use atlas_core::memory::writing::{
    directive::{self, Directive},
    gate::{self, Candidate, ChangeHint, Rules, Source},
    review,
};
use atlas_core::store::id::{ConversationId, MessageId};
use atlas_core::store::{Connection, Store, StoreError, Transaction};
use chrono::{DateTime, FixedOffset, Utc};
use serde_json::Value;

/// Runs one case. The error says what differed.
pub fn run(case: &Value) -> Result<(), String> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let store = Store::open(folder.path()).await.map_err(stated)?;
        let case = case.clone();
        store.write(move |tx| Ok(Told::after(tx, &case)?.check(tx, &case))).await.map_err(stated)?
    })
}

fn stated(error: StoreError) -> String {
    format!("the database failed: {error:?}")
}

/// What came of telling a case's steps.
struct Told {
    conversation: Option<ConversationId>,
    messages: Vec<(MessageId, String)>,
    sealed: Vec<String>,
    now: DateTime<FixedOffset>,
}

impl Told {
    fn after(tx: &Transaction<'_>, case: &Value) -> Result<Self, StoreError> {
        let mut told = Self {
            conversation: None,
            messages: Vec::new(),
            sealed: Vec::new(),
            now: DateTime::UNIX_EPOCH.fixed_offset(),
        };
        for step in list(case, "steps") {
            told.step(tx, step)?;
        }
        // Every undo is over: what was forgotten is gone.
        purge::due(tx, told.now.with_timezone(&Utc) + chrono::TimeDelta::minutes(1))?;
        Ok(told)
    }

    fn step(&mut self, tx: &Transaction<'_>, step: &Value) -> Result<(), StoreError> {
        self.now = moment(&step["at"]);
        let now = self.now.with_timezone(&Utc);
        let text = string(&step["text"]);
        let conversation = match self.conversation {
            Some(id) => id,
            None => conversation::begin(tx, now)?,
        };
        self.conversation = Some(conversation);
        let new = NewMessage {
            conversation,
            turn: None,
            role: Role::User,
            text: text.clone(),
            state: MessageState::Complete,
            model: None,
            speaker: None,
        };
        let message = conversation::add_message(tx, &new, now)?;
        let earlier: Vec<String> = self.messages.iter().map(|(_, text)| text.clone()).collect();
        self.messages.push((message, text.clone()));
        let mut candidates = proposed(step);
        // A document asks memory for nothing.
        let asked = if step["origin"] == "document" { None } else { directive::first(&text, self.now) };
        match asked {
            Some(Directive::Seal(topic)) => {
                self.sealed.push(topic);
                index::seal(tx, &self.sealed)?;
                index::catch_up(tx, u32::MAX)?;
            }
            Some(Directive::MaybeSeal(topic)) => {
                let rules = Rules { sealed: &self.sealed, agent: "Atlas", now: self.now };
                review::propose_seal(tx, &topic, Some(message), &rules)?;
            }
            Some(Directive::Forget(words)) => {
                forget::facts(tx, &find::named(tx, &words)?, Some(message), now)?;
            }
            Some(Directive::Remember { facts, .. }) => {
                candidates.extend(facts.into_iter().map(|draft| candidate(draft, Origin::Said)))
            }
            None => {}
        }
        let source = Source { message: Some(message), text: &text, conversation: &earlier.join("\n") };
        let rules = Rules { sealed: &self.sealed, agent: "Atlas", now: self.now };
        gate::consider(tx, &candidates, &source, &rules)?;
        Ok(())
    }

    fn check(&self, tx: &Transaction<'_>, case: &Value) -> Result<(), String> {
        let expect = &case["expect"];
        let current = current(tx).map_err(stated)?;
        for wanted in list(expect, "current").iter().map(draft) {
            require(current.iter().any(|fact| is(fact, &wanted)), || {
                format!("not current: {wanted:?}; current are {}", told(&current))
            })?;
        }
        for wanted in list(expect, "past").iter().map(draft) {
            let history = history(tx, &current).map_err(stated)?;
            let past = history.iter().any(|fact| fact.retired_at.is_some() && is(fact, &wanted));
            require(past, || format!("not past: {wanted:?}; known are {}", told(&history)))?;
        }
        if expect.get("past").is_some_and(|past| past.as_array().is_some_and(Vec::is_empty)) {
            let history = history(tx, &current).map_err(stated)?;
            require(history.iter().all(|fact| fact.retired_at.is_none()), || {
                format!("something is past: {}", told(&history))
            })?;
        }
        if let Some(total) = expect.get("facts_total").and_then(Value::as_u64) {
            require(current.len() as u64 == total, || format!("{total} facts wanted; current are {}", told(&current)))?;
        }
        if let Some(wanted) = expect.get("in_review").and_then(Value::as_u64) {
            let waiting = review::page(tx, &everything()).map_err(stated)?;
            require(waiting.total as u64 == wanted, || format!("wait for review: {:?}", waiting.rows))?;
        }
        for topic in list(expect, "sealed") {
            require(self.sealed.contains(&string(topic)), || format!("sealed are {:?}", self.sealed))?;
        }
        for word in list(expect, "not_in_memory") {
            let word = string(word);
            require(current.iter().all(|fact| !fact.sentence.contains(&word)), || {
                format!("{word} is in memory: {}", told(&current))
            })?;
        }
        self.check_one_fact(&current, expect)?;
        self.check_dates(&current, expect)?;
        self.check_as_of(tx, expect)?;
        self.check_recall(tx, expect)?;
        self.check_prompt(tx, expect)?;
        self.check_fence(tx, expect, current.len())?;
        self.check_messages(tx, expect)
    }

    fn check_one_fact(&self, current: &[Fact], expect: &Value) -> Result<(), String> {
        let Some(wanted) = expect.get("current_facts_about") else { return Ok(()) };
        let subject = relation::subject_key(&string(&wanted["subject"]), None);
        let key = |fact: &Fact| {
            relation::key(
                &FactDraft {
                    subject: fact.subject.clone(),
                    relation: fact.relation.clone(),
                    value: fact.value.clone(),
                },
                None,
            )
        };
        let topic = draft(&serde_json::json!([wanted["subject"], wanted["topic"], "x"]));
        let topic = relation::key(&topic, None).relation;
        let about: Vec<&Fact> =
            current.iter().filter(|fact| key(fact).subject == subject && key(fact).relation == topic).collect();
        let right = about.len() as u64 == wanted["count"].as_u64().unwrap_or(1)
            && about.iter().all(|fact| fact.value.contains(&string(&wanted["value_contains"])));
        require(right, || format!("about it: {about:?}"))
    }

    fn check_dates(&self, current: &[Fact], expect: &Value) -> Result<(), String> {
        let Some(dates) = expect.get("stored_dates").and_then(Value::as_object) else { return Ok(()) };
        for (subject, day) in dates {
            let found = current.iter().any(|fact| fact.subject == *subject && fact.value.contains(&string(day)));
            require(found, || format!("{subject} is not on {day}: {}", told(current)))?;
        }
        Ok(())
    }

    fn check_as_of(&self, tx: &Transaction<'_>, expect: &Value) -> Result<(), String> {
        for wanted in list(expect, "as_of") {
            let of = draft(&wanted["fact"]);
            let facts = match (wanted.get("true_at"), wanted.get("believed_at")) {
                (Some(at), _) => fact::true_at(tx, &of, moment(at).with_timezone(&Utc)),
                (_, Some(at)) => fact::believed_at(tx, &of, moment(at).with_timezone(&Utc)),
                (None, None) => return Err("a case asks as of no moment".into()),
            };
            let values: Vec<String> = facts.map_err(stated)?.into_iter().map(|fact| fact.value).collect();
            require(values == [string(&wanted["value"])], || format!("{wanted} is {values:?}"))?;
        }
        Ok(())
    }

    fn check_recall(&self, tx: &Transaction<'_>, expect: &Value) -> Result<(), String> {
        for wanted in list(expect, "recall") {
            let question = string(&wanted["question"]);
            let recalled = self.ask(tx, &question, self.now, Room::LeaveEmpty)?;
            if wanted.get("empty") == Some(&Value::Bool(true)) {
                require(recalled.items.is_empty(), || format!("{question} recalls {:?}", sentences(&recalled)))?;
            }
            if let Some(part) = wanted.get("top_contains") {
                let top = recalled.items.first().is_some_and(|item| item.sentence.contains(&string(part)));
                require(top, || format!("{question} recalls {:?}, not {part}", sentences(&recalled)))?;
            }
        }
        Ok(())
    }

    fn check_prompt(&self, tx: &Transaction<'_>, expect: &Value) -> Result<(), String> {
        let Some(wanted) = expect.get("prompt_at") else { return Ok(()) };
        let recalled = self.ask(tx, &string(&wanted["question"]), moment(&wanted["at"]), Room::Fill)?;
        let block = fence::render(&recalled);
        for word in list(wanted, "marked_past") {
            let word = string(word);
            let past = block.lines().any(|line| line.to_lowercase().contains(&word) && line.contains("(past)"));
            require(past, || format!("{word} is not told as past in {block}"))?;
        }
        Ok(())
    }

    /// The block that holds all messages: each is recalled by its own words, and none leaves the fence.
    fn check_fence(&self, tx: &Transaction<'_>, expect: &Value, facts: usize) -> Result<(), String> {
        let Some(wanted) = expect.get("prompt") else { return Ok(()) };
        let mut all = self.ask(tx, &string(&expect["question"]), self.now, Room::LeaveEmpty)?;
        for (id, text) in &self.messages {
            let mut own = self.ask(tx, text, self.now, Room::LeaveEmpty)?;
            own.items.retain(|item| item.memory == MemoryRef::Message(*id));
            all.items.retain(|item| item.memory != MemoryRef::Message(*id));
            all.items.append(&mut own.items);
        }
        let number = |name: &str| wanted[name].as_u64().map(|number| number as usize);
        let block = fence::render(&all);
        let again = Recalled {
            items: all
                .items
                .iter()
                .map(|item| RecalledItem { sentence: fence::harmless(&item.sentence), ..item.clone() })
                .collect(),
            ..all.clone()
        };
        for (what, found) in [
            ("recalled_texts", all.items.len()),
            ("opening_fences", block.to_lowercase().matches("<memory-context").count()),
            ("closing_fences", block.to_lowercase().matches("</memory-context").count()),
            ("facts_stored_from_recalled_text", facts),
        ] {
            require(number(what).is_none_or(|wanted| wanted == found), || format!("{what} is {found} in {block}"))?;
        }
        require(wanted["same_after_rendering_twice"] != true || fence::render(&again) == block, || {
            format!("it changes when it is rendered again: {block}")
        })
    }

    fn check_messages(&self, tx: &Transaction<'_>, expect: &Value) -> Result<(), String> {
        for index in list(expect, "stored_whole") {
            let (id, text) = &self.messages[index.as_u64().unwrap_or_default() as usize];
            let stored = conversation::message(tx, *id).map_err(stated)?.text;
            require(stored.as_bytes() == text.as_bytes(), || format!("message {index} is not whole"))?;
        }
        Ok(())
    }

    fn ask(
        &self,
        tx: &Transaction<'_>,
        question: &str,
        now: DateTime<FixedOffset>,
        room: Room,
    ) -> Result<Recalled, String> {
        recall::recall(tx, &Index::without_models(), &Ask { question, now, budget: 2_000, conversation: None, room })
            .map_err(stated)
    }
}

fn candidate(draft: FactDraft, origin: Origin) -> Candidate {
    Candidate { draft, origin, confidence: 0.9, hint: None, topic: None, why: "a case" }
}

fn proposed(step: &Value) -> Vec<Candidate> {
    let origin = if step["origin"] == "document" { Origin::Document } else { Origin::Said };
    let hint = match step.get("kind").and_then(Value::as_str) {
        Some("add") => Some(ChangeHint::Add),
        Some("change") => Some(ChangeHint::Change),
        Some("correct") => Some(ChangeHint::Correct),
        _ => None,
    };
    let topic = step.get("topic").and_then(Value::as_str).map(str::to_owned);
    list(step, "facts")
        .iter()
        .map(|fact| {
            let draft = FactDraft {
                subject: string(&fact["subject"]),
                relation: string(&fact["relation"]),
                value: string(&fact["value"]),
            };
            Candidate { hint, topic: topic.clone(), ..candidate(draft, origin) }
        })
        .collect()
}

fn current(conn: &Connection) -> Result<Vec<Fact>, StoreError> {
    Ok(fact::page(conn, &everything())?.rows)
}

fn everything() -> MemoryQuery {
    MemoryQuery { limit: 500, ..MemoryQuery::default() }
}

fn history(conn: &Connection, current: &[Fact]) -> Result<Vec<Fact>, StoreError> {
    let mut all = Vec::new();
    for fact in current {
        all.extend(fact::history(conn, fact.id)?);
    }
    Ok(all)
}

/// Compared after Atlas's own normalisation, which also makes dates of days: "14 May" said of an appointment is one day.
fn is(fact: &Fact, wanted: &FactDraft) -> bool {
    let draft = FactDraft { subject: fact.subject.clone(), relation: fact.relation.clone(), value: fact.value.clone() };
    let key = relation::key(&draft, None);
    let said = fact.recorded_at.date_naive();
    key == relation::key(wanted, None) || key == relation::key(&gate::settled(wanted, said), None)
}

fn told(facts: &[Fact]) -> String {
    facts.iter().map(|fact| fact.sentence.as_str()).collect::<Vec<_>>().join(" | ")
}

fn sentences(recalled: &Recalled) -> Vec<&str> {
    recalled.items.iter().map(|item| item.sentence.as_str()).collect()
}

fn require(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn draft(triple: &Value) -> FactDraft {
    FactDraft { subject: string(&triple[0]), relation: string(&triple[1]), value: string(&triple[2]) }
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn moment(value: &Value) -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339(&string(value)).expect("a case's moments are of RFC 3339")
}
