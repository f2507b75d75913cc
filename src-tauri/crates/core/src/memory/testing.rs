//! A small memory to test with: a fixed clock, and sentences with what a model would have proposed for them.

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use rusqlite::{Connection, Transaction};

use crate::memory::conversation::{self, MessageState, NewMessage, Role};
use crate::memory::fact::{self, Fact, FactDraft, Origin};
use crate::memory::index::Index;
use crate::memory::page::{MemoryOrder, MemoryQuery};
use crate::memory::recall::{self, Ask, Recalled, Room};
use crate::memory::relation::Polarity;
use crate::memory::writing::annotation::{Change, Stance};
use crate::memory::writing::gate::{self, Candidate, Decision, Rules, Source};
use crate::store::id::{ConversationId, MessageId};

/// A memory, and the moment in it.
pub struct Memory {
    pub conn: Connection,
    pub now: DateTime<FixedOffset>,
    pub sealed: Vec<String>,
    conversation: Option<ConversationId>,
}

impl Memory {
    /// Empty, on Monday 2 March 2026, nine o'clock in Berlin.
    pub fn new() -> Self {
        let now = DateTime::parse_from_rfc3339("2026-03-02T09:00:00+01:00").unwrap();
        Self { conn: crate::store::scratch(), now, sealed: Vec::new(), conversation: None }
    }

    pub fn utc(&self) -> DateTime<Utc> {
        self.now.with_timezone(&Utc)
    }

    pub fn later(&mut self, by: TimeDelta) {
        self.now += by;
    }

    /// Does something in a transaction of its own.
    pub fn write<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> T) -> T {
        let tx = self.conn.transaction().unwrap();
        let result = work(&tx);
        tx.commit().unwrap();
        result
    }

    /// The conversation that is going on; [`Self::new_conversation`] begins another.
    pub fn conversation(&mut self) -> ConversationId {
        match self.conversation {
            Some(id) => id,
            None => self.new_conversation(),
        }
    }

    pub fn new_conversation(&mut self) -> ConversationId {
        let now = self.utc();
        let id = self.write(|tx| conversation::begin(tx, now).unwrap());
        self.conversation = Some(id);
        id
    }

    pub fn message(&mut self, text: &str) -> MessageId {
        let conversation = self.conversation();
        let new = NewMessage {
            conversation,
            turn: None,
            role: Role::User,
            text: text.to_owned(),
            state: MessageState::Complete,
            model: None,
            speaker: None,
        };
        let now = self.utc();
        self.write(|tx| conversation::add_message(tx, &new, now).unwrap())
    }

    /// The person says something, and a model proposes these facts for it.
    pub fn say(&mut self, text: &str, facts: &[[&str; 3]]) -> Vec<Decision> {
        self.say_as(text, facts, Origin::Said, None)
    }

    pub fn say_as(&mut self, text: &str, facts: &[[&str; 3]], origin: Origin, change: Option<Change>) -> Vec<Decision> {
        let candidates: Vec<Candidate> = facts
            .iter()
            .map(|fact| Candidate { change, ..Candidate::bare(draft(*fact), origin, 0.9, "a test") })
            .collect();
        self.propose(text, &candidates)
    }

    /// The person states something, and a model that points at all of it proposes a fact.
    pub fn state(&mut self, text: &str, fact: [&str; 3]) -> Vec<Decision> {
        let bare = Candidate::bare(draft(fact), Origin::Said, 0.9, "a test");
        self.propose(text, &[Candidate { quote: Some(text.to_owned()), stance: Some(Stance::States), ..bare }])
    }

    pub fn propose(&mut self, text: &str, candidates: &[Candidate]) -> Vec<Decision> {
        let message = Some(self.message(text));
        let (sealed, now) = (self.sealed.clone(), self.now);
        let source = Source { message, ..Source::of_text(text, now) };
        let rules = Rules { sealed: &sealed, agent: "Atlas", now };
        self.write(|tx| gate::consider(tx, candidates, &source, &rules).unwrap())
    }

    pub fn facts(&self) -> Vec<Fact> {
        self.search("")
    }

    pub fn search(&self, words: &str) -> Vec<Fact> {
        let query =
            MemoryQuery { search: words.to_owned(), order: MemoryOrder::Oldest, limit: 500, ..MemoryQuery::default() };
        fact::page(&self.conn, &query).unwrap().rows
    }

    /// The words that are kept and current, the oldest first.
    pub fn known(&self) -> Vec<String> {
        self.facts().into_iter().map(|fact| fact.quote).collect()
    }

    /// The structure over them: "user | lives in | Porto", with a "not" or an "ended" before the relation.
    pub fn structure(&self) -> Vec<String> {
        let told = |fact: Fact| {
            let sign = match fact.polarity {
                Polarity::Holds => "",
                Polarity::Denied => "not ",
                Polarity::Ended => "ended ",
            };
            format!("{} | {sign}{} | {}", fact.subject, fact.relation, fact.value)
        };
        self.facts().into_iter().map(told).collect()
    }

    pub fn recall(&self, question: &str, room: Room) -> Recalled {
        let ask = Ask { question, now: self.now, budget: 1_200, conversation: None, room };
        recall::recall(&self.conn, &Index::without_models(), &ask).unwrap()
    }

    /// What is recalled where nothing fills the room, best first.
    pub fn recalled(&self, question: &str) -> Vec<String> {
        self.recall(question, Room::LeaveEmpty).items.into_iter().map(|item| item.sentence).collect()
    }
}

pub fn draft([subject, relation, value]: [&str; 3]) -> FactDraft {
    FactDraft { subject: subject.into(), relation: relation.into(), value: value.into() }
}
