use chrono::TimeDelta;

use super::*;
use crate::memory::episode;
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
    assert_eq!(memory.recalled("Where do I live?")[0], "I live in Lyon.");
    assert_eq!(memory.recalled("where does my sister live")[0], "My sister Mara lives in Oslo.");
    let recalled = memory.recall("Where do I live?", Room::LeaveEmpty);
    let named: Vec<ReasonName> = recalled.items[0].reasons.iter().map(|reason| reason.name).collect();
    assert!(named.contains(&ReasonName::Lexical) && named.contains(&ReasonName::AboutYou), "{named:?}");
    let lexical = recalled.items[0].reasons.iter().find(|reason| reason.name == ReasonName::Lexical).unwrap();
    assert_eq!(lexical.words, ["live"]);
}

#[tokio::test]
async fn a_question_is_answered_before_and_after_the_models_have_read() {
    use crate::memory::conversation::{self, MessageState, NewMessage, Role};
    let Some(models) = crate::embedding::tests::models() else { return };
    let folder = tempfile::tempdir().unwrap();
    let store = crate::store::Store::open(folder.path()).await.unwrap();
    let now = Memory::new().now;
    store
        .write(move |tx| {
            let conversation = conversation::begin(tx, now.to_utc())?;
            for (role, text) in [
                (Role::User, "Remember that I live in Porto"),
                (Role::Assistant, "Hello there."),
                (Role::User, "Where do I live?"),
                (Role::Assistant, "Hello there."),
            ] {
                let new = NewMessage {
                    conversation,
                    turn: None,
                    role,
                    text: text.to_owned(),
                    state: MessageState::Complete,
                    model: None,
                    speaker: None,
                };
                conversation::add_message(tx, &new, now.to_utc())?;
            }
            Ok(())
        })
        .await
        .unwrap();
    let index = Index::new(models);
    for _ in 0..2 {
        let asked = index.clone();
        let recalled = store.read(move |conn| {
            let question = "Where do I live?";
            let ask = Ask { question, now, budget: 1_200, conversation: None, room: Room::LeaveEmpty };
            recall(conn, &asked, &ask)
        });
        let items = recalled.await.unwrap().items;
        assert_eq!(items.first().map(|item| item.sentence.as_str()), Some("Remember that I live in Porto"));
        for item in &items {
            let names: HashSet<ReasonName> = item.reasons.iter().map(|reason| reason.name).collect();
            assert_eq!(names.len(), item.reasons.len(), "each reason once: {:?}", item.reasons);
        }
        index.embed_waiting(&store).await.unwrap();
    }
}

#[test]
fn ones_own_old_fact_is_found_among_hundreds_of_newer_ones_of_others() {
    let mut memory = Memory::new();
    memory.say("I live in Lyon.", &[["user", "lives in", "Lyon"]]);
    for n in 0..400 {
        let name = format!("Mara{n}");
        memory.say(&format!("{name} lives in Oslo."), &[[name.as_str(), "lives in", "Oslo"]]);
    }
    assert_eq!(memory.recalled("Where do I live?")[0], "I live in Lyon.");
    assert_eq!(memory.recalled("Where does Mara12 live?")[0], "Mara12 lives in Oslo.");
}

#[test]
fn a_relation_is_found_by_its_synonyms() {
    let mut memory = Memory::new();
    memory.say("My home is Berlin", &[["user", "home", "Berlin"]]);
    assert_eq!(memory.recalled("What city do I live in?"), ["My home is Berlin"]);
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
fn a_question_in_common_words_is_answered_with_what_is_known_of_the_person() {
    let mut memory = Memory::new();
    memory.say("I live in Lyon.", &[["user", "lives in", "Lyon"]]);
    memory.say("Mara lives in Oslo.", &[["Mara", "lives in", "Oslo"]]);
    memory.say("I drink tea.", &[["user", "drinks", "tea"]]);
    for question in ["what do you know about me?", "who am I?", "Was weißt du über mich?"] {
        let recalled = memory.recall(question, Room::LeaveEmpty);
        let told: Vec<&str> = recalled.items.iter().map(|item| item.sentence.as_str()).take(2).collect();
        assert_eq!(
            (told, recalled.is_silent),
            (vec!["I drink tea. (user, drinks: tea)", "I live in Lyon."], false),
            "{question}"
        );
    }
}

#[test]
fn a_question_that_names_only_a_time_finds_what_was_said_then() {
    let mut memory = Memory::new();
    let mut said = Vec::new();
    for text in ["The boiler broke again", "We planned a garden party", "My exam went well"] {
        said.push((text, memory.now.date_naive()));
        memory.message(text);
        memory.later(TimeDelta::days(7));
        memory.new_conversation();
    }
    for (text, day) in said {
        for question in
            [format!("what did we talk about on {day}?"), format!("what happened on {}?", day.format("%-d %B"))]
        {
            assert_eq!(memory.recalled(&question), [text], "{question}");
        }
    }
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
    memory.write(|tx| crate::memory::fact::pin(tx, id, true).unwrap());
    let recalled = memory.recall("what's for lunch?", Room::LeaveEmpty);
    assert_eq!(
        (recalled.items.len(), recalled.items[0].reasons.as_slice()),
        (
            1,
            [Reason { name: ReasonName::Pin, value: 1.0, contribution: f64::from(judged::PINNED), words: vec![] }]
                .as_slice()
        )
    );
}

#[test]
fn what_is_past_is_told_as_past_and_what_changed_with_what_it_was() {
    let mut memory = Memory::new();
    memory.say("The demo is tomorrow.", &[["demo", "is on", "tomorrow"]]);
    memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
    memory.later(TimeDelta::days(20));
    memory.say("I moved to Lyon.", &[["user", "lives in", "Lyon"]]);
    assert_eq!(memory.recalled("when is the demo"), ["The demo is tomorrow. [2026-03-03, past]"]);
    assert_eq!(memory.recalled("where did I live before?"), ["I moved to Lyon. (before: Porto, until 22 March 2026)"]);
}

#[test]
fn the_running_conversation_is_not_recalled_to_itself() {
    let mut memory = with_notes(&["sailing in Greece"]);
    let running = memory.conversation();
    let ask =
        Ask { question: "sailing", now: memory.now, budget: 1_000, conversation: Some(running), room: Room::Fill };
    assert_eq!(recall(&memory.conn, &Index::without_models(), &ask).unwrap().items, []);
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
