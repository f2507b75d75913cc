//! Downloads from a server of this computer that does what servers and networks do.

use std::collections::VecDeque;
use std::sync::PoisonError;

use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::clock::hand::HandClock;
use crate::supervisor::catalogue::CatalogueModel;
use crate::supervisor::models::gguf::tests::Made;

/// What the server does with one request.
#[derive(Debug, Clone)]
enum Act {
    /// Sends what was asked for.
    Serve,
    /// Sends so many bytes of it, then closes the connection.
    Cut(usize),
    /// Sends so many bytes of it, then resets the connection.
    Reset(usize),
    /// Sends so many bytes of it, then nothing.
    Stall(usize),
    /// Sends all of it, whatever part was asked for.
    IgnoreRange,
    /// Sends the part that was asked for, whether the file is the same or not.
    IgnoreCondition,
    /// From now on it has another file.
    Change(Vec<u8>),
    /// Says that there is more than there is.
    TooLong,
    /// Answers with a status alone.
    Status(u16),
    /// Sends elsewhere.
    Redirect(String),
    /// Sends all of it without saying how long it is.
    Endless,
}

struct Server {
    address: String,
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    body: Vec<u8>,
    acts: VecDeque<Act>,
    /// The `Range` and `If-Range` of each request.
    asked: Vec<(Option<String>, Option<String>)>,
}

impl Server {
    async fn new(body: Vec<u8>, acts: impl IntoIterator<Item = Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Mutex::new(Shared { body, acts: acts.into_iter().collect(), asked: Vec::new() }));
        let serving = shared.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, serving.clone()));
            }
        });
        Self { address, shared }
    }

    fn url(&self) -> String {
        format!("{}/models/tiny.gguf", self.address)
    }

    fn asked(&self) -> Vec<(Option<String>, Option<String>)> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).asked.clone()
    }
}

fn header(request: &str, name: &str) -> Option<String> {
    request.lines().find_map(|line| line.to_lowercase().strip_prefix(&format!("{name}: ")).map(str::to_owned))
}

/// The strong tag of a file.
fn tag(body: &[u8]) -> String {
    format!("\"{}\"", hex(body)[..8].to_owned())
}

fn hex(body: &[u8]) -> String {
    Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn serve(mut stream: TcpStream, shared: Arc<Mutex<Shared>>) {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => request.push(byte),
            Err(_) => return,
        }
    }
    let request = String::from_utf8(request).unwrap();
    let (range, condition) = (header(&request, "range"), header(&request, "if-range"));
    let (act, body) = {
        let mut shared = shared.lock().unwrap();
        shared.asked.push((range.clone(), condition.clone()));
        let act = shared.acts.pop_front().unwrap_or(Act::Serve);
        if let Act::Change(body) = &act {
            shared.body = body.clone();
        }
        (act, shared.body.clone())
    };
    let same = condition.is_none_or(|tagged| tagged == tag(&body)) || matches!(act, Act::IgnoreCondition);
    let from = range
        .filter(|_| same && !matches!(act, Act::IgnoreRange))
        .map(|range| range.trim_start_matches("bytes=").trim_end_matches('-').parse::<usize>().unwrap());
    let rest = &body[from.unwrap_or(0).min(body.len())..];
    let length = rest.len() + if matches!(act, Act::TooLong) { 100 } else { 0 };
    let status = match (&act, from) {
        (Act::Status(status), _) => format!("{status} Status"),
        (Act::Redirect(to), _) => format!("302 Found\r\nLocation: {to}"),
        (_, Some(from)) => {
            format!("206 Partial Content\r\nContent-Range: bytes {from}-{}/{}", body.len() - 1, body.len())
        }
        (_, None) => "200 OK".to_owned(),
    };
    let length = if matches!(act, Act::Endless) { String::new() } else { format!("Content-Length: {length}\r\n") };
    let (length, rest) = match act {
        Act::Status(_) | Act::Redirect(_) => ("Content-Length: 0\r\n".to_owned(), &[][..]),
        _ => (length, rest),
    };
    let head = format!("HTTP/1.1 {status}\r\nETag: {}\r\n{length}Connection: close\r\n\r\n", tag(&body));
    let _ = stream.write_all(head.as_bytes()).await;
    match act {
        Act::Cut(bytes) => drop(stream.write_all(&rest[..bytes]).await),
        Act::Stall(bytes) => {
            let _ = stream.write_all(&rest[..bytes]).await;
            std::future::pending::<()>().await;
        }
        Act::Reset(bytes) => {
            let _ = stream.write_all(&rest[..bytes]).await;
            // What was sent has to come before the connection is reset.
            let _ = stream.flush().await;
            while shared.lock().unwrap().asked.is_empty() {
                tokio::task::yield_now().await;
            }
            stream.set_zero_linger().unwrap();
        }
        _ => drop(stream.write_all(rest).await),
    }
}

