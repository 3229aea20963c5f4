/** The document that outlives the popup and the service worker: it runs the uploads and alone writes their list. */
import { FROM_OFFSCREEN, type OffscreenAsk, type OffscreenNews, TO_OFFSCREEN } from "../shared/messages.ts";
import { createCommands } from "./commands.ts";
import { openUploadList } from "./list.ts";
import { createUploads } from "./uploads.ts";

const news = new BroadcastChannel(FROM_OFFSCREEN);
const asks = new BroadcastChannel(TO_OFFSCREEN);
const tell = (message: OffscreenNews) => news.postMessage(message);

// Files may be handed over while the list is still being read. No answer waits for another: ending an upload may
// take as long as the network does.
const commands = openUploadList(tell).then(async (list) =>
  createCommands(list, await createUploads(list), tell),
);
asks.onmessage = ({ data }: MessageEvent<OffscreenAsk>) => {
  commands.then(({ answer }) => answer(data)).catch((error: unknown) => console.error(nameOf(error)));
};
await commands;
tell({ type: "ready" });

/** Messages of errors that nobody foresaw may hold anything. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "unknown error";
}
