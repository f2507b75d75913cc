// Turns of the fake: the same events in the same order as the core's, on timers.
import type { TurnSink } from "../backend";
import type { FailureView, Message, MessageView, TurnHandle } from "../types";
import { found } from "./recall";
import { type Step, stepsFor } from "./replies";
import type { SeededConversation } from "./seed";
import type { World } from "./world";

interface Running {
  turn: number;
  conversation: number;
  stopped: boolean;
  /** Who answers; `null` once nobody does. */
  model: string | null;
  /** Ends a wait at once. */
  wake: () => void;
}

const unknownUsage = { promptTokens: null, completionTokens: null, cost: null };

/** Runs the fake's turns. */
export class FakeTurns {
  private running = new Map<number, Running>();

  constructor(private world: World) {}

  runningIn(conversation: number): number | null {
    for (const run of this.running.values()) if (run.conversation === conversation) return run.turn;
    return null;
  }

  /** Stores the person's message and begins to answer it. */
  send(entry: SeededConversation, text: string, sink: TurnSink): TurnHandle {
    const turn = this.world.id();
    const message: Message = {
      id: this.world.id(),
      conversation: entry.conversation.id,
      turn,
      role: "user",
      text,
      at: this.world.now(),
      state: "complete",
      model: null,
      usage: unknownUsage,
    };
    const view: MessageView = { message, used: [], edited: false, changes: [], healing: [], failure: null };
    entry.messages.push(view);
    entry.conversation.updatedAt = message.at;
    return this.begin(entry, view, turn, null, sink, this.world.settings.model);
  }

  /** Answers a person's message anew, or goes on with an answer that the limit cut. */
  retry(entry: SeededConversation, view: MessageView, index: number, sink: TurnSink, model = this.world.settings.model): TurnHandle {
    const old = entry.messages[index + 1];
    const goOn = old?.message.state === "cutByLimit" ? old : null;
    if (old?.message.role === "assistant" && !goOn) entry.messages.splice(index + 1, 1);
    view.failure = null;
    view.healing = [];
    this.world.queue = this.world.queue.filter((id) => id !== view.message.id);
    return this.begin(entry, view, this.world.id(), goOn, sink, model);
  }

  stop(turn: number): void {
    const run = this.running.get(turn);
    if (!run) return;
    run.stopped = true;
    run.wake();
  }

  /** A wait of this turn ends now. */
  skipWait(turn: number): void {
    this.running.get(turn)?.wake();
  }

  /** Asks for what waits for the network, which is there again. */
  sendQueued(): void {
    const waiting = this.world.queue.flatMap((id) => this.world.locate(id) ?? []);
    this.world.queue = [];
    if (!this.world.online) this.world.networkIs(true);
    for (const { entry, view, index } of waiting) {
      view.message.text = view.message.text.replace(/offline/i, "online");
      this.retry(entry, view, index, () => undefined);
    }
    this.world.emit({ type: "conversationsChanged" });
  }

  /** The message stays where it is, and is not sent by itself. */
  cancelQueued(message: number): void {
    this.world.queue = this.world.queue.filter((id) => id !== message);
    const failure = this.world.locate(message)?.view.failure;
    if (failure) Object.assign(failure, { queued: false, message: "This message was not sent. Ask again when you like." });
    this.world.emit({ type: "healthChanged" });
  }

  private begin(entry: SeededConversation, asked: MessageView, turn: number, goOn: MessageView | null, sink: TurnSink, model: string): TurnHandle {
    const conversation = entry.conversation.id;
    const run: Running = { turn, conversation, stopped: false, model, wake: () => undefined };
    this.running.set(turn, run);
    void this.run(run, entry, asked, goOn, sink);
    return { turn, conversation, message: asked.message.id };
  }

