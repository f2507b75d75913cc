// What the fake answers: chosen by words in the question, so that every state of the chat can be brought about by hand.
import type { FailureView, HealingNote, MemoryChange } from "../types";

/** One thing that the fake does in a turn, in order. */
export type Step =
  | { type: "wait"; milliseconds: number }
  | { type: "say"; text: string }
  | { type: "heal"; note: HealingNote }
  | { type: "remember"; words: string; kind: MemoryChange["kind"] }
  | { type: "rememberLater"; words: string }
  | { type: "cutByLimit" }
  /** What was said is taken back. */
  | { type: "withdraw" }
  /** No model answers: what follows comes from memory. */
  | { type: "alone" }
  | { type: "fail"; failure: FailureView };

const markdown = `Here is a bit of everything.

## A heading

A paragraph with **bold**, *italic*, \`code\` and a [link](https://example.org/a "Example").

- one
- two
  - nested
- [x] done
- [ ] not done

> A quotation, in one sentence.

| Left | Right |
| :--- | ---: |
| apples | 3 |
| pears | 12 |

\`\`\`typescript
interface Fact { subject: string; relation: string; value: string }

export const sentence = (fact: Fact): string =>
  \`\${fact.subject} \${fact.relation} \${fact.value}\`; // one line
\`\`\`

<script>alert("shown, not run")</script>

![a picture](https://example.org/picture.png)
`;

const paragraph =
  "Long answers have to stay smooth: finished paragraphs are left alone, and only the last one is drawn again while it grows. ";

/** The steps that answer `text`. */
export function stepsFor(text: string): Step[] {
  const asked = text.toLowerCase();
  const think: Step = { type: "wait", milliseconds: 500 };
  if (asked.includes("wrong key")) {
    return [think, fail("credentials", "OpenRouter refuses the key. It may have been deleted or mistyped.", "enterKey", { alternative: "gpt-5-mini · OpenAI" })];
  }
  if (asked.includes("no credit")) {
    return [think, fail("credit", "The account at OpenRouter has no credit left.", "addCredit", { alternative: "gpt-5-mini · OpenAI" })];
  }
  if (asked.includes("no model")) {
    return [think, fail("unknown_model", "OpenRouter has no model called “claude-hiku-4.5”.", "chooseModel")];
  }
  if (asked.includes("offline")) {
    return [
      think,
      heal("network", "There is no connection. Waiting 1 s, then asking again.", "There was no connection; waited 1 s.", "wait", 1),
      { type: "wait", milliseconds: 1000 },
      heal("network", "There is no connection. Your message waits for it.", "There was no connection; kept your message for when the network is back.", "queue"),
      fail("network", "There is no connection to the internet. Your message is kept, and is sent by itself when it is back.", "retry", { queued: true }),
    ];
  }
  if (asked.includes("no file")) {
    return [think, fail("engine_missing", "The built-in engine or its model is not on this computer. Run the set-up again, or choose another provider.", "openSettings")];
  }
  if (asked.includes("engine")) {
    return [
      think,
      heal("engine_exited", "The built-in model ended. Starting it again.", "The built-in model ended; started it again.", "restart_engine"),
      { type: "wait", milliseconds: 800 },
      fail("engine_out_of_memory", "The built-in model was ended: there is not enough memory for it.", "restartEngine", { alternative: "claude-haiku-4.5 · OpenRouter" }),
    ];
  }
  if (asked.includes("damaged")) {
    return [think, fail("store_corrupt", "Atlas’s database is damaged, so this could not be kept. A backup can be restored.", "openHealth")];
  }
  if (asked.includes("break off")) {
    return [think, say("The first half of a thought that"), fail("truncated_stream", "The answer broke off.", "retry")];
  }
  if (asked.includes("human")) {
    return [
      think,
      say("Of course, I am a human being, and I live in a small house by the sea."),
      { type: "withdraw" },
      heal("rule_broken", "claude-haiku-4.5 passed itself off as a human. Asking for another answer.", "claude-haiku-4.5 passed itself off as a human; asked for another answer.", "regenerate"),
      { type: "wait", milliseconds: 900 },
      say("I am an assistant made of software, not a human being."),
    ];
  }
  if (asked.includes("alone")) {
    return [
      think,
      heal("server", "OpenRouter has a fault of its own. Answering from memory alone.", "OpenRouter had a fault of its own; answered from memory alone.", "answer_from_memory"),
      { type: "alone" },
      say("From what you told me: you live in Porto, and Mia gets carsick."),
    ];
  }
  if (asked.includes("busy")) {
    const seconds = asked.includes("very busy") ? 30 : 2;
    return [
      think,
      heal("rate_limit", `OpenRouter is busy. Waiting ${seconds} s, then asking again.`, `OpenRouter was busy; waited ${seconds} s.`, "wait", seconds),
      { type: "wait", milliseconds: seconds * 1000 },
      say("Thank you for waiting. Here I am."),
    ];
  }
  if (asked.includes("cut")) {
    return [think, say("This answer is longer than the limit, and so it ends in the middle of"), { type: "cutByLimit" }];
  }
  if (asked.includes("markdown")) return [think, say(markdown)];
  if (asked.includes("very long")) {
    return [think, say(Array.from({ length: 900 }, (_, n) => `${n + 1}. ${paragraph}\n\n`).join(""))];
  }
  if (asked.includes("long")) return [think, say(Array.from({ length: 40 }, () => paragraph + paragraph).join("\n\n"))];

  const remembered = /^remember (?:that )?(.+?)[.!]?$/is.exec(text.trim());
  if (remembered) {
    return [
      { type: "remember", words: remembered[1]!, kind: "added" },
      think,
      say("I will remember that."),
    ];
  }
  if (asked.includes("i live in")) {
    const place = /i live in ([\p{L} -]+)/iu.exec(text)?.[1]?.trim() ?? "there";
    return [think, say(`${place}, good to know.`), { type: "rememberLater", words: text.trim() }];
  }
  return [
    think,
    say(
      `You said: “${text.trim().slice(0, 200)}”.\n\nI am the stand-in that answers while no model is there, ` +
        "so this is all I can say. Try words such as *markdown*, *long*, *very busy*, *wrong key*, *offline*, *human*, *alone* or *cut*.",
    ),
  ];
}

function say(text: string): Step {
  return { type: "say", text };
}

function heal(code: string, line: string, past: string, remedy: string, waitSeconds = 0): Step {
  return { type: "heal", note: { code, line, past, waitSeconds, remedy } };
}

function fail(code: string, message: string, next: FailureView["next"], more: Partial<FailureView> = {}): Step {
  return { type: "fail", failure: { code, message, next, alternative: null, service: null, queued: false, ...more } };
}
