//! The healing of one turn: what it may cost, what was tried, and what comes next.
//!
//! Invariant: which remedies are tried at most, and how often each, is decided by the built-in order and the budget alone.
//! What was learned only decides in which order. So with a budget that is spent, a learned order has tried all that the
//! built-in one would have tried, and never loses a turn that that would have saved.

use std::time::Duration;

use chrono::{DateTime, Utc};

use super::super::failure::{Failure, FailureKind};
use super::super::outcome::Outcome;
use super::super::remedy::{Remedy, Step};
use super::order::{self, AtHand};
use super::{Playbook, Signature};
use crate::settings::Settings;

/// What the healing of one turn may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// How often the same is asked again.
    pub tries: u32,
    /// How long it may go on, from the first failure.
    pub time: Duration,
    /// How many tokens its calls may use.
    pub tokens: u64,
}

/// The most tokens of one turn's healing: a few of the longest prompts, and no more than a person would have spent by hand.
const MOST_TOKENS: u64 = 400_000;

impl Budget {
    /// What the person's settings allow.
    pub fn of(settings: &Settings) -> Self {
        let time = Duration::from_secs(settings.healing_seconds.into());
        Self { tries: settings.max_retries, time, tokens: MOST_TOKENS }
    }
}

/// One try of one remedy.
#[derive(Debug, Clone, PartialEq)]
struct Try {
    remedy: Remedy,
    failure: Failure,
    wait: Duration,
}

/// A try that nobody told the end of.
#[derive(Debug, Clone)]
struct Pending {
    tried: Try,
    /// Whether it is one look of several at the same thing, and not the last.
    goes_on: bool,
}

/// The healing of one turn.
#[derive(Debug, Clone)]
pub struct Course {
    budget: Budget,
    began: Option<DateTime<Utc>>,
    tried: Vec<Try>,
    /// What was said to be done last, until it is told what came of it.
    pending: Option<Pending>,
    /// What the person cut from the waits.
    spared: Duration,
    tokens: u64,
}

impl Course {
    /// A turn in which nothing failed yet.
    pub fn new(budget: Budget) -> Self {
        Self { budget, began: None, tried: Vec::new(), pending: None, spared: Duration::ZERO, tokens: 0 }
    }

    /// The next thing to do about a failure. A failure of another kind than the last goes on with the same budget.
    ///
    /// `jitter` (0 to 1) spreads the waits, so that many copies of Atlas do not come back in step.
    pub fn next(
        &mut self,
        failure: &Failure,
        at_hand: &AtHand,
        playbook: &Playbook,
        now: DateTime<Utc>,
        jitter: f64,
    ) -> Step {
        let elapsed = (now - *self.began.get_or_insert(now)).to_std().unwrap_or_default();
        let wait = nominal_wait(&failure.kind, self.waits(), now);
        let mut left = self.left(&failure.kind, at_hand, now);
        left.retain(|remedy| self.can_afford(*remedy, wait, elapsed));
        let signature = Signature::of(failure);
        // What goes on by itself is waited for to its end, unless that was in vain too often.
        let mut ranked = if order::is_a_poll(&failure.kind) && playbook.relies_on(&signature, Remedy::Wait, now) {
            left
        } else {
            let cost = |remedy| if remedy == Remedy::Wait { order::spread(wait, 0.5) } else { nominal_cost(remedy) };
            playbook.rank(&signature, &left, cost, now)
        };
        if elapsed > self.budget.time / 2 {
            // Calls that take long leave no time to ask all again: those that were not asked yet come first.
            ranked.sort_by_key(|remedy| !matches!(remedy, Remedy::SwitchModel | Remedy::SwitchProvider));
        }
        let remedy = ranked.first().copied().unwrap_or(Remedy::AskPerson);
        let wait = match remedy {
            Remedy::Wait if order::asked_wait(&failure.kind, now).is_some() => wait,
            Remedy::Wait => order::spread(wait, jitter),
            _ => Duration::ZERO,
        };
        let next = Try { remedy, failure: failure.clone(), wait };
        self.tried.push(next.clone());
        let goes_on = next.is_a_poll() && self.left(&failure.kind, at_hand, now).contains(&Remedy::Wait);
        self.pending = Some(Pending { tried: next, goes_on });
        Step { remedy, wait }
    }

    /// How long the last wait really was: what the person skipped of it can be spent otherwise.
    pub fn waited(&mut self, really: Duration) {
        if let Some(pending) = &self.pending {
            self.spared += pending.tried.wait.saturating_sub(really);
        }
    }

    /// Tokens that a call of this healing used.
    pub fn spent(&mut self, tokens: u64) {
        self.tokens += tokens;
    }

    /// Tells what came of the last step, once; gives what can be learned from it. A look at something that may be over at the
    /// next look teaches nothing.
    pub fn came_of_it(&mut self, worked: bool) -> Option<Outcome> {
        let Pending { tried: Try { remedy, failure, .. }, goes_on } = self.pending.take()?;
        (worked || !goes_on).then(|| Outcome::of(&failure, remedy, worked))
    }

    /// How many remedies were tried, the person's own help apart.
    pub fn tries(&self) -> usize {
        self.tried.iter().filter(|tried| tried.remedy != Remedy::AskPerson).count()
    }

