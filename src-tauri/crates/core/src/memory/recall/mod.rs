//! Finding what matters for a question, best first, each with the reasons for its place.
//!
//! Two stages: the text indexes give candidates for each word, rare words before common ones; then one score over named
//! features puts them in order. The same question over the same memory gives the same list. It only reads.

use std::cmp::Ordering;
use std::collections::HashMap;

use chrono::{DateTime, FixedOffset, NaiveDate, Utc};
use rusqlite::{Connection, Transaction, named_params};

use crate::memory::episode;
use crate::memory::fact::{self, Origin};
use crate::memory::history::change::{MemoryRef, UsedMemory};
use crate::memory::language::{sentence, text};
use crate::store::StoreError;
use crate::store::id::{ConversationId, EpisodeId, FactId};
use crate::store::time::Millis;
use candidates::{FactRow, Found};
use query::Term;

pub(in crate::memory) mod candidates;
pub mod fence;
mod fill;
pub mod query;

use fill::Basket;

/// A question to memory.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// What the person said.
    pub question: &'a str,
    /// Now, where the person is.
    pub now: DateTime<FixedOffset>,
    /// About how many tokens the answer may take in a prompt.
    pub budget: u64,
    /// The running conversation: its own episodes are not recalled, because it is before the model already.
    pub conversation: Option<ConversationId>,
    /// What to do with the room that is left.
    pub room: Room,
}

/// What to do with the room that relevant memories leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// Fill it with what is familiar: the person's facts, the last episodes, learned procedures.
    Fill,
    /// Leave it. Where nothing relevant is known, nothing is recalled.
    LeaveEmpty,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recalled {
    /// Best first.
    pub items: Vec<RecalledItem>,
}

/// One memory that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledItem {
    /// Which.
    pub memory: MemoryRef,
    /// As one sentence; what is past is told as past.
    pub sentence: String,
    /// For a fact: where it came from.
    pub origin: Option<Origin>,
    /// When it was learned, or happened.
    pub at: DateTime<Utc>,
    /// The same as a day, where the person is.
    pub day: NaiveDate,
    /// Higher is better; 0 for what only fills the room.
    pub score: f64,
    /// Why it stands where it does.
    pub reasons: Vec<Reason>,
}

/// A reason for a memory's place.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// The person pinned it.
    Pinned,
    /// These words of the question are in it, or lead to it.
    Words(Vec<String>),
    /// The question is about the person, and so is it.
    AboutYou,
    /// It fills the room: a fact about the person.
    Familiar,
    /// It fills the room: it happened lately.
    Recent,
    /// It fills the room: it has helped before.
    Learned,
}

impl Recalled {
    /// The memories as the chip under an answer shows them.
    pub fn used(&self) -> Vec<UsedMemory> {
        self.items.iter().map(|item| UsedMemory { memory: item.memory, sentence: item.sentence.clone() }).collect()
    }

    /// The block for the prompt.
    pub fn render(&self) -> String {
        fence::render(self)
    }
}

/// The weights of the features of one score, and what they were chosen for.
mod weight {
    /// A fact about the person, for a question that says "I".
    pub const ABOUT_YOU: f64 = 0.15;
    /// A fact of today; halved every 90 days.
    pub const RECENT: f64 = 0.05;
    /// A fact that is certain.
    pub const CONFIDENT: f64 = 0.05;
    /// A pinned fact, so that it wins among equals.
    pub const PINNED: f64 = 0.1;
    /// What somebody talked about stands behind what is known, at the same share of words.
    pub const EPISODE: f64 = 0.9;
    /// The share of a question's meaning that a memory must hold to count as relevant.
    pub const LEAST_COVERAGE: f64 = 0.36;
}

