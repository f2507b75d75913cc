//! The operational database: what belongs to no agent, such as the states of services and of breakers. It holds no text
//! of anyone, and nothing that cannot be lost: a damaged one is begun anew.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

use super::connection::{connect, prepare};
use super::functions::Functions;
use super::opening::make_private_folder;
use super::{Store, StoreError, blocking, migrate};

/// Its file in the root of what Atlas keeps.
const DATABASE: &str = "operational.db";
/// Its schema, in steps. A step that has landed is never edited.
const STEPS: &[&str] = &[include_str!("operational/0001_first.sql")];

/// What is kept there; each kind has a table of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// The states of supervised services, by the service's name.
    Services,
    /// The states of breakers, by the provider's name.
    Breakers,
}

/// The operational database, open. Clones share it; more than one process can have it open.
#[derive(Clone)]
pub struct Operational {
    store: Store,
}

impl Operational {
    /// Opens (or makes) the one in the root of what Atlas keeps. One that is damaged is thrown away first.
    ///
    /// Errors: [`StoreError::Newer`] where a newer Atlas wrote it, [`StoreError::Folder`], [`StoreError::ReadOnly`],
    /// [`StoreError::Full`] as they say.
    pub async fn open(root: &Path) -> Result<Self, StoreError> {
        let root = root.to_owned();
        blocking(move || {
            make_private_folder(&root)?;
            let file = root.join(DATABASE);
            match open_file(&file) {
                Err(StoreError::Corrupt) => {
                    remove(&file)?;
                    open_file(&file)
                }
                opened => opened,
            }
        })
        .await
    }

    /// One that never touches the disk and is gone with its last clone.
    pub fn in_memory() -> Self {
        let mut conn = Connection::open_in_memory().expect("SQLite opens in memory");
        prepare(&conn, &Functions::of_memory()).expect("SQLite can be set up");
        migrate::bring_up(&mut conn, STEPS).expect("the schema is sound");
        Self { store: Store::of_one(conn, Functions::of_memory()) }
    }

    /// All rows of a kind, each with its name and its state, by name.
    pub async fn load(&self, kept: Kept) -> Result<Vec<(String, String)>, StoreError> {
        let sql = match kept {
            Kept::Services => "SELECT name, state FROM services ORDER BY name",
            Kept::Breakers => "SELECT provider AS name, state FROM breakers ORDER BY provider",
        };
        self.store
            .read(move |conn| {
                let mut statement = conn.prepare_cached(sql)?;
                let rows = statement.query_map([], |row| Ok((row.get("name")?, row.get("state")?)))?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// Saves a state, as JSON, in the place of an earlier one. The row also gets the computer's own time, which is there
    /// for diagnosis: nothing is decided by it.
    pub async fn save(&self, kept: Kept, name: &str, json: &str) -> Result<(), StoreError> {
        let sql = match kept {
            Kept::Services => {
                "INSERT INTO services (name, state, saved_at) VALUES (?1, ?2, CAST(unixepoch('subsec') * 1000 AS INTEGER))
                 ON CONFLICT (name) DO UPDATE SET state = excluded.state, saved_at = excluded.saved_at"
            }
            Kept::Breakers => {
                "INSERT INTO breakers (provider, state, saved_at) VALUES (?1, ?2, CAST(unixepoch('subsec') * 1000 AS INTEGER))
                 ON CONFLICT (provider) DO UPDATE SET state = excluded.state, saved_at = excluded.saved_at"
            }
        };
        let (name, json) = (name.to_owned(), json.to_owned());
        self.store
            .write(move |tx| {
                tx.execute(sql, params![name, json])?;
                Ok(())
            })
            .await
    }

    /// Removes a state, where it is there.
    pub async fn delete(&self, kept: Kept, name: &str) -> Result<(), StoreError> {
        let sql = match kept {
            Kept::Services => "DELETE FROM services WHERE name = ?1",
            Kept::Breakers => "DELETE FROM breakers WHERE provider = ?1",
        };
        let name = name.to_owned();
        self.store
            .write(move |tx| {
                tx.execute(sql, [&name])?;
                Ok(())
            })
            .await
    }

    /// Removes all of it.
    pub async fn wipe(&self) -> Result<(), StoreError> {
        self.store.write(|tx| Ok(tx.execute_batch("DELETE FROM services; DELETE FROM breakers;")?)).await
    }
}

fn open_file(file: &Path) -> Result<Operational, StoreError> {
    let mut conn = connect(file, OpenFlags::default(), &Functions::of_memory())?;
    migrate::bring_up(&mut conn, STEPS)?;
    Ok(Operational { store: Store::of_one(conn, Functions::of_memory()) })
}

/// Removes the file with its write-ahead log.
fn remove(file: &Path) -> Result<(), StoreError> {
    for end in ["", "-wal", "-shm"] {
        match std::fs::remove_file(format!("{}{end}", file.display())) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(StoreError::Folder(error.kind())),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, json: &str) -> (String, String) {
        (name.to_owned(), json.to_owned())
    }

    #[tokio::test]
    async fn a_state_is_there_after_the_next_start_and_the_later_one_counts() {
        let root = tempfile::tempdir().unwrap();
        let operational = Operational::open(root.path()).await.unwrap();
        operational.save(Kept::Services, "engine", "1").await.unwrap();
        operational.save(Kept::Services, "engine", "2").await.unwrap();
        operational.save(Kept::Breakers, "OpenRouter", "{}").await.unwrap();
        operational.save(Kept::Breakers, "Ollama", "{}").await.unwrap();
        operational.delete(Kept::Breakers, "OpenRouter").await.unwrap();
        drop(operational);
        let operational = Operational::open(root.path()).await.unwrap();
        assert_eq!(operational.load(Kept::Services).await.unwrap(), [row("engine", "2")]);
        assert_eq!(operational.load(Kept::Breakers).await.unwrap(), [row("Ollama", "{}")]);
        operational.wipe().await.unwrap();
        assert_eq!(operational.load(Kept::Services).await.unwrap(), []);
    }

    #[tokio::test]
    async fn two_processes_can_have_it_open() {
        let root = tempfile::tempdir().unwrap();
        let one = Operational::open(root.path()).await.unwrap();
        let other = Operational::open(root.path()).await.unwrap();
        one.save(Kept::Services, "engine", "1").await.unwrap();
        assert_eq!(other.load(Kept::Services).await.unwrap(), [row("engine", "1")]);
    }

    #[tokio::test]
    async fn a_damaged_one_is_begun_anew() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join(DATABASE), "this is no database, and long enough to be taken for one").unwrap();
        let operational = Operational::open(root.path()).await.unwrap();
        assert_eq!(operational.load(Kept::Services).await.unwrap(), []);
        operational.save(Kept::Services, "engine", "1").await.unwrap();
    }

    #[tokio::test]
    async fn one_in_memory_keeps_what_it_is_given_while_it_lives() {
        let operational = Operational::in_memory();
        operational.save(Kept::Services, "engine", "1").await.unwrap();
        assert_eq!(operational.clone().load(Kept::Services).await.unwrap(), [row("engine", "1")]);
        assert_eq!(Operational::in_memory().load(Kept::Services).await.unwrap(), []);
    }
}
