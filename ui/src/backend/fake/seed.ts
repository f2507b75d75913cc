// What the fake knows at its start: a small, believable life.
import type {
  BehaviorSpec,
  Conversation,
  Episode,
  Fact,
  Message,
  MessageView,
  PresetView,
  Procedure,
  UsedMemory,
} from "../types";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A moment, so many milliseconds before `now`, as the core writes it. */
export function ago(now: number, milliseconds: number): string {
  return new Date(now - milliseconds).toISOString();
}

export const presets: PresetView[] = [
  { preset: "builtIn", name: "Built-in model", baseUrl: "", key: "none", defaultModel: "", keyPage: null },
  {
    preset: "openRouter",
    name: "OpenRouter",
    baseUrl: "https://openrouter.ai/api/v1",
    key: "required",
    defaultModel: "anthropic/claude-haiku-4.5",
    keyPage: "https://openrouter.ai/keys",
  },
  {
    preset: "openAi",
    name: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    key: "required",
    defaultModel: "gpt-5-mini",
    keyPage: "https://platform.openai.com/api-keys",
  },
  { preset: "ollama", name: "Ollama", baseUrl: "http://127.0.0.1:11434/v1", key: "none", defaultModel: "", keyPage: null },
  { preset: "lmStudio", name: "LM Studio", baseUrl: "http://127.0.0.1:1234/v1", key: "none", defaultModel: "", keyPage: null },
  { preset: "llamaCpp", name: "llama.cpp server", baseUrl: "http://127.0.0.1:8080/v1", key: "optional", defaultModel: "", keyPage: null },
  { preset: "custom", name: "Another server", baseUrl: "", key: "optional", defaultModel: "", keyPage: null },
];

export const defaultSpec: BehaviorSpec = {
  identity: { name: "Atlas", role: "Personal AI Assistant with Cognitive Memory", version: "1.0" },
  personality: { tone: "warm but direct", verbosity: "concise unless asked to elaborate", formality: "casual professional" },
  never: [
    { text: "pretend to be human", hard: true },
    { text: "provide medical or legal advice", hard: true },
    { text: "share information from other users", hard: true },
  ],
  always: [
    { text: "acknowledge uncertainty explicitly", hard: true },
    { text: "reference relevant memories when available", hard: false },
    { text: "ask for clarification rather than guessing", hard: false },
  ],
  decisionRules: [
    {
      condition: "user expresses frustration",
      action: "switch to empathetic mode, acknowledge the frustration, offer concrete help",
    },
    {
      condition: "user asks about previous conversation",
      action: "search episodic memory first, then semantic memory",
    },
    {
      condition: "task fails",
      action: "engage self-healing: reflect, diagnose, store lesson, retry with new strategy",
    },
  ],
  escalationTriggers: [],
  memoryDirectives: {
    storeFacts: "when the person shares personal information or preferences",
    storeEpisodes: "after each turn with the key topics",
    storeProcedures: "when recovering from an error",
  },
  sealedTopics: [],
};

/** What one seeded exchange is made of. */
interface Exchange {
  asked: string;
  answered: string;
  used?: UsedMemory[];
  learned?: string[];
  healed?: string;
  cost?: number;
}

interface SeedConversation {
  title: string;
  age: number;
  exchanges: Exchange[];
}

