//! Asking until there is an answer, or until nothing helps any more: what fails goes to `healing`, which names the next
//! remedy, and what it names is done here. This is the only place in a turn that tries again.

use std::time::Duration;

use tokio::task::JoinHandle;

use super::attempt::{self, Answer, End};
use super::checkpoint::Checkpoint;
use super::digest::WorkingMemory;
use super::event::TurnEvent;
use super::limits;
use super::outlet::Outlet;
use super::splice::Splice;
use super::target::{self, Alternatives, Target};
use super::{Gathered, Turn, conduct, from_memory, outlet, prompt};
use crate::behavior::conduct::{Violation, ViolationKind, Watch};
use crate::behavior::{self, second_look};
use crate::healing::outcome::Outcome;
use crate::healing::playbook::{AtHand, Budget, Course};
use crate::healing::timeline::{self, Event, Source};
use crate::healing::{Failure, FailureKind, HealingNote, Phase, Remedy, Step};
use crate::memory::conversation::Usage;
use crate::memory::recall::fence;
use crate::providers::{ChatRequest, Provider, Secret, reply};
use crate::settings::ModelChoice;
use crate::store::id::MessageId;

/// Small models wander at the engine's usual 0.8: they deny what they were told a line before.
const BUILT_IN_TEMPERATURE: f32 = 0.3;
/// How many tokens an answer of the built-in model has at most: the smallest ones do not always come to an end by
/// themselves. An answer that is cut can be gone on with.
const LONGEST_BUILT_IN_ANSWER: u32 = 1_024;

/// What asking gave, with all that healed on the way.
pub(super) struct Asked {
    /// What came.
    pub answer: Answer,
    /// Who was asked last.
    pub target: Target,
    /// The last part of the prompt, as sent.
    pub volatile: String,
    /// The answer's row, where one was begun.
    pub message: Option<MessageId>,
    /// The lines for the chat.
    pub healing: Vec<HealingNote>,
    /// What was learned.
    pub outcomes: Vec<Outcome>,
    /// What the Health page tells.
    pub events: Vec<Event>,
    /// The answer was put together from memory; no model gave it.
    pub is_from_memory: bool,
    /// The message waits for the network.
    pub is_queued: bool,
    /// What its answers broke.
    pub violations: Vec<ViolationKind>,
    /// The failure that began it, where nothing helped.
    pub unhealed: Option<Failure>,
}

/// A remedy whose outcome is not known yet.
struct Pending {
    failure: Failure,
    remedy: Remedy,
    waited: Duration,
    /// How long the answer was then: where more of it came since, the remedy has helped.
    came: usize,
}

/// One turn's asking.
pub(super) struct Asking<'a> {
    turn: &'a Turn,
    gathered: &'a Gathered,
    course: Course,
    /// Whom it can still ask instead.
    others: Alternatives,
    working_memory: WorkingMemory,
    checkpoint: Checkpoint,
    /// What the next request is told besides: the rule that the last answer broke.
    reminder: Option<String>,
    pending: Option<Pending>,
    /// What began it all.
    first_failure: Option<Failure>,
    asked: Asked,
}

impl<'a> Asking<'a> {
    pub(super) fn new(turn: &'a Turn, gathered: &'a Gathered) -> Self {
        let kept = turn.begun.continues.as_ref().map(|cut| cut.text.clone()).unwrap_or_default();
        Self {
            turn,
            gathered,
            others: turn.alternatives.clone(),
            course: Course::new(Budget::of(&turn.settings)),
            working_memory: WorkingMemory::whole(gathered.working_memory.clone(), gathered.notes.clone()),
            checkpoint: Checkpoint::begin(turn.store.clone(), turn.clock.clone(), turn.new_answer(&turn.target)),
            reminder: None,
            pending: None,
            first_failure: None,
            asked: Asked {
                answer: Answer::going_on(kept),
                target: turn.target.clone(),
                volatile: String::new(),
                message: None,
                healing: Vec::new(),
                outcomes: Vec::new(),
                events: Vec::new(),
                is_from_memory: false,
                is_queued: false,
                violations: Vec::new(),
                unhealed: None,
            },
        }
    }

