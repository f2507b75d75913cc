//! How Atlas is: what runs, what failed and what was done about it, what was learned from that, and a text about all of it
//! for whoever helps.

use super::view::Page;
use super::view::health::{BreakerState, HealthEventView, HealthQuery, HealthView, LogLine, ProviderHealthView};
use super::{Assistant, Error};
use crate::healing::Remedy;
use crate::healing::breaker::{self, ProviderHealth};
use crate::healing::timeline::{self, Stored, Wanted};
use crate::logs::Level;
use crate::memory::procedure::{self, LessonBy};
use crate::store::{Kept, StoreError};

use crate::store::id::ProcedureId;
use crate::turn::event::TurnEvent;
use crate::turn::record;

/// How many lines of the log are shown, and how many stand in a report.
const SHOWN_LINES: usize = 500;
const REPORTED_LINES: usize = 60;
/// How many events stand in a report.
const REPORTED_EVENTS: u32 = 40;
/// The most rows of one page of the timeline.
const MOST_ROWS: u32 = 500;
/// The longest lesson, in characters.
const LONGEST_LESSON: usize = 400;

impl Assistant {
    /// How Atlas is, now.
    pub async fn health(&self) -> Result<HealthView, Error> {
        let queued = self.store.read(record::count_queued).await?;
        Ok(HealthView {
            online: self.network.online() != Some(false),
            queued,
            services: vec![self.engine_health().await],
            providers: self.providers_health(),
        })
    }

    fn providers_health(&self) -> Vec<ProviderHealthView> {
        self.breakers
            .providers(self.clock.now())
            .into_iter()
            .filter(|health| !health.provider.is_empty())
            .map(told_breaker)
            .collect()
    }

    /// Keeps what is known of the services, so that a restart does not ask a dead one anew. What cannot be kept is learned
    /// again.
    pub(super) async fn keep_breakers(&self) {
        for (provider, state) in self.breakers.changed_rows() {
            let _ = self.operational.save(Kept::Breakers, &provider, &state).await;
        }
    }

    /// What failed and what was done about it, the latest first.
    pub async fn health_events(&self, query: HealthQuery) -> Result<Page<HealthEventView>, Error> {
        let wanted = Wanted {
            source: query.source,
            only_unhealed: query.only_unhealed,
            offset: query.offset,
            limit: query.limit.clamp(1, MOST_ROWS),
        };
        let (rows, total) = self.store.read(move |conn| timeline::page(conn, wanted)).await?;
        Ok(Page { rows: rows.into_iter().map(told).collect(), total })
    }

    /// Writes the lesson of a learned procedure; an empty one takes it away. Errors: [`StoreError::Missing`].
    pub async fn edit_lesson(&self, id: ProcedureId, lesson: &str) -> Result<(), Error> {
        if lesson.chars().count() > LONGEST_LESSON {
            return Err(Error::Memory(format!("A lesson can have {LONGEST_LESSON} characters. Shorten it.")));
        }
        let lesson = lesson.to_owned();
        let edited = self.store.write(move |tx| procedure::edit_lesson(tx, id, &lesson, LessonBy::Person)).await?;
        if edited { Ok(()) } else { Err(StoreError::Missing("procedure").into()) }
    }

    /// Says that a learned procedure is not to be tried any more, or is again. Errors: [`StoreError::Missing`].
    pub async fn retire_procedure(&self, id: ProcedureId, retired: bool) -> Result<(), Error> {
        let now = self.clock.now();
        let changed = self.store.write(move |tx| procedure::retire(tx, id, retired, now)).await?;
        if changed { Ok(()) } else { Err(StoreError::Missing("procedure").into()) }
    }

    /// The last lines of the log, the oldest first.
    pub async fn logs(&self) -> Vec<LogLine> {
        let log = self.log.clone();
        tokio::task::spawn_blocking(move || log.last(SHOWN_LINES)).await.unwrap_or_default()
    }