  private async run(run: Running, entry: SeededConversation, asked: MessageView, goOn: MessageView | null, sink: TurnSink): Promise<void> {
    await this.pause(run, 0);
    const used = goOn ? goOn.used : this.recalled(entry, asked.message.text);
    sink({ type: "started", turn: run.turn, conversation: run.conversation, message: asked.message, used });
    const before = goOn?.message.text ?? "";
    let text = before;
    let state: Message["state"] = "complete";
    let failure: FailureView | null = null;
    const later: string[] = [];
    const steps: Step[] = goOn ? [{ type: "say", text: " a sentence, and this is its end." }] : this.stepsOf(run, asked.message.text);
    for (const step of steps) {
      if (run.stopped) break;
      switch (step.type) {
        case "wait":
          await this.waitOut(run, step.milliseconds, asked, sink);
          break;
        case "say":
          for (let at = 0; at < step.text.length && !run.stopped; at += this.world.options.piece) {
            const piece = step.text.slice(at, at + this.world.options.piece);
            text += piece;
            sink({ type: "delta", text: piece });
            await this.pause(run, this.world.options.pace);
          }
          break;
        case "heal":
          asked.healing = [...asked.healing, step.note];
          sink({ type: "healing", note: step.note });
          break;
        case "remember": {
          if (run.conversation < 0) break;
          const change = this.world.learn(step.words, step.kind, asked.message.id, run.conversation);
          asked.changes = [...asked.changes, change];
          sink({ type: "memoryChanged", changes: [change] });
          break;
        }
        case "rememberLater":
          later.push(step.words);
          break;
        case "withdraw":
          text = before;
          sink({ type: "withdrawn" });
          break;
        case "alone":
          run.model = null;
          break;
        case "cutByLimit":
          state = "cutByLimit";
          break;
        case "fail":
          failure = step.failure;
          break;
      }
    }
    this.running.delete(run.turn);
    const message = this.store(run, entry, text, run.stopped || failure ? "partial" : state, used, goOn);
    if (run.stopped) sink({ type: "cancelled", message });
    else if (failure) {
      asked.failure = failure;
      if (failure.queued) {
        this.world.queue.push(asked.message.id);
        this.world.networkIs(false);
      }
      sink({ type: "failed", message, failure });
    } else if (message) {
      sink({ type: "usage", usage: message.usage });
      sink({ type: "completed", message });
    }
    this.world.emit({ type: "conversationsChanged" });
    if (later.length && !run.stopped && run.conversation >= 0) setTimeout(() => this.learnLater(asked, run.conversation, later), 900);
  }

  /** The person's other model has nothing of what ails the first one. */
  private stepsOf(run: Running, text: string): Step[] {
    return run.model === this.world.settings.model ? stepsFor(text) : [{ type: "say", text: `I am ${run.model}, and I answer in its place.` }];
  }

  private store(
    run: Running,
    entry: SeededConversation,
    text: string,
    state: Message["state"],
    used: MessageView["used"],
    goOn: MessageView | null,
  ): Message | null {
    if (!text) return null;
    const message: Message = {
      id: goOn?.message.id ?? this.world.id(),
      conversation: run.conversation,
      turn: run.turn,
      role: "assistant",
      text,
      at: this.world.now(),
      state,
      model: run.model,
      usage: { promptTokens: 1184, completionTokens: Math.ceil(text.length / 4), cost: 0.0004 + text.length / 4e6 },
    };
    if (goOn) goOn.message = message;
    else entry.messages.push({ message, used, edited: false, changes: [], healing: [], failure: null });
    return message;
  }

  /** What the model is shown: nothing in a temporary conversation, else what fits, and otherwise two pieces of a life. */
  private recalled(entry: SeededConversation, question: string): MessageView["used"] {
    if (entry.conversation.id < 0 || this.world.facts.length <= 5) return [];
    const hits = found(this.world, question).filter((hit) => hit.memory.type !== "message" || hit.conversation !== entry.conversation.id);
    if (!hits.length) return [memory(this.world, 0), memory(this.world, 2)];
    return hits.slice(0, 4).map(({ memory: used, sentence }) => ({ memory: used, sentence }));
  }

  private learnLater(asked: MessageView, conversation: number, quotes: string[]): void {
    const changes = quotes.map((words) => this.world.learn(words, "added", asked.message.id, conversation));
    asked.changes = [...asked.changes, ...changes];
    this.world.emit({ type: "memoryChanged", message: asked.message.id, changes });
  }

  /** A wait that is cut short is told as long as it was. */
  private async waitOut(run: Running, milliseconds: number, asked: MessageView, sink: TurnSink): Promise<void> {
    const began = Date.now();
    await this.pause(run, milliseconds);
    const waited = Math.round((Date.now() - began) / 100) / 10;
    const last = asked.healing.at(-1);
    if (last?.remedy !== "wait" || waited >= last.waitSeconds) return;
    const note = { ...last, waitSeconds: waited, past: last.past.replace(/[\d.]+ s\.$/, `${waited} s.`) };
    asked.healing = [...asked.healing.slice(0, -1), note];
    sink({ type: "waited", note });
  }

  private pause(run: Running, milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      run.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function memory(world: World, index: number): MessageView["used"][number] {
  const fact = world.facts[index]!;
  return { memory: { type: "fact", id: fact.id }, sentence: fact.quote };
}
