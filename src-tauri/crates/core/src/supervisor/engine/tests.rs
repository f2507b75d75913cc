//! The engine against a stand-in for `llama-server`, and against the real one where this computer has it.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use futures_util::StreamExt as _;
use rustix::process::Signal;
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::models::gguf::tests::Made;
use super::super::process::tests::{eventually, is_alive};
use super::super::{BuiltIn, models};
use super::*;
use crate::clock::SystemClock;
use crate::clock::hand::HandClock;
use crate::home::Home;
use crate::providers::{ChatMessage, ChatRequest, ChatRole, Chunk, FinishReason, Provider as _, ProviderError};

/// A stand-in engine and a folder with "models", each saying how the stand-in behaves with it.
struct Fixture {
    engine: Engine,
    folder: TempDir,
}

/// What the stand-in says that it was started with.
#[derive(Debug, Deserialize)]
struct Start {
    pid: u32,
    arguments: Vec<String>,
    settings: BTreeMap<String, String>,
}

impl Fixture {
    fn new() -> Self {
        Self::with_patience(Duration::from_secs(60))
    }

    fn with_patience(patience: Duration) -> Self {
        Self::by(Arc::new(SystemClock), patience)
    }

    fn by(clock: Arc<dyn Clock>, patience: Duration) -> Self {
        let binary = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/llama-server");
        let config = EngineConfig { binary: Some(binary), threads: Some(1), patience, tuning: Tuning::default() };
        Self { engine: Engine::new(config, clock, Operational::in_memory()), folder: tempfile::tempdir().unwrap() }
    }

    fn model(&self, name: &str, plan: &Value) -> PathBuf {
        let file = self.home().models().join(name);
        std::fs::create_dir_all(self.home().models()).unwrap();
        std::fs::write(&file, plan.to_string()).unwrap();
        file
    }

    fn home(&self) -> Home {
        Home::at(self.folder.path())
    }

