//! The built-in engine: upstream `llama-server`, on a port of this computer that only Atlas has the token for.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use reqwest::Url;
use tokio::sync::{broadcast, watch};

use super::service::{EngineState, Ground, InUse, Launch, Notice, Program, Service, lock};
use crate::clock::Clock;
use crate::providers::error::{Diagnosis, EngineError};
use crate::providers::http::Http;
use crate::providers::preset::Preset;
use crate::providers::secret::Secret;
use crate::store::Operational;

/// The name of its state.
const NAME: &str = "engine";
/// How many tokens a prompt and its answer may have together, where nothing else is set.
pub const CONTEXT_TOKENS: u32 = 8192;
/// How long it is kept without a request, where nothing else is set.
const UNLOAD_AFTER: Duration = Duration::from_secs(30 * 60);
/// How much memory the engine may use to keep prompts that it has read, in MiB. Its own default is 8 GiB.
const PROMPT_CACHE_MIB: u32 = 512;
/// How long loading a model may take: some gigabytes from a slow disk.
const PATIENCE: Duration = Duration::from_secs(300);

/// How the engine is run.
#[derive(Debug, Clone)]
pub struct EngineConfig {
    /// The program; none lets Atlas look for it: `ATLAS_ENGINE`, then the `PATH`, then where the set-up builds it.
    pub binary: Option<PathBuf>,
    /// How many threads it computes with; none takes one for each core.
    pub threads: Option<usize>,
    /// How long it may take to get ready.
    pub patience: Duration,
    /// What can be changed later.
    pub tuning: Tuning,
}

/// What of the engine a person can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
    /// How many tokens a prompt and its answer may have together.
    pub context_tokens: u32,
    /// How long it is kept without a request; none keeps it.
    pub unload_after: Option<Duration>,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { context_tokens: CONTEXT_TOKENS, unload_after: Some(UNLOAD_AFTER) }
    }
}

impl Default for EngineConfig {
    /// As this computer and its environment have it (`ATLAS_ENGINE_THREADS`).
    fn default() -> Self {
        let threads = std::env::var("ATLAS_ENGINE_THREADS").ok().and_then(|threads| threads.parse().ok());
        Self { binary: None, threads, patience: PATIENCE, tuning: Tuning::default() }
    }
}

impl EngineConfig {
    /// Where `llama-server` is, if it is there.
    fn find(&self) -> Option<PathBuf> {
        // What was named counts alone, also where it is not there: nothing is more puzzling than another one.
        let named = self.binary.clone().or_else(|| std::env::var_os("ATLAS_ENGINE").map(PathBuf::from));
        if let Some(named) = named {
            return Some(named).filter(|path| is_program(path));
        }
        let name = format!("llama-server{}", std::env::consts::EXE_SUFFIX);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let built = dirs::cache_dir().map(|cache| cache.join("atlas").join("engine"));
        std::env::split_paths(&path).chain(built).map(|folder| folder.join(&name)).find(|path| is_program(path))
    }

    /// Threads beyond the cores make it slower, and so do those that the system would not give it.
    fn threads(&self) -> usize {
        let allowed = std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(|| cores().unwrap_or(allowed).min(allowed)).max(1)
    }
}

/// The built-in engine. Clones share it; it is started by the first request, and ends with the last clone.
#[derive(Clone)]
pub struct Engine {
    service: Service<LlamaServer>,
}

impl Default for Engine {
    /// An engine as this computer has it, by the computer's own clock; what it did is forgotten with the process.
    fn default() -> Self {
        Self::on(EngineConfig::default(), Ground::default())
    }
}

impl Engine {
    /// An engine that does not run yet. What it did is kept in the operational database.
    pub fn new(config: EngineConfig, clock: Arc<dyn Clock>, operational: Operational) -> Self {
        Self::on(config, Ground { clock, operational })
    }

    fn on(config: EngineConfig, ground: Ground) -> Self {
        let (tuning, latest) = (Mutex::new(config.tuning), Mutex::default());
        Self { service: Service::new(LlamaServer { config, tuning, latest, http: Http::new() }, ground) }
    }

    /// Whether there is a `llama-server`.
    pub fn is_installed(&self) -> bool {
        self.service.program().config.find().is_some()
    }

    /// What is set.
    pub fn tuning(&self) -> Tuning {
        *lock(&self.service.program().tuning)
    }

    /// Sets it anew: the context from the next start on, the time without a request at once.
    pub fn tune(&self, tuning: Tuning) {
        *lock(&self.service.program().tuning) = tuning;
    }

    /// The model file that it was started with last, or is to be.
    pub fn latest_model(&self) -> Option<PathBuf> {
        lock(&self.service.program().latest).clone()
    }

    /// Its state, now and later.
    pub fn state(&self) -> watch::Receiver<EngineState> {
        self.service.state()
    }

    /// From now on, that it crashes again and again: once for each episode.
    pub fn notices(&self) -> broadcast::Receiver<Notice> {
        self.service.notices()
    }

    /// The last lines of the engine that runs or ran last, at most 20, without its token.
    pub fn log(&self) -> Vec<String> {
        self.service.log()
    }

    /// What is wrong with it, where it crashed, was not healthy since, and its last lines or its end tell.
    pub fn diagnosis(&self) -> Option<Diagnosis> {
        self.service.diagnosis()
    }

    /// Reads what the last run of Atlas left, so that the state is right also before the first request.
    pub async fn recall(&self) {
        self.service.recall().await;
    }

