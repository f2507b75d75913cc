//! From the rows to an archive.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, Row};
use serde_json::Value;

use super::{
    Archive, ArchivedConversation, ArchivedEpisode, ArchivedEvent, ArchivedFact, ArchivedMessage, ArchivedProcedure,
    ArchivedSource, ArchivedTally, FORMAT, Numbers, VERSION, renumbered,
};
use crate::store::StoreError;
use crate::store::time::Millis;

/// Collects all that is remembered and not forgotten.
pub fn collect(conn: &Connection, agent: &str, now: DateTime<Utc>) -> Result<Archive, StoreError> {
    let mut numbers = All::default();
    let conversations = conversations(conn, &mut numbers)?;
    let facts = facts(conn, &mut numbers)?;
    let episodes = episodes(conn, &mut numbers)?;
    let procedures = procedures(conn, &mut numbers)?;
    Ok(Archive {
        format: FORMAT.to_owned(),
        version: VERSION,
        exported_at: now,
        agent: agent.to_owned(),
        conversations,
        facts,
        episodes,
        procedures,
        events: events(conn, &numbers)?,
    })
}

/// The numbers of rows in the archive.
#[derive(Default)]
struct All {
    conversations: Numbers,
    messages: Numbers,
    facts: Numbers,
    episodes: Numbers,
    procedures: Numbers,
}