/// How many matching facts and episodes are taken at most.
const MOST_FACTS: usize = 24;
const MOST_EPISODES: usize = 8;
/// A long conversation does not crowd the others out.
const MOST_OF_ONE_CONVERSATION: usize = 2;
/// Finds what matters for a question.
pub fn recall(conn: &Connection, ask: &Ask<'_>) -> Result<Recalled, StoreError> {
    let terms = query::terms(ask.question);
    let person = fact::person(conn)?;
    let setting = Setting { ask, terms: &terms, person: person.as_deref(), today: ask.now.date_naive() };
    let mut basket = Basket::new(ask.budget);
    let matching = matching_facts(conn, &setting)?;
    for pinned in candidates::pinned(conn)? {
        let found = matching.iter().find(|(row, _)| row.id == pinned.id);
        let score = found.map_or(0.0, |(_, item)| item.score) + weight::PINNED;
        let mut reasons = vec![Reason::Pinned];
        reasons.extend(found.map(|(_, item)| item.reasons.clone()).unwrap_or_default());
        basket.put(RecalledItem { score, reasons, ..setting.item(conn, &pinned, 0.0, Vec::new())? });
    }
    let mut relevant: Vec<RecalledItem> = matching.into_iter().map(|(_, item)| item).collect();
    relevant.extend(matching_episodes(conn, &setting)?);
    sort(&mut relevant);
    relevant.into_iter().for_each(|item| basket.put(item));
    if ask.room == Room::Fill {
        fill::fill(conn, &setting, &mut basket)?;
    }
    let mut items = basket.items;
    sort(&mut items);
    Ok(Recalled { items })
}

fn sort(items: &mut [RecalledItem]) {
    items.sort_by(better);
}

/// Best first; among equals the newer, then the later written.
fn better(a: &RecalledItem, b: &RecalledItem) -> Ordering {
    let key = |item: &RecalledItem| crate::memory::history::change::parts(item.memory);
    b.score.total_cmp(&a.score).then(b.at.cmp(&a.at)).then(key(b).cmp(&key(a)))
}

/// What is the same for all memories of one question.
struct Setting<'a> {
    ask: &'a Ask<'a>,
    terms: &'a [Term],
    person: Option<&'a str>,
    today: NaiveDate,
}

impl Setting<'_> {
    fn item(
        &self,
        conn: &Connection,
        row: &FactRow,
        score: f64,
        reasons: Vec<Reason>,
    ) -> Result<RecalledItem, StoreError> {
        let is_over = sentence::is_over(&row.draft, self.today);
        let told =
            if is_over { sentence::sentence_on(&row.draft, self.person, self.today) } else { row.sentence.clone() };
        let before = candidates::before(conn, row.id)?;
        let told = match before {
            Some((value, Some(until))) => format!("{told} (before: {value}, until {})", fence::spoken(self.day(until))),
            Some((value, None)) => format!("{told} (before: {value})"),
            None => told,
        };
        Ok(RecalledItem {
            memory: MemoryRef::Fact(row.id),
            sentence: told,
            origin: Some(row.origin),
            at: row.recorded_at,
            day: self.day(row.recorded_at),
            score,
            reasons,
        })
    }

    /// A moment as a day, where the person is.
    fn day(&self, at: DateTime<Utc>) -> NaiveDate {
        at.with_timezone(&self.ask.now.timezone()).date_naive()
    }

    /// Whether the question is about the person themself.
    fn is_about_you(&self) -> bool {
        const SELF: &[&str] =
            &["i", "me", "myself", "ich", "mich", "mir", "je", "j", "moi", "yo", "私", "僕", "나", "저", "я"];
        text::words(self.ask.question).iter().any(|word| SELF.contains(&word.as_str()) || word.starts_with('我'))
    }

    fn coverage(&self, found: &Found, matched: u32) -> f64 {
        let mass = |term: usize| found.weights[term];
        let all: f64 = (0..self.terms.len()).map(mass).sum();
        let held: f64 = (0..self.terms.len()).filter(|term| matched & (1 << term) != 0).map(mass).sum();
        if all > 0.0 { held / all } else { 0.0 }
    }

    fn words(&self, matched: u32) -> Reason {
        let words = self.terms.iter().enumerate().filter(|(at, _)| matched & (1 << at) != 0);
        Reason::Words(words.map(|(_, term)| term.typed.clone()).collect())
    }

    fn is_relevant(&self, coverage: f64) -> bool {
        coverage > 0.0 && (self.ask.room == Room::Fill || coverage >= weight::LEAST_COVERAGE)
    }
}