    fn starts(&self, model: &Path) -> Vec<Start> {
        let text = std::fs::read_to_string(format!("{}.started", model.display())).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn pid(&self, model: &Path) -> u32 {
        self.starts(model).last().expect("the engine was started").pid
    }

    fn state(&self) -> EngineState {
        *self.engine.state().borrow()
    }
}

fn request() -> ChatRequest {
    let message = ChatMessage { role: ChatRole::User, content: "Say hello.".into() };
    ChatRequest {
        model: "m".into(),
        messages: vec![message],
        temperature: Some(0.0),
        max_tokens: Some(8),
        schema: None,
        logprobs: None,
    }
}

async fn answer(provider: &BuiltIn) -> Result<Vec<Chunk>, ProviderError> {
    provider.stream(&request()).await?.collect::<Vec<_>>().await.into_iter().collect()
}

#[tokio::test]
async fn the_engine_gets_its_model_a_port_of_this_computer_and_a_token_that_nobody_else_sees() {
    let fixture = Fixture::new();
    let model = fixture.model("a.gguf", &json!({}));
    let address = fixture.engine.start(model.clone()).await.unwrap();
    let [start] = fixture.starts(&model).try_into().unwrap();
    let expected = [
        "--model",
        model.to_str().unwrap(),
        "--host",
        "127.0.0.1",
        "--port",
        &address.port.to_string(),
        "--ctx-size",
        "8192",
        "--parallel",
        "1",
        "--threads",
        "1",
    ];
    assert_eq!(start.arguments, expected);
    let settings = [
        ("GOMP_SPINCOUNT", "0"),
        ("LLAMA_API_KEY", address.token.expose()),
        ("LLAMA_ARG_CACHE_RAM", "512"),
        ("LLAMA_ARG_NO_REPACK", "1"),
        ("LLAMA_ARG_NO_UI", "1"),
        ("LLAMA_ARG_OFFLINE", "1"),
        ("OMP_WAIT_POLICY", "passive"),
    ];
    assert_eq!(start.settings, settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    assert_eq!(address.token.expose().len(), 64);
    assert_ne!(new_token(), new_token());
}

#[tokio::test]
async fn the_engine_is_ready_when_its_model_is_loaded_and_not_before() {
    let fixture = Fixture::new();
    let model = fixture.model("a.gguf", &json!({"loading": 2}));
    let mut state = fixture.engine.state();
    let engine = fixture.engine.clone();
    assert_eq!(fixture.state(), EngineState::Stopped);
    let start = tokio::spawn(async move { engine.start(model).await });
    state.wait_for(|state| *state == EngineState::Starting).await.unwrap();
    start.await.unwrap().unwrap();
    assert_eq!(fixture.state(), EngineState::Ready);
    fixture.engine.stop().await;
    assert_eq!(fixture.state(), EngineState::Stopped);
}

#[tokio::test]
async fn two_requests_at_once_start_one_engine() {
    let fixture = Fixture::new();
    let model = fixture.model("a.gguf", &json!({"loading": 1}));
    let (one, other) = tokio::join!(fixture.engine.start(model.clone()), fixture.engine.start(model.clone()));
    assert_eq!(one.unwrap(), other.unwrap());
    fixture.engine.start(model.clone()).await.unwrap();
    assert_eq!(fixture.starts(&model).len(), 1);
}

#[tokio::test]
async fn another_model_takes_the_place_of_the_one_that_runs() {
    let fixture = Fixture::new();
    let (first, second) = (fixture.model("a.gguf", &json!({})), fixture.model("b.gguf", &json!({})));
    let address = fixture.engine.start(first.clone()).await.unwrap();
    assert_ne!(fixture.engine.start(second.clone()).await.unwrap(), address);
    assert!(!is_alive(fixture.pid(&first)));
    assert!(is_alive(fixture.pid(&second)));
}

#[tokio::test]
async fn an_engine_that_was_killed_is_started_again_by_itself_and_a_request_waits_for_it() {
    let fixture = Fixture::new();
    let model = fixture.model("a.gguf", &json!({}));
    let gone = fixture.engine.start(model.clone()).await.unwrap();
    kill(fixture.pid(&model), Signal::KILL);
    let mut state = fixture.engine.state();
    state.wait_for(|state| matches!(state, EngineState::Resting { .. })).await.unwrap();
    let address = fixture.engine.start(model.clone()).await.unwrap();
    assert_ne!(address, gone);
    assert_eq!(fixture.starts(&model).len(), 2);
    assert_eq!(fixture.state(), EngineState::Ready);
    let why = fixture.engine.why_gone(&gone).await.unwrap();
    assert!(matches!(why, EngineError::Exited { .. } | EngineError::KilledForMemory { .. }), "{why:?}");
    assert!(matches!(why.diagnosis(), Some(Diagnosis::EndedFromOutside | Diagnosis::OutOfMemory)));
}

#[tokio::test]
async fn an_engine_that_was_stopped_by_a_signal_is_found_and_replaced() {
    let clock = Arc::new(HandClock::new());
    let fixture = Fixture::by(clock.clone(), Duration::from_secs(3600));
    let model = fixture.model("a.gguf", &json!({}));
    let start = tokio::spawn({
        let (engine, model) = (fixture.engine.clone(), model.clone());
        async move { engine.start(model).await }
    });
    clock.turn_until("it is ready", Duration::from_millis(20), || fixture.state() == EngineState::Ready).await;
    let (address, pid) = (start.await.unwrap().unwrap(), fixture.pid(&model));
    kill(pid, Signal::STOP);
    let second = Duration::from_secs(1);
    clock.turn_until("it is ended", second, || !is_alive(pid)).await;
    assert_eq!(fixture.engine.why_gone(&address).await, Some(EngineError::Unhealthy));
    let is_ready_again = || fixture.starts(&model).len() == 2 && fixture.state() == EngineState::Ready;
    clock.turn_until("it is ready again", Duration::from_millis(20), is_ready_again).await;
    assert!(is_alive(fixture.pid(&model)));
}

#[tokio::test]
async fn an_answer_that_broke_off_since_the_engine_ended_says_so() {
    let fixture = Fixture::new();
    fixture.model("a.gguf", &json!({"dies": true}));
    let built_in = BuiltIn::new(fixture.engine.clone(), Http::new(), fixture.home(), "a.gguf");
    let broken = answer(&built_in).await;
    let expected =
        EngineError::Exited { log: vec!["CUDA error: the card is gone".into()], diagnosis: Some(Diagnosis::Graphics) };
    assert_eq!(broken, Err(expected.into()));
}

#[tokio::test]
async fn what_is_set_holds_from_the_next_start_on() {
    let fixture = Fixture::new();
    let model = fixture.model("a.gguf", &json!({}));
    fixture.engine.start(model.clone()).await.unwrap();
    fixture.engine.tune(Tuning { context_tokens: 4096, unload_after: None });
    fixture.engine.restart().await.unwrap();
    let sizes = fixture.starts(&model).into_iter().map(|start| start.arguments[7].clone()).collect::<Vec<_>>();
    assert_eq!(sizes, ["8192", "4096"]);
}

#[tokio::test]
async fn an_engine_that_ends_while_it_starts_leaves_its_last_lines_without_the_token() {
    let fixture = Fixture::new();
    let model = fixture.model("a.gguf", &json!({"say": ["key is TOKEN", "error: bad magic"], "exit": 1}));
    let log = vec!["key is [key]".to_owned(), "error: bad magic".to_owned()];
    let expected = EngineError::WillNotStart { log: log.clone(), diagnosis: Some(Diagnosis::ModelDamaged) };
    assert_eq!(fixture.engine.start(model).await, Err(expected));
    assert!(matches!(fixture.state(), EngineState::Resting { .. }));
    assert_eq!(fixture.engine.log(), log);
}

#[tokio::test]
async fn an_engine_that_does_not_get_ready_is_given_up_and_ended() {
    let fixture = Fixture::with_patience(Duration::from_secs(2));
    let model = fixture.model("a.gguf", &json!({"loading": 1_000_000}));
    assert_eq!(fixture.engine.start(model.clone()).await, Err(EngineError::NotReady));
    assert!(fixture.starts(&model).iter().all(|start| !is_alive(start.pid)));
}

#[tokio::test]
async fn a_stop_is_heard_while_the_model_is_loading() {
    let fixture = Fixture::new();
    let model = fixture.model("a.gguf", &json!({"loading": 1_000_000}));
    let engine = fixture.engine.clone();
    let start = tokio::spawn({
        let model = model.clone();
        async move { engine.start(model).await }
    });
    eventually("the engine runs", || !fixture.starts(&model).is_empty()).await;
    fixture.engine.stop().await;
    assert_eq!(start.await.unwrap(), Err(EngineError::NotReady));
    assert!(!is_alive(fixture.pid(&model)));
}

#[tokio::test]
async fn the_engine_ends_with_its_last_handle() {
    let fixture = Fixture::new();
    let model = fixture.model("a.gguf", &json!({}));
    fixture.engine.start(model.clone()).await.unwrap();
    let (pid, Fixture { engine, folder: _folder }) = (fixture.pid(&model), fixture);
    drop(engine);
    eventually("the engine has ended", || !is_alive(pid)).await;
}

#[test]
fn an_engine_that_is_not_there_is_not_installed() {
    let with = |binary: &Path| {
        Engine::on(EngineConfig { binary: Some(binary.into()), ..EngineConfig::default() }, Ground::default())
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("llama-server");
    assert!(!with(&file).is_installed());
    std::fs::write(&file, "not a program").unwrap();
    assert!(!with(&file).is_installed());
    assert!(Fixture::new().engine.is_installed());
}

#[tokio::test]
async fn a_prompt_to_the_built_in_model_starts_the_engine_and_streams_its_answer() {
    let fixture = Fixture::new();
    let model = fixture.model("a.gguf", &json!({"loading": 1}));
    let built_in = |name: &str| BuiltIn::new(fixture.engine.clone(), Http::new(), fixture.home(), name);
    let expected = vec![Chunk::Text("Hello".into()), Chunk::Finish(FinishReason::Stop)];
    assert_eq!(answer(&built_in("a.gguf")).await, Ok(expected));
    assert_eq!(fixture.starts(&model).len(), 1);
    assert_eq!(answer(&built_in("gone.gguf")).await, Err(EngineError::NoModel.into()));
    let offered = built_in("").models().await.unwrap();
    assert_eq!(offered.iter().map(|model| model.id.as_str()).collect::<Vec<_>>(), ["a.gguf"]);
}

#[tokio::test]
async fn no_engine_is_left_behind_when_atlas_is_killed() {
    let fixture = Fixture::new();
    let model = fixture.model("a.gguf", &json!({}));
    let mut atlas = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "supervisor::engine::tests::as_an_atlas_that_is_killed", "--ignored", "--nocapture"])
        .env("ATLAS_TEST_MODEL", &model)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(atlas.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("the engine is ready")), "the other Atlas failed");
    let engine = fixture.pid(&model);
    assert!(is_alive(engine));
    atlas.kill().unwrap();
    atlas.wait().unwrap();
    eventually("the engine has ended", || !is_alive(engine)).await;
}

