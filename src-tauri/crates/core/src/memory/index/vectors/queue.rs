//! Passages that wait for their vectors. The queue is in the database: it survives a restart, and nobody has to remember to
//! fill it.
//!
//! Reading takes the processor for seconds or hours, so it goes in small steps, the newest passages first, and stops between
//! two texts when somebody else needs the computer.

use rusqlite::{Connection, Transaction, named_params};

use super::{Kept, Space, in_force};
use crate::embedding::{BITS_STATIC, BITS_TRANSFORMER, Models, Quantized};
use crate::memory::index::passage::{self, PassageId, speaker_code};
use crate::store::{Store, StoreError};

/// A passage as a model read it; none where its text has no direction.
pub type Read = (PassageId, Option<Kept>);

/// Reads up to `limit` passages that wait, unless `give_way` says to stop. How many were read: with none, either nothing
/// waits, or there is no model, or it was told to give way.
pub async fn read_some(
    store: &Store,
    models: &Models,
    space: Space,
    limit: u32,
    give_way: impl Fn() -> bool + Send + 'static,
) -> Result<u64, StoreError> {
    if give_way() {
        return Ok(0);
    }
    let loading = models.clone();
    let Ok(model) = compute(move || space.model(&loading)).await else { return Ok(0) };
    if store.read(move |conn| in_force(conn, space)).await? != Some(model) {
        store.write(move |tx| adopt(tx, space, model)).await?;
    }
    let unread = store.read(move |conn| unread(conn, space, limit)).await?;
    let models = models.clone();
    let read = compute(move || read_all(&models, space, &unread, &give_way)).await;
    let count = read.len() as u64;
    if count > 0 {
        store.write(move |tx| keep(tx, space, model, &read)).await?;
    }
    Ok(count)
}

/// The texts as vectors, until it is told to give way.
fn read_all(models: &Models, space: Space, unread: &[(PassageId, String)], give_way: &impl Fn() -> bool) -> Vec<Read> {
    let read = unread.iter().take_while(|_| !give_way());
    // A text that the model fails at has no direction: it is found by its words.
    read.map(|(passage, text)| (*passage, space.read(models, text).ok().flatten())).collect()
}

/// Runs what needs the processor for long where that holds up nobody; a panic goes on in the caller.
async fn compute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// Passages that wait, the newest first, with their texts.
fn unread(conn: &Connection, space: Space, limit: u32) -> Result<Vec<(PassageId, String)>, StoreError> {
    let sql = format!("SELECT passage_id FROM {}_waiting ORDER BY passage_id DESC LIMIT :limit", space.name());
    let ids: Vec<PassageId> = conn
        .prepare_cached(&sql)?
        .query_map(named_params! { ":limit": limit }, |row| row.get("passage_id"))?
        .collect::<Result<_, _>>()?;
    let passages = passage::by_ids(conn, &ids)?;
    passages.iter().map(|found| Ok((found.id, passage::text_of(conn, found)?.unwrap_or_default()))).collect()
}

/// How many passages wait in a space.
pub fn waiting(conn: &Connection, space: Space) -> Result<u64, StoreError> {
    let sql = format!("SELECT count(*) AS waiting FROM {}_waiting", space.name());
    let waiting: i64 = conn.prepare_cached(&sql)?.query_row([], |row| row.get("waiting"))?;
    Ok(waiting.unsigned_abs())
}

/// How many passages there are.
pub fn total(conn: &Connection) -> Result<u64, StoreError> {
    let total: i64 =
        conn.prepare_cached("SELECT count(*) AS total FROM passages")?.query_row([], |row| row.get("total"))?;
    Ok(total.unsigned_abs())
}

/// Puts a model in force. Where another was, all that it read waits again; until then those passages are found by words.
pub fn adopt(tx: &Transaction<'_>, space: Space, model: u32) -> Result<(), StoreError> {
    let before = in_force(tx, space)?;
    if before == Some(model) {
        return Ok(());
    }
    tx.execute(
        "INSERT INTO vector_models (space, model) VALUES (:space, :model)
         ON CONFLICT (space) DO UPDATE SET model = excluded.model",
        named_params! { ":space": space.name(), ":model": model },
    )?;
    if before.is_some() {
        tx.execute(&format!("INSERT OR IGNORE INTO {}_waiting SELECT id FROM passages", space.name()), [])?;
    }
    Ok(())
}

/// Keeps what was read. What was deleted meanwhile, or read already, is passed by.
pub fn keep(tx: &Transaction<'_>, space: Space, model: u32, read: &[Read]) -> Result<(), StoreError> {
    let mut settle = tx.prepare_cached(&format!("DELETE FROM {}_waiting WHERE passage_id = :passage", space.name()))?;
    let mut keep = tx.prepare_cached(&format!(
        "INSERT INTO {} (passage_id, model, vector, words) VALUES (:passage, :model, :vector, :words)
         ON CONFLICT (passage_id) DO UPDATE SET model = excluded.model, vector = excluded.vector, words = excluded.words",
        space.table()
    ))?;
    let mut sign = tx.prepare_cached(match space {
        Space::Static => {
            "INSERT INTO vector_codes (passage_id, static_model, static_code, dense_model, dense_code, speaker)
             VALUES (:passage, :model, :code, 0, zeroblob(48), :speaker)
             ON CONFLICT (passage_id) DO UPDATE SET static_model = excluded.static_model, static_code = excluded.static_code"
        }
        Space::Dense => {
            "INSERT INTO vector_codes (passage_id, static_model, static_code, dense_model, dense_code, speaker)
             VALUES (:passage, 0, zeroblob(32), :model, :code, :speaker)
             ON CONFLICT (passage_id) DO UPDATE SET dense_model = excluded.dense_model, dense_code = excluded.dense_code"
        }
    })?;
    for (passage, kept) in read {
        if settle.execute(named_params! { ":passage": passage })? == 0 {
            continue;
        }
        if let Some(Kept { vector, words }) = kept {
            keep.execute(named_params! {
                ":passage": passage, ":model": model, ":vector": vector.bytes(), ":words": words,
            })?;
            let speaker = passage::speaker_of(tx, *passage)?.map_or(0, |speaker| speaker_code(&speaker));
            sign.execute(named_params! {
                ":passage": passage, ":model": model, ":code": code(space, vector), ":speaker": speaker,
            })?;
        }
    }
    Ok(())
}

/// Deletes the numbers of changes that whoever holds codes in memory has taken over.
pub fn forget_changes(tx: &Transaction<'_>, up_to: i64) -> Result<(), StoreError> {
    tx.prepare_cached("DELETE FROM vector_changes WHERE number <= :number")?
        .execute(named_params! { ":number": up_to })?;
    Ok(())
}

/// The signs of a vector, as the database keeps them.
pub(super) fn code(space: Space, vector: &Quantized) -> Vec<u8> {
    let bytes = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    match space {
        Space::Static => bytes(&vector.signs::<BITS_STATIC>()),
        Space::Dense => bytes(&vector.signs::<BITS_TRANSFORMER>()),
    }
}
