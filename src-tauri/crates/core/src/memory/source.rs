//! Where a memory came from: the way from what is remembered to the words in which it was said.

use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::memory::history::change::MemoryRef;
use crate::store::StoreError;
use crate::store::id::{ConversationId, MessageId};

/// A place in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct MemorySource {
    /// The conversation.
    pub conversation: ConversationId,
    /// The message in it, while that exists.
    pub message: Option<MessageId>,
}

/// Where a memory came from. `None` where that is gone, was never said, or where the memory itself is gone.
pub fn of(conn: &Connection, memory: MemoryRef) -> Result<Option<MemorySource>, StoreError> {
    let (sql, id) = match memory {
        MemoryRef::Fact(id) => (
            "SELECT m.conversation_id AS conversation, m.id AS message
             FROM facts f JOIN messages m ON m.id = f.source_message_id WHERE f.id = ?1",
            id.0,
        ),
        MemoryRef::Episode(id) => (
            "SELECT conversation_id AS conversation, source_message_id AS message
             FROM episodes WHERE id = ?1 AND conversation_id IS NOT NULL",
            id.0,
        ),
        MemoryRef::Message(id) => {
            ("SELECT conversation_id AS conversation, id AS message FROM messages WHERE id = ?1", id.0)
        }
        MemoryRef::Procedure(_) => return Ok(None),
    };
    let found = conn.prepare_cached(sql)?.query_row([id], |row| {
        Ok(MemorySource { conversation: row.get("conversation")?, message: row.get("message")? })
    });
    Ok(found.optional()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::conversation;
    use crate::memory::testing::Memory;
    use crate::store::id::{EpisodeId, ProcedureId};

    #[test]
    fn a_memory_leads_to_the_words_that_it_came_from_while_they_are_there() {
        let mut memory = Memory::new();
        let message = memory.message("I live in Porto");
        let conversation = memory.conversation();
        assert_eq!(
            of(&memory.conn, MemoryRef::Message(message)).unwrap(),
            Some(MemorySource { conversation, message: Some(message) })
        );
        memory.write(|tx| conversation::delete(tx, conversation).unwrap());
        for gone in
            [MemoryRef::Message(message), MemoryRef::Episode(EpisodeId(404)), MemoryRef::Procedure(ProcedureId(404))]
        {
            assert_eq!(of(&memory.conn, gone).unwrap(), None);
        }
    }
}
