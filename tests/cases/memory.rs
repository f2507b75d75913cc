//! The hard cases of memory: what was said in order, and what Atlas must know, recall and forget afterwards.
//!
//! Each step goes the way that a turn goes: the message is stored, what the person tells Atlas itself is done, and what a model
//! proposed is read and put through the gate by the same functions. Facts are compared as they are stored.

use atlas_core::behavior::{BehaviorSpec, versions};
use atlas_core::clock::Clock;
use atlas_core::memory::conversation;
use atlas_core::memory::fact::{self, Fact, FactDraft, Origin};
use atlas_core::memory::forgetting::purge;
use atlas_core::memory::history::change::MemoryRef;
use atlas_core::memory::index::{self, Index};
use atlas_core::memory::page::MemoryQuery;
use atlas_core::memory::recall::{self, Ask, Recalled, RecalledItem, Room, fence};
use atlas_core::memory::relation::Polarity;
use atlas_core::memory::writing::gate::{self, Candidate, Rules, Source};
use atlas_core::memory::writing::{ops, review};
use atlas_core::store::id::{ConversationId, MessageId, SpecVersion};
use atlas_core::store::{Connection, Store, StoreError, Transaction};
use atlas_core::turn::begin;
use atlas_core::turn::memorize::{self, TakenBy};
use atlas_tests::clock::TestClock;
use chrono::{DateTime, FixedOffset, Utc};
use serde_json::{Value, json};

/// What a case may hold: a key that nobody knows would be an expectation that nobody checks.
const KEYS: [(&str, &[&str]); 4] = [
    ("case", &["name", "why", "steps", "expect", "note"]),
    ("step", &["at", "origin", "text", "facts", "kind", "topic", "stance", "change", "instruction"]),
    (
        "fact",
        &["subject", "relation", "value", "about", "quote", "stance", "change", "when", "kind", "topic", "confidence"],
    ),
    (
        "expectation",
        &[
            "current",
            "past",
            "facts_total",
            "in_review",
            "sealed",
            "not_in_memory",
            "current_facts_about",
            "stored_dates",
            "as_of",
            "recall",
            "prompt_at",
            "prompt",
            "question",
            "stored_whole",
            "note",
            "quotes",
        ],
    ),
];

/// Runs one case, with the models that memory is searched with and without them. The error says what differed.
pub fn run(case: &Value, models: &Index) -> Result<(), String> {
    known_keys(case)?;
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        for index in [&Index::without_models(), models] {
            let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
            let store = Store::open(folder.path()).await.map_err(stated)?;
            let told = Told::after(&store, case).await.map_err(stated)?;
            index.embed_waiting(&store).await.map_err(stated)?;
            let (case, index) = (case.clone(), index.clone());
            store.write(move |tx| Ok(told.check(tx, &case, &index))).await.map_err(stated)??;
        }
        Ok(())
    })
}

fn known_keys(case: &Value) -> Result<(), String> {
    let check = |what: &str, value: &Value| {
        let known = KEYS.iter().find(|(kind, _)| *kind == what).map_or(&[][..], |(_, keys)| keys);
        let fields = value.as_object().into_iter().flatten();
        match fields.map(|(key, _)| key).find(|key| !known.contains(&key.as_str())) {
            Some(unknown) => Err(format!("a {what} holds “{unknown}”, which nothing here checks")),
            None => Ok(()),
        }
    };
    check("case", case)?;
    check("expectation", &case["expect"])?;
    for step in list(case, "steps") {
        check("step", step)?;
        list(step, "facts").iter().try_for_each(|fact| check("fact", fact))?;
    }
    Ok(())
}

fn stated(error: StoreError) -> String {
    format!("the database failed: {error:?}")
}

/// What came of telling a case's steps.
#[derive(Clone)]
struct Told {
    conversation: Option<ConversationId>,
    messages: Vec<(MessageId, String)>,
    spec: BehaviorSpec,
    now: DateTime<FixedOffset>,
}

impl Told {
    async fn after(store: &Store, case: &Value) -> Result<Self, StoreError> {
        let mut told = Self {
            conversation: None,
            messages: Vec::new(),
            spec: BehaviorSpec::default(),
            now: DateTime::UNIX_EPOCH.fixed_offset(),
        };
        for step in list(case, "steps") {
            told.step(store, step).await?;
        }
        // Every undo is over: what was forgotten is gone.
        let later = told.now.with_timezone(&Utc) + chrono::TimeDelta::minutes(1);
        store.write(move |tx| purge::due(tx, later)).await?;
        Ok(told)
    }

