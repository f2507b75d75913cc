//! Enums as the words that the database keeps, taken from their serde names so that there is one spelling.

use rusqlite::types::{FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The word for a unit variant.
pub(crate) fn word<T: Serialize>(value: &T) -> rusqlite::Result<ToSqlOutput<'static>> {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => Ok(word.into()),
        Ok(_) => Err(rusqlite::Error::ToSqlConversionFailure("only unit variants are stored as words".into())),
        Err(error) => Err(rusqlite::Error::ToSqlConversionFailure(error.into())),
    }
}

/// The variant for a word. An unknown word is an error, never a default.
pub(crate) fn variant<T: DeserializeOwned>(value: ValueRef<'_>) -> FromSqlResult<T> {
    let word = value.as_str()?;
    serde_json::from_value(serde_json::Value::String(word.to_owned())).map_err(FromSqlError::other)
}

/// Stores unit enums as their serde names.
macro_rules! stored_as_word {
    ($($name:ty),* $(,)?) => {$(
        impl rusqlite::types::ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                $crate::store::text::word(self)
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(value: rusqlite::types::ValueRef<'_>) -> rusqlite::types::FromSqlResult<Self> {
                $crate::store::text::variant(value)
            }
        }
    )*};
}

pub(crate) use stored_as_word;
