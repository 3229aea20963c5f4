/** Connects the page with the offscreen document, which runs the uploads and alone writes their list. */
import { callBackground, OFFSCREEN_LOCK, type OffscreenEvent } from "../shared/messages.ts";
import { type OffscreenChannel, openOffscreenChannel } from "../shared/offscreen-channel.ts";

export interface OffscreenConnection extends Pick<OffscreenChannel, "send"> {
  /** Has the offscreen document made, and resolves when it is ready. One that dies later is made again. */
  connect(): Promise<void>;
}

/** Hellos until the background is called once more to make the document. */
const HELLOS_PER_CALL = 50;

/** Listens from now on, so that nothing is missed between reading the list and connecting. */
export function openOffscreenConnection(onEvent: (event: OffscreenEvent) => void): OffscreenConnection {
  const channel = openOffscreenChannel(onEvent);

  function reach(): Promise<void> {
    return channel.waitUntilReady((count) => {
      // The background's worker may have died while it was called. A document that is there needs none.
      if (count % HELLOS_PER_CALL === 0) callBackground("ensure-offscreen", {}).catch(() => {});
    });
  }

  async function reconnectForever(): Promise<void> {
    for (;;) {
      // Nobody gets it while the document lives.
      await navigator.locks.request(OFFSCREEN_LOCK, { mode: "shared" }, channel.noteEnd);
      await reach();
    }
  }

  return {
    send: channel.send,
    async connect() {
      await reach();
      void reconnectForever();
    },
  };
}