    async fn step(&mut self, store: &Store, step: &Value) -> Result<(), StoreError> {
        self.now = moment(&step["at"]);
        let (clock, text) = (TestClock::at(&string(&step["at"])), string(&step["text"]));
        let (said, conversation, now) = (text.clone(), self.conversation, clock.local_now());
        let begun = store.write(move |tx| begin::begin(tx, conversation, &said, SpecVersion(1), now)).await?;
        self.conversation = Some(begun.message.conversation);
        self.messages.push((begun.message.id, text.clone()));
        if step["origin"] == "document" {
            return self.read_document(store, step, text).await;
        }
        let followed = memorize::follow_orders(store, &begun.message, &self.spec, &clock).await?;
        for topic in followed.seals {
            self.spec.sealed_topics.push(topic);
            let (spec, now) = (self.spec.clone(), clock.now());
            store.write(move |tx| versions::save(tx, &spec, now)).await?;
        }
        if !followed.is_all {
            let by = TakenBy::Answer(begun.turn);
            memorize::apply_ops(store, &begun.message, proposed(step), &self.spec, &clock, by).await?;
        }
        store.write(|tx| index::catch_up(tx, u32::MAX)).await.map(drop)
    }

    /// Text of a document asks memory for nothing, and what it says is nobody's word.
    async fn read_document(&self, store: &Store, step: &Value, text: String) -> Result<(), StoreError> {
        let (spec, now) = (self.spec.clone(), self.now);
        let candidates: Vec<Candidate> = proposed(step)
            .facts
            .into_iter()
            .map(|annotation| Candidate { origin: Origin::Document, ..Candidate::annotated(annotation, "a document") })
            .collect();
        let message = self.messages.last().map(|(id, _)| *id);
        store
            .write(move |tx| {
                let source = Source { message, ..Source::of_text(&text, now) };
                let rules = Rules { sealed: &spec.sealed_topics, agent: &spec.identity.name, now };
                gate::consider(tx, &candidates, &source, &rules).map(drop)
            })
            .await
    }

    fn check(&self, tx: &Transaction<'_>, case: &Value, index: &Index) -> Result<(), String> {
        let expect = &case["expect"];
        let current = current(tx).map_err(stated)?;
        for wanted in list(expect, "current") {
            require(current.iter().any(|fact| is(fact, wanted)), || {
                format!("not current: {wanted}; current are {}", told(&current))
            })?;
        }
        self.check_past(tx, &current, expect)?;
        if let Some(total) = expect.get("facts_total").and_then(Value::as_u64) {
            require(current.len() as u64 == total, || format!("{total} facts wanted; current are {}", told(&current)))?;
        }
        if let Some(wanted) = expect.get("in_review").and_then(Value::as_u64) {
            let waiting = review::page(tx, &everything()).map_err(stated)?;
            require(waiting.total as u64 == wanted, || format!("wait for review: {:?}", waiting.rows))?;
        }
        for quote in list(expect, "quotes").iter().map(string) {
            require(current.iter().any(|fact| fact.quote == quote), || {
                format!("“{quote}” is not kept; current are {}", told(&current))
            })?;
        }
        for topic in list(expect, "sealed") {
            let sealed = &self.spec.sealed_topics;
            require(sealed.contains(&string(topic)), || format!("sealed are {sealed:?}"))?;
        }
        for word in list(expect, "not_in_memory").iter().map(string) {
            require(current.iter().all(|fact| !tells(fact, &word)), || {
                format!("{word} is in memory: {}", told(&current))
            })?;
        }
        self.check_one_fact(&current, expect)?;
        self.check_dates(&current, expect)?;
        self.check_as_of(tx, expect)?;
        self.check_recall(tx, expect, index)?;
        self.check_prompt(tx, expect, index)?;
        self.check_fence(tx, expect, current.len(), index)?;
        self.check_messages(tx, expect)
    }

    fn check_past(&self, tx: &Transaction<'_>, current: &[Fact], expect: &Value) -> Result<(), String> {
        let Some(wanted) = expect.get("past").and_then(Value::as_array) else { return Ok(()) };
        let history = history(tx, current).map_err(stated)?;
        for wanted in wanted {
            let past = history.iter().any(|fact| fact.retired_at.is_some() && is(fact, wanted));
            require(past, || format!("not past: {wanted}; known are {}", told(&history)))?;
        }
        require(!wanted.is_empty() || history.iter().all(|fact| fact.retired_at.is_none()), || {
            format!("something is past: {}", told(&history))
        })
    }

    /// Of what a topic is about there is so much and no more: one line in a list, however often it was said.
    fn check_one_fact(&self, current: &[Fact], expect: &Value) -> Result<(), String> {
        let Some(wanted) = expect.get("current_facts_about") else { return Ok(()) };
        let (subject, part) = (string(&wanted["subject"]), string(&wanted["value_contains"]));
        let about: Vec<&Fact> = current
            .iter()
            .filter(|fact| fact.subject == subject && plain(&fact.value).contains(&plain(&part)))
            .collect();
        require(about.len() as u64 == wanted["count"].as_u64().unwrap_or(1), || format!("about it: {about:?}"))
    }

