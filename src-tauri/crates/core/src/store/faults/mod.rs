//! Tests with real damage: bytes of a closed database are overwritten, and it is opened again.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset, Utc};
use rusqlite::{Connection, params};

use super::*;

mod log;
mod upkeep;

/// What SQLite cannot take for a page, nor for a part of one.
const DAMAGE: [u8; 4096] = [0xa5; 4096];

fn now() -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339("2026-03-02T09:00:00+01:00").unwrap()
}

fn none_is_forgotten(_: &Connection, _: &str) -> Result<bool, StoreError> {
    Ok(false)
}

/// The text of a message: long enough that a page holds about ten.
fn text(number: i64) -> String {
    format!("message {number} {}", "about the lighthouse ".repeat(16))
}

async fn say(store: &Store, numbers: std::ops::RangeInclusive<i64>) {
    let write = store.write(move |tx| {
        tx.execute("INSERT OR IGNORE INTO conversations (id, created_at, updated_at) VALUES (1, 0, 0)", [])?;
        for number in numbers.clone() {
            tx.execute(
                "INSERT INTO messages (id, conversation_id, role, text, at, state) VALUES (?1, 1, 'user', ?2, ?1, 'complete')",
                params![number, text(number)],
            )?;
        }
        Ok(())
    });
    write.await.unwrap();
}

fn messages(conn: &Connection) -> Result<BTreeMap<i64, String>, StoreError> {
    let mut statement = conn.prepare("SELECT id, text FROM messages ORDER BY id")?;
    let all = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    Ok(all)
}

fn said(numbers: impl IntoIterator<Item = i64>) -> BTreeMap<i64, String> {
    numbers.into_iter().map(|number| (number, text(number))).collect()
}

/// The leaf pages of a table or an index, in order.
fn leaves(folder: &Path, name: &str) -> Vec<u64> {
    leaves_of(&folder.join(DATABASE), name)
}

fn leaves_of(file: &Path, name: &str) -> Vec<u64> {
    let conn = Connection::open(file).unwrap();
    let sql = "SELECT pageno FROM dbstat WHERE name = ?1 AND pagetype = 'leaf' ORDER BY path";
    conn.prepare(sql)
        .unwrap()
        .query_map([name], |row| row.get::<_, i64>(0))
        .unwrap()
        .map(|page| page.unwrap().unsigned_abs())
        .collect()
}

fn damage(folder: &Path, page: u64) {
    damage_file(&folder.join(DATABASE), page);
}

fn damage_file(file: &Path, page: u64) {
    let file = File::options().write(true).open(file).unwrap();
    file.write_all_at(&DAMAGE, (page - 1) * 4096).unwrap();
}

fn mode(store: &Store) -> StoreMode {
    store.health().borrow().mode.clone()
}

/// A store with a hundred messages, a backup of it, and fifty messages more, closed.
async fn with_a_backup() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    say(&store, 1..=100).await;
    let backup = store.back_up(BackupReason::Daily, now()).await.unwrap();
    say(&store, 101..=150).await;
    (folder, backup.name)
}

async fn restored(folder: &Path, name: &str) -> Restored {
    let later = now().to_utc() + chrono::TimeDelta::minutes(5);
    restore(folder, Some(name), none_is_forgotten, later).await.unwrap()
}

/// What tells whether a file was written to.
fn content(file: &Path) -> blake3::Hash {
    blake3::hash(&fs::read(file).unwrap())
}

fn bytes(folder: &Path) -> blake3::Hash {
    content(&folder.join(DATABASE))
}

/// The damaged database that was put aside.
fn kept(folder: &Path) -> PathBuf {
    let all = backup::entries(&folder.join(DAMAGED)).unwrap();
    all.into_iter().find(|path| path.extension().is_some_and(|end| end == "db")).unwrap()
}

