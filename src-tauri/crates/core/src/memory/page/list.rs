//! A page of a long list, fast whatever is asked: the order comes from an index, the number of all from a narrow one, and
//! whole rows are read for the page alone.

use std::collections::HashSet;

use rusqlite::{Connection, ToSql};

use crate::store::StoreError;

/// Beyond so many hits it is cheaper to walk the list in its order than to look each of them up and to sort.
const MANY: usize = 5_000;

/// What a list shows, as SQL over one table.
pub(in crate::memory) struct List {
    pub table: &'static str,
    /// What a row must be to be shown. It decides about indexes, so it is written as they are.
    pub visible: String,
    /// What else must hold of it.
    pub conditions: Vec<String>,
    /// The values in `conditions`, by the names that they have there.
    pub values: Vec<(&'static str, Box<dyn ToSql>)>,
    pub order: &'static str,
    /// The index that holds all that the conditions and the order need, where there is one.
    pub narrow: Option<&'static str>,
    /// Only these rows, ascending; `None` for all.
    pub hits: Option<Vec<i64>>,
    pub offset: u32,
    pub limit: u32,
}

/// The rows of a page by number, in order, and how many there are in all.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::memory) struct Rows {
    pub ids: Vec<i64>,
    pub total: i64,
}

impl List {
    pub fn rows(&self, conn: &Connection) -> Result<Rows, StoreError> {
        match &self.hits {
            None => self.all(conn),
            Some(hits) if hits.len() > MANY && self.conditions.is_empty() && self.values.is_empty() => {
                self.walk(conn, hits)
            }
            Some(hits) => self.look_up(conn, hits),
        }
    }

    fn all(&self, conn: &Connection) -> Result<Rows, StoreError> {
        let from = format!("FROM {} WHERE {}", self.table, self.condition());
        let mut values = self.bound();
        let counted = format!("FROM {} {} WHERE {}", self.table, self.narrow_index(), self.condition());
        let total = conn
            .prepare_cached(&format!("SELECT count(*) {counted}"))?
            .query_row(values.as_slice(), |row| row.get(0))?;
        values.extend([(":limit", &self.limit as &dyn ToSql), (":offset", &self.offset)]);
        let mut statement =
            conn.prepare_cached(&format!("SELECT id {from} ORDER BY {} LIMIT :limit OFFSET :offset", self.order))?;
        let ids = statement.query_map(values.as_slice(), |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(Rows { ids, total })
    }

    fn look_up(&self, conn: &Connection, hits: &[i64]) -> Result<Rows, StoreError> {
        let hits = serde_json::to_string(hits).expect("numbers have a JSON form");
        let mut values = self.bound();
        values.push((":hits", &hits));
        let mut statement = conn.prepare_cached(&format!(
            "WITH hit (hit_id) AS MATERIALIZED (SELECT value FROM json_each(:hits))
             SELECT id FROM hit CROSS JOIN {} {} ON id = hit_id WHERE {} ORDER BY {}",
            self.table,
            self.narrow_index(),
            self.condition(),
            self.order
        ))?;
        let ids: Vec<i64> = statement.query_map(values.as_slice(), |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(Rows {
            total: ids.len() as i64,
            ids: ids.into_iter().skip(self.offset as usize).take(self.limit as usize).collect(),
        })
    }

    fn walk(&self, conn: &Connection, hits: &[i64]) -> Result<Rows, StoreError> {
        let hits: HashSet<i64> = hits.iter().copied().collect();
        let (table, visible) = (self.table, &self.visible);
        let of_hits = |sql: &str, most: usize| -> Result<Vec<i64>, StoreError> {
            let mut statement = conn.prepare_cached(sql)?;
            let mut found = Vec::new();
            let mut rows = statement.query([])?;
            while found.len() < most
                && let Some(row) = rows.next()?
            {
                found.extend(Some(row.get(0)?).filter(|id| hits.contains(id)));
            }
            Ok(found)
        };
        let narrow = self.narrow_index();
        let all = of_hits(&format!("SELECT id FROM {table} {narrow} WHERE {visible}"), usize::MAX)?;
        let most = self.offset as usize + self.limit as usize;
        let first = of_hits(&format!("SELECT id FROM {table} WHERE {visible} ORDER BY {}", self.order), most)?;
        Ok(Rows { ids: first.into_iter().skip(self.offset as usize).collect(), total: all.len() as i64 })
    }

    fn narrow_index(&self) -> String {
        self.narrow.map(|index| format!("INDEXED BY {index}")).unwrap_or_default()
    }

    fn condition(&self) -> String {
        self.conditions.iter().fold(self.visible.clone(), |all, one| format!("{all} AND {one}"))
    }

    fn bound(&self) -> Vec<(&str, &dyn ToSql)> {
        self.values.iter().map(|(name, value)| (*name, value.as_ref())).collect()
    }
}