    /// Asks, and again where a remedy says so.
    pub(super) async fn run(mut self) -> (Asked, End) {
        let end = loop {
            let mut end = self.attempt().await;
            if end == End::Finished
                && let Some(violation) = self.second_look().await
            {
                end = End::Broke(violation);
            }
            self.settle_pending(&end);
            let kind = match end {
                End::Failed(kind) => kind,
                End::Broke(violation) => self.broken(violation),
                End::Withheld => {
                    self.withdraw().await;
                    break End::Cancelled;
                }
                End::Finished | End::CutByLimit | End::Cancelled => break end,
            };
            let failure = self.failure(kind);
            self.first_failure.get_or_insert_with(|| failure.clone());
            let now = self.turn.clock.now();
            let step = self.course.next(&failure, &self.at_hand(), &self.gathered.playbook, now, rand::random());
            if let Some(end) = self.take(step, failure).await {
                break end;
            }
        };
        self.asked.message = self.checkpoint.finish().await;
        (self.asked, end)
    }

    /// What a cheap model finds that code cannot judge, where the person wants that. No verdict is no violation.
    async fn second_look(&mut self) -> Option<Violation> {
        if !self.turn.settings.second_look {
            return None;
        }
        // The person's smaller model of the same service, where that answered; else the one that did.
        let same_service = |choice: &ModelChoice| Some(&choice.endpoint) == self.asked.target.endpoint.as_ref();
        let judge = match self.turn.alternatives.model.clone().filter(same_service) {
            Some(choice) => tokio::select! {
                () = self.turn.cancel.cancelled() => return None,
                judge = (self.turn.find)(choice) => judge,
            },
            None => self.asked.target.clone(),
        };
        let (question, answer) = (&self.turn.begun.message.text, &self.asked.answer.text);
        let look = second_look::look(&self.turn.spec, &judge.model, question, answer)?;
        let provider = judge.provider.ok()?;
        let reply = tokio::select! {
            () = self.turn.cancel.cancelled() => return None,
            reply = reply::whole(provider.as_ref(), &look.request) => reply.ok()?,
        };
        self.asked.answer.usage = conduct::with_cost(self.asked.answer.usage, attempt::usage_of(reply.usage));
        let rule = look.read(&reply.text)?.violated.into_iter().next()?;
        Some(behavior::conduct::by_judgement(&self.turn.spec, rule, answer.len()))
    }

    /// One call. A service that failed again and again is passed over where there is another one to ask.
    async fn attempt(&mut self) -> End {
        let request = self.fitting_request();
        if self.turn.cancel.is_cancelled() {
            return End::Cancelled;
        }
        if let Some(until) = self.left_alone_until() {
            return End::Failed(FailureKind::LeftAlone { until });
        }
        let provider = match &self.asked.target.provider {
            Ok(provider) => provider.clone(),
            Err(kind) => {
                let kind = kind.clone();
                self.tell_breaker(&End::Cancelled);
                return End::Failed(kind);
            }
        };
        // Invariant: what the person has read stays, and every later call goes on from there.
        let joint = self.asked.answer.has_new_text().then(|| Splice::after(&self.asked.answer.text));
        let before = std::mem::take(&mut self.asked.answer.usage);
        let watch = self.watch(provider.as_ref());
        let outlet = Outlet::new(&self.turn.events, &self.checkpoint, joint, watch);
        let answer = &mut self.asked.answer;
        let end = attempt::attempt(provider.as_ref(), &request, answer, &self.turn.cancel, outlet).await;
        self.tell_breaker(&end);
        self.course.spent(tokens(self.asked.answer.usage));
        match &end {
            End::Finished | End::CutByLimit => self.tell_of_a_cut_prompt(&request).await,
            End::Failed(FailureKind::ContextTooLong { limit_tokens: Some(limit) }) => {
                self.turn.limits.learn(&self.asked.target.name, &self.asked.target.model, *limit);
            }
            End::Failed(_) | End::Broke(_) | End::Cancelled | End::Withheld => {}
        }
        self.asked.answer.usage = conduct::with_cost(self.asked.answer.usage, before);
        end
    }

