/** The page: a file input, a bar, and functions that the test calls. */
import { readHls } from "./hls.ts";
import { type PageOutcome, type PageTask, perform } from "./upload.ts";

export type Place = "page" | "worker" | "service worker";

/** What the bar showed, each change once. */
export interface Shown extends PageOutcome {
  bar: number[];
}

async function uploadFrom(place: Place, task: PageTask): Promise<Shown> {
  const file = document.querySelector("input")?.files?.[0];
  const bar = document.querySelector("progress");
  if (file === undefined || bar === null) throw new Error("the page has no file or no bar");
  const shown: number[] = [];
  if (place !== "page") return { ...(await sendThere(await workerAt(place), file, task)), bar: shown };
  const outcome = await perform(file, task, ({ fraction = 0 }) => {
    if (fraction === bar.value) return;
    bar.value = fraction;
    shown.push(bar.value);
  });
  return { ...outcome, bar: shown };
}

async function workerAt(place: Place): Promise<Worker | ServiceWorker> {
  if (place === "worker") return new Worker("worker.js", { type: "module" });
  await navigator.serviceWorker.register("worker.js", { type: "module" });
  const { active } = await navigator.serviceWorker.ready;
  if (active === null) throw new Error("the service worker is not active");
  return active;
}

function sendThere(worker: Worker | ServiceWorker, file: File, task: PageTask): Promise<PageOutcome> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = ({ data }) => {
      port1.close();
      if (worker instanceof Worker) worker.terminate();
      resolve(data as PageOutcome);
    };
    worker.postMessage({ file, task }, [port2]);
  });
}

declare global {
  interface Window {
    uploadFrom: typeof uploadFrom;
    readHls: typeof readHls;
  }
}
window.readHls = readHls;
window.uploadFrom = uploadFrom;