#[tokio::test]
async fn a_damaged_page_of_a_table_opens_the_backup_and_nothing_is_lost_by_restoring_it() {
    let (folder, name) = with_a_backup().await;
    let pages = leaves(folder.path(), "messages");
    damage(folder.path(), pages[2]);
    let damaged = bytes(folder.path());

    let store = Store::open(folder.path()).await.unwrap();
    assert_eq!(mode(&store), StoreMode::OnBackup { name: name.clone(), at: now().to_utc() });
    assert_eq!(store.read(messages).await.unwrap(), said(1..=100), "the backup is read");
    let refused = store.write(|tx| Ok(tx.execute("DELETE FROM messages", [])?)).await;
    assert!(matches!(refused, Err(StoreError::OnBackup)), "{refused:?}");
    drop(store);
    assert_eq!(bytes(folder.path()), damaged, "the file is not written to");

    let outcome = restored(folder.path(), &name).await;
    let salvaged = outcome.salvaged.unwrap();
    assert!(salvaged.from_damaged >= 50 && (1..=20).contains(&salvaged.from_backup), "{salvaged:?}");
    let store = Store::open(folder.path()).await.unwrap();
    assert_eq!(mode(&store), StoreMode::Normal);
    assert_eq!(store.read(messages).await.unwrap(), said(1..=150));
    assert_eq!(content(&kept(folder.path())), damaged, "the damaged file is kept as it was");
    assert_eq!(store.check(now().to_utc()).await.unwrap().mode, StoreMode::Normal);
    let found = store.read(|conn| {
        let sql = "SELECT count(*) FROM messages_trigram WHERE messages_trigram MATCH 'lighthouse'";
        Ok(conn.query_row(sql, [], |row| row.get::<_, i64>(0))?)
    });
    assert_eq!(found.await.unwrap(), 150, "the indexes have what was salvaged");
    say(&store, 151..=151).await;
}

#[tokio::test]
async fn what_stands_before_the_damage_in_the_schema_itself_is_salvaged() {
    let (folder, name) = with_a_backup().await;
    let pages = leaves(folder.path(), "sqlite_schema");
    assert!(pages.len() > 2, "{pages:?}");
    damage(folder.path(), *pages.last().unwrap());

    let store = Store::open(folder.path()).await.unwrap();
    assert_eq!(mode(&store), StoreMode::OnBackup { name: name.clone(), at: now().to_utc() });
    drop(store);
    let salvaged = restored(folder.path(), &name).await.salvaged.unwrap();
    assert!(salvaged.from_damaged >= 50, "{salvaged:?}");
    let store = Store::open(folder.path()).await.unwrap();
    assert_eq!(store.read(messages).await.unwrap(), said(1..=150));
}