    /// Who looks at the answer while it comes: it has read what stands there already. It is got ready while the model begins,
    /// so that the first word does not wait for it.
    fn watch(&self, provider: &dyn Provider) -> JoinHandle<Watch> {
        let (spec, prompt) = (self.turn.spec.clone(), self.turn.spec_prompt.clone());
        let (question, before) = (self.turn.begun.message.text.clone(), self.gathered.said_before());
        let secrets: Vec<Secret> = provider.secret().into_iter().cloned().collect();
        let read = self.asked.answer.text.clone();
        tokio::task::spawn_blocking(move || {
            let asked = behavior::conduct::Asked {
                question: &question,
                before: &before,
                prompt: &[&prompt, prompt::MEMORY_OPS_INSTRUCTION, fence::PREAMBLE],
                secrets: &secrets,
            };
            let mut watch = Watch::new(&spec, &asked);
            watch.push(&read);
            watch
        })
    }

    /// What a broken rule is for people; the model is told it in words of its own.
    fn broken(&mut self, violation: Violation) -> FailureKind {
        self.asked.violations.push(violation.kind);
        let rule = violation.rule.of(&self.turn.spec).map(|rule| rule.text.clone());
        self.reminder = Some(violation.instruction);
        FailureKind::RuleBroken { kind: violation.kind, rule }
    }

    /// A request that is no longer than what the model is known to read.
    fn fitting_request(&mut self) -> ChatRequest {
        loop {
            let (request, volatile) = self.request();
            let reads = self.turn.limits.of(&self.asked.target.name, &self.asked.target.model);
            if limits::fits(&request, reads) || !self.working_memory.can_shrink() {
                self.asked.volatile = volatile;
                return request;
            }
            self.working_memory = self.working_memory.shrunk();
        }
    }

    /// Whether the server read far less than it was sent: then it is told, and the next prompt is no longer than that.
    async fn tell_of_a_cut_prompt(&mut self, request: &ChatRequest) {
        let Target { name, model, .. } = &self.asked.target;
        let read = self.asked.answer.usage.prompt_tokens;
        let Some((sent, read)) = self.turn.limits.cut(name, model, request, read) else { return };
        self.turn.limits.learn(name, model, read);
        let failure = Failure { phase: Phase::After, ..self.failure(FailureKind::PromptCut { sent, read }) };
        self.tell(failure.note(Step::now(Remedy::ShrinkContext), "")).await;
        self.asked.outcomes.push(Outcome::of(&failure, Remedy::ShrinkContext, true));
        self.note(&failure, Some(Remedy::ShrinkContext), timeline::Outcome::Worked, Duration::ZERO);
    }

    fn request(&self) -> (ChatRequest, String) {
        let continued = self.turn.begun.continues.is_some() || self.asked.answer.has_new_text();
        let parts = prompt::Parts {
            spec: &self.turn.spec_prompt,
            digest: self.working_memory.digest.as_deref(),
            working_memory: &self.working_memory.messages,
            memory_block: &self.gathered.memory_block,
            local_now: self.turn.clock.local_now(),
            memory_ops: self.turn.writes_in_band(&self.asked.target),
            text: &self.turn.begun.message.text,
            done: self.gathered.done.as_deref(),
            reminder: self.reminder.as_deref(),
            continues: continued.then_some(self.asked.answer.text.as_str()),
        };
        let volatile = prompt::volatile_block(&parts);
        let is_built_in = self.asked.target.is_built_in();
        let request = ChatRequest {
            model: self.asked.target.model.clone(),
            messages: prompt::assemble(&parts, &volatile),
            temperature: is_built_in.then_some(BUILT_IN_TEMPERATURE),
            max_tokens: is_built_in.then_some(LONGEST_BUILT_IN_ANSWER),
            schema: None,
            logprobs: None,
        };
        (request, volatile)
    }

    fn failure(&self, kind: FailureKind) -> Failure {
        let phase = if self.asked.answer.has_new_text() { Phase::Answering } else { Phase::Asking };
        Failure { kind, provider: self.asked.target.name.clone(), model: self.asked.target.model.clone(), phase }
    }