fn rows<T>(
    conn: &Connection,
    sql: &str,
    row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, StoreError> {
    let mut statement = conn.prepare(sql)?;
    let rows = statement.query_map([], row)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

/// Counts a list from 1.
fn counted<T>(list: &mut [T], numbers: &mut Numbers, id: impl Fn(&mut T) -> &mut i64) {
    for (entry, number) in list.iter_mut().zip(1..) {
        let id = id(entry);
        numbers.set(*id, number);
        *id = number;
    }
}

fn time(row: &Row<'_>, name: &str) -> rusqlite::Result<Option<DateTime<Utc>>> {
    Ok(row.get::<_, Option<Millis>>(name)?.map(|at| at.0))
}

fn conversations(conn: &Connection, numbers: &mut All) -> Result<Vec<ArchivedConversation>, StoreError> {
    let all =
        "SELECT c.id, t.title, c.created_at, c.updated_at FROM conversations c LEFT JOIN given_titles t ON t.id = c.id
               ORDER BY c.id";
    let mut list = rows(conn, all, |row| {
        Ok(ArchivedConversation {
            id: row.get("id")?,
            title: row.get("title")?,
            created_at: row.get::<_, Millis>("created_at")?.0,
            updated_at: row.get::<_, Millis>("updated_at")?.0,
            messages: Vec::new(),
        })
    })?;
    counted(&mut list, &mut numbers.conversations, |conversation| &mut conversation.id);
    let messages = rows(
        conn,
        "SELECT id, conversation_id, role, speaker, text, at, state, model, provider, prompt_tokens, completion_tokens, cost,
                replaced_by, recall
         FROM messages WHERE state NOT IN ('streaming', 'forgotten') AND forgotten_at IS NULL ORDER BY id",
        |row| {
            let message = ArchivedMessage {
                id: row.get("id")?,
                role: row.get("role")?,
                speaker: row.get("speaker")?,
                text: row.get("text")?,
                at: row.get::<_, Millis>("at")?.0,
                state: row.get("state")?,
                model: row.get("model")?,
                provider: row.get("provider")?,
                prompt_tokens: row.get("prompt_tokens")?,
                completion_tokens: row.get("completion_tokens")?,
                cost: row.get("cost")?,
                replaced_by: row.get("replaced_by")?,
                recall: row.get("recall")?,
            };
            Ok((row.get::<_, i64>("conversation_id")?, message))
        },
    )?;
    let mut messages = messages;
    counted(&mut messages, &mut numbers.messages, |(_, message)| &mut message.id);
    for (conversation, mut message) in messages {
        message.replaced_by = numbers.messages.of(message.replaced_by);
        if let Some(number) = numbers.conversations.get(conversation) {
            let at = usize::try_from(number - 1).expect("it was counted from 1");
            list[at].messages.push(message);
        }
    }
    Ok(list)
}

/// What is current, and nothing else: enough for the pages of facts.
pub fn facts_only(conn: &Connection, agent: &str, now: DateTime<Utc>) -> Result<Archive, StoreError> {
    Ok(Archive {
        format: FORMAT.to_owned(),
        version: VERSION,
        exported_at: now,
        agent: agent.to_owned(),
        conversations: Vec::new(),
        facts: fact_rows(conn, "retired_at IS NULL AND forgotten_at IS NULL")?,
        episodes: Vec::new(),
        procedures: Vec::new(),
        events: Vec::new(),
    })
}

fn fact_rows(conn: &Connection, which: &str) -> Result<Vec<ArchivedFact>, StoreError> {
    let sql = format!(
        "SELECT id, subject, relation, value, quote, said_at, polarity, time_words, date, topic, confidence, origin, source_message_id, valid_from, valid_to,
                recorded_at, retired_at, retired_because, superseded_by, level, pinned, use_count, last_used_at
         FROM facts WHERE {which} ORDER BY id"
    );
    rows(conn, &sql, |row| {
        Ok(ArchivedFact {
            id: row.get("id")?,
            subject: row.get("subject")?,
            relation: row.get("relation")?,
            value: row.get("value")?,
            quote: row.get("quote")?,
            said_at: time(row, "said_at")?,
            polarity: row.get("polarity")?,
            time_words: row.get("time_words")?,
            date: row.get("date")?,
            topic: row.get("topic")?,
            confidence: row.get("confidence")?,
            origin: row.get("origin")?,
            source_message: row.get("source_message_id")?,
            sources: Vec::new(),
            valid_from: time(row, "valid_from")?,
            valid_to: time(row, "valid_to")?,
            recorded_at: row.get::<_, Millis>("recorded_at")?.0,
            retired_at: time(row, "retired_at")?,
            retired_because: row.get("retired_because")?,
            superseded_by: row.get("superseded_by")?,
            level: row.get("level")?,
            pinned: row.get("pinned")?,
            use_count: row.get("use_count")?,
            last_used_at: time(row, "last_used_at")?,
        })
    })
}

fn facts(conn: &Connection, numbers: &mut All) -> Result<Vec<ArchivedFact>, StoreError> {
    let mut list = fact_rows(conn, "forgotten_at IS NULL")?;
    counted(&mut list, &mut numbers.facts, |fact| &mut fact.id);
    for fact in &mut list {
        fact.superseded_by = numbers.facts.of(fact.superseded_by);
        fact.source_message = numbers.messages.of(fact.source_message);
    }
    let sources = rows(conn, "SELECT fact_id, message_id, at FROM fact_sources ORDER BY fact_id, message_id", |row| {
        Ok((row.get::<_, i64>("fact_id")?, row.get::<_, i64>("message_id")?, row.get::<_, Millis>("at")?.0))
    })?;
    for (fact, message, at) in sources {
        if let (Some(fact), Some(message)) = (numbers.facts.get(fact), numbers.messages.get(message)) {
            let place = usize::try_from(fact - 1).expect("it was counted from 1");
            list[place].sources.push(ArchivedSource { message, at });
        }
    }
    Ok(list)
}

fn episodes(conn: &Connection, numbers: &mut All) -> Result<Vec<ArchivedEpisode>, StoreError> {
    let mut list = rows(
        conn,
        "SELECT id, kind, text, at, conversation_id, source_message_id, use_count, last_used_at
         FROM episodes WHERE forgotten_at IS NULL ORDER BY id",
        |row| {
            Ok(ArchivedEpisode {
                id: row.get("id")?,
                kind: row.get("kind")?,
                text: row.get("text")?,
                at: row.get::<_, Millis>("at")?.0,
                conversation: row.get("conversation_id")?,
                source_message: row.get("source_message_id")?,
                use_count: row.get("use_count")?,
                last_used_at: time(row, "last_used_at")?,
            })
        },
    )?;
    counted(&mut list, &mut numbers.episodes, |episode| &mut episode.id);
    for episode in &mut list {
        episode.conversation = numbers.conversations.of(episode.conversation);
        episode.source_message = numbers.messages.of(episode.source_message);
    }
    Ok(list)
}

fn procedures(conn: &Connection, numbers: &mut All) -> Result<Vec<ArchivedProcedure>, StoreError> {
    let mut list = rows(
        conn,
        "SELECT id, signature, trigger, strategy, category, remedy, lesson, lesson_by, lesson_failures, retired_at, successes,
                failures, recent_successes, recent_failures, weighed_at, created_at, last_used_at
         FROM procedures WHERE forgotten_at IS NULL ORDER BY id",
        |row| {
            Ok(ArchivedProcedure {
                id: row.get("id")?,
                signature: row.get("signature")?,
                trigger: row.get("trigger")?,
                strategy: row.get("strategy")?,
                category: row.get("category")?,
                remedy: row.get("remedy")?,
                lesson: row.get("lesson")?,
                lesson_by: row.get("lesson_by")?,
                lesson_failures: row.get("lesson_failures")?,
                retired_at: time(row, "retired_at")?,
                recent: recent(row)?,
                successes: row.get("successes")?,
                failures: row.get("failures")?,
                created_at: row.get::<_, Millis>("created_at")?.0,
                last_used_at: row.get::<_, Millis>("last_used_at")?.0,
            })
        },
    )?;
    counted(&mut list, &mut numbers.procedures, |procedure| &mut procedure.id);
    Ok(list)
}

fn recent(row: &Row<'_>) -> rusqlite::Result<Option<ArchivedTally>> {
    let (successes, failures) = (row.get("recent_successes")?, row.get("recent_failures")?);
    Ok(time(row, "weighed_at")?.map(|at| ArchivedTally { successes, failures, at }))
}

/// The log, as far as it tells of what is still there.
fn events(conn: &Connection, numbers: &All) -> Result<Vec<ArchivedEvent>, StoreError> {
    let list = rows(
        conn,
        "SELECT at, kind, target_kind, target_id, other_id, before, sentence, why, message_id, undone_at
         FROM memory_events WHERE sentence <> '' ORDER BY id",
        |row| {
            let before: Option<String> = row.get("before")?;
            Ok(ArchivedEvent {
                at: row.get::<_, Millis>("at")?.0,
                kind: row.get("kind")?,
                target_kind: row.get("target_kind")?,
                target: row.get("target_id")?,
                other: row.get("other_id")?,
                before: before.and_then(|json| serde_json::from_str::<Value>(&json).ok()),
                sentence: row.get("sentence")?,
                why: row.get("why")?,
                message: row.get("message_id")?,
                undone_at: time(row, "undone_at")?,
            })
        },
    )?;
    let kept = list.into_iter().filter_map(|event| {
        let of_kind = match event.target_kind.as_str() {
            "fact" => &numbers.facts,
            "episode" => &numbers.episodes,
            "procedure" => &numbers.procedures,
            _ => return None,
        };
        Some(ArchivedEvent {
            target: of_kind.get(event.target)?,
            other: numbers.facts.of(event.other),
            message: numbers.messages.of(event.message),
            before: event.before.and_then(|before| renumbered(before, &numbers.messages, &numbers.facts)),
            ..event
        })
    });
    Ok(kept.collect())
}
