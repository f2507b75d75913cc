//! Times as the database keeps them.

use chrono::{DateTime, Utc};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

/// A moment as Unix milliseconds, UTC. What is no moment is an error, never a default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millis(pub DateTime<Utc>);

impl ToSql for Millis {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.timestamp_millis().into())
    }
}

impl FromSql for Millis {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let millis = i64::column_result(value)?;
        DateTime::from_timestamp_millis(millis).map(Self).ok_or(FromSqlError::OutOfRange(millis))
    }
}
