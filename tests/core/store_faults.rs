//! What people meet when the database or its disk fails: with real damage, real locks of another process and real full disks.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use atlas_core::assistant::Error;
use atlas_core::assistant::backups::{BackupView, StoreModeName, backups_of, restore_backup};
use atlas_core::assistant::view::{ForgetMessages, ForgetTarget};
use atlas_core::home::{AGENT, Home};
use atlas_core::store::{Connection, Store, StoreError};
use atlas_tests::agent::{Agent, Heard};
use atlas_tests::clock::TestClock;
use atlas_tests::{Response, ScriptedServer};
use tokio::sync::mpsc;

use crate::forgetting::traces::files_with;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Enough messages that their table has several pages.
const SAID: usize = 30;

fn database(home: &Home) -> PathBuf {
    home.agent(AGENT).join("atlas.db")
}

/// Overwrites the first page of the rows of a table, or of the entries of an index.
fn damage(home: &Home, name: &str) {
    let file = database(home);
    let conn = Connection::open(&file).unwrap();
    let sql = "SELECT pageno FROM dbstat WHERE name = ?1 AND pagetype = 'leaf' ORDER BY path LIMIT 1";
    let page: i64 = conn.query_row(sql, [name], |row| row.get(0)).unwrap();
    drop(conn);
    let file = File::options().write(true).open(&file).unwrap();
    file.write_all_at(&[0xa5; 4096], (page.unsigned_abs() - 1) * 4096).unwrap();
}

fn long(number: usize) -> String {
    format!("Number {number}: {}", "the lighthouse keeper counts the ships. ".repeat(8))
}

/// An agent that was told much, and one fact; with a backup of that, and a fact and a message since.
async fn with_a_backup(server: &ScriptedServer) -> (Agent, BackupView) {
    let agent = Agent::asking(server).await;
    let first = agent.says("Remember that I live in Tokyo").await.conversation();
    for number in 0..SAID {
        agent.says_in(Some(first), &long(number)).await;
    }
    let backup = agent.assistant.back_up_now().await.unwrap();
    // Still the same day: none is made by itself.
    agent.clock.advance(Duration::from_secs(3600));
    agent.says("Remember that my boat is called Albatross").await;
    (agent, backup)
}

async fn texts(agent: &Agent) -> Vec<String> {
    let mut texts = Vec::new();
    for conversation in agent.assistant.conversations("").await.unwrap() {
        let messages = agent.messages(conversation.id).await;
        texts.extend(messages.into_iter().map(|message| message.text));
    }
    texts.sort();
    texts
}

async fn sentences(agent: &Agent) -> Vec<String> {
    let mut sentences: Vec<String> = agent.facts().await.into_iter().map(|fact| fact.quote).collect();
    sentences.sort();
    sentences
}

async fn send(agent: &Agent, text: &str) -> Result<Heard, Error> {
    let (events, heard) = mpsc::channel(256);
    agent.assistant.send(None, text, events).await?;
    Ok(Heard::all(heard).await)
}