#[tokio::test]
async fn of_what_is_newer_than_the_backup_only_the_damaged_page_itself_is_lost() {
    let (folder, name) = with_a_backup().await;
    let pages = leaves(folder.path(), "messages");
    // The last but one: it holds messages that no backup has.
    damage(folder.path(), pages[pages.len() - 2]);
    restored(folder.path(), &name).await;
    let store = Store::open(folder.path()).await.unwrap();
    let left = store.read(messages).await.unwrap();
    let lost: Vec<i64> = (1..=150).filter(|number| !left.contains_key(number)).collect();
    assert!(lost.len() <= 12 && lost.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{lost:?}");
    assert!(lost.iter().all(|number| *number > 100), "{lost:?}");
    assert_eq!(left, said((1..=150).filter(|number| !lost.contains(number))));
}

#[tokio::test]
async fn what_was_deleted_since_the_backup_stays_deleted() {
    let (folder, name) = with_a_backup().await;
    let store = Store::open(folder.path()).await.unwrap();
    store.write(|tx| Ok(tx.execute("DELETE FROM messages WHERE id = 90", [])?)).await.unwrap();
    store.write(|tx| Ok(tx.execute("UPDATE messages SET text = 'edited' WHERE id = 95", [])?)).await.unwrap();
    drop(store);
    damage(folder.path(), leaves(folder.path(), "messages")[1]);
    restored(folder.path(), &name).await;
    let store = Store::open(folder.path()).await.unwrap();
    let mut expected = said((1..=150).filter(|number| *number != 90));
    expected.insert(95, "edited".to_owned());
    assert_eq!(store.read(messages).await.unwrap(), expected);
}

#[tokio::test]
async fn what_was_forgotten_does_not_come_back_from_a_backup() {
    let (folder, name) = with_a_backup().await;
    let pages = leaves(folder.path(), "messages");
    damage(folder.path(), pages[2]);
    let is_forgotten = |_: &Connection, said: &str| Ok(said.starts_with("message 25 "));
    restore(folder.path(), Some(&name), is_forgotten, now().to_utc()).await.unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    let hidden = store.read(|conn| {
        let sql = "SELECT id FROM messages WHERE forgotten_at IS NOT NULL";
        let ids = conn.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
        Ok(ids)
    });
    // Message 25 lies on the damaged page: it comes from the backup, and waits for its purge.
    assert_eq!(hidden.await.unwrap(), [25]);
}

#[tokio::test]
async fn a_damaged_index_is_made_anew_when_the_database_is_opened() {
    let (folder, _) = with_a_backup().await;
    damage(folder.path(), leaves(folder.path(), "messages_by_conversation")[0]);
    let store = Store::open(folder.path()).await.unwrap();
    assert_eq!(mode(&store), StoreMode::Repaired { what: vec!["indexes of tables".to_owned()] });
    assert_eq!(store.read(messages).await.unwrap(), said(1..=150));
    say(&store, 151..=160).await;
    assert_eq!(store.check(now().to_utc()).await.unwrap().problem, store.health().borrow().problem);
    drop(store);
    assert_eq!(mode(&Store::open(folder.path()).await.unwrap()), StoreMode::Normal);
}

#[tokio::test]
async fn a_damaged_index_of_words_is_made_anew_when_the_database_is_opened() {
    for part in ["messages_trigram_data", "messages_trigram_idx"] {
        let (folder, _) = with_a_backup().await;
        damage(folder.path(), leaves(folder.path(), part)[0]);
        let store = Store::open(folder.path()).await.unwrap();
        assert_eq!(mode(&store), StoreMode::Repaired { what: vec!["the index of words".to_owned()] }, "{part}");
        say(&store, 151..=151).await;
        let found = store.read(|conn| {
            let sql = "SELECT count(*) FROM messages_trigram WHERE messages_trigram MATCH 'lighthouse'";
            Ok(conn.query_row(sql, [], |row| row.get::<_, i64>(0))?)
        });
        assert_eq!(found.await.unwrap(), 151, "{part}");
    }
}

#[tokio::test]
async fn damaged_passages_are_emptied_and_wait_to_be_made_anew() {
    let (folder, _) = with_a_backup().await;
    damage(folder.path(), leaves(folder.path(), "passages_waiting")[0]);
    let store = Store::open(folder.path()).await.unwrap();
    let what = vec!["the passages that memory is searched by".to_owned()];
    assert_eq!(mode(&store), StoreMode::Repaired { what });
    let waiting =
        store.read(|conn| Ok(conn.query_row("SELECT count(*) FROM passages_waiting", [], |row| row.get::<_, i64>(0))?));
    assert_eq!(waiting.await.unwrap(), 150);
    say(&store, 151..=151).await;
    assert_eq!(store.read(messages).await.unwrap(), said(1..=151));
}

#[tokio::test]
async fn damage_that_shows_itself_at_work_stops_writes_until_it_was_looked_at() {
    let (folder, _) = with_a_backup().await;
    let store = Store::open(folder.path()).await.unwrap();
    let mangle = "UPDATE messages_trigram_data SET block = zeroblob(9) WHERE id > 1000";
    store.write(move |tx| Ok(tx.execute(mangle, [])?)).await.unwrap();
    let search = |conn: &Connection| {
        let sql = "SELECT count(*) FROM messages_trigram WHERE messages_trigram MATCH 'lighthouse'";
        Ok(conn.query_row(sql, [], |row| row.get::<_, i64>(0))?)
    };
    assert!(matches!(store.read(search).await, Err(StoreError::Corrupt)));
    assert_eq!(mode(&store), StoreMode::Suspect);
    assert!(matches!(store.write(|_| Ok(())).await, Err(StoreError::Corrupt)));
    assert_eq!(store.read(messages).await.unwrap(), said(1..=150), "reads go on");
    store.check(now().to_utc()).await.unwrap();
    assert_eq!(mode(&store), StoreMode::Repaired { what: vec!["the index of words".to_owned()] });
    assert_eq!(store.read(search).await.unwrap(), 150);
    say(&store, 151..=151).await;
}

#[tokio::test]
async fn a_file_that_is_cut_off_is_never_written_to_and_gives_what_is_left_in_it() {
    let (folder, name) = with_a_backup().await;
    let file = File::options().write(true).open(folder.path().join(DATABASE)).unwrap();
    // The first leaves of the messages are before the end, and all that the backup has not is behind it.
    let half = file.metadata().unwrap().len() / 4096 / 2 * 4096;
    file.set_len(half).unwrap();
    let cut = bytes(folder.path());
    let store = Store::open(folder.path()).await.unwrap();
    assert!(matches!(mode(&store), StoreMode::OnBackup { .. }));
    assert_eq!(store.read(messages).await.unwrap(), said(1..=100));
    drop(store);
    assert_eq!(bytes(folder.path()), cut);
    restored(folder.path(), &name).await;
    let store = Store::open(folder.path()).await.unwrap();
    let left = store.read(messages).await.unwrap();
    assert!(said(1..=100).iter().all(|(number, text)| left.get(number) == Some(text)), "what the backup has is there");
    assert_eq!(mode(&store), StoreMode::Normal);
}

#[tokio::test]
async fn a_file_that_is_no_database_or_is_gone_opens_the_backup() {
    for content in [Some(&b"no database at all, but long enough to look at"[..]), Some(&[][..]), None] {
        let (folder, name) = with_a_backup().await;
        let file = folder.path().join(DATABASE);
        match content {
            Some(content) => fs::write(&file, content).unwrap(),
            None => fs::remove_file(&file).unwrap(),
        }
        let store = Store::open(folder.path()).await.unwrap();
        assert!(matches!(mode(&store), StoreMode::OnBackup { .. }), "{content:?}");
        assert_eq!(store.read(messages).await.unwrap(), said(1..=100));
        drop(store);
        restored(folder.path(), &name).await;
        assert_eq!(Store::open(folder.path()).await.unwrap().read(messages).await.unwrap(), said(1..=100));
    }
}

#[tokio::test]
async fn without_a_backup_what_can_be_read_is_and_a_whole_database_is_made_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    say(&store, 1..=150).await;
    drop(store);
    damage(folder.path(), leaves(folder.path(), "messages")[3]);
    let store = Store::open(folder.path()).await.unwrap();
    assert_eq!(mode(&store), StoreMode::ReadOnly { reason: ReadOnlyReason::Damaged });
    assert!(matches!(store.write(|_| Ok(())).await, Err(StoreError::Corrupt)));
    assert!(matches!(store.read(messages).await, Err(StoreError::Corrupt)), "it is told, and nothing crashes");
    drop(store);
    restore(folder.path(), None, none_is_forgotten, now().to_utc()).await.unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    let left = store.read(messages).await.unwrap();
    assert!(left.len() >= 138, "all but one page: {}", left.len());
    assert_eq!(left, said(left.keys().copied()));
    assert_eq!(mode(&store), StoreMode::Normal);
}

