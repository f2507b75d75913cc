//! A simulated week of a person with Atlas: what fails when is told by a scenario, what is done about it by the real healing.
//!
//! The learned order and the built-in one meet the same luck: it is drawn from the seed, the turn, the remedy and the number
//! of its try, not from the order in which things are tried.

use std::collections::HashMap;
use std::time::Duration;

use atlas_core::healing::playbook::{AtHand, Budget, Course, Playbook};
use atlas_core::healing::{Failure, FailureKind, Phase, Remedy, Step};
use atlas_core::settings::Settings;
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// What fails in the week, as a file has it.
#[derive(Debug, Clone, Deserialize)]
pub struct Scenario {
    /// What it stands for.
    pub why: String,
    hours: u32,
    turns_per_hour: u32,
    /// From, to: hours of the day without turns.
    #[serde(default)]
    quiet_hours: Option<(u32, u32)>,
    phases: Vec<Trouble>,
}

/// A time in which something fails.
#[derive(Debug, Clone, Deserialize)]
struct Trouble {
    from_h: u32,
    to_h: u32,
    failure: String,
    #[serde(default = "any")]
    provider: String,
    #[serde(default = "any")]
    model: String,
    probability: f64,
    #[serde(default)]
    works: HashMap<String, f64>,
    #[serde(default)]
    retry_after_s: Option<f64>,
}

/// Names that stand for any.
fn any() -> String {
    "*".to_owned()
}

/// How a week went.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Week {
    /// How many turns ended with an answer.
    pub turns_ok: u32,
    /// How long healing took, in all turns together.
    pub seconds_waited: f64,
}

/// The same week with both orders.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Weeks {
    /// With what was learned in it.
    pub learned: Week,
    /// With the built-in order.
    pub fixed_order: Week,
    /// How many turns there were.
    pub turns: u32,
    /// In how many of them something failed.
    pub failures: u32,
}

impl Scenario {
    /// Reads one.
    ///
    /// # Errors
    /// In words: what is wrong with it.
    pub fn read(json: &str) -> Result<Self, String> {
        let scenario: Self = serde_json::from_str(json).map_err(|error| error.to_string())?;
        for trouble in &scenario.phases {
            kind_of(trouble)?;
            if let Some(unknown) = trouble.works.keys().find(|code| Remedy::of_code(code).is_none()) {
                let known: Vec<_> = Remedy::ALL.iter().map(|remedy| remedy.code()).collect();
                return Err(format!("there is no remedy {unknown}; there are: {}", known.join(", ")));
            }
        }
        Ok(scenario)
    }

    /// Runs the week twice on the same luck.
    pub fn run(&self, seed: u64) -> Weeks {
        let mut weeks = Weeks { learned: Week::default(), fixed_order: Week::default(), turns: 0, failures: 0 };
        let mut learned = Playbook::default();
        for turn in self.turns() {
            weeks.turns += 1;
            let Some(trouble) = self.trouble(seed, &turn) else {
                weeks.learned.turns_ok += 1;
                weeks.fixed_order.turns_ok += 1;
                continue;
            };
            weeks.failures += 1;
            let luck = Luck { seed, turn: turn.number };
            weeks.learned.take(heal(trouble, &turn, luck, Some(&mut learned)));
            weeks.fixed_order.take(heal(trouble, &turn, luck, None));
        }
        weeks
    }

    fn turns(&self) -> impl Iterator<Item = Turn> {
        let per_hour = self.turns_per_hour;
        let is_quiet = |hour: u32| self.quiet_hours.is_some_and(|(from, to)| (from..to).contains(&(hour % 24)));
        let hours = (0..self.hours).filter(move |hour| !is_quiet(*hour));
        hours.flat_map(move |hour| {
            (0..per_hour).map(move |n| {
                let seconds = f64::from(hour) * 3600.0 + f64::from(n) * 3600.0 / f64::from(per_hour);
                Turn { number: u64::from(hour * per_hour + n), hour, at: monday() + span(seconds) }
            })
        })
    }

    /// What fails in a turn: the first that covers it and happens.
    fn trouble(&self, seed: u64, turn: &Turn) -> Option<&Trouble> {
        let happens = |(place, trouble): &(usize, &Trouble)| {
            let luck = Luck { seed, turn: turn.number };
            (trouble.from_h..trouble.to_h).contains(&turn.hour) && luck.draw("fails", *place) < trouble.probability
        };
        self.phases.iter().enumerate().find(happens).map(|(_, trouble)| trouble)
    }
}

impl Week {
    fn take(&mut self, (is_ok, waited): (bool, f64)) {
        self.turns_ok += u32::from(is_ok);
        self.seconds_waited += waited;
    }
}

