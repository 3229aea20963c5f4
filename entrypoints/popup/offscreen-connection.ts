/** Connects the page with the offscreen document, which runs the uploads and alone writes their list. */
import { signal } from "@preact/signals";
import { OFFSCREEN_LOCK, type OffscreenCommand, type OffscreenEvent } from "../shared/messages.ts";
import { type OffscreenChannel, openOffscreenChannel } from "../shared/offscreen-channel.ts";

/** True if the uploads have answered; `false` once that takes too long. */
export const isResponding = signal<boolean | undefined>(undefined);
/** How often they have answered, this page or another one of the extension. */
export const answerCount = signal(0);
const CONNECT_TIMEOUT = 10_000;

let channel: OffscreenChannel | undefined;

/** Sends a command as soon as there is a document that takes it. */
export function send(command: OffscreenCommand): void {
  channel?.send(command);
}

/** Listens from now on, so that nothing is missed between reading the list and connecting. */
export function listen(onEvent: (event: OffscreenEvent) => void): void {
  channel = openOffscreenChannel((event) => {
    if (event.type !== "ready") return onEvent(event);
    isResponding.value = true;
    answerCount.value++;
  });
}

/** Has the offscreen document made, and resolves when it is ready. One that dies later is made again. */
export async function connect(): Promise<void> {
  const late = setTimeout(() => {
    isResponding.value = false;
  }, CONNECT_TIMEOUT);
  await channel?.waitUntilReady();
  clearTimeout(late);
  void reconnectForever();
}

async function reconnectForever(): Promise<void> {
  for (;;) {
    // Nobody gets it while the document lives.
    await navigator.locks.request(OFFSCREEN_LOCK, { mode: "shared" }, () => channel?.noteEnd());
    await channel?.waitUntilReady();
  }
}