#[tokio::test]
async fn a_sound_database_is_kept_as_a_backup_when_another_one_is_restored() {
    let (folder, name) = with_a_backup().await;
    let outcome = restored(folder.path(), &name).await;
    assert_eq!(outcome, Restored { backup: Some(name), salvaged: None, kept: None });
    assert_eq!(Store::open(folder.path()).await.unwrap().read(messages).await.unwrap(), said(1..=100));
    let newest = backup::list(folder.path()).unwrap().remove(0);
    assert_eq!(newest.reason, BackupReason::BeforeRestore);
    restored(folder.path(), &newest.name).await;
    assert_eq!(Store::open(folder.path()).await.unwrap().read(messages).await.unwrap(), said(1..=150));
}

#[tokio::test]
async fn a_damaged_backup_is_passed_over_and_is_not_restored() {
    let (folder, name) = with_a_backup().await;
    let store = Store::open(folder.path()).await.unwrap();
    let later = store.back_up(BackupReason::ByHand, now() + chrono::TimeDelta::days(1)).await.unwrap();
    drop(store);
    let backup = folder.path().join(BACKUPS).join(&later.name);
    damage_file(&backup, leaves_of(&backup, "facts_trigram_data")[0]);
    let refused = restore(folder.path(), Some(&later.name), none_is_forgotten, now().to_utc()).await;
    assert!(matches!(refused, Err(StoreError::BadBackup)), "{refused:?}");
    assert_eq!(Store::open(folder.path()).await.unwrap().read(messages).await.unwrap(), said(1..=150));
    damage(folder.path(), leaves(folder.path(), "messages")[0]);
    let store = Store::open(folder.path()).await.unwrap();
    assert_eq!(mode(&store), StoreMode::OnBackup { name, at: now().to_utc() });
}

