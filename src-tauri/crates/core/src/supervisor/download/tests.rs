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

mod connections;
mod resume;
mod verification;

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
        let address: Url = server.url().parse().unwrap();
        let note = Note { catalogue: Some("tiny".into()), ..Note::of(&address) };
        let model: &'static CatalogueModel = Box::leak(Box::new(model));
        Job { file: model.file.into(), name: model.name.into(), address, note, model: Some(model) }
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
