// A likeness of the prompt that the core renders from a spec, and of what it finds wrong with one.
import type { BehaviorPreview, BehaviorSpec, Rule, SpecProblem } from "../types";

/** What the model would be told. */
export function preview(spec: BehaviorSpec): BehaviorPreview {
  const { identity, personality, memoryDirectives } = spec;
  const sections = [
    `You are ${identity.name}, a ${identity.role}.`,
    section("PERSONALITY", [
      `- Tone: ${personality.tone}`,
      `- Verbosity: ${personality.verbosity}`,
      `- Formality: ${personality.formality}`,
    ]),
    section("NEVER", spec.never.map(ranked)),
    section("ALWAYS", spec.always.map(ranked)),
    section("DECISION RULES", spec.decisionRules.map((rule) => `- If ${rule.condition}: ${rule.action}`)),
    section("HAND OVER TO A HUMAN WHEN", spec.escalationTriggers.map((trigger) => `- ${trigger}`)),
    section("MEMORY", [
      ...line("Store facts", memoryDirectives.storeFacts),
      ...line("Store episodes", memoryDirectives.storeEpisodes),
      ...line("Store procedures", memoryDirectives.storeProcedures),
    ]),
    section("NEVER STORE", spec.sealedTopics.map((topic) => `- ${topic}`)),
  ];
  const prompt = sections.filter(Boolean).join("\n\n");
  return { prompt, tokens: Math.ceil(prompt.length / 4), problems: problems(spec) };
}

function ranked(rule: Rule, index: number): string {
  return `${index + 1}. ${rule.text}${rule.hard ? "" : " (where it fits)"}`;
}

function line(name: string, text: string): string[] {
  return text.trim() ? [`- ${name}: ${text}`] : [];
}

function section(title: string, lines: string[]): string {
  return lines.length ? `${title}\n${lines.join("\n")}` : "";
}

function problems(spec: BehaviorSpec): SpecProblem[] {
  const empty = "Write something here, or remove it.";
  const found: SpecProblem[] = [];
  const error = (field: string, message: string) => found.push({ field, message, severity: "error" });
  if (!spec.identity.name.trim()) error("identity.name", "Atlas needs a name.");
  for (const list of ["never", "always"] as const) {
    spec[list].forEach((rule, index) => {
      if (!rule.text.trim()) error(`${list}.${index}.text`, empty);
    });
  }
  spec.decisionRules.forEach((rule, index) => {
    if (!rule.condition.trim()) error(`decisionRules.${index}.condition`, empty);
    if (!rule.action.trim()) error(`decisionRules.${index}.action`, empty);
  });
  spec.escalationTriggers.forEach((text, index) => {
    if (!text.trim()) error(`escalationTriggers.${index}`, empty);
  });
  spec.sealedTopics.forEach((text, index) => {
    if (!text.trim()) error(`sealedTopics.${index}`, empty);
  });
  const long = spec.decisionRules.findIndex((rule) => /in full|every step|in detail/i.test(rule.action));
  if (long >= 0 && /short|concise|brief/i.test(spec.personality.verbosity)) {
    const message = `This pulls against Verbosity: “${spec.personality.verbosity}”. Rules come before personality, so such answers would be long.`;
    found.push({ field: `decisionRules.${long}.action`, message, severity: "warning" });
  }
  return found;
}