    fn at_hand(&self) -> AtHand {
        let (name, now) = (&self.asked.target.name, self.turn.clock.now());
        AtHand {
            can_shrink: self.working_memory.can_shrink(),
            has_partial: self.asked.answer.has_new_text(),
            other_model: self.others.model.is_some(),
            other_provider: self.others.provider.is_some(),
            is_built_in: self.asked.target.is_built_in(),
            runs_here: self.asked.target.runs_here(),
            remembers: !self.gathered.relevant.is_empty(),
            can_queue: !self.turn.is_temporary(),
            // That it was there once says nothing about now.
            online: self.turn.online.filter(|is_there| !is_there),
            breaker_open: self.turn.breakers.is_open(name, now),
        }
    }

    /// Does what the playbook says. The end, where there is nothing more to ask.
    async fn take(&mut self, step: Step, failure: Failure) -> Option<End> {
        if step.remedy == Remedy::AskPerson {
            return Some(self.give_up(failure).await);
        }
        let other = self.other(step.remedy);
        self.tell(failure.note(step, &other.as_ref().map(target::name_of).unwrap_or_default())).await;
        let mut waited = Duration::ZERO;
        match step.remedy {
            Remedy::Wait => {
                let goes_on = self.wait(step.wait, &mut waited).await;
                if waited < step.wait {
                    self.tell_waited(failure.note(Step::wait(waited), "")).await;
                }
                if !goes_on {
                    return Some(End::Cancelled);
                }
            }
            Remedy::Regenerate => self.withdraw().await,
            Remedy::SwitchModel | Remedy::SwitchProvider => {
                if !self.switch_to(other).await {
                    return Some(End::Cancelled);
                }
            }
            Remedy::ShrinkContext => self.working_memory = self.working_memory.shrunk(),
            Remedy::Queue => return Some(self.queue(failure)),
            Remedy::AnswerFromMemory => return Some(self.answer_from_memory(failure).await),
            // The next question does it: it goes on with what came, and starts the engine that has ended. The others mend what
            // stands beside the answer, and whoever owns that does them.
            Remedy::Retry
            | Remedy::Resume
            | Remedy::RestartEngine
            | Remedy::StartAfresh
            | Remedy::Repair
            | Remedy::AskPartAgain
            | Remedy::RebuildIndex
            | Remedy::ReopenBackup
            | Remedy::AskPerson => {}
        }
        if step.remedy == Remedy::Wait {
            self.course.waited(waited);
        }
        let came = self.asked.answer.text.len();
        self.pending = Some(Pending { failure, remedy: step.remedy, waited, came });
        None
    }

    /// Waits, unless the person stops the turn or skips the wait; `waited` is how long. Whether the turn goes on.
    async fn wait(&self, wait: Duration, waited: &mut Duration) -> bool {
        let began = self.turn.clock.now();
        let goes_on = tokio::select! {
            biased;
            () = self.turn.cancel.cancelled() => false,
            () = self.turn.skip.notified() => true,
            () = self.turn.clock.sleep(wait) => {
                *waited = wait;
                return true;
            }
        };
        // A clock that was set back meanwhile has waited for nothing.
        *waited = (self.turn.clock.now() - began).to_std().unwrap_or_default().min(wait);
        goes_on
    }

    /// Takes back what came, so that another answer can stand in its place.
    async fn withdraw(&mut self) {
        self.asked.answer.withdraw();
        self.checkpoint.replace(&self.asked.answer.text);
        self.turn.emit(TurnEvent::Withdrawn).await;
    }

    /// Whom a switch leads to; it is asked once in a turn.
    fn other(&mut self, remedy: Remedy) -> Option<ModelChoice> {
        match remedy {
            Remedy::SwitchModel => self.others.model.take(),
            Remedy::SwitchProvider => self.others.provider.take(),
            _ => None,
        }
    }

    /// Whether it came to that: the keychain may be waiting for the person, who may have stopped the turn.
    async fn switch_to(&mut self, other: Option<ModelChoice>) -> bool {
        let Some(choice) = other else { return true };
        tokio::select! {
            biased;
            () = self.turn.cancel.cancelled() => false,
            target = (self.turn.find)(choice) => {
                self.asked.target = target;
                true
            }
        }
    }

    fn queue(&mut self, failure: Failure) -> End {
        self.asked.is_queued = true;
        self.asked.outcomes.extend(self.course.came_of_it(true));
        self.note(&failure, Some(Remedy::Queue), timeline::Outcome::Worked, Duration::ZERO);
        End::Failed(failure.kind)
    }