struct Fixture {
    root: tempfile::TempDir,
    clock: Arc<HandClock>,
    downloads: Downloads,
}

impl Fixture {
    fn new() -> Self {
        Self::with_space(|_| None)
    }

    fn with_space(space: impl Fn(&Path) -> Option<u64> + Send + Sync + 'static) -> Self {
        let root = tempfile::tempdir().unwrap();
        let clock = Arc::new(HandClock::new());
        let downloads = Downloads::with_space(Home::at(root.path()), Http::new(), clock.clone(), Arc::new(space));
        Self { root, clock, downloads }
    }

    /// As after a restart of Atlas.
    fn opened_again(self) -> Self {
        let downloads = Downloads::new(Home::at(self.root.path()), Http::new(), self.clock.clone());
        Self { downloads, ..self }
    }

    fn home(&self) -> Home {
        Home::at(self.root.path())
    }

    /// The files in the folder of models, and what is in them.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files: Vec<_> = std::fs::read_dir(self.home().own_models())
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
            .collect();
        files.sort();
        files
    }

    /// Begins a download and waits for its end; the clock is turned while it rests.
    async fn load(&self, source: Source) -> DownloadState {
        let mut news = self.downloads.watch();
        self.downloads.start(source).await.unwrap();
        self.end(&mut news).await
    }

    async fn end(&self, news: &mut broadcast::Receiver<DownloadState>) -> DownloadState {
        let wait = async {
            loop {
                let state = news.recv().await.unwrap();
                match state.step {
                    DownloadStep::Paused | DownloadStep::Failed | DownloadStep::Done => return state,
                    DownloadStep::Waiting => self.clock.turn(Duration::from_secs(16)),
                    DownloadStep::Loading | DownloadStep::Checking => {}
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(20), wait).await.expect("a download comes to an end")
    }

    /// A download of the catalogue's kind: with its length and its sum known.
    fn job(&self, server: &Server, body: &[u8]) -> Job {
        let model = CatalogueModel {
            id: "tiny",
            name: "Tiny Talker",
            good_for: "Tests.",
            file: "tiny.gguf",
            url: "",
            bytes: body.len() as u64,
            sha256: hex(body).leak(),
            licence: "Apache-2.0",
            memory: 1,
        };
        let note = Note { catalogue: Some("tiny".into()), url: server.url(), ..Note::default() };
        let model: &'static CatalogueModel = Box::leak(Box::new(model));
        Job { file: model.file.into(), name: model.name.into(), note, model: Some(model) }
    }

    async fn load_job(&self, job: Job) -> DownloadState {
        let mut news = self.downloads.watch();
        self.downloads.begin(job).await.unwrap();
        self.end(&mut news).await
    }
}

fn done(body: &[u8]) -> DownloadState {
    DownloadState {
        file: "tiny.gguf".into(),
        name: "tiny".into(),
        bytes: body.len() as u64,
        total: Some(body.len() as u64),
        bytes_per_second: None,
        step: DownloadStep::Done,
        problem: None,
    }
}

fn from(byte: usize, body: &[u8]) -> (Option<String>, Option<String>) {
    (Some(format!("bytes={byte}-")), Some(tag(body)))
}

/// A model, of some length.
fn model() -> Vec<u8> {
    Made::model().text("padding", &"x".repeat(200_000)).bytes()
}

#[tokio::test]
async fn a_model_is_downloaded_checked_and_there() {
    let (fixture, body) = (Fixture::new(), model());
    let server = Server::new(body.clone(), []).await;
    assert_eq!(fixture.load(Source::Address(server.url())).await, done(&body));
    assert_eq!(fixture.files(), [("tiny.gguf".to_owned(), body.clone())]);
    assert_eq!(server.asked(), [(None, None)]);
    let again = fixture.downloads.start(Source::Address(server.url())).await;
    assert_eq!(again, Err(DownloadError::AlreadyHere));
    assert_eq!(fixture.downloads.list().await, [done(&body)]);
    assert_eq!(models::list(&fixture.home()).await[0].name.as_deref(), Some("Tiny Talker"));
}

#[tokio::test]
async fn a_download_that_breaks_goes_on_where_it_was() {
    let (fixture, body) = (Fixture::new(), model());
    let server = Server::new(body.clone(), [Act::Cut(50_000), Act::Status(503), Act::Cut(20_000)]).await;
    assert_eq!(fixture.load(Source::Address(server.url())).await, done(&body));
    assert_eq!(fixture.files(), [("tiny.gguf".to_owned(), body.clone())]);
    let expected = [(None, None), from(50_000, &body), from(50_000, &body), from(70_000, &body)];
    assert_eq!(server.asked(), expected);
}

#[tokio::test]
async fn a_connection_that_is_reset_or_says_too_much_is_tried_again() {
    let (fixture, body) = (Fixture::new(), model());
    let server = Server::new(body.clone(), [Act::Reset(50_000), Act::TooLong]).await;
    assert_eq!(fixture.load(Source::Address(server.url())).await.step, DownloadStep::Done);
    assert_eq!(fixture.files(), [("tiny.gguf".to_owned(), body)]);
}

#[tokio::test]
async fn a_server_that_is_silent_is_asked_again() {
    let (fixture, body) = (Fixture::new(), model());
    let server = Server::new(body.clone(), [Act::Stall(50_000)]).await;
    let mut news = fixture.downloads.watch();
    fixture.downloads.start(Source::Address(server.url())).await.unwrap();
    let part = fixture.home().own_models().join(".tiny.gguf.part");
    let has_come = || part.metadata().is_ok_and(|part| part.len() == 50_000);
    crate::supervisor::process::tests::eventually("what it sent has come", has_come).await;
    fixture.clock.turn(Duration::from_secs(30));
    assert_eq!(fixture.end(&mut news).await, done(&body));
    assert_eq!(server.asked(), [(None, None), from(50_000, &body)]);
}

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
async fn a_server_that_fails_again_and_again_is_given_up_and_what_came_is_kept() {
    let (fixture, body) = (Fixture::new(), model());
    let acts = std::iter::once(Act::Cut(50_000)).chain(std::iter::repeat_n(Act::Status(500), 9));
    let server = Server::new(body, acts).await;
    let state = fixture.load(Source::Address(server.url())).await;
    assert_eq!((state.step, state.bytes), (DownloadStep::Failed, 50_000));
    assert_eq!(state.problem.as_ref().map(|problem| problem.code.as_str()), Some("download_server"));
    assert_eq!(server.asked().len(), 5);
}

#[tokio::test]
async fn what_no_other_try_helps_is_tried_once() {
    for (status, code) in [(404, "download_not_found"), (403, "download_refused"), (401, "download_refused")] {
        let fixture = Fixture::new();
        let server = Server::new(model(), [Act::Status(status)]).await;
        let state = fixture.load(Source::Address(server.url())).await;
        assert_eq!(state.problem.map(|problem| (problem.code, problem.retryable)), Some((code.to_owned(), false)));
        assert_eq!(server.asked().len(), 1);
    }
}

#[tokio::test]
async fn a_file_with_another_sum_or_length_than_the_catalogues_is_not_used() {
    let (body, other) = (model(), Made::model().text("padding", &"y".repeat(200_000)).bytes());
    for (sent, code) in [(other, "download_wrong_sum"), (Made::model().bytes(), "download_other_file")] {
        let fixture = Fixture::new();
        let server = Server::new(sent, []).await;
        let state = fixture.load_job(fixture.job(&server, &body)).await;
        assert_eq!(state.problem.map(|problem| problem.code), Some(code.to_owned()));
        assert_eq!(fixture.files(), []);
    }
}

#[tokio::test]
async fn a_model_of_the_catalogue_is_checked_over_a_break_and_a_restart() {
    let (fixture, body) = (Fixture::new(), model());
    let server = Server::new(body.clone(), [Act::Cut(50_000), Act::Stall(20_000)]).await;
    let mut news = fixture.downloads.watch();
    fixture.downloads.begin(fixture.job(&server, &body)).await.unwrap();
    while news.recv().await.unwrap().step != DownloadStep::Waiting {}
    fixture.clock.turn(Duration::from_secs(1));
    let part = fixture.home().own_models().join(".tiny.gguf.part");
    let has_come = || part.metadata().is_ok_and(|part| part.len() == 70_000);
    crate::supervisor::process::tests::eventually("what it sent has come", has_come).await;
    fixture.downloads.stop().await;
    let fixture = fixture.opened_again();
    let state = fixture.load_job(fixture.job(&server, &body)).await;
    assert_eq!(state, DownloadState { name: "Tiny Talker".into(), ..done(&body) });
    assert_eq!(server.asked().last(), Some(&from(70_000, &body)));
}

#[tokio::test]
async fn what_is_no_model_is_noticed_and_not_kept() {
    let page = b"<html><title>Sign in</title>".to_vec();
    let (cut, eyes) = (model(), Made::new().text("general.architecture", "clip").bytes());
    let cases = [
        (page, Act::Serve, "model_not_gguf"),
        (cut[..100_000].to_vec(), Act::Endless, "model_not_whole"),
        (eyes, Act::Serve, "model_not_to_talk_to"),
    ];
    for (body, act, code) in cases {
        let fixture = Fixture::new();
        let server = Server::new(body, [act]).await;
        let state = fixture.load(Source::Address(server.url())).await;
        assert_eq!(state.problem.map(|problem| problem.code), Some(code.to_owned()));
        assert_eq!(fixture.files(), []);
    }
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
    let test = "supervisor::download::tests::as_an_atlas_with_a_full_disk";
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

#[tokio::test]
async fn a_server_may_send_elsewhere_but_not_in_circles_nor_to_an_open_line() {
    let (fixture, body) = (Fixture::new(), model());
    let end = Server::new(body.clone(), []).await;
    let server = Server::new(Vec::new(), [Act::Redirect(end.url())]).await;
    assert_eq!(fixture.load(Source::Address(server.url())).await, done(&body));
    let circle = Server::new(Vec::new(), std::iter::repeat_n(Act::Redirect("/again.gguf".into()), 20)).await;
    let open = Server::new(Vec::new(), [Act::Redirect("http://example.com/a.gguf".into())]).await;
    for (server, code) in [(circle, "download_bad_address"), (open, "download_not_encrypted")] {
        let fixture = Fixture::new();
        let state = fixture.load(Source::Address(server.url())).await;
        assert_eq!(state.problem.map(|problem| problem.code), Some(code.to_owned()));
    }
}

#[tokio::test]
async fn only_an_address_of_one_model_file_is_taken() {
    let fixture = Fixture::new();
    let cases = [
        ("", DownloadError::BadAddress),
        ("file:///etc/a.gguf", DownloadError::BadAddress),
        ("https://name:password@example.com/a.gguf", DownloadError::BadAddress),
        ("https://example.com/", DownloadError::BadAddress),
        ("https://example.com/.gguf", DownloadError::BadAddress),
        ("https://example.com/page.html", DownloadError::BadAddress),
        ("http://example.com/a.gguf", DownloadError::NotEncrypted),
        ("https://example.com/a-00001-of-00002.gguf", DownloadError::SeveralFiles),
    ];
    for (address, error) in cases {
        assert_eq!(fixture.downloads.start(Source::Address(address.into())).await, Err(error), "{address}");
    }
    let unknown = fixture.downloads.start(Source::Catalogue("gone".into())).await;
    assert_eq!(unknown, Err(DownloadError::NotInCatalogue));
    assert_eq!(clean("../..%2Fa b/é.gguf"), "2Fab.gguf");
}
