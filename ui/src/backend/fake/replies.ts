// What the fake answers: chosen by words in the question, so that every state of the chat can be brought about by hand.
import type { FailureView, HealingNote, MemoryChange } from "../types";

/** One thing that the fake does in a turn, in order. */
export type Step =
  | { type: "wait"; milliseconds: number }
  | { type: "say"; text: string }
  | { type: "heal"; note: HealingNote }
  | { type: "remember"; sentence: string; kind: MemoryChange["kind"] }
  | { type: "rememberLater"; sentence: string }
  | { type: "cutByLimit" }
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
    return [think, fail("credentials", "OpenRouter refuses the key. It may have been deleted or mistyped.", "enterKey")];
  }
  if (asked.includes("no credit")) {
    return [think, fail("credit", "The account at OpenRouter has no credit left.", "addCredit")];
  }
  if (asked.includes("no model")) {
    return [think, fail("unknown_model", "OpenRouter has no model called “claude-hiku-4.5”.", "chooseModel")];
  }
  if (asked.includes("offline")) {
    return [
      think,
      heal("network", "There is no connection. Waiting 1 s, then asking again.", 1),
      { type: "wait", milliseconds: 1000 },
      heal("network", "There is no connection. Waiting 2 s, then asking again.", 2),
      { type: "wait", milliseconds: 2000 },
      fail("network", "OpenRouter could not be reached. Your message is kept; ask again when you are online.", "retry"),
    ];
  }
  if (asked.includes("break off")) {
    return [think, say("The first half of a thought that"), fail("truncated_stream", "The answer broke off.", "retry")];
  }
  if (asked.includes("busy")) {
    return [
      think,
      heal("rate_limit", "OpenRouter is busy. Waiting 2 s, then asking again.", 2),
      { type: "wait", milliseconds: 2000 },
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
      { type: "remember", sentence: aboutYou(remembered[1]!), kind: "added" },
      think,
      say("I will remember that."),
    ];
  }
  if (asked.includes("i live in")) {
    const place = /i live in ([\p{L} -]+)/iu.exec(text)?.[1]?.trim() ?? "there";
    return [think, say(`${place}, good to know.`), { type: "rememberLater", sentence: `You live in ${place}` }];
  }
  return [
    think,
    say(
      `You said: “${text.trim().slice(0, 200)}”.\n\nI am the stand-in that answers while no model is there, ` +
        "so this is all I can say. Try words such as *markdown*, *long*, *busy*, *wrong key*, *offline* or *cut*.",
    ),
  ];
}

function say(text: string): Step {
  return { type: "say", text };
}

function heal(code: string, line: string, waitSeconds: number): Step {
  return { type: "heal", note: { code, line, waitSeconds } };
}

function fail(code: string, message: string, next: FailureView["next"]): Step {
  return { type: "fail", failure: { code, message, next } };
}

/** "I live in X" as a sentence about the person. */
export function aboutYou(said: string): string {
  const sentence = said.replace(/^i am\b/i, "You are").replace(/^i\b/i, "You").replace(/^my\b/i, "Your");
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