/// The other process of the test above; it waits to be killed.
#[tokio::test]
#[ignore = "is started by another test"]
async fn as_an_atlas_that_is_killed() {
    let Some(model) = std::env::var_os("ATLAS_TEST_MODEL") else { return };
    let fixture = Fixture::new();
    fixture.engine.start(model.into()).await.unwrap();
    println!("the engine is ready");
    std::future::pending().await
}

/// The small model of the tests, where the engine and it are here.
fn real_model(engine: &Engine) -> Option<PathBuf> {
    let small = dirs::cache_dir().unwrap().join("atlas/models/SmolLM2-135M-Instruct.Q4_1.gguf");
    let model = std::env::var_os("ATLAS_SMALL_MODEL").map_or(small, PathBuf::from);
    if engine.is_installed() && model.is_file() {
        return Some(model);
    }
    assert!(std::env::var_os("CI").is_none(), "CI has to bring the engine and the small model: see .ci/test");
    // Not eprintln, which the test harness would swallow.
    let message = "NOT TESTED: the real engine. Run: bash .ci/engine && bash .ci/models small";
    writeln!(std::io::stderr(), "{message}").unwrap();
    None
}

#[tokio::test]
async fn the_real_engine_loads_a_real_model_and_answers() {
    let engine = Engine::on(EngineConfig { threads: Some(1), ..EngineConfig::default() }, Ground::default());
    let Some(model) = real_model(&engine) else { return };
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let chosen = models::choose_file(&home, &model).await.unwrap();
    assert_eq!((chosen.architecture.as_deref(), chosen.trained_context), (Some("llama"), Some(8192)));
    assert_eq!(models::memory_need(&home, &chosen.id, 8192).await.unwrap().context, 188_743_680);
    let built_in = BuiltIn::new(engine.clone(), Http::new(), home, chosen.id);

    let chunks = answer(&built_in).await.unwrap();
    assert!(matches!(chunks.first(), Some(Chunk::Text(text)) if !text.is_empty()), "{chunks:?}");
    assert!(chunks.iter().any(|chunk| matches!(chunk, Chunk::Finish(_))), "{chunks:?}");

    let address = engine.start(model).await.unwrap();
    let stranger = reqwest::Client::builder().tls_certs_only([]).no_proxy().build().unwrap();
    let refused = stranger.get(format!("{}/models", address.base_url())).send().await.unwrap();
    assert_eq!(refused.status(), 401);
    engine.stop().await;
    assert!(stranger.get(address.base_url()).send().await.is_err());
}

