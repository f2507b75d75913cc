//! One, several, everything about somebody, everything of a conversation, all: the preview tells what goes, and nothing else
//! goes.

use std::collections::BTreeSet;

use atlas_core::assistant::view::{ForgetMessages, ForgetTarget};
use atlas_tests::ScriptedServer;
use atlas_tests::agent::Agent;

use super::traces::{columns_with, database, files_with};
use super::{SENTINEL, answer, purged, sentences, tell_of_it, untold};

/// What each leaves of the sentences.
#[tokio::test(flavor = "multi_thread")]
async fn the_preview_tells_what_goes_whatever_is_to_be_forgotten() {
    for what in ["one", "several", "subject", "conversation", "messages", "everything"] {
        let server = ScriptedServer::new(answer);
        let agent = Agent::asking(&server).await;
        let [first, second] = tell_of_it(&agent).await;
        let agent = agent.reopened().await;
        let all = agent.facts().await;
        let secret = |sentence: &str| sentence.contains("secret project");
        let target = match what {
            "one" => {
                ForgetTarget::Facts { ids: all.iter().filter(|fact| secret(&fact.quote)).map(|fact| fact.id).collect() }
            }
            "several" => ForgetTarget::Facts { ids: all.iter().take(3).map(|fact| fact.id).collect() },
            "subject" => ForgetTarget::Subject { name: SENTINEL.to_owned() },
            "conversation" => ForgetTarget::Conversation { id: first },
            "messages" => {
                ForgetTarget::Messages { ids: agent.messages(second).await.iter().map(|message| message.id).collect() }
            }
            _ => ForgetTarget::Everything,
        };
        let preview = agent.assistant.forget_preview(target.clone()).await.unwrap();
        assert_eq!(preview.messages.len() + preview.more_messages as usize, preview.message_count as usize, "{what}");
        let before: BTreeSet<String> = sentences(&agent).await.into_iter().collect();
        let events = agent.assistant.events();
        agent.assistant.forget(target, ForgetMessages::Forget).await.unwrap();
        let receipt = purged(&agent, events).await;
        assert_eq!(untold(&preview, &receipt), Vec::<String>::new(), "{what}: {preview:?}");
        let after: BTreeSet<String> = sentences(&agent).await.into_iter().collect();
        assert_eq!(before.len() - after.len(), preview.facts as usize, "{what}: {before:?} {after:?}");
        if what == "subject" || what == "everything" {
            assert_eq!(columns_with(&database(&agent), SENTINEL), Vec::<String>::new(), "{what}");
            assert_eq!(files_with(agent.home.path(), SENTINEL), Vec::<String>::new(), "{what}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_of_a_long_conversation_says_how_many_messages_it_does_not_show() {
    let server = ScriptedServer::new(answer);
    let agent = Agent::asking(&server).await;
    let conversation = agent.says("Good evening").await.conversation();
    for _ in 0..27 {
        agent.says_in(Some(conversation), "Good evening").await;
    }
    let target = ForgetTarget::Conversation { id: conversation };
    let preview = agent.assistant.forget_preview(target).await.unwrap();
    assert_eq!((preview.message_count, preview.messages.len(), preview.more_messages), (56, 50, 6));
}