struct Turn {
    number: u64,
    hour: u32,
    at: DateTime<Utc>,
}

/// What chance has for a turn: the same for whoever asks for the same.
#[derive(Clone, Copy)]
struct Luck {
    seed: u64,
    turn: u64,
}

impl Luck {
    /// From 0 up to 1.
    fn draw(self, what: &str, number: usize) -> f64 {
        let Self { seed, turn } = self;
        let hash = blake3::hash(format!("{seed} {turn} {what} {number}").as_bytes());
        let bytes = hash.as_bytes().first_chunk::<8>().expect("a hash of 32 bytes");
        (u64::from_le_bytes(*bytes) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// One turn that fails: whether it was healed, and how many seconds that took. Without a playbook to write in, nothing is known
/// and nothing learned.
fn heal(trouble: &Trouble, turn: &Turn, luck: Luck, mut learned: Option<&mut Playbook>) -> (bool, f64) {
    let knows_nothing = Playbook::default();
    let failure = Failure {
        kind: kind_of(trouble).expect("a scenario that was read"),
        provider: trouble.provider.replace('*', "openrouter"),
        model: trouble.model.replace('*', "main"),
        phase: Phase::Asking,
    };
    let mut course = Course::new(Budget::of(&Settings::default()));
    let mut at_hand = at_hand(trouble, &failure.kind);
    let (mut tries, mut waited): (HashMap<Remedy, usize>, f64) = (HashMap::new(), 0.0);
    loop {
        let now = turn.at + span(waited);
        let jitter = luck.draw("jitter", tries.get(&Remedy::Wait).copied().unwrap_or_default());
        let playbook = learned.as_deref().unwrap_or(&knows_nothing);
        let step = course.next(&failure, &at_hand, playbook, now, jitter);
        if step.remedy == Remedy::AskPerson {
            return (false, waited);
        }
        waited += seconds_of(step);
        let number = tries.entry(step.remedy).or_default();
        let chance = trouble.works.get(step.remedy.code()).copied().unwrap_or(0.0);
        let worked = luck.draw(step.remedy.code(), *number) < chance;
        *number += 1;
        if let (Some(outcome), Some(playbook)) = (course.came_of_it(worked), learned.as_deref_mut()) {
            playbook.learn(&outcome, turn.at + span(waited));
        }
        if worked {
            return (true, waited);
        }
        at_hand.other_model &= step.remedy != Remedy::SwitchModel;
        at_hand.other_provider &= step.remedy != Remedy::SwitchProvider;
    }
}

/// The person has another model and another service, and something relevant is remembered.
fn at_hand(trouble: &Trouble, kind: &FailureKind) -> AtHand {
    AtHand {
        can_shrink: true,
        has_partial: trouble.works.contains_key(Remedy::Resume.code()),
        other_model: true,
        other_provider: true,
        is_built_in: matches!(kind, FailureKind::Engine(_)),
        runs_here: matches!(kind, FailureKind::Engine(_) | FailureKind::EngineLoading),
        remembers: true,
        can_queue: true,
        online: None,
        breaker_open: false,
    }
}

fn seconds_of(step: Step) -> f64 {
    match step.remedy {
        Remedy::Wait => step.wait.as_secs_f64(),
        Remedy::Retry => 1.0,
        Remedy::SwitchModel | Remedy::SwitchProvider => 2.0,
        _ => 3.0,
    }
}

/// The failure of a name: a kind's code, or that of a sub-kind.
fn kind_of(trouble: &Trouble) -> Result<FailureKind, String> {
    let asked = trouble.retry_after_s.map(Duration::from_secs_f64);
    let (name, examples) = (trouble.failure.as_str(), FailureKind::examples());
    let named = |code: fn(&FailureKind) -> &'static str| examples.iter().find(|kind| code(kind) == name).cloned();
    match named(FailureKind::signature_code).or_else(|| named(FailureKind::code)) {
        Some(FailureKind::RateLimit { .. }) => Ok(FailureKind::RateLimit { retry_after: asked }),
        Some(FailureKind::Server { status, .. }) => Ok(FailureKind::Server { status, retry_after: asked }),
        Some(kind) => Ok(kind),
        None => {
            let known: Vec<_> = examples.iter().map(FailureKind::signature_code).collect();
            Err(format!("there is no failure {name}; there are: {}", known.join(", ")))
        }
    }
}

/// The first hour of every simulated week.
fn monday() -> DateTime<Utc> {
    DateTime::from_timestamp(1_772_409_600, 0).expect("a moment in range")
}

fn span(seconds: f64) -> TimeDelta {
    TimeDelta::milliseconds((seconds * 1000.0).round() as i64)
}
