// Which page is open. The address after `#` holds it, so that Back works and a reload stays where it was.

const memoryKinds = ["facts", "episodes", "procedures", "review", "timeline", "recall"] as const;
export type MemoryKind = (typeof memoryKinds)[number];
const healthParts = ["now", "timeline", "learned", "drift", "log"] as const;
export type HealthPart = (typeof healthParts)[number];
const settingsFields = ["key", "model", "provider", "models"] as const;
/** What is to be looked at in the settings. */
export type SettingsField = (typeof settingsFields)[number];

export type Route =
  | { page: "chat"; conversation: number | null; message: number | null }
  | { page: "memory"; kind: MemoryKind; search: string }
  | { page: "behaviour" }
  | { page: "health"; part: HealthPart }
  | { page: "settings"; field: SettingsField | null };

export type PageName = Route["page"];

/** The chat with nothing in it. */
export const newChat: Route = { page: "chat", conversation: null, message: null };

/** A route as an address: "#/chat/12/345". */
export function toHash(route: Route): string {
  switch (route.page) {
    case "chat":
      return `#/${["chat", route.conversation, route.message].filter((part) => part !== null).join("/")}`;
    case "memory":
      return `#/memory/${route.kind}${route.search ? `/${encodeURIComponent(route.search)}` : ""}`;
    case "behaviour":
      return "#/behaviour";
    case "health":
      return `#/health/${route.part}`;
    case "settings":
      return route.field ? `#/settings/${route.field}` : "#/settings";
  }
}

/** The route of an address; the chat where it is none. */
export function fromHash(hash: string): Route {
  const [page, first = "", second = ""] = hash.replace(/^#\//, "").split("/");
  switch (page) {
    case "memory":
      return {
        page,
        kind: memoryKinds.find((kind) => kind === first) ?? "facts",
        search: decoded(second),
      };
    case "behaviour":
      return { page };
    case "health":
      return { page, part: healthParts.find((part) => part === first) ?? "now" };
    case "settings":
      return { page, field: settingsFields.find((field) => field === first) ?? null };
    default:
      return { page: "chat", conversation: id(first), message: id(second) };
  }
}

function id(text: string): number | null {
  return /^-?\d+$/.test(text) ? Number(text) : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export class Router {
  route = $state.raw<Route>(fromHash(location.hash));

  constructor() {
    // A temporary conversation did not outlive the window that it was in.
    if (this.route.page === "chat" && (this.route.conversation ?? 0) < 0) this.become(newChat);
    addEventListener("hashchange", () => {
      if (toHash(this.route) !== location.hash) this.route = fromHash(location.hash);
    });
  }

  get page(): PageName {
    return this.route.page;
  }

  /** Opens a page. */
  go(route: Route): void {
    this.route = route;
    if (toHash(route) !== location.hash) location.hash = toHash(route);
  }

  /** Gives the open page its proper address, without a step for Back. */
  become(route: Route): void {
    this.route = route;
    history.replaceState(null, "", toHash(route));
  }
}
