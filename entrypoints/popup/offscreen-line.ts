/** The line to the offscreen document, which runs the uploads and alone writes their list. */
import {
  askBackground,
  FROM_OFFSCREEN,
  OFFSCREEN_LOCK,
  type OffscreenAsk,
  type OffscreenNews,
  TO_OFFSCREEN,
} from "../shared/messages.ts";

export interface OffscreenLine {
  /** Has the offscreen document made, and resolves when it has answered. One that dies later is made anew. */
  connect(): Promise<void>;
  /** Tells it something: at once when it has answered, else as soon as it has. */
  tell(ask: OffscreenAsk): void;
}

/** Milliseconds between two hellos: the document is there before its script listens. */
const PACE = 100;
/** Hellos until the background is asked for the document once more. */
const PATIENCE = 50;

/** Listens from now on, so that nothing is missed between reading the list and connecting. */
export function openLine(onNews: (news: OffscreenNews) => void): OffscreenLine {
  const out = new BroadcastChannel(TO_OFFSCREEN);
  const early: OffscreenAsk[] = [];
  let answered = false;
  new BroadcastChannel(FROM_OFFSCREEN).onmessage = ({ data }: MessageEvent<OffscreenNews>) => {
    if (data.type === "ready" && !answered) {
      answered = true;
      for (const ask of early.splice(0)) out.postMessage(ask);
    }
    onNews(data);
  };
  const reach = async () => {
    for (let hellos = 0; !answered; hellos++) {
      // The background's worker may have died while it was asked. A document that is there needs none.
      if (hellos % PATIENCE === 0) askBackground("ensure-offscreen", {}).catch(() => {});
      out.postMessage({ type: "hello" } satisfies OffscreenAsk);
      await new Promise((resolve) => setTimeout(resolve, PACE));
    }
  };
  const outlive = async () => {
    for (;;) {
      // Nobody gets it while the document lives.
      await navigator.locks.request(OFFSCREEN_LOCK, { mode: "shared" }, () => {
        answered = false;
      });
      await reach();
    }
  };
  return {
    async connect() {
      await reach();
      void outlive();
    },
    tell(ask) {
      if (answered) out.postMessage(ask);
      else early.push(ask);
    },
  };
}