    /// Which remedies there still are, in the built-in order, each once: all that the budget has room for, less those that
    /// were tried.
    fn left(&self, kind: &FailureKind, at_hand: &AtHand, now: DateTime<Utc>) -> Vec<Remedy> {
        let tried = |remedy| self.tried.iter().filter(move |tried| tried.remedy == remedy).count();
        // Seen as at the beginning, so that what was used up since does not make room for something else.
        let at_first = AtHand {
            other_model: at_hand.other_model || tried(Remedy::SwitchModel) > 0,
            other_provider: at_hand.other_provider || tried(Remedy::SwitchProvider) > 0,
            ..*at_hand
        };
        let mut gone: Vec<Remedy> = self.tried.iter().map(|tried| tried.remedy).collect();
        let mut left = Vec::new();
        for remedy in self.within_the_time(order::built_in(kind, &at_first, self.budget.tries, now), kind, now) {
            match gone.iter().position(|tried| *tried == remedy) {
                Some(at) => drop(gone.swap_remove(at)),
                None if !left.contains(&remedy) => left.push(remedy),
                None => {}
            }
        }
        left.retain(|remedy| match remedy {
            Remedy::SwitchModel => at_hand.other_model,
            Remedy::SwitchProvider => at_hand.other_provider,
            Remedy::Wait if order::is_a_poll(kind) => true,
            remedy => !asks_the_same(*remedy) || self.asked_the_same() < self.budget.tries as usize,
        });
        left
    }

    /// Of a whole course of remedies those that its time has room for; what does not fit is left out, and what stands after
    /// it is looked at all the same.
    fn within_the_time(&self, course: Vec<Remedy>, kind: &FailureKind, now: DateTime<Utc>) -> Vec<Remedy> {
        let (mut room, mut waits) = (self.budget.time + self.spared, 0);
        let fits = |remedy: &Remedy| {
            let cost = match remedy {
                Remedy::Wait => longest_wait(kind, waits, now),
                remedy => nominal_cost(*remedy),
            };
            let Some(rest) = room.checked_sub(cost) else { return false };
            room = rest;
            waits += u32::from(*remedy == Remedy::Wait);
            true
        };
        course.into_iter().filter(fits).collect()
    }

    /// Whether the clock and the tokens have room for it now. What asks nobody always has.
    fn can_afford(&self, remedy: Remedy, wait: Duration, elapsed: Duration) -> bool {
        match remedy {
            Remedy::AnswerFromMemory | Remedy::Queue | Remedy::Repair | Remedy::AskPerson => true,
            _ if self.tokens >= self.budget.tokens || elapsed >= self.budget.time => false,
            Remedy::Wait => elapsed + wait <= self.budget.time,
            _ => true,
        }
    }

    /// How many of the waits that grow there were.
    fn waits(&self) -> u32 {
        let waits = self.tried.iter().filter(|tried| tried.remedy == Remedy::Wait && !tried.is_a_poll());
        u32::try_from(waits.count()).unwrap_or(u32::MAX)
    }

    /// How often the same was asked again, out of the tries that the person allows.
    fn asked_the_same(&self) -> usize {
        self.tried.iter().filter(|tried| asks_the_same(tried.remedy) && !tried.is_a_poll()).count()
    }
}

impl Try {
    /// Whether it is a look at something that goes on by itself.
    fn is_a_poll(&self) -> bool {
        self.remedy == Remedy::Wait && order::is_a_poll(&self.failure.kind)
    }
}

/// Whether it is a call to whom was asked before.
fn asks_the_same(remedy: Remedy) -> bool {
    match remedy {
        Remedy::Wait
        | Remedy::Retry
        | Remedy::Resume
        | Remedy::Regenerate
        | Remedy::AskPartAgain
        | Remedy::RestartEngine => true,
        Remedy::SwitchModel
        | Remedy::SwitchProvider
        | Remedy::ShrinkContext
        | Remedy::StartAfresh
        | Remedy::Repair
        | Remedy::RebuildIndex
        | Remedy::ReopenBackup
        | Remedy::Queue
        | Remedy::AnswerFromMemory
        | Remedy::AskPerson => false,
    }
}

/// About how long a try takes; a wait's own time is not in it.
fn nominal_cost(remedy: Remedy) -> Duration {
    Duration::from_secs(match remedy {
        Remedy::Wait => 0,
        Remedy::Retry => 1,
        Remedy::SwitchModel | Remedy::SwitchProvider => 2,
        Remedy::Resume
        | Remedy::Regenerate
        | Remedy::ShrinkContext
        | Remedy::StartAfresh
        | Remedy::Repair
        | Remedy::AskPartAgain
        | Remedy::RestartEngine
        | Remedy::RebuildIndex
        | Remedy::ReopenBackup
        | Remedy::Queue
        | Remedy::AnswerFromMemory
        | Remedy::AskPerson => 3,
    })
}

/// The wait after so many waits, before it is spread.
fn nominal_wait(kind: &FailureKind, waits: u32, now: DateTime<Utc>) -> Duration {
    order::asked_wait(kind, now).unwrap_or_else(|| order::backoff(waits))
}

/// The same, however it is spread.
fn longest_wait(kind: &FailureKind, waits: u32, now: DateTime<Utc>) -> Duration {
    order::asked_wait(kind, now).unwrap_or_else(|| order::spread(order::backoff(waits), 1.0))
}

#[cfg(test)]
mod tests;
