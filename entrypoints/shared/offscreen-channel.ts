/** The channel to the offscreen document, as pages and the background use it. */
import { FROM_OFFSCREEN, type OffscreenCommand, type OffscreenEvent, TO_OFFSCREEN } from "./messages.ts";

export interface OffscreenChannel {
  /** Sends a command: at once when the document is ready, else as soon as it is. */
  send(command: OffscreenCommand): void;
  /**
   * Sends hellos until the document has responded: it is there before its script listens.
   *
   * @param onHello called before each hello, with the count of those before it
   */
  waitUntilReady(onHello?: (count: number) => void): Promise<void>;
  /** Notes that the document has ended: what is sent from now on is for the next one. */
  noteEnd(): void;
  close(): void;
}

/** Milliseconds between two hellos. */
const HELLO_INTERVAL = 100;

/** Listens from now on, so that nothing is missed. */
export function openOffscreenChannel(onEvent: (event: OffscreenEvent) => void = () => {}): OffscreenChannel {
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
    async waitUntilReady(onHello = () => {}) {
      for (let count = 0; !isReady; count++) {
        onHello(count);
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
