//! Summaries of conversations that have ended, put together from the notes of their turns: no model is asked, so a
//! summary costs nothing and can be written while Atlas closes.

use chrono::{DateTime, Utc};
use rusqlite::{Transaction, params};

use crate::memory::conversation;
use crate::memory::episode;
use crate::memory::writing::gate;
use crate::store::StoreError;
use crate::store::id::ConversationId;
use crate::store::time::Millis;

/// How many notes a summary holds, the latest ones.
const NOTES: usize = 12;
/// The longest summary, in characters.
const LONGEST: usize = 600;

/// Writes the summary of each conversation with something new since its last one, except the one that the person is in.
pub fn sum_up_all(
    tx: &Transaction<'_>,
    current: Option<ConversationId>,
    sealed: &[String],
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    for id in owed(tx, current)? {
        let notes = episode::notes_of(tx, id)?;
        let title = conversation::get(tx, id)?.title;
        // The title is what the person said first, and may touch what they sealed or had forgotten.
        let may_be_told = conversation::title_may_be_told(tx, id)? && gate::admits_episode(&title, "", sealed).is_ok();
        let title = if may_be_told { title.as_str() } else { "Talked about" };
        if let Some(text) = summary(title, &notes) {
            episode::replace_summary(tx, id, &text, now)?;
        }
        tx.execute("UPDATE conversations SET summed_up_at = ?2 WHERE id = ?1", params![id, Millis(now)])?;
    }
    Ok(())
}

fn owed(tx: &Transaction<'_>, current: Option<ConversationId>) -> Result<Vec<ConversationId>, StoreError> {
    let mut statement = tx.prepare_cached(
        "SELECT id FROM conversations
         WHERE (summed_up_at IS NULL OR summed_up_at < updated_at) AND id IS NOT ?1 ORDER BY id",
    )?;
    let ids = statement.query_map([current], |row| row.get("id"))?.collect::<Result<_, _>>()?;
    Ok(ids)
}

/// "Trip to Lisbon: trains; where to stay." Nothing where nothing was noted.
fn summary(title: &str, notes: &[String]) -> Option<String> {
    let title = title.trim_end_matches(['.', '!', '?', '…', '。', '？', '！']);
    let mut told: Vec<&str> = Vec::new();
    for note in notes.iter().rev().map(|note| note.trim().trim_end_matches('.')) {
        // The title is often the first message, and so is its note.
        let is_title = title.eq_ignore_ascii_case(note.trim_end_matches(['!', '?', '…']));
        if !note.is_empty()
            && !is_title
            && !told.iter().any(|other| other.eq_ignore_ascii_case(note))
            && told.len() < NOTES
        {
            told.push(note);
        }
    }
    if told.is_empty() {
        return None;
    }
    told.reverse();
    let text = format!("{title}: {}.", told.join("; "));
    Some(if text.chars().count() > LONGEST { text.chars().take(LONGEST - 1).chain(['…']).collect() } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_tells_each_thing_once_in_the_order_it_came() {
        let notes = ["trains in Lisbon.", "where to stay", "Trains in Lisbon", ""].map(str::to_owned);
        assert_eq!(summary("Trip", &notes), Some("Trip: where to stay; Trains in Lisbon.".to_owned()));
        assert_eq!(summary("Trip", &[]), None);
        let notes = ["Where shall we go?", "trains"].map(str::to_owned);
        assert_eq!(summary("Where shall we go?", &notes), Some("Where shall we go: trains.".to_owned()));
        assert_eq!(summary("Where shall we go?", &notes[..1]), None);
    }

    #[test]
    fn a_long_conversation_keeps_a_short_summary() {
        let notes: Vec<String> = (0..40).map(|n| format!("{n} {}", "long ".repeat(20))).collect();
        let text = summary("Trip", &notes).unwrap();
        assert_eq!(text.chars().count(), LONGEST);
    }
}
