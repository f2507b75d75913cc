import { beforeEach, describe, expect, test, vi } from "vitest";
import { fakeBackend } from "../backend/fake/fake";
import { Chat } from "./chat.svelte";
import { Thread } from "./thread.svelte";

let backend: ReturnType<typeof fakeBackend>;
let adopted: Thread[];
let settled: number;

beforeEach(() => {
  vi.useFakeTimers();
  backend = fakeBackend();
  adopted = [];
  settled = 0;
});

const listener = {
  adopted: (thread: Thread) => adopted.push(thread),
  settled: () => {
    settled += 1;
  },
};

async function opened(id: number | null = null): Promise<Thread> {
  const thread = new Thread(id, backend, listener);
  await thread.open();
  return thread;
}

async function say(thread: Thread, text: string): Promise<void> {
  thread.type(text);
  await thread.send();
}

/** The conversation as a person reads it. */
function read(thread: Thread): (string | null)[][] {
  return thread.list.map(({ asked, answer }) => [asked?.message.text ?? null, answer?.message.text ?? null, answer?.message.state ?? null]);
}

describe("sending", () => {
  test("a first message makes a conversation, and its answer arrives", async () => {
    const thread = await opened();
    await say(thread, "I am busy");
    expect([adopted, thread.draft]).toEqual([[thread], ""]);
    await vi.runAllTimersAsync();
    expect(read(thread)).toEqual([["I am busy", "Thank you for waiting. Here I am.", "complete"]]);
    expect([thread.turn, settled]).toEqual([null, 1]);
    expect(thread.views[0]?.healing.map((note) => note.code)).toEqual(["rate_limit"]);
  });

  test("a message that could not be sent comes back, before what was typed meanwhile", async () => {
    backend = fakeBackend({ failing: new Set(["send"]) });
    const thread = await opened();
    thread.type("Important");
    const sending = thread.send();
    thread.type("and more");
    await sending;
    expect([thread.draft, thread.refused?.code, thread.busy, read(thread)]).toEqual(["Important\n\nand more", "store", false, []]);
  });

  test("nothing is sent while an answer is awaited, and the text stays", async () => {
    const thread = await opened();
    await say(thread, "long");
    await say(thread, "another");
    expect([thread.draft, backend.world.conversations.at(-1)?.messages.length]).toEqual(["another", 1]);
  });

  test("spaces alone are no message", async () => {
    const thread = await opened();
    await say(thread, " \n ");
    expect([thread.busy, thread.draft]).toEqual([false, " \n "]);
  });
});

describe("a turn in a conversation", () => {
  test("that is stopped keeps what came, marked as partial", async () => {
    const thread = await opened();
    await say(thread, "long");
    await vi.advanceTimersByTimeAsync(1000);
    thread.stop();
    await vi.runAllTimersAsync();
    const [row] = read(thread);
    expect([row?.[1]?.startsWith("Long answers"), row?.[2], thread.ended?.type]).toEqual([true, "partial", "cancelled"]);
  });

  test("that is stopped before a word came has no answer", async () => {
    const thread = await opened();
    await say(thread, "long");
    thread.stop();
    await vi.runAllTimersAsync();
    expect([read(thread), thread.ended]).toEqual([[["long", null, null]], { type: "cancelled", message: null }]);
  });

  test("that failed says why, and asking again clears that", async () => {
    const thread = await opened();
    await say(thread, "wrong key");
    await vi.runAllTimersAsync();
    expect(thread.views[0]?.failure).toEqual({
      code: "credentials",
      message: "OpenRouter refuses the key. It may have been deleted or mistyped.",
      next: "enterKey",
      alternative: "gpt-5-mini · OpenAI",
      service: null,
      queued: false,
    });
    void thread.retry(thread.views[0]!.message.id);
    await vi.advanceTimersByTimeAsync(10);
    expect([thread.views[0]?.failure, thread.busy]).toEqual([null, true]);
  });

  test("that asks again replaces the answer", async () => {
    const thread = await opened();
    await say(thread, "hello");
    await vi.runAllTimersAsync();
    const first = thread.views[1]!.message.id;
    await thread.retry(thread.views[0]!.message.id);
    await vi.runAllTimersAsync();
    expect([thread.views.length, thread.views[1]!.message.id === first]).toEqual([2, false]);
  });

  test("goes on with an answer that the limit cut", async () => {
    const thread = await opened();
    await say(thread, "cut");
    await vi.runAllTimersAsync();
    await thread.retry(thread.views[0]!.message.id);
    await vi.runAllTimersAsync();
    expect(read(thread)).toEqual([["cut", "This answer is longer than the limit, and so it ends in the middle of a sentence, and this is its end.", "complete"]]);
  });

  test("is asked again for the last message only", async () => {
    const first = backend.world.conversations[0]!;
    const thread = await opened(first.conversation.id);
    await thread.retry(thread.views[0]!.message.id);
    expect([thread.busy, thread.views.length]).toEqual([false, 4]);
  });

  test("goes on when another conversation is shown meanwhile", async () => {
    const chat = new Chat(backend, listener);
    chat.open(null);
    const thread = chat.current;
    await say(thread, "busy");
    chat.open(backend.world.conversations[0]!.conversation.id);
    await vi.runAllTimersAsync();
    chat.open(thread.id);
    expect([chat.current === thread, read(thread)[0]?.[1]]).toEqual([true, "Thank you for waiting. Here I am."]);
  });
});

