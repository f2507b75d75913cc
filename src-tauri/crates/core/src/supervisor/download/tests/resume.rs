//! What came is kept, and goes on from there: over a break, a cancel, a full disk and a restart of Atlas.

use std::io::Read;
use std::sync::mpsc;

use super::super::part::add_up;
use super::*;

/// What stands in an address and in no file.
const SENTINEL: &str = "hf-sentinel-4c1f09";

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

impl Fixture {
    /// Asserts that no file below its root holds what must not be written down.
    fn keeps_no_secret(&self) {
        let mut folders = vec![self.root.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else {
                    let bytes = std::fs::read(entry.path()).unwrap();
                    let holds = bytes.windows(SENTINEL.len()).any(|window| window == SENTINEL.as_bytes());
                    assert!(!holds, "{}", entry.path().display());
                }
            }
        }
    }

    async fn stalled(&self, source: Source, bytes: u64) -> String {
        let file = self.downloads.start(source).await.unwrap();
        let part = self.home().own_models().join(".tiny.gguf.part");
        let has_come = || part.metadata().is_ok_and(|part| part.len() == bytes);
        crate::supervisor::process::tests::eventually("what it sent has come", has_come).await;
        self.downloads.cancel(&file).await;
        file
    }
}

#[tokio::test]
async fn a_key_in_an_address_is_kept_in_memory_alone_and_what_came_goes_on_when_it_is_given_again() {
    let (fixture, body) = (Fixture::new(), model());
    let server = Server::new(body.clone(), [Act::Stall(50_000), Act::Stall(20_000)]).await;
    let whole = Source::Address(format!("{}?token={SENTINEL}", server.url()));
    assert!(!format!("{whole:?}").contains(SENTINEL));
    let file = fixture.stalled(whole.clone(), 50_000).await;
    fixture.keeps_no_secret();
    let part = fixture.home().own_models().join(".tiny.gguf.part");
    fixture.downloads.resume(&file).await.unwrap();
    let has_come = || part.metadata().is_ok_and(|part| part.len() == 70_000);
    crate::supervisor::process::tests::eventually("this run knows the address", has_come).await;
    fixture.downloads.stop().await;

    let fixture = fixture.opened_again();
    let needed = Some(DownloadProblem::from(&DownloadError::AddressNeeded));
    let paused = DownloadState { bytes: 70_000, step: DownloadStep::Paused, problem: needed, ..done(&body) };
    assert_eq!(fixture.downloads.list().await, [paused]);
    assert_eq!(fixture.downloads.resume(&file).await, Err(DownloadError::AddressNeeded));
    assert_eq!(fixture.load(whole).await, done(&body));
    assert_eq!(server.asked(), [(None, None), from(50_000, &body), from(70_000, &body)]);
    fixture.keeps_no_secret();
}

#[tokio::test]
async fn a_signed_address_that_a_server_sends_to_is_never_written_down() {
    let (fixture, body) = (Fixture::new(), model());
    let end = Server::new(body.clone(), [Act::Stall(50_000)]).await;
    let signed = Act::Redirect(format!("{}?signature={SENTINEL}", end.url()));
    let server = Server::new(Vec::new(), [signed.clone(), signed]).await;
    let file = fixture.stalled(Source::Address(server.url()), 50_000).await;
    fixture.keeps_no_secret();
    let fixture = fixture.opened_again();
    let mut news = fixture.downloads.watch();
    fixture.downloads.resume(&file).await.unwrap();
    assert_eq!(fixture.end(&mut news).await, done(&body));
    assert_eq!(end.asked(), [(None, None), from(50_000, &body)]);
}

#[tokio::test]
async fn a_key_that_an_earlier_atlas_wrote_down_is_taken_out_of_its_note() {
    let fixture = Fixture::new();
    let folder = fixture.home().own_models();
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(".tiny.gguf.part"), "GGUF").unwrap();
    let note = format!(r#"{{"catalogue":null,"url":"https://example.com/tiny.gguf?token={SENTINEL}","total":9}}"#);
    std::fs::write(folder.join(".tiny.gguf.part.json"), note).unwrap();
    let state = fixture.downloads.list().await.remove(0);
    assert_eq!(
        (state.bytes, state.total, state.problem.unwrap().code.as_str()),
        (4, Some(9), "download_address_needed")
    );
    fixture.keeps_no_secret();
}

/// A reader that gives a piece for each that is handed to it, and waits in between.
struct ByHand {
    pieces: mpsc::Receiver<Vec<u8>>,
    reads: mpsc::Sender<()>,
}

impl Read for ByHand {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        self.reads.send(()).unwrap();
        let piece = self.pieces.recv().unwrap_or_default();
        into[..piece.len()].copy_from_slice(&piece);
        Ok(piece.len())
    }
}

#[test]
fn adding_up_a_large_part_ends_with_the_piece_in_which_it_is_cancelled() {
    let ((give, pieces), (reads, read)) = (mpsc::channel(), mpsc::channel());
    let cancel = CancellationToken::new();
    let adding = std::thread::spawn({
        let cancel = cancel.clone();
        move || add_up(&mut ByHand { pieces, reads }, &cancel).map(|added| added.bytes)
    });
    read.recv().unwrap();
    give.send(vec![1; 1000]).unwrap();
    read.recv().unwrap();
    cancel.cancel();
    // There is more to come, and nobody asks for it; it may be gone already.
    (0..9).for_each(|_| drop(give.send(vec![1; 1000])));
    assert_eq!(adding.join().unwrap(), Err(Stopped::Cancelled));
    assert_eq!(read.try_iter().count(), 0);
}

#[tokio::test]
async fn a_cancel_before_all_is_added_up_keeps_what_came() {
    let (fixture, body) = (Fixture::new(), model());
    let server = Server::new(body.clone(), [Act::Stall(50_000)]).await;
    let file = fixture.stalled(Source::Address(server.url()), 50_000).await;
    let part = Place::of(&fixture.home().own_models(), &file).part;
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    assert_eq!(Part::open(part, cancelled).await.err(), Some(Stopped::Cancelled));
    assert_eq!(fixture.load(Source::Address(server.url())).await, done(&body));
    assert_eq!(server.asked(), [(None, None), from(50_000, &body)]);
}
