//! One agent, opened and ready: the one API that a shell calls.
//!
//! A command's error means that nothing was started. What takes longer than a call goes on in the background and is
//! told through the turn's own events or through [`Assistant::events`].

use std::sync::atomic::AtomicI64;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio::sync::broadcast;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::behavior::spec::BehaviorSpec;
use crate::clock::Clock;
use crate::embedding::Models;
use crate::healing::breakers::Breakers;
use crate::home::Home;
use crate::keychain::{Keychain, Keys};
use crate::logs::Log;
use crate::memory::index::Index;
use crate::providers::{Http, Reach};
use crate::settings::Settings;
use crate::store::id::SpecVersion;
use crate::store::{Kept, Operational, Store, StoreError};
use crate::supervisor::{Downloads, Engine, EngineConfig};
use crate::turn::limits::ContextLimits;

mod after;
pub mod backups;
mod behavior;
mod command;
mod conduct;
mod conversations;
mod embedding;
mod engine;
mod error;
mod forgetting;
mod health;
mod local_models;
mod memory;
mod mirrors;
mod models;
mod network;
mod reflection;
mod review;
mod running;
mod settings;
mod temporary;
mod transfer;
mod trial;
mod turns;
pub mod view;
mod wipe;
mod work;

pub use error::{Error, MAX_MESSAGE_CHARS};

use mirrors::Mirrors;
use network::Network;
use running::Running;
use temporary::Temporary;
use transfer::Offered;
use view::AppEvent;
use work::Mind;

/// How many app-wide events a slow listener may lag behind before it misses some.
const EVENTS: usize = 256;
/// How long [`Assistant::let_go`] waits for whoever uses the assistant still.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the assistant is opened with.
pub struct Parts {
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Where keys are kept.
    pub keychain: Arc<dyn Keychain>,
    /// How the built-in engine is run.
    pub engine: EngineConfig,
    /// The models that memory is searched with.
    pub embedding: Models,
    /// How services are reached.
    pub reach: Reach,
}

/// One agent, opened.
pub struct Assistant {
    home: Home,
    store: Store,
    index: Index,
    clock: Arc<dyn Clock>,
    keys: Keys,
    http: Http,
    engine: Engine,
    downloads: Downloads,
    running: Running,
    temporary: Temporary,
    mind: Mind,
    events: broadcast::Sender<AppEvent>,
    in_force: RwLock<InForce>,
    offered: Offered,
    /// The conversation of the latest turn.
    latest: AtomicI64,
    mirrors: Mirrors,
    network: Network,
    breakers: Breakers,
    operational: Operational,
    log: Log,
    limits: ContextLimits,
    opened_at: chrono::DateTime<chrono::Utc>,
    gone: CancellationToken,
    /// The last field: it says that the others are gone.
    _says_gone: DropGuard,
}

/// What the next turn follows; the database has the same.
#[derive(Clone)]
struct InForce {
    behavior: Arc<Behavior>,
    settings: Arc<Settings>,
}

/// The spec in force, rendered once.
struct Behavior {
    spec: Arc<BehaviorSpec>,
    prompt: Arc<str>,
    version: SpecVersion,
    saved_at: chrono::DateTime<chrono::Utc>,
}

impl Assistant {
    /// Opens an agent of a home, and takes up what the last run left: answers that were cut, summaries that are owed.
    ///
    /// Where nothing can be written, it opens all the same: what is there can be read, and [`Assistant::store_health`] says why
    /// not more.
    ///
    /// Errors: [`StoreError::Held`] where another Atlas has it open, and the others that [`Store::open`] names.
    pub async fn open(home: Home, agent: &str, parts: Parts) -> Result<Arc<Self>, Error> {
        let log = Log::in_folder(home.logs());
        let store = Store::open(&home.agent(agent)).await?;
        // What belongs to no agent can be lost: without it, Atlas begins anew where it stands.
        let operational = Operational::open(home.root()).await.unwrap_or_else(|_| Operational::in_memory());
        let engine = Engine::new(parts.engine, parts.clock.clone(), operational.clone());
        let breakers = Breakers::from_rows(operational.load(Kept::Breakers).await.unwrap_or_default());
        let in_force = load_in_force(&store, parts.clock.as_ref()).await?;
        let (events, _) = broadcast::channel(EVENTS);
        let (http, gone) = (Http::reached(parts.reach), CancellationToken::new());
        let downloads = Downloads::new(home.clone(), http.clone(), parts.clock.clone());
        let assistant = Arc::new(Self {
            home,
            store,
            index: Index::new(parts.embedding),
            keys: Keys::new(parts.keychain),
            http,
            engine,
            downloads,
            running: Running::default(),
            temporary: Temporary::default(),
            mind: Mind::default(),
            events,
            in_force: RwLock::new(in_force),
            offered: Offered::default(),
            latest: AtomicI64::default(),
            mirrors: Mirrors::default(),
            network: Network::default(),
            breakers,
            operational,
            log,
            limits: ContextLimits::default(),
            opened_at: parts.clock.now(),
            clock: parts.clock,
            _says_gone: gone.clone().drop_guard(),
            gone,
        });
        match assistant.take_up_what_was_left().await {
            // Damage that showed itself only now, or a disk that is full: what is there can be read.
            Err(StoreError::Corrupt | StoreError::Full | StoreError::Disk) => {}
            result => result?,
        }
        assistant.begin_background_work();
        assistant.begin_reading_for_meaning();
        assistant.begin_to_watch_the_network();
        assistant.tune_engine(&assistant.settings_in_force());
        assistant.engine.recall().await;
        assistant.begin_looking_after_store();
        assistant.tell_store_health();
        assistant.tell_downloads();
        assistant.tell_engine_states();
        assistant.tell_when_the_engine_flaps();
        assistant.warm_up();
        Ok(assistant)
    }