    /// What somebody who helps needs to know, as plain text: no message, no memory, no address with a key in it, no key.
    pub async fn diagnostics(&self) -> Result<String, Error> {
        let settings = self.settings_in_force();
        let service = settings.endpoint.as_ref().map_or("none".to_owned(), |endpoint| endpoint.display_name());
        let counts = self.memory_counts().await?;
        let health = self.health().await?;
        let query = HealthQuery { limit: REPORTED_EVENTS, ..HealthQuery::default() };
        let events = self.health_events(query).await?;
        let lines = self.logs().await;
        let mut report = vec![
            format!("Atlas {} on {} {}", env!("CARGO_PKG_VERSION"), std::env::consts::OS, std::env::consts::ARCH),
            format!("Time: {}", self.clock.now().format("%Y-%m-%d %H:%M:%S UTC")),
            format!("Service: {service}; model: {}", settings.model),
            format!("Facts: {}; episodes: {}; procedures: {}", counts.facts, counts.episodes, counts.procedures),
            format!("Network: {}; messages waiting: {}", if health.online { "there" } else { "away" }, health.queued),
        ];
        report.extend(health.services.iter().map(|service| format!("{}: {:?}", service.name, service.state)));
        report.extend(
            health
                .services
                .iter()
                .flat_map(|service| service.log.iter().map(|line| format!("  {}", without_home(line)))),
        );
        report.extend(health.providers.iter().map(told_provider));
        report.push(String::new());
        report.extend(events.rows.iter().map(told_event));
        report.push(String::new());
        let last = lines.len().saturating_sub(REPORTED_LINES);
        report.extend(lines[last..].iter().map(|line| format!("{} {:?} {}", line.at, line.level, line.text)));
        Ok(report.join("\n"))
    }

    /// Writes the end of a turn into the log. Nothing of what was said goes in.
    pub(super) fn log_turn(&self, terminal: &TurnEvent) {
        let now = self.clock.now();
        match terminal {
            TurnEvent::Completed { message } => {
                let who = message.model.as_deref().unwrap_or("memory alone");
                self.log.write(now, Level::Info, format!("Answered by {who}"));
            }
            TurnEvent::Cancelled { .. } => self.log.write(now, Level::Info, "An answer was stopped"),
            TurnEvent::Failed { failure, .. } => {
                self.log.write(now, Level::Warning, format!("No answer: {}", failure.code));
            }
            _ => {}
        }
    }
}

fn told(row: Stored) -> HealthEventView {
    let Stored { id, event, conversation } = row;
    HealthEventView {
        id,
        at: event.at,
        source: event.source,
        code: event.code,
        trigger: event.trigger,
        remedy: event.remedy.map(|remedy| Remedy::strategy(remedy).to_owned()),
        outcome: event.outcome,
        waited_seconds: event.waited.as_secs_f64(),
        provider: event.provider,
        model: event.model,
        conversation,
    }
}

fn told_breaker(health: ProviderHealth) -> ProviderHealthView {
    let (last_failure, last_failure_at) = health.last_failure.map(|last| (last.code, last.at)).unzip();
    ProviderHealthView {
        provider: health.provider,
        breaker: match health.state {
            breaker::BreakerState::Closed => BreakerState::Closed,
            breaker::BreakerState::Open { .. } => BreakerState::Open,
            breaker::BreakerState::HalfOpen { .. } => BreakerState::HalfOpen,
        },
        failures_in_a_row: health.failures_in_a_row,
        last_failure,
        last_failure_at,
        last_success_at: health.last_success,
        not_before: health.asked_again_at.or(health.busy_until),
    }
}

/// A line without the name of the person's own folder.
pub(super) fn without_home(line: &str) -> String {
    let home = dirs::home_dir().map(|home| home.display().to_string()).filter(|home| home.len() > 1);
    home.map_or_else(|| line.to_owned(), |home| line.replace(&home, "~"))
}

fn told_event(event: &HealthEventView) -> String {
    let done = event.remedy.as_deref().unwrap_or("nothing was tried");
    let at = event.at.format("%Y-%m-%d %H:%M:%S");
    format!(
        "{at} {} ({}): {done}: {:?}, waited {:.1} s",
        event.trigger, event.code, event.outcome, event.waited_seconds
    )
}

fn told_provider(provider: &ProviderHealthView) -> String {
    let failure = provider.last_failure.as_deref().unwrap_or("none");
    format!(
        "{}: {:?}, {} failures in a row, the last one: {failure}",
        provider.provider, provider.breaker, provider.failures_in_a_row
    )
}
