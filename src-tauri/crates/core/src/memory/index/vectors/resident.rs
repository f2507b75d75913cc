//! The codes of all passages in memory, in step with the database.
//!
//! They are read whole at the first question; after that only what changed is read. Each change has a number, and none is
//! left out: where one is missing, all are read anew.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::codes::Codes;
use super::{Direction, RESCORED, Space, cosines, in_force};
use crate::embedding::{BITS_STATIC, BITS_TRANSFORMER};
use crate::memory::index::PassageId;
use crate::store::StoreError;

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
    sums: Layer<BITS_STATIC>,
    sentences: Layer<BITS_TRANSFORMER>,
}

/// One space: its model in force, and the codes that this model made.
#[derive(Default)]
struct Layer<const WORDS: usize> {
    model: Option<u32>,
    codes: Codes<WORDS>,
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
            Some(state) if state.models() == models && state.change >= change => true,
            Some(state) if state.models() == models => state.follow(conn, change)?,
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

    /// The passages nearest to a direction, the nearest first, with their cosines.
    pub(in crate::memory::index) fn nearest(
        &self,
        conn: &Connection,
        direction: &Direction,
        most: usize,
    ) -> Result<Vec<(PassageId, f32)>, StoreError> {
        self.follow(conn)?;
        let near = self.read(|state| state.map(|state| state.near(direction, most.max(RESCORED))).unwrap_or_default());
        let mut measured: Vec<(PassageId, f32)> = cosines(conn, direction, &near)?.into_iter().collect();
        measured.sort_unstable_by(|(a, near_a), (b, near_b)| near_b.total_cmp(near_a).then(b.cmp(a)));
        measured.truncate(most);
        Ok(measured)
    }

    /// No code panics while it holds this lock in writing and leaves it half done: a poisoned one is good.
    fn read<T>(&self, look: impl FnOnce(Option<&State>) -> T) -> T {
        look(self.state.read().unwrap_or_else(PoisonError::into_inner).as_ref())
    }
}

impl State {
    /// All codes, in one scan.
    fn load(conn: &Connection, change: i64, models: [Option<u32>; 2]) -> Result<Self, StoreError> {
        let [sums, sentences] = models;
        let mut state = Self {
            change,
            sums: Layer { model: sums, codes: Codes::default() },
            sentences: Layer { model: sentences, codes: Codes::default() },
        };
        let mut statement = conn.prepare(CODES)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            state.take(row)?;
        }
        Ok(state)
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
        self.sums.codes.remove(&changed);
        self.sentences.codes.remove(&changed);
        let mut statement = conn.prepare_cached(&format!("{CODES} WHERE passage_id = :passage"))?;
        for passage in changed {
            let mut rows = statement.query(named_params! { ":passage": passage })?;
            if let Some(row) = rows.next()? {
                self.take(row)?;
            }
        }
        self.change = change;
        Ok(true)
    }

    fn take(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let passage = row.get(0)?;
        self.sums.take(passage, row, 1)?;
        self.sentences.take(passage, row, 3)
    }

    fn near(&self, direction: &Direction, most: usize) -> Vec<PassageId> {
        match direction.space {
            Space::Static => self.sums.near(direction, most),
            Space::Dense => self.sentences.near(direction, most),
        }
    }

    fn models(&self) -> [Option<u32>; 2] {
        [self.sums.model, self.sentences.model]
    }

    fn is_at(&self, change: i64, models: [Option<u32>; 2]) -> bool {
        self.models() == models && self.change >= change
    }
}

impl<const WORDS: usize> Layer<WORDS> {
    /// Takes a code in where it is of the model in force. Its columns are the model and the code.
    fn take(&mut self, passage: PassageId, row: &Row<'_>, column: usize) -> Result<(), StoreError> {
        if self.model.is_some_and(|model| row.get_ref(column).is_ok_and(|found| found.as_i64() == Ok(model.into()))) {
            let bytes = row.get_ref(column + 1)?.as_blob().map_err(|_| StoreError::Corrupt)?;
            self.codes.push(passage, code(bytes).ok_or(StoreError::Corrupt)?);
        }
        Ok(())
    }

    /// A direction of another model than that of the codes is near nothing.
    fn near(&self, direction: &Direction, most: usize) -> Vec<PassageId> {
        if self.model != Some(direction.model) {
            return Vec::new();
        }
        self.codes.nearest(&direction.vector.signs(), most).into_iter().map(|(passage, _)| passage).collect()
    }
}

/// The columns by place: a million rows are read, and names would be looked up for each.
const CODES: &str = "SELECT passage_id, static_model, static_code, dense_model, dense_code FROM vector_codes";

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
