// What a person can do about a failure in the chat.
import { BackendError } from "../../backend/backend";
import type { MessageView, ModelChoice, NextStep } from "../../backend/types";
import type { App } from "../../stores/app.svelte";
import type { ConnectionDraft } from "../../stores/connection.svelte";
import { t } from "../../text/text";

/** What only the page itself can do. */
interface Page {
  retry(asked: MessageView): void;
  /** Puts the words back into the box, to be said differently. */
  rephrase(asked: MessageView): void;
}

/** Takes the one step that a failure names. */
export function takeStep(app: App, page: Page, asked: MessageView, step: NextStep): void {
  switch (step) {
    case "retry":
      page.retry(asked);
      return;
    case "enterKey":
      app.router.go({ page: "settings", field: "key" });
      return;
    case "chooseModel":
      app.router.go({ page: "settings", field: "model" });
      return;
    case "openSettings":
      app.router.go({ page: "settings", field: asked.failure?.code === "engine_missing" ? "models" : "provider" });
      return;
    case "addCredit":
      addCredit(app, asked);
      return;
    case "newConversation":
      app.newConversation(asked.message.text);
      return;
    case "rephrase":
      page.rephrase(asked);
      return;
    case "restartEngine":
      void restartEngine(app, page, asked);
      return;
    case "openHealth":
      app.router.go({ page: "health", part: "now" });
      return;
    default:
      step satisfies never;
  }
}

function addCredit(app: App, asked: MessageView): void {
  const endpoint = asked.failure?.service?.endpoint ?? app.settings.view?.settings.endpoint;
  const page = endpoint ? app.settings.preset(endpoint.preset)?.keyPage : null;
  if (page) app.openLink(new URL(page).origin);
  else app.router.go({ page: "settings", field: "provider" });
}

/** Starts the engine afresh, then asks again. */
async function restartEngine(app: App, page: Page, asked: MessageView): Promise<void> {
  try {
    await app.backend.restartEngine();
    page.retry(asked);
  } catch (thrown) {
    app.toasts.say(`${t.chat.engineFailed} ${BackendError.from(thrown).message}`, "bad");
  }
}

/** Puts the model of a form in the place of the one that failed. Returns whether that worked. */
export async function takeModel(app: App, failed: ModelChoice | null, connection: ConnectionDraft): Promise<boolean> {
  const draft = connection.draft;
  if (draft && (await app.settings.replace(failed, draft))) return true;
  app.toasts.say(`${t.settings.saveFailed} ${app.settings.refused?.message ?? ""}`, "bad");
  return false;
}

/** Sends what waits for the network, now. */
export async function sendQueued(app: App): Promise<void> {
  const error = await app.chat.sendQueued();
  if (error) app.toasts.say(`${t.offline.sendFailed} ${error.message}`, "bad");
}

/** A message that waits is not sent by itself any more. */
export async function cancelQueued(app: App, asked: MessageView): Promise<void> {
  const error = await app.chat.cancelQueued(asked.message.id);
  if (error) app.toasts.say(error.message, "bad");
}
