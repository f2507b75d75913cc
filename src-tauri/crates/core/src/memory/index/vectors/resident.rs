//! The codes of all passages in memory, in step with the database.
//!
//! They are read whole at the first question; after that only what changed is read. Each change has a number, and none is
//! left out: where one is missing, all are read anew.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

use rusqlite::{Connection, OptionalExtension, named_params};

use super::rows::{Row, Rows};
use super::survey::{self, Survey, Surveyed};
use super::{Space, in_force};
use crate::memory::index::PassageId;
use crate::store::StoreError;

/// The kinds of memory that have passages.
const KINDS: usize = 4;

/// The codes, once they were asked for.
#[derive(Default)]
pub(in crate::memory::index) struct Resident {
    state: RwLock<Option<State>>,
}

/// The codes as of one moment.
#[derive(Default)]
struct State {
    /// The last change that is in them.
    change: i64,
    /// The models in force, of sums and of sentences. Codes of others are not held.
    models: [Option<u32>; 2],
    /// By kind: new passages of each kind have the highest numbers of it, and are added at the end.
    shelves: [Rows; KINDS],
}

impl Resident {
    /// Follows the database. What was deleted there is gone here when this returns.
    pub(in crate::memory::index) fn follow(&self, conn: &Connection) -> Result<(), StoreError> {
        let (change, models) = (last_change(conn)?, models(conn)?);
        if self.read(|state| state.is_some_and(|state| state.is_at(change, models))) {
            return Ok(());
        }
        let mut held = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let followed = match held.as_mut() {
            // A reader of an older moment asks: what is here is newer.
            Some(state) if state.models == models && state.change >= change => true,
            Some(state) if state.models == models => state.follow(conn, change)?,
            _ => false,
        };
        if !followed {
            // The old ones go first: there is room for one set.
            *held = None;
            *held = Some(State::load(conn, change, models)?);
        }
        Ok(())
    }

    /// Only what is held already follows; where nothing is, nothing is read.
    pub(in crate::memory::index) fn follow_if_held(&self, conn: &Connection) -> Result<(), StoreError> {
        if self.read(|state| state.is_some()) { self.follow(conn) } else { Ok(()) }
    }

    /// The last change that is in memory. `None`: nothing is held.
    pub(in crate::memory::index) fn change(&self) -> Option<i64> {
        self.read(|state| state.map(|state| state.change))
    }

    /// What is worth a closer look for a question; see [`survey`].
    pub(in crate::memory::index) fn survey(
        &self,
        conn: &Connection,
        asked: &Survey<'_>,
    ) -> Result<Vec<Surveyed>, StoreError> {
        self.follow(conn)?;
        Ok(self
            .read(|state| state.map(|state| survey::survey(&state.shelves, state.models, asked)).unwrap_or_default()))
    }

    /// No code panics while it holds this lock in writing and leaves it half done: a poisoned one is good.
    fn read<T>(&self, look: impl FnOnce(Option<&State>) -> T) -> T {
        look(self.state.read().unwrap_or_else(PoisonError::into_inner).as_ref())
    }
}

impl State {
    /// All codes, in one scan, in the order of passages.
    fn load(conn: &Connection, change: i64, models: [Option<u32>; 2]) -> Result<Self, StoreError> {
        let mut shelves: [Rows; KINDS] = Default::default();
        let mut statement = conn.prepare(&format!("{CODES} ORDER BY passage_id"))?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            let passage: PassageId = row.get(0)?;
            shelves[passage.kind() as usize].push(passage, held(row, models)?);
        }
        shelves.iter_mut().for_each(Rows::fit_all);
        Ok(Self { change, models, shelves })
    }

    /// What changed since. Whether all of it was to be had.
    fn follow(&mut self, conn: &Connection, change: i64) -> Result<bool, StoreError> {
        let mut statement = conn.prepare_cached("SELECT passage_id FROM vector_changes WHERE number > :number")?;
        let changed: Vec<PassageId> = statement
            .query_map(named_params! { ":number": self.change }, |row| row.get("passage_id"))?
            .collect::<Result<_, _>>()?;
        if changed.len() as i64 != change - self.change {
            return Ok(false);
        }
        let changed: HashSet<PassageId> = changed.into_iter().collect();
        let mut statement = conn.prepare_cached(&format!("{CODES} WHERE passage_id = :passage"))?;
        let mut rows: [Vec<(PassageId, Row)>; KINDS] = Default::default();
        for passage in changed {
            let mut found = statement.query(named_params! { ":passage": passage })?;
            // What is gone is held without signs.
            let row = found.next()?.map_or(Ok(Row::default()), |row| held(row, self.models))?;
            rows[passage.kind() as usize].push((passage, row));
        }
        self.shelves.iter_mut().zip(rows).for_each(|(shelf, rows)| shelf.put(rows));
        self.change = change;
        Ok(true)
    }

    fn is_at(&self, change: i64, models: [Option<u32>; 2]) -> bool {
        self.models == models && self.change >= change
    }
}

/// A row as it is held: signs of the models in force only.
fn held(row: &rusqlite::Row<'_>, models: [Option<u32>; 2]) -> Result<Row, StoreError> {
    let [sum, sentence] = models;
    Ok(Row { speaker: row.get(5)?, sum: signs(row, 1, sum)?, sentence: signs(row, 3, sentence)? })
}

/// The signs in the column after that of their model, where it is the one in force.
fn signs<const WORDS: usize>(
    row: &rusqlite::Row<'_>,
    column: usize,
    model: Option<u32>,
) -> Result<Option<[u64; WORDS]>, StoreError> {
    if model.is_none_or(|model| row.get_ref(column).is_ok_and(|found| found.as_i64() != Ok(model.into()))) {
        return Ok(None);
    }
    let bytes = row.get_ref(column + 1)?.as_blob().map_err(|_| StoreError::Corrupt)?;
    Ok(Some(code(bytes).ok_or(StoreError::Corrupt)?))
}

/// The columns by place: a million rows are read, and names would be looked up for each.
const CODES: &str = "SELECT passage_id, static_model, static_code, dense_model, dense_code, speaker FROM vector_codes";

fn code<const WORDS: usize>(bytes: &[u8]) -> Option<[u64; WORDS]> {
    let (words, rest) = bytes.as_chunks::<8>();
    let words: &[[u8; 8]; WORDS] = words.try_into().ok()?;
    rest.is_empty().then(|| words.map(u64::from_le_bytes))
}

fn models(conn: &Connection) -> Result<[Option<u32>; 2], StoreError> {
    Ok([in_force(conn, Space::Static)?, in_force(conn, Space::Dense)?])
}

/// The number of the last change that there ever was; those that everybody has are deleted from their table.
fn last_change(conn: &Connection) -> Result<i64, StoreError> {
    let mut statement = conn.prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = 'vector_changes'")?;
    Ok(statement.query_row([], |row| row.get("seq")).optional()?.unwrap_or(0))
}
