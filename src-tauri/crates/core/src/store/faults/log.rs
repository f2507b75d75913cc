//! Damage in the log of the latest changes, as a crash left it.

use super::*;

/// The files of a database as a crash leaves them: a hundred and fifty messages, of which each is a transaction in the log.
async fn as_after_a_crash() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    store.truncate_log().await.unwrap();
    for number in 1..=60 {
        say(&store, number..=number).await;
    }
    let left = tempfile::tempdir().unwrap();
    for file in [DATABASE, "atlas.db-wal", "tombstone.key"] {
        fs::copy(folder.path().join(file), left.path().join(file)).unwrap();
    }
    left
}

/// The log's file, and how many entries it has.
fn log_of(folder: &Path) -> (File, u64) {
    let log = File::options().read(true).write(true).open(folder.join("atlas.db-wal")).unwrap();
    let entries = (log.metadata().unwrap().len() - 32) / 4120;
    (log, entries)
}

#[tokio::test]
async fn a_damaged_log_is_mended_and_nothing_that_it_holds_is_lost() {
    // The head, and an entry near the beginning: its page is written again later.
    for at in [0, 32 + 4120 * 2 + 100, 32 + 4120 * 3 + 9] {
        let left = as_after_a_crash().await;
        log_of(left.path()).0.write_all_at(&[0xa5; 16], at).unwrap();
        let store = Store::open(left.path()).await.unwrap();
        let StoreMode::Repaired { what } = mode(&store) else { panic!("{at}: {:?}", mode(&store)) };
        assert_eq!(what.last().map(String::as_str), Some("the log of the latest changes"), "{at}");
        assert_eq!(store.read(messages).await.unwrap(), said(1..=60), "{at}");
        assert_eq!(store.check(now().to_utc()).await.unwrap().mode, mode(&store), "{at}");
        assert_eq!(backup::entries(&left.path().join(DAMAGED)).unwrap().len(), 1, "{at}: the damaged log is kept");
    }
}

#[tokio::test]
async fn the_end_of_a_log_that_a_crash_tore_is_dropped_as_before() {
    let left = as_after_a_crash().await;
    let (log, entries) = log_of(left.path());
    log.write_all_at(&[0xa5; 16], 32 + 4120 * (entries - 1) + 100).unwrap();
    let store = Store::open(left.path()).await.unwrap();
    assert_eq!(mode(&store), StoreMode::Normal);
    assert_eq!(store.read(messages).await.unwrap(), said(1..=59));
    assert!(!left.path().join(DAMAGED).exists());
}

#[tokio::test]
async fn wherever_a_log_is_damaged_what_other_pages_hold_is_there_after_a_restore() {
    let whole = as_after_a_crash().await;
    let (_, entries) = log_of(whole.path());
    for entry in (0..entries - 20).step_by(61) {
        let left = tempfile::tempdir().unwrap();
        for file in [DATABASE, "atlas.db-wal", "tombstone.key"] {
            fs::copy(whole.path().join(file), left.path().join(file)).unwrap();
        }
        log_of(left.path()).0.write_all_at(&DAMAGE, 32 + 4120 * entry + 24).unwrap();
        let store = Store::open(left.path()).await.unwrap();
        let found = mode(&store);
        assert!(!matches!(found, StoreMode::Normal), "{entry}");
        let is_repaired = matches!(found, StoreMode::Repaired { .. });
        drop(store);
        if !is_repaired {
            restore(left.path(), None, none_is_forgotten, now().to_utc()).await.unwrap();
        }
        let left = Store::open(left.path()).await.unwrap().read(messages).await.unwrap();
        let lost = 60 - left.len();
        assert!(lost == 0 || !is_repaired && lost <= 12, "{entry}: {lost} lost, {found:?}");
        assert_eq!(left, said(left.keys().copied()), "{entry}");
    }
}