describe("memory that changes", () => {
  test("during the turn stands beneath the message that caused it", async () => {
    const thread = await opened();
    await say(thread, "Remember that I live in Porto.");
    await vi.advanceTimersByTimeAsync(100);
    expect(thread.views[0]?.changes.map((change) => change.sentence)).toEqual(["I live in Porto"]);
  });

  test("after the turn arrives there too, and can be taken back", async () => {
    const chat = new Chat(backend, listener);
    backend.listen((event) => {
      if (event.type === "memoryChanged" && event.message !== null) chat.memoryChanged(event.message, event.changes);
    });
    chat.open(null);
    await say(chat.current, "By the way, I live in Porto");
    await vi.runAllTimersAsync();
    const changes = chat.current.views[0]!.changes;
    expect(changes.map((change) => change.sentence)).toEqual(["By the way, I live in Porto"]);
    expect(await chat.undo(chat.current, changes)).toBeNull();
    expect(chat.current.views[0]!.changes).toEqual([]);
  });
});

describe("commands", () => {
  test("are answered in their place and not sent", async () => {
    const thread = await opened(backend.world.conversations[0]!.conversation.id);
    await say(thread, "/help");
    expect(thread.notes.map(({ command, after }) => [command, after])).toEqual([["/help", 2]]);
    expect([thread.views.length, thread.draft]).toEqual([4, ""]);
  });

  test("that do not exist go to the model as they are", async () => {
    const thread = await opened();
    await say(thread, "/etc/hosts is what?");
    await vi.runAllTimersAsync();
    expect(thread.views[0]?.message.text).toBe("/etc/hosts is what?");
  });
});

test("a conversation that is gone is shown no more, and one that cannot be read just now is", async () => {
  const failing = new Set<string>();
  backend = fakeBackend({ failing });
  const first = backend.world.conversations[0]!;
  const thread = await opened(first.conversation.id);
  failing.add("conversation");
  await thread.load();
  expect([thread.status, thread.error?.code]).toEqual(["ready", "store"]);
  failing.clear();
  backend.world.conversations = [];
  await thread.load();
  expect([thread.status, thread.error?.code]).toEqual(["failed", "not_found"]);
});

describe("drafts", () => {
  test("are saved when the typing pauses, and come back", async () => {
    const thread = await opened();
    thread.type("half a tho");
    await vi.advanceTimersByTimeAsync(399);
    expect(backend.world.drafts.get(null)).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect((await opened()).draft).toBe("half a tho");
  });

  test("are saved at once when the person turns away", async () => {
    const thread = await opened();
    thread.type("half");
    await thread.leave();
    expect(backend.world.drafts.get(null)).toBe("half");
  });

  test("are gone once the message is on disk, and not before", async () => {
    const thread = await opened();
    thread.type("hello");
    await vi.advanceTimersByTimeAsync(400);
    const sending = thread.send();
    expect(backend.world.drafts.get(null)).toBe("hello");
    await sending;
    expect(backend.world.drafts.get(null)).toBe("");
  });

  test("that arrive late do not overwrite what is typed", async () => {
    backend.world.drafts.set(null, "old");
    const thread = new Thread(null, backend, listener);
    const opening = thread.open();
    thread.type("new");
    await opening;
    expect(thread.draft).toBe("new");
  });
});

describe("what heals", () => {
  test("waits no longer when the person says so", async () => {
    const thread = await opened();
    await say(thread, "I am very busy");
    await vi.advanceTimersByTimeAsync(1000);
    const waiting = thread.turn?.waitingUntil !== null;
    thread.skipWait();
    await vi.advanceTimersByTimeAsync(2000);
    expect([waiting, read(thread)]).toEqual([true, [["I am very busy", "Thank you for waiting. Here I am.", "complete"]]]);
  });

  test("may leave the question to the other model", async () => {
    const thread = await opened();
    await say(thread, "wrong key");
    await vi.runAllTimersAsync();
    await thread.retryWithAlternative(thread.views[0]!.message.id);
    await vi.runAllTimersAsync();
    expect([read(thread), thread.views[0]?.failure]).toEqual([[["wrong key", "I am gpt-5-mini, and I answer in its place.", "complete"]], null]);
  });
});

describe("a message that waits for the network", () => {
  async function waiting(): Promise<{ chat: Chat; thread: Thread }> {
    const chat = new Chat(backend, { ...listener, settled: (thread) => void thread.load() });
    const thread = chat.current;
    await thread.open();
    await say(thread, "I am offline");
    await vi.advanceTimersByTimeAsync(3000);
    return { chat, thread };
  }

  test("is known to wait", async () => {
    const { thread } = await waiting();
    expect([thread.waits, backend.world.queue, thread.busy]).toEqual([true, [thread.views[0]!.message.id], false]);
  });

  test("is sent now, and its answer arrives though nobody here asked for it", async () => {
    const { chat, thread } = await waiting();
    expect(await chat.sendQueued()).toBeNull();
    await vi.runAllTimersAsync();
    expect([thread.waits, thread.list[0]?.answer?.message.state]).toEqual([false, "complete"]);
  });

  test("is not sent when the person does not want it any more, and can be asked again", async () => {
    const { chat, thread } = await waiting();
    expect(await chat.cancelQueued(thread.views[0]!.message.id)).toBeNull();
    await vi.advanceTimersByTimeAsync(0);
    expect([thread.waits, backend.world.queue, thread.views[0]?.failure?.next]).toEqual([false, [], "retry"]);
  });

  test("that could not be sent says why", async () => {
    const { chat } = await waiting();
    backend.sendQueuedNow = () => Promise.reject(new Error("The disk is full."));
    expect((await chat.sendQueued())?.message).toBe("The disk is full.");
  });
});