fn matching_facts(conn: &Connection, setting: &Setting<'_>) -> Result<Vec<(FactRow, RecalledItem)>, StoreError> {
    let about_you = setting.is_about_you();
    let found = candidates::find(conn, candidates::FACTS, setting.terms, about_you)?;
    let rows = candidates::facts(conn, setting.terms, &found)?;
    let mut scored = Vec::new();
    for (row, matched) in rows {
        let coverage = setting.coverage(&found, matched);
        if !setting.is_relevant(coverage) {
            continue;
        }
        let is_yours = about_you && row.is_about_user;
        let age_days = (setting.ask.now.with_timezone(&Utc) - row.recorded_at).num_days().max(0);
        let score = coverage
            + if is_yours { weight::ABOUT_YOU } else { 0.0 }
            + weight::RECENT * 0.5_f64.powf(age_days as f64 / 90.0)
            + weight::CONFIDENT * row.confidence;
        scored.push((row, matched, is_yours, score));
    }
    scored.sort_by(|a, b| b.3.total_cmp(&a.3).then(b.0.id.cmp(&a.0.id)));
    scored.truncate(MOST_FACTS);
    let mut items = Vec::with_capacity(scored.len());
    for (row, matched, is_yours, score) in scored {
        let mut reasons = vec![setting.words(matched)];
        if is_yours {
            reasons.push(Reason::AboutYou);
        }
        let item = setting.item(conn, &row, score, reasons)?;
        items.push((row, item));
    }
    Ok(items)
}

fn matching_episodes(conn: &Connection, setting: &Setting<'_>) -> Result<Vec<RecalledItem>, StoreError> {
    let found = candidates::find(conn, candidates::EPISODES, setting.terms, false)?;
    let ids: Vec<EpisodeId> = found.best().into_iter().map(|(id, _)| EpisodeId(id)).collect();
    let mut items: Vec<(Option<ConversationId>, RecalledItem)> = episode::by_ids(conn, &ids)?
        .into_iter()
        .filter(|episode| setting.ask.conversation.is_none() || episode.conversation != setting.ask.conversation)
        .filter_map(|episode| {
            let matched = candidates::completed(&episode.text, found.matched(episode.id.0), setting.terms, &found);
            let coverage = setting.coverage(&found, matched);
            let item = RecalledItem {
                memory: MemoryRef::Episode(episode.id),
                sentence: episode.text,
                origin: None,
                at: episode.at,
                day: setting.day(episode.at),
                score: coverage * weight::EPISODE,
                reasons: vec![setting.words(matched)],
            };
            setting.is_relevant(coverage).then_some((episode.conversation, item))
        })
        .collect();
    items.sort_by(|(_, a), (_, b)| better(a, b));
    let mut taken: HashMap<Option<ConversationId>, usize> = HashMap::new();
    items.retain(|(conversation, _)| {
        let count = taken.entry(*conversation).or_default();
        *count += 1;
        conversation.is_none() || *count <= MOST_OF_ONE_CONVERSATION
    });
    Ok(items.into_iter().take(MOST_EPISODES).map(|(_, item)| item).collect())
}

/// Counts that memories stood in an answer's prompt.
pub fn count_use(tx: &Transaction<'_>, used: &[UsedMemory], now: DateTime<Utc>) -> Result<(), StoreError> {
    for memory in used {
        let (table, id) = match memory.memory {
            MemoryRef::Fact(FactId(id)) => ("facts", id),
            MemoryRef::Episode(EpisodeId(id)) => ("episodes", id),
            // A procedure counts its tries, not its readers; a message is no row of a list.
            MemoryRef::Procedure(_) | MemoryRef::Message(_) => continue,
        };
        tx.prepare_cached(&format!(
            "UPDATE {table} SET use_count = use_count + 1, last_used_at = :now WHERE id = :id"
        ))?
        .execute(named_params! { ":now": Millis(now), ":id": id })?;
    }
    Ok(())
}

