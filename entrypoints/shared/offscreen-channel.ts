/** The channel to the offscreen document, as pages and the background use it. */
import {
  callBackground,
  FROM_OFFSCREEN,
  type OffscreenCommand,
  type OffscreenEvent,
  TO_OFFSCREEN,
} from "./messages.ts";

export interface OffscreenChannel {
  /** Sends a command: at once when the document is ready, else as soon as it is. */
  send(command: OffscreenCommand): void;
  /** Has the document made, and sends hellos until it has responded: it is there before its script listens. */
  waitUntilReady(): Promise<void>;
  /** Notes that the document has ended: what is sent from now on is for the next one. */
  noteEnd(): void;
  close(): void;
}

const HELLO_INTERVAL = 100;

/** Hellos until the document is made once more. */
const HELLOS_PER_CALL = 50;

/**
 * Listens from now on, so that nothing is missed.
 *
 * @param make makes the document, unless there is one. @default asks the background for it
 */
export function openOffscreenChannel(
  onEvent: (event: OffscreenEvent) => void = () => {},
  make: () => Promise<unknown> = () => callBackground("ensure-offscreen", {}),
): OffscreenChannel {
  const commands = new BroadcastChannel(TO_OFFSCREEN);
  const events = new BroadcastChannel(FROM_OFFSCREEN);
  const unsent: OffscreenCommand[] = [];
  let isReady = false;
  const post = (command: OffscreenCommand) => commands.postMessage(command);
  events.onmessage = ({ data }: MessageEvent<OffscreenEvent>) => {
    if (data.type === "ready") {
      isReady = true;
      for (const command of unsent.splice(0)) post(command);
    }
    onEvent(data);
  };
  return {
    send(command) {
      if (isReady) post(command);
      else unsent.push(command);
    },
    async waitUntilReady() {
      for (let count = 0; !isReady; count++) {
        // The background's worker may have died while it was called. A document that is there needs none.
        if (count % HELLOS_PER_CALL === 0) make().catch(() => {});
        post({ type: "hello" });
        await new Promise((resolve) => setTimeout(resolve, HELLO_INTERVAL));
      }
    },
    noteEnd() {
      isReady = false;
    },
    close() {
      for (const channel of [commands, events]) channel.close();
    },
  };
}