    /// What the last run left; nothing where nothing can be written.
    async fn take_up_what_was_left(&self) -> Result<(), StoreError> {
        if !self.store.is_writable() {
            return Ok(());
        }
        self.note_repair().await;
        self.recover_turns().await?;
        self.purge_forgotten().await?;
        self.sweep_what_is_owed().await?;
        self.sum_up_ended(None).await
    }

    /// Ends cleanly: running turns keep what came, downloads too, owed summaries are written, the engine is ended. It may be
    /// called more than once.
    pub async fn close(&self) {
        self.running.stop_all().await;
        self.end_temporary().await;
        self.mind.stop();
        // What cannot be written now is owed, and written at the next start.
        let _ = self.sum_up_ended(None).await;
        let _ = self.write_mirrors(false).await;
        self.sweep().await;
        self.engine.stop().await;
        self.downloads.stop().await;
    }

    /// Closes it and waits until nobody uses it any more, so that its files can be moved. Whether that is so: what takes longer
    /// than some seconds is not waited for.
    pub async fn let_go(self: Arc<Self>) -> bool {
        let gone = self.gone.clone();
        self.close().await;
        drop(self);
        tokio::time::timeout(PATIENCE, gone.cancelled()).await.is_ok()
    }

    /// App-wide events from now on.
    pub fn events(&self) -> broadcast::Receiver<AppEvent> {
        self.events.subscribe()
    }

    fn tell(&self, event: AppEvent) {
        // Nobody listening is no fault: a script may have no use for events.
        let _ = self.events.send(event);
    }

    fn in_force(&self) -> InForce {
        self.in_force.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn behavior_in_force(&self) -> Arc<Behavior> {
        self.in_force().behavior
    }

    fn settings_in_force(&self) -> Arc<Settings> {
        self.in_force().settings
    }

    /// Takes over the spec as the database has it.
    async fn follow_saved_behavior(&self) -> Result<(), StoreError> {
        let Some((version, spec, saved_at)) = self.store.read(crate::behavior::versions::current).await? else {
            return Ok(());
        };
        if version > self.behavior_in_force().version {
            let behavior = Arc::new(Behavior::new(spec, version, saved_at));
            self.put_in_force(|in_force| in_force.behavior = behavior);
            self.tell(AppEvent::BehaviorChanged);
        }
        Ok(())
    }

    fn put_in_force(&self, change: impl FnOnce(&mut InForce)) {
        change(&mut self.in_force.write().unwrap_or_else(PoisonError::into_inner));
    }
}

async fn load_in_force(store: &Store, clock: &dyn Clock) -> Result<InForce, StoreError> {
    let now = clock.now();
    let (saved, settings) =
        store.read(|conn| Ok((crate::behavior::versions::current(conn)?, crate::settings::load(conn)?))).await?;
    let (version, spec, saved_at) = match saved {
        Some(current) => current,
        None => {
            let spec = BehaviorSpec::default();
            let first = spec.clone();
            let saved = store.write(move |tx| crate::behavior::versions::save(tx, &first, now)).await;
            match saved {
                Ok(version) => (version, spec, now),
                // Nothing can be written: it holds for as long as Atlas is open.
                Err(_) if !store.is_writable() => (SpecVersion(0), spec, now),
                Err(error) => return Err(error),
            }
        }
    };
    let behavior = Arc::new(Behavior::new(spec, version, saved_at));
    Ok(InForce { behavior, settings: Arc::new(settings) })
}
