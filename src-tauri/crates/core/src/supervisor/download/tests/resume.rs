//! What came is kept, and goes on from there: over a break, a cancel, a full disk and a restart of Atlas.

use super::*;

#[tokio::test]
async fn a_server_that_ignores_the_part_that_was_asked_for_starts_over() {
    let (fixture, body) = (Fixture::new(), model());
    let server = Server::new(body.clone(), [Act::Cut(50_000), Act::IgnoreRange]).await;
    assert_eq!(fixture.load(Source::Address(server.url())).await, done(&body));
    assert_eq!(fixture.files(), [("tiny.gguf".to_owned(), body)]);
}

#[tokio::test]
async fn a_file_that_was_changed_meanwhile_starts_over_also_where_the_server_does_not_say_so() {
    let changed = Made::model().text("padding", &"y".repeat(200_000)).bytes();
    for second in [Act::Change(changed.clone()), Act::IgnoreCondition] {
        let (fixture, body) = (Fixture::new(), model());
        let server = Server::new(body, [Act::Cut(50_000), second.clone()]).await;
        if matches!(second, Act::IgnoreCondition) {
            let mut news = fixture.downloads.watch();
            fixture.downloads.start(Source::Address(server.url())).await.unwrap();
            while news.recv().await.unwrap().step != DownloadStep::Waiting {}
            server.shared.lock().unwrap().body = changed.clone();
            fixture.clock.turn(Duration::from_secs(16));
            assert_eq!(fixture.end(&mut news).await, done(&changed));
        } else {
            assert_eq!(fixture.load(Source::Address(server.url())).await, done(&changed));
        }
        assert_eq!(fixture.files(), [("tiny.gguf".to_owned(), changed.clone())]);
    }
}

#[tokio::test]
async fn a_cancelled_download_goes_on_after_a_restart_of_atlas() {
    let (fixture, body) = (Fixture::new(), model());
    let server = Server::new(body.clone(), [Act::Stall(50_000)]).await;
    let file = fixture.downloads.start(Source::Address(server.url())).await.unwrap();
    let running = fixture.downloads.start(Source::Address(server.url())).await;
    assert_eq!(running, Err(DownloadError::Running), "one download of a file at a time");
    let part = fixture.home().own_models().join(".tiny.gguf.part");
    let has_come = || part.metadata().is_ok_and(|part| part.len() == 50_000);
    crate::supervisor::process::tests::eventually("what it sent has come", has_come).await;
    fixture.downloads.cancel(&file).await;
    let paused = DownloadState { bytes: 50_000, step: DownloadStep::Paused, ..done(&body) };
    assert_eq!(fixture.downloads.list().await[0].step, DownloadStep::Paused);
    assert_eq!(models::list(&fixture.home()).await, [], "half a model is none");

    let fixture = fixture.opened_again();
    assert_eq!(fixture.downloads.list().await, [paused]);
    let mut news = fixture.downloads.watch();
    fixture.downloads.resume(&file).await.unwrap();
    assert_eq!(fixture.end(&mut news).await, done(&body));
    assert_eq!(fixture.files(), [("tiny.gguf".to_owned(), body.clone())]);
    assert_eq!(server.asked(), [(None, None), from(50_000, &body)]);
}

#[tokio::test]
async fn what_was_discarded_leaves_nothing() {
    let (fixture, body) = (Fixture::new(), model());
    let server = Server::new(body, [Act::Stall(50_000)]).await;
    let file = fixture.downloads.start(Source::Address(server.url())).await.unwrap();
    fixture.downloads.discard(&file).await.unwrap();
    assert_eq!(fixture.files(), []);
    assert_eq!(fixture.downloads.list().await, []);
    assert_eq!(fixture.downloads.resume(&file).await, Err(DownloadError::NoDownload));
    assert_eq!(fixture.downloads.discard("../tiny.gguf").await, Err(DownloadError::NoDownload));
}

#[tokio::test]
async fn a_disk_without_enough_room_is_told_before_anything_is_written_and_what_came_is_kept() {
    let body = model();
    let fixture = Fixture::with_space(|_| Some(200 << 20));
    let server = Server::new(body.clone(), []).await;
    let state = fixture.load(Source::Address(server.url())).await;
    let expected = DownloadProblem::from(&DownloadError::DiskFull { missing: body.len() as u64 });
    assert_eq!((state.bytes, state.problem), (0, Some(expected)));
    let full = DownloadError::from(std::io::Error::from(std::io::ErrorKind::StorageFull));
    assert_eq!(full.code(), "download_disk_full");
    assert!(free_space(fixture.root.path()).is_some_and(|free| free > 0));
}

/// The limit for a file is real; it takes a process of its own, since it counts for all of it.
#[tokio::test]
async fn a_file_that_the_system_lets_grow_no_further_goes_on_when_it_may() {
    let (fixture, body) = (Fixture::new(), model());
    let server = Server::new(body.clone(), []).await;
    let test = "supervisor::download::tests::resume::as_an_atlas_with_a_full_disk";
    let script = "trap '' XFSZ; ulimit -f 100; exec \"$0\" --exact \"$1\" --ignored --nocapture";
    let atlas = tokio::process::Command::new("sh")
        .args(["-c", script])
        .arg(std::env::current_exe().unwrap())
        .arg(test)
        .env("ATLAS_TEST_HOME", fixture.root.path())
        .env("ATLAS_TEST_URL", server.url())
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&atlas.stdout);
    assert!(said.contains("failed with download_disk_full"), "{said}");
    let [part] = fixture.downloads.list().await.try_into().unwrap();
    assert!(part.step == DownloadStep::Paused && 0 < part.bytes && part.bytes < body.len() as u64, "{part:?}");
    assert_eq!(fixture.load(Source::Address(server.url())).await, done(&body));
    assert_eq!(server.asked(), [(None, None), from(part.bytes as usize, &body)]);
}

/// The other process of the test above.
#[tokio::test]
#[ignore = "is started by another test"]
async fn as_an_atlas_with_a_full_disk() {
    let (Some(home), Ok(url)) = (std::env::var_os("ATLAS_TEST_HOME"), std::env::var("ATLAS_TEST_URL")) else { return };
    let downloads = Downloads::new(Home::at(home), Http::new(), Arc::new(crate::clock::SystemClock));
    let mut news = downloads.watch();
    downloads.start(Source::Address(url)).await.unwrap();
    loop {
        let state = news.recv().await.unwrap();
        if let (DownloadStep::Failed, Some(problem)) = (state.step, state.problem) {
            println!("failed with {}", problem.code);
            return;
        }
    }
}