const life: SeedConversation[] = [
  {
    title: "Trip to Lisbon in June",
    age: 20 * MINUTE,
    exchanges: [
      {
        asked: "We are going to Lisbon in June, Mia is coming too. Any ideas that are not museums?",
        answered:
          "Lovely. Since Mia gets carsick and you both like the water, I would stay near the river and use trains.\n\n" +
          "Three days that work without a car:\n\n" +
          "1. **The ferry to Cacilhas** and the walk to the lookout\n" +
          "2. **The beach train to Carcavelos**, 40 minutes along the river\n" +
          "3. **A slow morning in the greenhouse gardens**, where it is cool\n",
        used: [
          { memory: { type: "fact", id: 2 }, sentence: "Mia gets carsick, even on short trips" },
          { memory: { type: "fact", id: 6 }, sentence: "Mia and I like the water" },
          { memory: { type: "episode", id: 2 }, sentence: "In March 2024 you stayed in Alfama, in the flat with the blue door" },
        ],
        learned: ["We are going to Lisbon in June", "Mia is coming too."],
        cost: 0.0011,
      },
      {
        asked: "And where did we stay last time?",
        answered:
          "In Alfama, in March 2024, in the flat with the blue door. You said the stairs were too much for your knee, " +
          "so perhaps somewhere flatter this time?",
        used: [
          { memory: { type: "episode", id: 2 }, sentence: "In March 2024 you stayed in Alfama, in the flat with the blue door" },
          { memory: { type: "fact", id: 7 }, sentence: "The stairs in Alfama were too much for my knee" },
        ],
        healed: "OpenRouter was busy; waited 4 s.",
        cost: 0.0009,
      },
    ],
  },
  {
    title: "Why the sourdough fell flat",
    age: 3 * HOUR,
    exchanges: [
      {
        asked: "My sourdough collapsed again when I scored it. What am I doing wrong?",
        answered:
          "A loaf that sinks when it is scored has usually **proofed too long**.\n\n" +
          "| Sign | Too long | Too short |\n| --- | --- | --- |\n| Poke test | dent stays | springs back at once |\n| Crumb | flat, even | tight, with a few caverns |\n\n" +
          "In a kitchen at 24 °C, try ending the bulk rise about an hour earlier and see whether it holds.",
        cost: 0.0007,
      },
    ],
  },
  {
    title: "Rust lifetimes, once more",
    age: 28 * HOUR,
    exchanges: [
      {
        asked: "Why does the compiler want a lifetime here?",
        answered:
          "Because the function returns a reference and there are *two* it could come from. Say which:\n\n" +
          "```rust\n/// The longer of two texts.\nfn longer<'a>(one: &'a str, other: &'a str) -> &'a str {\n    if one.len() >= other.len() { one } else { other }\n}\n```\n\n" +
          "With `'a` on both, the result may be used only as long as both texts live.",
        cost: 0.0013,
      },
    ],
  },
  {
    title: "Letter to the landlord",
    age: 5 * DAY,
    exchanges: [
      {
        asked: "Help me write two polite sentences to the landlord about the heating.",
        answered: "> The heating in the living room has not worked since Monday. Could you tell me this week when somebody can come?",
      },
    ],
  },
  {
    title: "Names for the boat",
    age: 6 * DAY,
    exchanges: [{ asked: "We need a name for the little blue boat.", answered: "*Gaivota*, *Second Wind*, or simply *Azul*." }],
  },
  {
    title: "Reading list for the winter",
    age: 19 * DAY,
    exchanges: [{ asked: "What should I read this winter?", answered: "Three short ones to begin with." }],
  },
  {
    title: "علم الفلك للمبتدئين",
    age: 64 * DAY,
    exchanges: [{ asked: "ما هو أقرب نجم إلى الشمس؟", answered: "أقرب نجم إلى الشمس هو **بروكسيما سنتوري**، على بعد 4.24 سنة ضوئية." }],
  },
  {
    title: "週末の献立",
    age: 3 * DAY,
    exchanges: [{ asked: "好きな食べ物は味噌ラーメンだけど、卵アレルギーがあるんだ。週末は何を作ろう？", answered: "卵なしの味噌ラーメンはどうでしょう。コーンとバターがよく合います。" }],
  },
  {
    title: "Besuch von Lena",
    age: 8 * DAY,
    exchanges: [
      {
        asked: "Meine Schwester Lena arbeitet als Hebamme in Dresden und isst kein Fleisch mehr. Sie kommt morgen um neun zu Besuch. Was koche ich?",
        answered: "Wie wäre es mit Kartoffelsuppe und danach einem Pflaumenkuchen?",
      },
    ],
  },
  {
    title: "Clases de acordeón",
    age: 15 * DAY,
    exchanges: [{ asked: "Ya no toco la guitarra, ahora aprendo acordeón con Tomás los jueves. ¿Con qué canción empiezo?", answered: "Con un vals lento: la mano izquierda tiene tiempo de pensar." }],
  },
  {
    title: "عرس سلمى",
    age: 21 * DAY,
    exchanges: [{ asked: "أختي سلمى تعيش في بيروت وستتزوج في مارس. ماذا أهديها؟", answered: "هدية صغيرة من مدينتك ستسعدها أكثر من أي شيء كبير." }],
  },
];

