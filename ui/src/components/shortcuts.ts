// The keys that work everywhere. Pure: what a press means, not what then happens.

export type Shortcut =
  | "newConversation"
  | "search"
  | "settings"
  | "chat"
  | "memory"
  | "behaviour"
  | "health"
  | "sidebar"
  | "this"
  | "undo"
  | "zoomIn"
  | "zoomOut"
  | "zoomReset"
  | "stop";

interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

const withControl: Record<string, Shortcut> = {
  n: "newConversation",
  k: "search",
  ",": "settings",
  "1": "chat",
  "2": "memory",
  "3": "behaviour",
  "4": "health",
  b: "sidebar",
  "/": "this",
  "+": "zoomIn",
  "=": "zoomIn",
  "-": "zoomOut",
  "0": "zoomReset",
};

/** What a key press asks for; `typing` says whether the focus is in a text box. */
export function shortcutOf(press: KeyPress, typing: boolean): Shortcut | null {
  if (press.altKey) return null;
  if (press.ctrlKey || press.metaKey) {
    if (press.key.toLowerCase() === "z" && !press.shiftKey && !typing) return "undo";
    return withControl[press.key.toLowerCase()] ?? null;
  }
  if (press.key === "Escape") return "stop";
  return press.key === "?" && !typing ? "this" : null;
}

/** The list that a person sees. */
export const shortcuts = [
  { name: "send", keys: ["Enter"] },
  { name: "newline", keys: ["Shift", "Enter"] },
  { name: "commands", keys: ["/"] },
  { name: "stop", keys: ["Esc"] },
  { name: "newConversation", keys: ["Ctrl", "N"] },
  { name: "search", keys: ["Ctrl", "K"] },
  { name: "chat", keys: ["Ctrl", "1"] },
  { name: "memory", keys: ["Ctrl", "2"] },
  { name: "behaviour", keys: ["Ctrl", "3"] },
  { name: "health", keys: ["Ctrl", "4"] },
  { name: "settings", keys: ["Ctrl", ","] },
  { name: "sidebar", keys: ["Ctrl", "B"] },
  { name: "save", keys: ["Ctrl", "S"] },
  { name: "undo", keys: ["Ctrl", "Z"] },
  { name: "move", keys: ["Alt", "↑ ↓"] },
  { name: "rowEdit", keys: ["Enter"] },
  { name: "rowSelect", keys: ["Space"] },
  { name: "rowRange", keys: ["Shift", "↑ ↓"] },
  { name: "rowAll", keys: ["Ctrl", "A"] },
  { name: "rowPin", keys: ["P"] },
  { name: "rowForget", keys: ["Del"] },
  { name: "rowUndo", keys: ["U"] },
  { name: "zoom", keys: ["Ctrl", "+ − 0"] },
  { name: "this", keys: ["Ctrl", "/"] },
] as const;