    fn check_dates(&self, current: &[Fact], expect: &Value) -> Result<(), String> {
        let Some(dates) = expect.get("stored_dates").and_then(Value::as_object) else { return Ok(()) };
        for (subject, day) in dates {
            let day = string(day);
            let is_then = |fact: &Fact| fact.date.as_deref().is_some_and(|date| date.starts_with(&day));
            let found = current.iter().any(|fact| fact.subject == *subject && is_then(fact));
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
            // What was over or denied then is no value of it.
            let mut facts = facts.map_err(stated)?;
            facts.retain(|fact| fact.polarity == Polarity::Holds);
            let right = facts.len() == 1 && has_value(&facts[0], &string(&wanted["value"]));
            require(right, || format!("{wanted} is {}", told(&facts)))?;
        }
        Ok(())
    }

    fn check_recall(&self, tx: &Transaction<'_>, expect: &Value, index: &Index) -> Result<(), String> {
        for wanted in list(expect, "recall") {
            let question = string(&wanted["question"]);
            let recalled = self.ask(tx, index, &question, self.now, Room::LeaveEmpty)?;
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

    fn check_prompt(&self, tx: &Transaction<'_>, expect: &Value, index: &Index) -> Result<(), String> {
        let Some(wanted) = expect.get("prompt_at") else { return Ok(()) };
        let recalled = self.ask(tx, index, &string(&wanted["question"]), moment(&wanted["at"]), Room::Fill)?;
        let block = fence::render(&recalled);
        for word in list(wanted, "marked_past") {
            let word = string(word);
            let past = block.lines().any(|line| line.to_lowercase().contains(&word) && line.contains("past]"));
            require(past, || format!("{word} is not told as past in {block}"))?;
        }
        Ok(())
    }

    /// The block that holds all messages: each is recalled by its own words, and none leaves the fence.
    fn check_fence(&self, tx: &Transaction<'_>, expect: &Value, facts: usize, index: &Index) -> Result<(), String> {
        let Some(wanted) = expect.get("prompt") else { return Ok(()) };
        let mut all = self.ask(tx, index, &string(&expect["question"]), self.now, Room::LeaveEmpty)?;
        for (id, text) in &self.messages {
            let mut own = self.ask(tx, index, text, self.now, Room::LeaveEmpty)?;
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
        index: &Index,
        question: &str,
        now: DateTime<FixedOffset>,
        room: Room,
    ) -> Result<Recalled, String> {
        recall::recall(tx, index, &Ask { question, now, budget: 2_000, conversation: None, room }).map_err(stated)
    }
}

/// What a model proposed, as it would write it.
fn proposed(step: &Value) -> ops::MemoryOps {
    let facts: Vec<Value> = list(step, "facts")
        .iter()
        .map(|fact| {
            let mut fact = fact.clone();
            for hint in ["kind", "topic", "stance", "change"] {
                if fact.get(hint).is_none() && step.get(hint).is_some_and(Value::is_string) {
                    fact[hint] = step[hint].clone();
                }
            }
            fact
        })
        .collect();
    ops::parse(&json!({ "facts": facts, "instruction": step.get("instruction") }).to_string())
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

/// Whether a fact says this, as it is stored.
fn is(fact: &Fact, wanted: &Value) -> bool {
    let part = |at: usize| plain(&string(&wanted[at]));
    plain(&fact.subject) == part(0) && plain(&fact.relation) == part(1) && has_value(fact, &string(&wanted[2]))
}

/// The value as it stands, or with the date that its words mean.
fn has_value(fact: &Fact, wanted: &str) -> bool {
    let date = fact.date.as_deref().map(|date| &date[..date.len().min(10)]).unwrap_or_default();
    let forms = [fact.value.clone(), date.to_owned(), format!("{} {date}", fact.value)];
    forms.iter().any(|form| plain(form) == plain(wanted))
}

/// Whether anything of a fact holds a word: its words, its structure, or both as people would say it.
fn tells(fact: &Fact, word: &str) -> bool {
    let whom = if fact.subject == "user" { "you" } else { &fact.subject };
    let said = format!("{whom} {} {}", fact.relation, fact.value).to_lowercase();
    fact.quote.contains(word) || fact.value.contains(word) || said.contains(&word.to_lowercase())
}

/// Small letters and plain digits, without stops at the end.
fn plain(said: &str) -> String {
    let digit = |c: char| match c {
        '٠'..='٩' => char::from_digit(c as u32 - '٠' as u32, 10),
        '۰'..='۹' => char::from_digit(c as u32 - '۰' as u32, 10),
        '०'..='९' => char::from_digit(c as u32 - '०' as u32, 10),
        _ => None,
    };
    let folded: String = said.chars().map(|c| digit(c).unwrap_or(c)).flat_map(char::to_lowercase).collect();
    folded.trim_end_matches(['.', '!', '。']).to_owned()
}

fn told(facts: &[Fact]) -> String {
    let line = |fact: &Fact| {
        let FactDraft { subject, relation, value } =
            FactDraft { subject: fact.subject.clone(), relation: fact.relation.clone(), value: fact.value.clone() };
        format!("“{}” ({subject}, {relation}, {value}, {:?}, {:?})", fact.quote, fact.polarity, fact.date)
    };
    facts.iter().map(line).collect::<Vec<_>>().join(" | ")
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