    /// Makes sure that the engine runs with a model file and is ready, and says how to reach it. An engine that runs
    /// with another model is replaced; one that crashed is waited for where it rests for a few seconds only.
    ///
    /// Errors: [`EngineError::Resting`] and [`EngineError::Flapping`] at once where it rests longer; what hindered the
    /// start else. Dropping the future gives up waiting; loading goes on.
    pub async fn start(&self, model: PathBuf) -> Result<EngineAddress, EngineError> {
        self.service.start(model).await
    }

    /// Starts it afresh with the model that it was asked for last, as a person wants it: at once, whatever happened.
    pub async fn restart(&self) -> Result<(), EngineError> {
        self.service.restart().await
    }

    /// Ends the engine; it has ended when this returns.
    pub async fn stop(&self) {
        self.service.stop().await;
    }

    /// Ends the engine and forgets all that it ran and how it did.
    pub async fn forget(&self) {
        self.service.forget().await;
        lock(&self.service.program().latest).take();
    }

    /// Why the engine at an address is gone, where it ended unasked.
    pub(super) async fn why_gone(&self, address: &EngineAddress) -> Option<EngineError> {
        self.service.why_gone(address).await
    }

    /// Keeps it from being ended as unused, while this is held.
    pub(super) fn in_use(&self) -> InUse {
        self.service.in_use()
    }
}

/// How to reach a running engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineAddress {
    port: u16,
    token: Secret,
}

impl EngineAddress {
    /// The base address, up to and with `/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}:{}/v1", Ipv4Addr::LOCALHOST, self.port)
    }

    /// The token that it wants as a key.
    pub fn token(&self) -> &Secret {
        &self.token
    }
}

struct LlamaServer {
    config: EngineConfig,
    tuning: Mutex<Tuning>,
    /// The model of the latest start.
    latest: Mutex<Option<PathBuf>>,
    http: Http,
}

#[async_trait]
impl Program for LlamaServer {
    type Purpose = PathBuf;
    type Address = EngineAddress;

    fn name(&self) -> &'static str {
        NAME
    }

    fn key(&self, model: &PathBuf) -> String {
        // A path can hold the person's name.
        blake3::hash(model.as_os_str().as_encoded_bytes()).to_hex()[..16].to_owned()
    }

    fn launch(&self, model: &PathBuf) -> Result<Launch<EngineAddress>, EngineError> {
        *lock(&self.latest) = Some(model.clone());
        let binary = self.config.find().ok_or(EngineError::NotInstalled)?;
        let address = EngineAddress { port: free_port()?, token: new_token() };
        let mut command = Command::new(binary);
        command
            .arg("--model")
            .arg(model)
            .args(["--host", &Ipv4Addr::LOCALHOST.to_string(), "--port", &address.port.to_string()])
            .args(["--ctx-size", &lock(&self.tuning).context_tokens.to_string(), "--parallel", "1"])
            .args(["--threads", &self.config.threads().to_string()]);
        // It has no use for the person's keys, nor for settings that they have for servers of their own.
        let keys = Preset::ALL.into_iter().filter_map(Preset::key_variable).map(OsString::from);
        let settings = std::env::vars_os().map(|(name, _)| name).filter(is_engine_setting);
        for variable in keys.chain(settings) {
            command.env_remove(variable);
        }
        // As variables, since an older engine would refuse arguments that it does not know; and the token because
        // everyone on this computer can read a process's arguments.
        command
            .env("LLAMA_API_KEY", address.token.expose())
            .env("LLAMA_ARG_CACHE_RAM", PROMPT_CACHE_MIB.to_string())
            // Starts four times faster with a third less memory.
            .env("LLAMA_ARG_NO_REPACK", "1")
            .env("LLAMA_ARG_NO_UI", "1")
            .env("LLAMA_ARG_OFFLINE", "1")
            // Threads that spin while they wait make it five times slower on a busy computer.
            .env("OMP_WAIT_POLICY", "passive")
            .env("GOMP_SPINCOUNT", "0");
        Ok(Launch { command, secret: address.token.clone(), address })
    }

    async fn is_healthy(&self, address: &EngineAddress) -> bool {
        let Ok(url) = Url::parse(&format!("http://{}:{}/health", Ipv4Addr::LOCALHOST, address.port)) else {
            return false;
        };
        let Ok(client) = self.http.client(&url) else { return false };
        let asked = client.get(url).bearer_auth(address.token.expose()).send().await;
        asked.is_ok_and(|response| response.status().is_success())
    }

    fn is_taken(&self, address: &EngineAddress) -> bool {
        TcpListener::bind((Ipv4Addr::LOCALHOST, address.port)).is_err()
    }

    fn patience(&self) -> Duration {
        self.config.patience
    }

    fn unload_after(&self) -> Option<Duration> {
        lock(&self.tuning).unload_after
    }
}

/// A port that was free a moment ago. Another program may take it before the engine does; the start is then tried with
/// another.
fn free_port() -> Result<u16, EngineError> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|error| EngineError::WillNotStart { log: vec![error.to_string()], diagnosis: None })
}

fn new_token() -> Secret {
    let (high, low): (u128, u128) = rand::random();
    Secret::new(format!("{high:032x}{low:032x}")).expect("64 digits are not empty")
}

fn is_engine_setting(name: &OsString) -> bool {
    name.to_string_lossy().starts_with("LLAMA_")
}

fn is_program(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else { return false };
    #[cfg(unix)]
    let executable = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let executable = true;
    metadata.is_file() && executable
}

/// The number of cores, where the system tells: two threads of one core share what the engine needs.
fn cores() -> Option<usize> {
    let siblings = |cpu: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(cpu.ok()?.path().join("topology/thread_siblings_list")).ok()
    };
    let cores: BTreeSet<String> = std::fs::read_dir("/sys/devices/system/cpu").ok()?.filter_map(siblings).collect();
    Some(cores.len()).filter(|count| *count > 0)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
