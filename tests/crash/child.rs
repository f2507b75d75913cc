//! The Atlas that is killed: it writes what people and models make it write, and says so when each write is done.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use atlas_core::assistant::view::{ForgetMessages, ForgetTarget, Learned};
use atlas_core::assistant::{Assistant, Parts};
use atlas_core::embedding::Models;
use atlas_core::home::{AGENT, Home};
use atlas_core::keychain::FakeKeychain;
use atlas_core::providers::Reach;
use atlas_core::store::id::{ConversationId, FactId};
use atlas_core::supervisor::EngineConfig;
use atlas_tests::agent::{BEGINNING, oldest};
use atlas_tests::clock::TestClock;
use tokio::sync::mpsc;

use crate::Random;

/// Longer than a forget can be undone.
const LATER: Duration = Duration::from_secs(11);

/// Writes until it is killed. Words are numbered from `first` on.
pub fn write(home: &Path, seed: u64, first: u64) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let clock = Arc::new(TestClock::at(BEGINNING));
        let parts = Parts {
            clock: clock.clone(),
            keychain: Arc::new(FakeKeychain::new()),
            engine: EngineConfig::default(),
            embedding: Models::none(),
            reach: Reach::default(),
        };
        let assistant = Assistant::open(Home::at(home), AGENT, parts).await.unwrap();
        let mut writer = Writer {
            assistant,
            clock,
            random: Random(seed),
            next: first,
            facts: Vec::new(),
            conversations: Vec::new(),
        };
        loop {
            writer.step().await;
        }
    });
}

struct Writer {
    assistant: Arc<Assistant>,
    clock: Arc<TestClock>,
    random: Random,
    next: u64,
    /// What this run taught and may forget again.
    facts: Vec<(String, FactId)>,
    conversations: Vec<(String, ConversationId)>,
}

impl Writer {
    async fn step(&mut self) {
        match self.random.below(11) {
            0..4 => self.remember().await,
            4..7 => self.talk().await,
            7 | 8 => self.forget().await,
            // A forget goes first, and ends one that is under way.
            9 => drop(self.assistant.back_up_now().await),
            _ => self.delete().await,
        }
    }

    fn word(&mut self) -> String {
        self.next += 1;
        format!("Word{}x", self.next)
    }

    async fn remember(&mut self) {
        let word = self.word();
        say("try", "fact", &word);
        let reply = self.assistant.run_command(&format!("/remember My locker {word} is blue")).await.unwrap().unwrap();
        assert_eq!(reply.changed.len(), 1, "{}", reply.text);
        say("did", "fact", &word);
        let mut query = oldest();
        query.search.clone_from(&word);
        let found = self.assistant.facts(query).await.unwrap().rows;
        self.facts.extend(found.first().map(|fact| (word, fact.id)));
    }

    async fn talk(&mut self) {
        let word = self.word();
        let conversation = match self.random.below(2) {
            0 => self.conversations.last().map(|(_, id)| *id),
            _ => None,
        };
        let (events, mut heard) = mpsc::channel(64);
        say("try", "message", &word);
        let text = format!("What of {word}, and of the weather?");
        let handle = self.assistant.send(conversation, &text, events).await.unwrap();
        say("did", "message", &word);
        if conversation.is_none() {
            self.conversations.push((word, handle.conversation));
        }
        // No model was chosen: the turn fails, and is written as such.
        while heard.recv().await.is_some() {}
    }

    async fn forget(&mut self) {
        if self.facts.is_empty() {
            return;
        }
        let at = self.random.below(self.facts.len() as u64) as usize;
        let (word, id) = self.facts.remove(at);
        say("try", "gone", &word);
        let messages = if self.random.below(2) == 0 { ForgetMessages::Keep } else { ForgetMessages::Forget };
        let forgotten = self.assistant.forget(ForgetTarget::Facts { ids: vec![id] }, messages).await.unwrap();
        assert_eq!(forgotten.len(), 1);
        say("did", "gone", &word);
        // The next forget, or the next turn, finds that the time for an undo is over.
        self.clock.advance(LATER);
    }

    async fn delete(&mut self) {
        let Some((word, id)) = self.conversations.pop() else { return };
        let learned = if self.random.below(2) == 0 { Learned::Keep } else { Learned::Forget };
        let words: Vec<String> = self.words_in(id).await;
        words.iter().for_each(|word| say("try", "gone", word));
        self.assistant.delete_conversation(id, learned).await.unwrap();
        words.iter().for_each(|word| say("did", "gone", word));
        debug_assert!(words.contains(&word));
    }

    async fn words_in(&self, id: ConversationId) -> Vec<String> {
        let view = self.assistant.conversation(id).await.unwrap();
        let texts = view.messages.iter().map(|view| view.message.text.as_str());
        let words = texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
        words.filter(|word| word.starts_with("Word")).map(str::to_owned).collect()
    }
}

/// Whole lines, and each at once: a kill never leaves half of one.
fn say(step: &str, what: &str, word: &str) {
    let mut out = std::io::stdout().lock();
    let line = format!("{step} {what} {word}\n");
    // Who cannot be heard any more is about to be killed.
    let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
}
