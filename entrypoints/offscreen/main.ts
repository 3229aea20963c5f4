/** The document that outlives the popup and the service worker: it runs the uploads and alone writes their list. */
import {
  FROM_OFFSCREEN,
  OFFSCREEN_LOCK,
  type OffscreenAsk,
  type OffscreenNews,
  type PageBlob,
  TO_OFFSCREEN,
} from "../shared/messages.ts";
import { createCommands } from "./commands.ts";
import { openUploadList } from "./list.ts";
import { createUploads } from "./uploads.ts";

const news = new BroadcastChannel(FROM_OFFSCREEN);
const asks = new BroadcastChannel(TO_OFFSCREEN);
const tell = (message: OffscreenNews) => news.postMessage(message);

// Files may be handed over while the list is still being read. No answer waits for another: ending an upload may
// take as long as the network does.
const commands = holdLock()
  .then(() => openUploadList(tell))
  .then(async (list) => createCommands(list, await createUploads(list), tell));
chrome.runtime.onMessage.addListener((message: unknown, sender) => {
  if (sender.id !== chrome.runtime.id || !isPageBlob(message)) return;
  commands
    .then(({ takePageBlob }) => takePageBlob(message))
    .catch((error: unknown) => console.error(nameOf(error)));
});
asks.onmessage = ({ data }: MessageEvent<OffscreenAsk>) => {
  commands.then(({ answer }) => answer(data)).catch((error: unknown) => console.error(nameOf(error)));
};
await commands;
tell({ type: "ready" });

/** Until this document ends: pages see by the lock that it has, and no other one writes the list meanwhile. */
function holdLock(): Promise<void> {
  return new Promise((held) => {
    void navigator.locks.request(OFFSCREEN_LOCK, () => {
      held();
      return new Promise(() => {});
    });
  });
}

/** Scripts in pages send these: whatever took over a page can send anything. */
function isPageBlob(message: unknown): message is PageBlob {
  const { to, type, batch, blob, title, page } = (message ?? {}) as Partial<PageBlob>;
  const texts = [batch, title, page].every((each) => typeof each === "string");
  const web = texts && URL.canParse(page ?? "") && /^https?:$/.test(new URL(page ?? "").protocol);
  return to === "offscreen" && type === "page-blob" && web && blob instanceof Blob;
}

/** Messages of errors that nobody foresaw may hold anything. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "unknown error";
}
