//! What was typed and not yet sent.

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::store::StoreError;
use crate::store::id::ConversationId;

/// What was typed in a conversation and not yet sent; `None` is the conversation that does not exist yet.
pub fn draft(conn: &Connection, id: Option<ConversationId>) -> Result<String, StoreError> {
    let text = conn
        .query_row(
            "SELECT text FROM drafts WHERE conversation_id = ?1
             AND NOT EXISTS (SELECT 1 FROM hidden WHERE kind = 'draft' AND target_id = ?1)",
            [draft_key(id)],
            |row| row.get("text"),
        )
        .optional()?;
    Ok(text.unwrap_or_default())
}

/// Keeps what was typed; an empty text removes it.
pub fn save_draft(tx: &Transaction<'_>, id: Option<ConversationId>, text: &str) -> Result<(), StoreError> {
    tx.execute("DELETE FROM hidden WHERE kind = 'draft' AND target_id = ?1", [draft_key(id)])?;
    if text.is_empty() {
        tx.execute("DELETE FROM drafts WHERE conversation_id = ?1", [draft_key(id)])?;
    } else {
        tx.execute(
            "INSERT INTO drafts (conversation_id, text) VALUES (?1, ?2)
             ON CONFLICT (conversation_id) DO UPDATE SET text = excluded.text",
            params![draft_key(id), text],
        )?;
    }
    Ok(())
}

fn draft_key(id: Option<ConversationId>) -> i64 {
    id.map_or(0, |id| id.0)
}