    async fn answer_from_memory(&mut self, failure: Failure) -> End {
        let text = from_memory::answer(&failure, &self.gathered.relevant);
        self.asked.answer.withdraw();
        outlet::append(&text, &mut self.asked.answer, &self.turn.events, &self.checkpoint).await;
        self.asked.is_from_memory = true;
        self.learn(&failure, Remedy::AnswerFromMemory, true, Duration::ZERO);
        End::Finished
    }

    async fn give_up(&mut self, failure: Failure) -> End {
        if matches!(failure.kind, FailureKind::RuleBroken { .. }) {
            self.withdraw().await;
        }
        self.asked.outcomes.extend(self.course.came_of_it(false));
        self.note(&failure, None, timeline::Outcome::Told, Duration::ZERO);
        self.asked.unhealed = self.first_failure.take();
        End::Failed(failure.kind)
    }

    /// What the last remedy did, now that it is known. A turn that the person stopped before more came says nothing about it.
    fn settle_pending(&mut self, end: &End) {
        let Some(Pending { failure, remedy, waited, came }) = self.pending.take() else { return };
        let was_stopped = matches!(end, End::Cancelled | End::Withheld);
        if was_stopped && self.asked.answer.text.len() <= came {
            return;
        }
        self.learn(&failure, remedy, !matches!(end, End::Failed(_) | End::Broke(_)), waited);
    }

    fn learn(&mut self, failure: &Failure, remedy: Remedy, worked: bool, waited: Duration) {
        self.asked.outcomes.extend(self.course.came_of_it(worked));
        let outcome = if worked { timeline::Outcome::Worked } else { timeline::Outcome::Failed };
        self.note(failure, Some(remedy), outcome, waited);
    }

    fn note(&mut self, failure: &Failure, remedy: Option<Remedy>, outcome: timeline::Outcome, waited: Duration) {
        let source = match failure.kind {
            FailureKind::RuleBroken { .. } | FailureKind::OffRole => Source::Conduct,
            _ => Source::Turn,
        };
        let event = Event::of(failure, source, outcome, self.turn.clock.now());
        self.asked.events.push(Event { remedy, waited, turn: Some(self.turn.begun.turn), ..event });
    }

    async fn tell(&mut self, note: HealingNote) {
        self.turn.emit(TurnEvent::Healing { note: note.clone() }).await;
        self.asked.healing.push(note);
    }

    /// A wait that was cut short is told as long as it was.
    async fn tell_waited(&mut self, note: HealingNote) {
        self.turn.emit(TurnEvent::Waited { note: note.clone() }).await;
        if let Some(last) = self.asked.healing.last_mut() {
            *last = note;
        }
    }

    /// Until when the service is left alone; only where somebody else can be asked, so that nothing stands in the way of its
    /// recovery.
    fn left_alone_until(&self) -> Option<chrono::DateTime<chrono::Utc>> {
        let is_first_choice = self.asked.target.endpoint == self.turn.target.endpoint;
        let has_other = is_first_choice && self.turn.alternatives.provider.is_some();
        self.turn.breakers.not_before(&self.asked.target.name, has_other, self.turn.clock.now())
    }

    fn tell_breaker(&self, end: &End) {
        let (name, now) = (&self.asked.target.name, self.turn.clock.now());
        // A temporary conversation leaves no trace, and a service is not to blame for a network that is away.
        if self.turn.is_temporary() || (self.turn.online == Some(false) && !self.asked.target.runs_here()) {
            return;
        }
        match end {
            End::Finished | End::CutByLimit => self.turn.breakers.answered(name, now),
            End::Failed(kind) => self.turn.breakers.failed(name, kind, now),
            // It answered: what it said is another matter.
            End::Broke(_) => self.turn.breakers.answered(name, now),
            End::Cancelled | End::Withheld => self.turn.breakers.given_up(name, now),
        }
    }
}

/// How many tokens a call took.
fn tokens(usage: Usage) -> u64 {
    usage.prompt_tokens.unwrap_or(0) + usage.completion_tokens.unwrap_or(0)
}