export interface SeededConversation {
  conversation: Conversation;
  messages: MessageView[];
}

/** The conversations and everything in them. `next` hands out ids. */
export function seedConversations(now: number, next: () => number): SeededConversation[] {
  return life.map(({ title, age, exchanges }) => {
    const id = next();
    const messages = exchanges.flatMap((exchange, index) => {
      const at = ago(now, age + (exchanges.length - index) * 2 * MINUTE);
      const turn = next();
      const base = { conversation: id, turn, at, state: "complete" as const };
      const none = { promptTokens: null, completionTokens: null, cost: null };
      const asked: Message = { ...base, id: next(), role: "user", text: exchange.asked, model: null, usage: none };
      const answered: Message = {
        ...base,
        id: next(),
        role: "assistant",
        text: exchange.answered,
        model: "anthropic/claude-haiku-4.5",
        usage: exchange.cost ? { promptTokens: 1210, completionTokens: 164, cost: exchange.cost } : none,
      };
      const changes = (exchange.learned ?? []).map((words) => ({
        event: next(),
        kind: "added" as const,
        fact: null,
        sentence: words,
        message: asked.id,
      }));
      const healing = exchange.healed ? [{ code: "rate_limit", line: exchange.healed, past: exchange.healed, waitSeconds: 4, remedy: "wait" }] : [];
      return [
        { message: asked, used: [], edited: false, changes, healing, failure: null },
        { message: answered, used: exchange.used ?? [], edited: false, changes: [], healing: [], failure: null },
      ];
    });
    const last = messages[messages.length - 1]!.message.at;
    const first = messages[0]!.message.at;
    return { conversation: { id, title, createdAt: first, updatedAt: last, snippet: null }, messages };
  });
}

interface FactMore extends Partial<Fact> {
  /** In how many days from now the date is that the words mean, and at what time. */
  due?: [days: number, time?: string];
}

type FactSeed = [subject: string, relation: string, value: string, quote: string, days: number, used: number, more?: FactMore];