#[tokio::test]
async fn the_real_engine_is_replaced_when_it_hangs_and_when_it_is_killed() {
    let clock = Arc::new(HandClock::new());
    let config = EngineConfig { threads: Some(1), patience: Duration::from_secs(36_000), ..EngineConfig::default() };
    let engine = Engine::new(config, clock.clone(), Operational::in_memory());
    let Some(small) = real_model(&engine) else { return };
    // A path of its own, to know the process by.
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("small.gguf");
    std::os::unix::fs::symlink(small, &model).unwrap();
    let start = tokio::spawn({
        let (engine, model) = (engine.clone(), model.clone());
        async move { engine.start(model).await }
    });
    let (state, step) = (engine.state(), Duration::from_millis(20));
    clock.turn_until("it is ready", step, || *state.borrow() == EngineState::Ready).await;
    start.await.unwrap().unwrap();
    for signal in [Signal::STOP, Signal::KILL] {
        let pid = pid_with(&model).expect("the engine runs");
        kill(pid, signal);
        clock.turn_until("it is ended", Duration::from_secs(1), || !is_alive(pid)).await;
        let is_another = || *state.borrow() == EngineState::Ready && pid_with(&model).is_some_and(|new| new != pid);
        clock.turn_until("another is ready", step, is_another).await;
    }
}

/// The process that was started with a model.
fn pid_with(model: &Path) -> Option<u32> {
    let model = model.as_os_str().as_encoded_bytes();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.find(|pid| {
        let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        is_alive(*pid) && arguments.split(|byte| *byte == 0).any(|argument| argument == model)
    })
}

#[tokio::test]
async fn the_real_engine_says_what_is_wrong_with_a_model() {
    let engine = Engine::on(EngineConfig { threads: Some(1), ..EngineConfig::default() }, Ground::default());
    if real_model(&engine).is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        file
    };
    let unknown = Made::new().text("general.architecture", "mamba9").bytes();
    let cases = [
        (file("page.gguf", b"<html>a page and no model</html>"), Diagnosis::ModelDamaged),
        (file("unknown.gguf", &unknown), Diagnosis::ModelUnsupported),
        (folder.path().join("gone.gguf"), Diagnosis::ModelUnreadable),
    ];
    for (model, expected) in cases {
        let failed = engine.start(model).await.unwrap_err();
        assert!(matches!(failed, EngineError::WillNotStart { .. }), "{failed:?}");
        assert_eq!(failed.diagnosis(), Some(expected), "{:?}", failed.log());
    }
}

fn kill(pid: u32, signal: Signal) {
    let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}
