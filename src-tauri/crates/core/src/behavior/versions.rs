//! Every spec that was ever saved, in the order of saving. Rows are added and never changed.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension as _, Row, params, types::Type};
use serde_json::Value;

use super::spec::BehaviorSpec;
use crate::memory::index;
use crate::store::StoreError;
use crate::store::id::SpecVersion;
use crate::store::time::Millis;

/// A saved spec: its version, itself, and when it was saved.
pub type SavedSpec = (SpecVersion, BehaviorSpec, DateTime<Utc>);

/// The spec in force: the one that was saved last. None in a database where none was saved yet.
pub fn current(conn: &Connection) -> Result<Option<SavedSpec>, StoreError> {
    let sql = "SELECT version, spec, saved_at FROM spec_versions ORDER BY version DESC LIMIT 1";
    Ok(conn.prepare_cached(sql)?.query_row([], saved_spec).optional()?)
}

/// When the first spec was saved: the agent's beginning.
pub fn first_saved_at(conn: &Connection) -> Result<Option<DateTime<Utc>>, StoreError> {
    let sql = "SELECT min(saved_at) AS at FROM spec_versions";
    let at: Option<Millis> = conn.prepare_cached(sql)?.query_row([], |row| row.get("at"))?;
    Ok(at.map(|at| at.0))
}

/// The saved versions, newest first.
pub fn list(conn: &Connection, limit: u32) -> Result<Vec<SavedSpec>, StoreError> {
    let sql = "SELECT version, spec, saved_at FROM spec_versions ORDER BY version DESC LIMIT ?1";
    Ok(conn.prepare_cached(sql)?.query_map([limit], saved_spec)?.collect::<Result<_, _>>()?)
}

/// Makes a spec the one in force. Where it already is, nothing is written and its version is returned.
///
/// What a newer Atlas wrote into the spec, and this one does not know, is carried over.
pub fn save(conn: &Connection, spec: &BehaviorSpec, now: DateTime<Utc>) -> Result<SpecVersion, StoreError> {
    let mut json = serde_json::to_value(spec).expect("a spec is plain data");
    if let Some((version, in_force, _)) = current(conn)? {
        if in_force == *spec {
            return Ok(version);
        }
        carry_over_unknown(&raw(conn, version)?, &mut json);
    }
    let sql = "INSERT INTO spec_versions (spec, saved_at) VALUES (?1, ?2)";
    conn.prepare_cached(sql)?.execute(params![json.to_string(), Millis(now)])?;
    let version = SpecVersion(conn.last_insert_rowid());
    index::seal(conn, &spec.sealed_topics)?;
    Ok(version)
}

/// A version with the fields that this Atlas does not know.
fn raw(conn: &Connection, version: SpecVersion) -> Result<Value, StoreError> {
    let sql = "SELECT spec FROM spec_versions WHERE version = ?1";
    let value = conn.query_row(sql, [version], |row| {
        let text: String = row.get("spec")?;
        serde_json::from_str(&text).map_err(unreadable)
    })?;
    Ok(value)
}

/// Copies the fields that only the old spec has. Entries of lists have no identity, so theirs are not carried.
fn carry_over_unknown(old: &Value, new: &mut Value) {
    let (Value::Object(old), Value::Object(new)) = (old, new) else {
        return;
    };
    for (name, value) in old {
        match new.get_mut(name) {
            Some(known) => carry_over_unknown(value, known),
            None => {
                new.insert(name.clone(), value.clone());
            }
        }
    }
}

fn saved_spec(row: &Row<'_>) -> rusqlite::Result<SavedSpec> {
    let text: String = row.get("spec")?;
    let Millis(saved_at) = row.get("saved_at")?;
    Ok((row.get("version")?, serde_json::from_str(&text).map_err(unreadable)?, saved_at))
}

fn unreadable(error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(1, Type::Text, Box::new(error))
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::super::spec::Rule;
    use super::*;

    /// The table as the store's first migration makes it.
    fn database() -> Connection {
        crate::store::scratch()
    }

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000, 0).unwrap() + TimeDelta::minutes(minute)
    }

    fn named(name: &str) -> BehaviorSpec {
        let mut spec = BehaviorSpec::default();
        spec.identity.name = name.into();
        spec
    }

    #[test]
    fn a_new_database_has_no_spec_yet() {
        let conn = database();
        assert_eq!(current(&conn).unwrap(), None);
        assert_eq!(list(&conn, 50).unwrap(), Vec::new());
    }

    #[test]
    fn the_spec_saved_last_is_in_force_and_the_others_stay() {
        let conn = database();
        let (first, second) = (named("Atlas"), named("Juno"));
        assert_eq!(save(&conn, &first, at(0)).unwrap(), SpecVersion(1));
        assert_eq!(save(&conn, &second, at(1)).unwrap(), SpecVersion(2));
        let newest = (SpecVersion(2), second, at(1));
        let oldest = (SpecVersion(1), first, at(0));
        assert_eq!(current(&conn).unwrap(), Some(newest.clone()));
        assert_eq!(list(&conn, 50).unwrap(), vec![newest.clone(), oldest]);
        assert_eq!(list(&conn, 1).unwrap(), vec![newest]);
    }

    #[test]
    fn saving_what_is_already_in_force_makes_no_new_version() {
        let conn = database();
        save(&conn, &named("Atlas"), at(0)).unwrap();
        assert_eq!(save(&conn, &named("Atlas"), at(1)).unwrap(), SpecVersion(1));
        assert_eq!(list(&conn, 50).unwrap().len(), 1);
        assert_eq!(current(&conn).unwrap(), Some((SpecVersion(1), named("Atlas"), at(0))));
    }

    #[test]
    fn going_back_to_an_older_spec_is_a_new_version() {
        let conn = database();
        for (minute, name) in ["Atlas", "Juno", "Atlas"].into_iter().enumerate() {
            save(&conn, &named(name), at(minute as i64)).unwrap();
        }
        assert_eq!(current(&conn).unwrap(), Some((SpecVersion(3), named("Atlas"), at(2))));
    }

    #[test]
    fn what_a_newer_atlas_wrote_survives_an_edit_by_this_one() {
        let conn = database();
        let mut newer = serde_json::to_value(BehaviorSpec::default()).unwrap();
        newer["mood"] = "curious".into();
        newer["identity"]["pronouns"] = "they".into();
        conn.execute("INSERT INTO spec_versions (spec, saved_at) VALUES (?1, 0)", [newer.to_string()]).unwrap();

        let (_, mut spec, _) = current(&conn).unwrap().unwrap();
        spec.never = vec![Rule::soft("Use emoji")];
        let version = save(&conn, &spec, at(0)).unwrap();

        let stored = raw(&conn, version).unwrap();
        assert_eq!((&stored["mood"], &stored["identity"]["pronouns"]), (&"curious".into(), &"they".into()));
        assert_eq!(stored["never"], serde_json::json!([{"text": "Use emoji", "hard": false}]));
    }

    #[test]
    fn a_spec_that_cannot_be_read_is_an_error_and_never_a_default() {
        let conn = database();
        conn.execute("INSERT INTO spec_versions (spec, saved_at) VALUES ('{', 0)", []).unwrap();
        assert!(matches!(current(&conn), Err(StoreError::Sqlite(_))));
    }
}