const factSeeds: FactSeed[] = [
  ["user", "lives in", "Porto", "I live in Porto", 24, 14, { replaced: ["Berlin", "Gdańsk"], pinned: true }],
  ["Mia", "gets", "carsick", "Mia gets carsick, even on short trips", 43, 3, { topic: "health" }],
  ["user", "prefers", "short answers and metric units", "I prefer short answers and metric units", 55, 61],
  ["user", "is learning", "Portuguese", "How do I say “the tide is out” in Portuguese?", 12, 0, { origin: "inferred", confidence: 0.7 }],
  ["Raj", "speaks", "Hindi, English and a bit of French", "Raj speaks Hindi, English and a bit of French", 58, 0],
  ["user", "likes", "the water", "Mia and I like the water", 61, 5],
  ["user", "said", "The stairs in Alfama were too much for my knee", "The stairs in Alfama were too much for my knee", 200, 2, { topic: "health" }],
  ["user", "works as", "a marine engineer", "I work as a marine engineer", 90, 8, { topic: "work" }],
  ["user", "has", "a little blue boat", "We have a little blue boat", 6, 1],
  ["user", "bakes", "sourdough on Sundays", "I bake sourdough on Sundays", 30, 4],
  ["user", "likes", "味噌ラーメン", "好きな食べ物は味噌ラーメンだけど、卵アレルギーがあるんだ。", 3, 1, { topic: "food" }],
  ["user", "is allergic to", "卵", "好きな食べ物は味噌ラーメンだけど、卵アレルギーがあるんだ。", 3, 0, { topic: "health" }],
  ["Lena", "works as", "Hebamme", "Meine Schwester Lena arbeitet als Hebamme in Dresden und isst kein Fleisch mehr.", 8, 2],
  ["Lena", "works in", "Dresden", "Meine Schwester Lena arbeitet als Hebamme in Dresden und isst kein Fleisch mehr.", 8, 0],
  ["Lena", "eats", "Fleisch", "Meine Schwester Lena arbeitet als Hebamme in Dresden und isst kein Fleisch mehr.", 8, 0, { polarity: "ended", topic: "food" }],
  ["Lena", "visits", "zu Besuch", "Sie kommt morgen um neun zu Besuch.", 8, 0, { timeWords: "morgen um neun", due: [-7, "09:00"] }],
  ["user", "plays", "la guitarra", "Ya no toco la guitarra, ahora aprendo acordeón con Tomás los jueves.", 15, 1, { polarity: "ended", topic: "music" }],
  ["user", "is learning", "acordeón", "Ya no toco la guitarra, ahora aprendo acordeón con Tomás los jueves.", 15, 3, { topic: "music" }],
  ["user's sister", "name", "سلمى", "أختي سلمى تعيش في بيروت وستتزوج في مارس.", 21, 1, { topic: "family" }],
  ["سلمى", "lives in", "بيروت", "أختي سلمى تعيش في بيروت وستتزوج في مارس.", 21, 4],
  ["سلمى", "marries", "ستتزوج", "أختي سلمى تعيش في بيروت وستتزوج في مارس.", 21, 0, { timeWords: "في مارس", date: "2027-03", topic: "family" }],
  ["user", "has an appointment with", "Dr Okafor", "I see Dr Okafor about my knee next Thursday at half past three.", 4, 0, { timeWords: "next Thursday at half past three", due: [6, "15:30"], topic: "health" }],
  ["user", "has", "children", "I don’t have any children", 72, 1, { polarity: "denied", topic: "family" }],
  [
    "user",
    "grandmother’s recipe",
    "pierogi",
    "My grandmother’s recipe for pierogi wants 500 g of flour, one egg, a cup of warm water and a pinch of salt for the dough, and for the filling as much curd cheese as potatoes, fried onions, and far more pepper than one would believe; it rests for half an hour under a bowl, and whoever lifts the bowl before that does the dishes",
    5,
    2,
    { origin: "imported" },
  ],
  ["user", "flat", "no heating surcharge until 2027", "The tenant pays no heating surcharge until 2027.", 2, 0, { origin: "document", confidence: 0.9 }],
];

/** Where these words were said. */
function sourceOf(conversations: readonly SeededConversation[], index: number, quote: string): Pick<Fact, "sourceMessage" | "sourceConversation"> {
  const asked = conversations.flatMap((entry) => entry.messages).find(({ message }) => index < 3 || (message.role === "user" && message.text.includes(quote)));
  return { sourceMessage: asked?.message.id ?? null, sourceConversation: asked?.message.conversation ?? null };
}