fn answering() -> ScriptedServer {
    ScriptedServer::always(Response::answer(["All right."]))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_database_is_read_on_its_backup_and_is_whole_again_after_a_restore() {
    let server = answering();
    let (agent, backup) = with_a_backup(&server).await;
    let (said, known) = (texts(&agent).await, sentences(&agent).await);
    let agent = agent.reopened_after(async |home| damage(home, "messages")).await;

    let health = agent.assistant.store_health();
    assert_eq!(
        (health.mode, health.backup.as_deref(), health.backup_at),
        (StoreModeName::OnBackup, Some(backup.name.as_str()), Some(backup.at))
    );
    let problem = health.problem.unwrap();
    assert!(problem.contains("The damaged file was not touched. Restore the backup"), "{problem}");
    assert_eq!(sentences(&agent).await, ["I live in Tokyo"], "memory can be read");
    assert_eq!(texts(&agent).await.len(), 2 * (SAID + 1), "conversations can be read");
    assert!(!agent.assistant.test_recall("Where do I live?").await.unwrap().block.is_empty(), "recall works");
    let refused = send(&agent, "Hello").await.unwrap_err().view();
    assert_eq!(refused.code, "store_on_backup");
    assert!(refused.message.contains("restore a backup"), "{}", refused.message);
    assert_eq!(server.requests().len(), SAID + 2, "no model was asked");

    let mut report = None;
    let agent = agent
        .reopened_after(async |home| {
            let clock = TestClock::at("2026-03-04T09:00:00+01:00");
            report = Some(restore_backup(home, AGENT, Some(&backup.name), &clock).await.unwrap());
        })
        .await;
    let report = report.unwrap();
    assert!(report.salvaged > 0 && report.from_backup > 0, "{report:?}");
    assert!(report.kept.is_some_and(|kept| kept.starts_with("damaged/")));
    assert_eq!(agent.assistant.store_health().mode, StoreModeName::Normal);
    assert_eq!((texts(&agent).await, sentences(&agent).await), (said, known), "nothing is lost");
    assert_eq!(agent.says("Hello again").await.terminal(), "completed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_cannot_be_opened_at_all_is_restored_from_outside() {
    let server = answering();
    let (agent, backup) = with_a_backup(&server).await;
    let agent = agent
        .reopened_after(async |home| {
            fs::write(database(home), "this is no database, and nothing can be salvaged from it").unwrap();
            let offered = backups_of(home, AGENT).await.unwrap();
            assert!(offered.contains(&backup), "{offered:?}");
            let clock = TestClock::at("2026-03-04T09:00:00+01:00");
            restore_backup(home, AGENT, Some(&backup.name), &clock).await.unwrap();
        })
        .await;
    assert_eq!(agent.assistant.store_health().mode, StoreModeName::Normal);
    assert_eq!(sentences(&agent).await, ["I live in Tokyo"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_damaged_file_that_was_kept_goes_with_the_next_forget() {
    let server = answering();
    let (agent, backup) = with_a_backup(&server).await;
    let agent = agent
        .reopened_after(async |home| {
            damage(home, "messages");
            let clock = TestClock::at("2026-03-04T09:00:00+01:00");
            restore_backup(home, AGENT, Some(&backup.name), &clock).await.unwrap();
            assert!(!files_with(&home.agent(AGENT).join("damaged"), "Albatross").is_empty());
        })
        .await;
    let mut events = agent.assistant.events();
    let target = ForgetTarget::Subject { name: "Albatross".to_owned() };
    agent.assistant.forget(target, ForgetMessages::Forget).await.unwrap();
    agent.clock.advance(Duration::from_secs(60));
    agent.says("Good evening").await;
    while !matches!(events.recv().await.unwrap(), atlas_core::assistant::view::AppEvent::Erased { .. }) {}
    assert_eq!(files_with(agent.home.path(), "Albatross"), Vec::<String>::new());
    assert!(agent.assistant.store_health().problem.unwrap().starts_with("The damaged database file"));
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_indexes_are_made_anew_and_the_person_is_told_that_nothing_was_lost() {
    let server = answering();
    for index in ["messages_by_conversation", "messages_trigram_data", "passages", "passages_fts_data"] {
        let (agent, _) = with_a_backup(&server).await;
        let (said, known) = (texts(&agent).await, sentences(&agent).await);
        let agent = agent.reopened_after(async |home| damage(home, index)).await;
        let health = agent.assistant.store_health();
        assert_eq!(health.mode, StoreModeName::Repaired, "{index}");
        assert!(health.problem.unwrap().ends_with("Nothing was lost."), "{index}");
        assert_eq!((texts(&agent).await, sentences(&agent).await), (said, known), "{index}");
        assert_eq!(agent.says("What is my boat called?").await.terminal(), "completed", "{index}");
        let recalled = agent.assistant.test_recall("What is my boat called?").await.unwrap();
        assert!(recalled.block.contains("Albatross"), "{index}: {}", recalled.block);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_made_by_itself_on_the_next_day_and_not_on_the_first() {
    let server = answering();
    let agent = Agent::asking(&server).await;
    agent.says("Remember that I live in Tokyo").await;
    assert_eq!(agent.assistant.backups().await.unwrap(), []);
    let mut health = agent.assistant.store_health_changes();
    agent.clock.advance(DAY);
    agent.says("Good morning").await;
    health.wait_for(|health| health.last_backup_at.is_some() && health.checked_at.is_some()).await.unwrap();
    let backups = agent.assistant.backups().await.unwrap();
    let told: Vec<_> = backups.iter().map(|backup| (backup.reason.as_str(), backup.verified)).collect();
    assert_eq!(told, [("Made by itself", true)]);
    assert_eq!(agent.assistant.store_health().mode, StoreModeName::Normal);
}

/// A file system in memory; gone with the test.
struct Disk(tempfile::TempDir);

impl Disk {
    /// `None`, and said so, where file systems cannot be mounted.
    fn of(megabytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={megabytes}m"), "tmpfs"])
            .arg(folder.path())
            .output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self(folder));
        }
        eprintln!("passed by: a file system cannot be mounted here");
        None
    }

    fn remount(&self, how: &str) {
        let status = Command::new("mount").args(["-o", &format!("remount,{how}")]).arg(self.0.path()).status();
        assert!(status.unwrap().success(), "{how}");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let status = Command::new("umount").arg("-l").arg(self.0.path()).status();
        assert!(status.is_ok_and(|status| status.success()), "the file system stays mounted");
    }
}

async fn note(store: &Store, text: &str) -> Result<(), StoreError> {
    let text = text.to_owned();
    store
        .write(move |tx| {
            tx.execute("INSERT INTO drafts VALUES (NULL, ?1)", [&text])?;
            Ok(())
        })
        .await
}

async fn notes(store: &Store) -> i64 {
    store.read(|conn| Ok(conn.query_row("SELECT count(*) FROM drafts", [], |row| row.get(0))?)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_disk_that_is_really_full_nothing_acknowledged_is_lost_and_room_is_enough_to_go_on() {
    let Some(disk) = Disk::of(8) else { return };
    let folder = disk.0.path().join("agent");
    let store = Store::open(&folder).await.unwrap();
    let filler = disk.0.path().join("filler");
    let room = 5 << 20;
    fs::write(&filler, vec![0; room]).unwrap();
    let mut acknowledged = 0;
    let error = loop {
        match note(&store, &"x".repeat(20_000)).await {
            Ok(()) => acknowledged += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.code(), "store_full");
    assert!(acknowledged > 10, "{acknowledged}");
    assert_eq!(notes(&store).await, acknowledged, "reads go on");
    let clock = TestClock::at("2026-03-04T09:00:00+01:00");
    let now = atlas_core::clock::Clock::local_now(&clock);
    let failed = store.back_up(atlas_core::store::BackupReason::ByHand, now).await.unwrap_err();
    assert_eq!(failed.code(), "store_full");
    assert_eq!(store.backups().await.unwrap(), []);
    fs::remove_file(&filler).unwrap();
    note(&store, "there is room").await.unwrap();
    drop(store);
    let store = Store::open(&folder).await.unwrap();
    assert_eq!(notes(&store).await, acknowledged + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_cannot_be_written_is_opened_for_reading_and_says_so() {
    let Some(disk) = Disk::of(16) else { return };
    let folder = disk.0.path().join("agent");
    let store = Store::open(&folder).await.unwrap();
    note(&store, "kept").await.unwrap();
    drop(store);
    disk.remount("ro");
    let store = Store::open(&folder).await.unwrap();
    assert!(!store.is_writable());
    let problem = store.health().borrow().problem.clone().unwrap();
    assert!(problem.contains("may not write to its data folder"), "{problem}");
    assert_eq!(notes(&store).await, 1);
    assert_eq!(note(&store, "more").await.unwrap_err().code(), "store_read_only");
    drop(store);
    disk.remount("rw");
    let store = Store::open(&folder).await.unwrap();
    note(&store, "more").await.unwrap();
    assert_eq!(notes(&store).await, 2);
}

/// Starts this program as another process that does one thing, by the name of that test.
fn another_process(test: &str, folder: &Path, limit: Option<u32>) -> Command {
    let program = std::env::current_exe().unwrap();
    let mut command = match limit {
        // A write over the limit is an error and no signal.
        Some(blocks) => {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"")]).arg(program);
            shell
        }
        None => Command::new(program),
    };
    command.args(["--exact", "--ignored", "--nocapture", &format!("store_faults::{test}")]);
    command.env("ATLAS_TEST_FOLDER", folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

fn given_folder() -> PathBuf {
    std::env::var_os("ATLAS_TEST_FOLDER").expect("another test starts this one").into()
}

#[test]
#[ignore = "another test starts it"]
fn holds_the_lock_until_it_is_told_to_go_on() {
    let conn = Connection::open(given_folder().join("atlas.db")).unwrap();
    conn.execute_batch("BEGIN IMMEDIATE").unwrap();
    println!("\nheld");
    assert_eq!(std::io::stdin().read(&mut [0]).unwrap(), 1);
    conn.execute_batch("ROLLBACK").unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn another_process_that_holds_the_database_makes_a_write_busy_and_nothing_is_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    note(&store, "kept").await.unwrap();
    let mut other = another_process("holds_the_lock_until_it_is_told_to_go_on", folder.path(), None).spawn().unwrap();
    let mut lines = BufReader::new(other.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "held"), "the other process holds the lock");
    let error = note(&store, "later").await.unwrap_err();
    assert_eq!((error.code(), error.is_retryable()), ("store_busy", true));
    assert_eq!(notes(&store).await, 1, "reads go on");
    other.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert!(other.wait().unwrap().success());
    note(&store, "later").await.unwrap();
    assert_eq!(notes(&store).await, 2);
}

#[test]
#[ignore = "another test starts it"]
fn writes_until_a_file_may_not_grow_any_more() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = Store::open(&given_folder()).await.unwrap();
        let mut acknowledged = 0;
        let error = loop {
            match note(&store, &"x".repeat(20_000)).await {
                Ok(()) => acknowledged += 1,
                Err(error) => break error,
            }
        };
        assert_eq!(notes(&store).await, acknowledged, "reads go on");
        println!("\nacknowledged {acknowledged} {}", error.code());
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn over_a_limit_of_file_sizes_nothing_acknowledged_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    // In blocks of 512 bytes, or of 1024: the shells differ.
    let mut other = another_process("writes_until_a_file_may_not_grow_any_more", folder.path(), Some(4096));
    let output = other.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said} {}", String::from_utf8_lossy(&output.stderr));
    let line = said.lines().find_map(|line| line.strip_prefix("acknowledged ")).unwrap();
    let (acknowledged, code) = line.split_once(' ').unwrap();
    assert_eq!(code, "store_disk");
    let acknowledged: i64 = acknowledged.parse().unwrap();
    assert!(acknowledged > 10, "{acknowledged}");
    let store = Store::open(folder.path()).await.unwrap();
    assert_eq!(notes(&store).await, acknowledged);
    note(&store, "there is room").await.unwrap();
    assert_eq!(notes(&store).await, acknowledged + 1);
}