#[tokio::test]
async fn a_backup_of_before_an_update_can_be_read_and_restored() {
    let (folder, name) = with_a_backup().await;
    let backup = folder.path().join(BACKUPS).join(&name);
    let conn = Connection::open(&backup).unwrap();
    // Without what the last step added, the file is as the Atlas before it left it.
    conn.execute_batch(
        "DROP TABLE kept_out; ALTER TABLE messages DROP COLUMN zone;
         DROP TRIGGER facts_indexed; DROP TRIGGER facts_edited; DROP TRIGGER facts_unindexed; DROP TABLE facts_trigram;
         DROP INDEX facts_by_quote; ALTER TABLE facts RENAME COLUMN quote TO sentence;
         ALTER TABLE facts DROP COLUMN said_at; ALTER TABLE facts DROP COLUMN polarity;
         ALTER TABLE facts DROP COLUMN time_words; ALTER TABLE facts DROP COLUMN date; ALTER TABLE facts DROP COLUMN topic;
         CREATE VIRTUAL TABLE facts_trigram USING fts5 (sentence, content = 'facts', content_rowid = 'id');
         CREATE TRIGGER facts_indexed AFTER INSERT ON facts BEGIN SELECT 1; END;
         CREATE TRIGGER facts_edited AFTER UPDATE ON facts BEGIN SELECT 1; END;
         CREATE TRIGGER facts_unindexed AFTER DELETE ON facts BEGIN SELECT 1; END;
         CREATE INDEX facts_by_sentence ON facts (sentence);
         ALTER TABLE review RENAME COLUMN quote TO sentence;
         ALTER TABLE review DROP COLUMN said_at; ALTER TABLE review DROP COLUMN polarity;
         ALTER TABLE review DROP COLUMN time_words; ALTER TABLE review DROP COLUMN date; ALTER TABLE review DROP COLUMN topic;
         PRAGMA user_version = 10;",
    )
    .unwrap();
    drop(conn);
    damage(folder.path(), leaves(folder.path(), "messages")[0]);
    let store = Store::open(folder.path()).await.unwrap();
    assert!(matches!(mode(&store), StoreMode::OnBackup { .. }));
    assert_eq!(store.read(messages).await.unwrap(), said(1..=100));
    drop(store);
    restored(folder.path(), &name).await;
    assert_eq!(Store::open(folder.path()).await.unwrap().read(messages).await.unwrap(), said(1..=150));
    assert!(!folder.path().join(opening::VIEWING).exists());
}