/** A date without a zone, as the core writes it. */
function isoDate(at: Date, time?: string): string {
  const two = (part: number) => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}${time ? `T${time}` : ""}`;
}

/** The facts, and enough small ones to make a list that scrolls. */
export function seedFacts(now: number, conversations: readonly SeededConversation[], count: number): Fact[] {
  const make = ([subject, relation, value, quote, days, used, more = {}]: FactSeed, index: number): Fact => {
    const { due, ...extra } = more;
    return {
      id: index + 1,
      subject,
      relation,
      value,
      polarity: "holds",
      quote,
      saidAt: ago(now, days * DAY),
      timeWords: null,
      date: due ? isoDate(new Date(now + due[0] * DAY), due[1]) : null,
      topic: null,
      confidence: 1,
      origin: "said",
      ...sourceOf(index < factSeeds.length ? conversations : [], index, quote),
      validFrom: ago(now, days * DAY),
      validTo: null,
      recordedAt: ago(now, days * DAY),
      retiredAt: null,
      replaced: [],
      useCount: used,
      lastUsedAt: used ? ago(now, DAY) : null,
      pinned: false,
      ...extra,
    };
  };
  const filler = Array.from({ length: Math.max(0, count - factSeeds.length) }, (_, index): FactSeed => {
    const book = `the book no. ${index + 1} on the shelf`;
    return ["user", "has read", book, `I have read ${book}`, 210 + index, index % 7];
  });
  return [...factSeeds, ...filler].map(make);
}

/** What held before: history of the facts. */
export function seedPast(now: number, next: () => number): Fact[] {
  const span = (from: number, to: number): Partial<Fact> => ({
    saidAt: ago(now, from * DAY),
    validFrom: ago(now, from * DAY),
    recordedAt: ago(now, from * DAY),
    validTo: ago(now, to * DAY),
    retiredAt: ago(now, to * DAY),
  });
  const older: [string, number, number, number][] = [
    ["Berlin", 900, 24, 9],
    ["Gdańsk", 2600, 1100, 2],
  ];
  const porto = seedFacts(now, [], 0)[0]!;
  return older.map(([value, from, to, used]) => ({
    ...porto,
    ...span(from, to),
    id: next(),
    value,
    quote: `I live in ${value}`,
    sourceMessage: null,
    sourceConversation: null,
    replaced: [],
    useCount: used,
    pinned: false,
  }));
}

export function seedEpisodes(now: number, conversations: SeededConversation[]): Episode[] {
  const texts: [string, Episode["kind"], number][] = [
    ["Planned a trip to Lisbon in June with Mia, without a car; ferry, beach train and gardens were proposed.", "note", 0.1],
    ["In March 2024 you stayed in Alfama, in the flat with the blue door.", "summary", 200],
    ["Found out why the sourdough collapsed: it had proofed too long.", "summary", 0.2],
    ["Talked about lifetimes in Rust and why the compiler asks for them.", "summary", 1],
    ["Wrote two sentences to the landlord about the heating.", "summary", 5],
  ];
  return texts.map(([text, kind, days], index) => ({
    id: index + 1,
    kind,
    text,
    at: ago(now, days * DAY),
    conversation: conversations[index]?.conversation.id ?? null,
    conversationTitle: conversations[index]?.conversation.title ?? null,
    sourceMessage: conversations[index]?.messages[0]?.message.id ?? null,
    useCount: index,
  }));
}

export function seedProcedures(now: number): Procedure[] {
  return [
    {
      id: 1,
      trigger: "OpenRouter is busy (rate limit)",
      strategy: "Wait as long as it asks, then ask again",
      category: "rate_limit",
      remedy: "wait",
      lesson: "It asks for 2 to 8 seconds; one wait was always enough.",
      lessonBy: "model",
      successes: 9,
      failures: 1,
      reliability: 10 / 12,
      retired: false,
      createdAt: ago(now, 40 * DAY),
      lastUsedAt: ago(now, 20 * MINUTE),
    },
    {
      id: 2,
      trigger: "There is no model “claude-hiku-4.5” at OpenRouter",
      strategy: "Ask for another model",
      category: "unknown_model",
      remedy: "ask_person",
      lesson: null,
      lessonBy: null,
      successes: 0,
      failures: 3,
      reliability: 1 / 5,
      retired: true,
      createdAt: ago(now, 33 * DAY),
      lastUsedAt: ago(now, 33 * DAY),
    },
  ];
}
