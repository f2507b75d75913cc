//! Full disks, and the backups that are made beside the work.

use super::*;

#[tokio::test]
async fn on_a_full_disk_a_write_says_so_and_goes_through_when_there_is_room_again() {
    let (folder, _) = with_a_backup().await;
    let store = Store::open(folder.path()).await.unwrap();
    let limit = |pages: i64| {
        move |tx: &Transaction<'_>| Ok(tx.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?)
    };
    store.write(limit(1)).await.unwrap();
    let full = store
        .write(|tx| {
            tx.execute("INSERT INTO conversations (id, created_at, updated_at) VALUES (2, 0, 0)", [])?;
            tx.execute("INSERT INTO drafts VALUES (0, ?1)", ["x".repeat(1 << 20)])?;
            Ok(())
        })
        .await;
    assert!(matches!(full, Err(StoreError::Full)), "{full:?}");
    assert_eq!(store.read(messages).await.unwrap(), said(1..=150));
    let half =
        store.read(|conn| Ok(conn.query_row("SELECT count(*) FROM conversations", [], |row| row.get::<_, i64>(0))?));
    assert_eq!(half.await.unwrap(), 1, "nothing is half-written");
    store.write(limit(1 << 30)).await.unwrap();
    say(&store, 151..=151).await;
    assert_eq!(store.read(messages).await.unwrap(), said(1..=151));
}

#[tokio::test]
async fn a_backup_that_fails_leaves_no_file_and_is_told() {
    let (folder, name) = with_a_backup().await;
    let store = Store::open(folder.path()).await.unwrap();
    // In the way of the name that the copy would get.
    let later = now() + chrono::TimeDelta::days(1);
    let backups = folder.path().join(BACKUPS);
    fs::create_dir(backups.join("2026-03-03T080000Z-daily.db")).unwrap();
    let begun = DateTime::<Utc>::UNIX_EPOCH;
    say(&store, 151..=151).await;
    assert!(store.back_up_if_due(later, begun).await.is_err());
    let told = store.health().borrow().backup_problem.clone().unwrap();
    assert!(told.starts_with("A backup could not be made."), "{told}");
    assert!(!backups.join("new.db").exists());
    assert_eq!(backup::list(folder.path()).unwrap().iter().map(|backup| &backup.name).collect::<Vec<_>>(), [&name]);
    say(&store, 152..=152).await;
    // It is not tried at every write.
    assert_eq!(store.back_up_if_due(later, begun).await.unwrap(), None);
    let tried_again = store.back_up_if_due(later + chrono::TimeDelta::hours(2), begun).await.unwrap();
    assert!(tried_again.is_some());
    assert_eq!(store.health().borrow().backup_problem, None);
}

#[tokio::test]
async fn a_backup_is_made_once_a_day_and_only_when_something_changed() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    say(&store, 1..=10).await;
    let begun = now().to_utc();
    let day = |days: i64| now() + chrono::TimeDelta::days(days);
    let mut made = Vec::new();
    for (days, says) in [(0, true), (1, true), (1, true), (2, true), (3, false), (4, true)] {
        if says {
            let number = 10 + made.len() as i64 * 10;
            store.write(move |tx| Ok(tx.execute("UPDATE conversations SET updated_at = ?1", [number])?)).await.unwrap();
        }
        made.push(store.back_up_if_due(day(days), begun).await.unwrap().map(|backup| backup.at));
    }
    let at = |days: i64| Some(day(days).to_utc());
    assert_eq!(made, [None, at(1), None, at(2), None, at(4)]);
    assert_eq!(store.health().borrow().last_backup_at, at(4));
}
