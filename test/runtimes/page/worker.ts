/** The same script as a dedicated worker and as a service worker: uploads a File that arrives in a message. */
import { type PageTask, perform } from "./upload.ts";

interface Job extends MessageEvent<{ file: File; task: PageTask }> {
  /** Service workers have it: keeps the worker alive. */
  waitUntil?(work: Promise<unknown>): void;
}

addEventListener("message", (event) => {
  const { data, ports, waitUntil } = event as Job;
  const work = perform(data.file, data.task).then((outcome) => ports[0]?.postMessage(outcome));
  waitUntil?.call(event, work);
});