#[tokio::test]
async fn a_restore_that_was_broken_off_is_finished_at_the_next_start() {
    let (folder, name) = with_a_backup().await;
    fs::copy(folder.path().join(BACKUPS).join(&name), folder.path().join("restored.db")).unwrap();
    let before = bytes(folder.path());
    let store = Store::open(folder.path()).await.unwrap();
    assert_eq!(store.read(messages).await.unwrap(), said(1..=100));
    assert_eq!(content(&kept(folder.path())), before);
}

#[tokio::test]
async fn a_database_of_a_newer_atlas_is_not_touched_and_the_message_says_which() {
    let (folder, _) = with_a_backup().await;
    let conn = Connection::open(folder.path().join(DATABASE)).unwrap();
    conn.pragma_update(None, "user_version", 99).unwrap();
    drop(conn);
    let before = bytes(folder.path());
    let Err(error) = Store::open(folder.path()).await else { panic!("it was opened") };
    assert_eq!(error.code(), "store_newer");
    assert!(error.message().contains("version 99"), "{}", error.message());
    assert_eq!(bytes(folder.path()), before);
}

#[tokio::test]
async fn damage_that_was_found_once_is_looked_for_at_each_start_until_it_is_gone() {
    let (folder, name) = with_a_backup().await;
    let store = Store::open(folder.path()).await.unwrap();
    let page = leaves(folder.path(), "messages")[2];
    // Nothing of it is held in memory that could hide the damage.
    store.truncate_log().await.unwrap();
    damage(folder.path(), page);
    store.notice(&StoreError::Corrupt);
    assert_eq!(mode(&store), StoreMode::Suspect);
    assert!(folder.path().join(SUSPECT).exists(), "the next start looks at all of it, however large it is");
    store.check(now().to_utc()).await.unwrap();
    assert_eq!(mode(&store), StoreMode::ReadOnly { reason: ReadOnlyReason::Damaged });
    assert!(matches!(store.write(|_| Ok(())).await, Err(StoreError::Corrupt)));
    drop(store);
    assert!(matches!(mode(&Store::open(folder.path()).await.unwrap()), StoreMode::OnBackup { .. }));
    assert!(folder.path().join(SUSPECT).exists());
    restored(folder.path(), &name).await;
    assert!(!folder.path().join(SUSPECT).exists());
    assert_eq!(mode(&Store::open(folder.path()).await.unwrap()), StoreMode::Normal);
}

#[tokio::test]
async fn a_false_alarm_is_over_when_all_was_looked_at() {
    let (folder, _) = with_a_backup().await;
    let store = Store::open(folder.path()).await.unwrap();
    store.notice(&StoreError::Corrupt);
    assert_eq!(store.check(now().to_utc()).await.unwrap().mode, StoreMode::Normal);
    assert!(!folder.path().join(SUSPECT).exists());
    say(&store, 151..=151).await;
}

#[tokio::test]
async fn what_a_purge_could_not_take_out_of_the_backups_stays_hidden_when_an_older_state_is_restored() {
    let (folder, name) = with_a_backup().await;
    let store = Store::open(folder.path()).await.unwrap();
    let purge = "DELETE FROM messages WHERE id = 25;
        INSERT INTO erasures (forgotten_at, at, counts, swept) VALUES (0, 0, '{}', 0);
        INSERT INTO tombstones (kind, hash, at) VALUES (0, x'01', 7);";
    store.write(move |tx| Ok(tx.execute_batch(purge)?)).await.unwrap();
    drop(store);
    let is_forgotten = |_: &Connection, said: &str| Ok(said.starts_with("message 25 "));
    restore(folder.path(), Some(&name), is_forgotten, now().to_utc()).await.unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    let found = store.read(|conn| {
        let hidden: i64 =
            conn.query_row("SELECT id FROM messages WHERE forgotten_at IS NOT NULL", [], |row| row.get(0))?;
        let tombstone: i64 = conn.query_row("SELECT at FROM tombstones WHERE hash = x'01'", [], |row| row.get(0))?;
        Ok((hidden, tombstone))
    });
    assert_eq!(found.await.unwrap(), (25, 7));
}