#[cfg(test)]
pub(in crate::memory) mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::memory::testing::Memory;

    pub(in crate::memory) fn with_notes(notes: &[&str]) -> Memory {
        let mut memory = Memory::new();
        let now = memory.utc();
        for note in notes {
            let (conversation, message) = (memory.new_conversation(), memory.message(note));
            memory.write(|tx| episode::add_note(tx, conversation, message, note, now).unwrap());
        }
        memory
    }

    #[test]
    fn the_best_match_comes_first_and_says_why() {
        let mut memory = Memory::new();
        memory.say("I live in Lyon.", &[["user", "lives in", "Lyon"]]);
        memory.say("My sister Mara lives in Oslo.", &[["Mara", "lives in", "Oslo"], ["Mara", "is", "user's sister"]]);
        memory.say("Her husband lives in Oslo too. Mara", &[["Mara's husband", "lives in", "Oslo"]]);
        assert_eq!(memory.recalled("Where do I live?")[0], "You live in Lyon");
        assert_eq!(memory.recalled("where does my sister live")[0], "Mara lives in Oslo");
        let recalled = memory.recall("Where do I live?", Room::LeaveEmpty);
        assert_eq!(recalled.items[0].reasons, [Reason::Words(vec!["live".into()]), Reason::AboutYou]);
    }

    #[test]
    fn ones_own_old_fact_is_found_among_hundreds_of_newer_ones_of_others() {
        let mut memory = Memory::new();
        memory.say("I live in Lyon.", &[["user", "lives in", "Lyon"]]);
        for n in 0..400 {
            let name = format!("Mara{n}");
            memory.say(&format!("{name} lives in Oslo."), &[[name.as_str(), "lives in", "Oslo"]]);
        }
        assert_eq!(memory.recalled("Where do I live?")[0], "You live in Lyon");
        assert_eq!(memory.recalled("Where does Mara12 live?")[0], "Mara12 lives in Oslo");
    }

    #[test]
    fn a_relation_is_found_by_its_synonyms() {
        let mut memory = Memory::new();
        memory.say("My home is Berlin", &[["user", "home", "Berlin"]]);
        assert_eq!(memory.recalled("What city do I live in?"), ["Your home is Berlin"]);
    }

    #[test]
    fn where_nothing_relevant_is_known_nothing_is_recalled() {
        let mut memory = Memory::new();
        memory.say(
            "My favourite colour is green. I work as a nurse.",
            &[["user", "favourite colour", "green"], ["user", "works as", "nurse"]],
        );
        memory.say("Box A is a fnOS NAS", &[["Box A", "is a", "fnOS NAS"]]);
        for question in [
            "What is my favourite opera?",
            "asdf qwer",
            "",
            "the of and to",
            "which box is a Synology?",
            "do I have diabetes?",
            "???",
        ] {
            assert_eq!(memory.recalled(question), Vec::<String>::new(), "{question}");
        }
        assert_eq!(memory.recalled("what is box A?"), ["Box A is a fnOS NAS"]);
    }

    #[test]
    fn what_is_typed_is_text_and_never_a_query() {
        let memory = with_notes(&[
            "I write C++ at work and don't like Java.",
            "Ticket #123 is about src/main.py, see TODO: fix the loop.",
            "The tax went up 50% and my mail is a@b.example.",
            "The password hint book is wrong-book, shelf (3).",
            "My column is called near:far AND it is \"odd\".",
            "I like C# as well",
        ]);
        for (question, part) in [
            ("C++", "C++"),
            ("C#", "C#"),
            ("don't", "don't"),
            ("#123", "#123"),
            ("src/main.py", "src/main.py"),
            ("TODO: fix", "TODO: fix"),
            ("50%", "50%"),
            ("a@b.example", "a@b.example"),
            ("wrong-book", "wrong-book"),
            ("NEAR(shelf", "shelf"),
            ("near:far", "near:far"),
            ("\"odd\"", "odd"),
            ("(3) shelf*", "shelf"),
        ] {
            let recalled = memory.recalled(question);
            assert!(recalled.first().is_some_and(|top| top.contains(part)), "{question} recalls {recalled:?}");
        }
    }

    #[test]
    fn one_and_two_characters_of_unspaced_scripts_are_found() {
        let memory = with_notes(&[
            "元宝老婆刚怀孕",
            "GitHub备份脚本上传失败",
            "娘の名前は葵です",
            "여동생은 부산에 산다",
            "แม่ของฉันชอบปลูกกล้วยไม้",
            "我住在东京，妻子叫小林",
            "أعيش في بيروت",
            "אני גר בחיפה",
            "Café is my cat 🐈‍⬛",
        ]);
        for (question, part) in [
            ("怀孕", "怀孕"),
            ("备份", "备份脚本"),
            ("葵", "葵"),
            ("娘の名前", "葵"),
            ("부산", "부산"),
            ("กล้วยไม้", "กล้วยไม้"),
            ("东京", "东京"),
            ("GitHub备份", "备份脚本"),
            ("妻", "妻子"),
            ("بيروت", "بيروت"),
            ("חיפה", "חיפה"),
            ("Café", "cat"),
        ] {
            let recalled = memory.recalled(question);
            assert!(recalled.first().is_some_and(|top| top.contains(part)), "{question} recalls {recalled:?}");
        }
    }

    #[test]
    fn a_pinned_fact_is_always_there() {
        let mut memory = Memory::new();
        memory.say("I'm allergic to nuts", &[["user", "is allergic to", "nuts"]]);
        let id = memory.facts()[0].id;
        memory.write(|tx| fact::pin(tx, id, true).unwrap());
        let recalled = memory.recall("what's for lunch?", Room::LeaveEmpty);
        assert_eq!((recalled.items.len(), recalled.items[0].reasons.as_slice()), (1, [Reason::Pinned].as_slice()));
    }

    #[test]
    fn what_is_past_is_told_as_past_and_what_changed_with_what_it_was() {
        let mut memory = Memory::new();
        memory.say("The demo is tomorrow.", &[["demo", "is on", "tomorrow"]]);
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        memory.later(TimeDelta::days(20));
        memory.say("I moved to Lyon.", &[["user", "lives in", "Lyon"]]);
        assert_eq!(memory.recalled("when is the demo"), ["Demo was on 3 March 2026 (past)"]);
        assert_eq!(
            memory.recalled("where did I live before?"),
            ["You live in Lyon (before: Porto, until 22 March 2026)"]
        );
    }

    #[test]
    fn the_running_conversation_is_not_recalled_to_itself() {
        let mut memory = with_notes(&["sailing in Greece"]);
        let running = memory.conversation();
        let ask =
            Ask { question: "sailing", now: memory.now, budget: 1_000, conversation: Some(running), room: Room::Fill };
        assert_eq!(recall(&memory.conn, &ask).unwrap().items, []);
    }

    #[test]
    fn uses_are_counted() {
        let mut memory = Memory::new();
        memory.say("I drink tea", &[["user", "drinks", "tea"]]);
        let (used, now) = (memory.recall("tea", Room::LeaveEmpty).used(), memory.utc());
        memory.write(|tx| count_use(tx, &used, now).unwrap());
        assert_eq!((memory.facts()[0].use_count, memory.facts()[0].last_used_at), (1, Some(now)));
    }

    #[test]
    fn no_look_up_reads_the_whole_table() {
        let memory = Memory::new();
        let mut plan = String::new();
        for sql in candidates::statements() {
            let mut statement = memory.conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let count = statement.parameter_count();
            let rows = statement
                .query_map(rusqlite::params_from_iter(vec!["\"x\""; count]), |row| row.get::<_, String>(3))
                .unwrap();
            rows.for_each(|line| plan.push_str(&format!("{}\n", line.unwrap())));
        }
        let scans: Vec<&str> = plan
            .lines()
            .filter(|line| line.starts_with("SCAN") && !line.contains("VIRTUAL TABLE") && !line.contains("INDEX"))
            .collect();
        assert_eq!(scans, Vec::<&str>::new(), "{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }
}
