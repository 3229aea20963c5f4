/** Chromium with the built extension, and beside it an extension whose offscreen document runs the other clients. */
import { link, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import type { Job } from "../../entrypoints/shared/job.ts";
import { rowOf, setUp } from "../e2e/actions.ts";
import { type Extension, loadExtension } from "../e2e/extension.ts";
import { idOf } from "../e2e/granted.ts";
import { bundle } from "../runtimes/bundle.ts";
import { scratchFolder } from "../support/scratch.ts";
import { cpuOf } from "./processes.ts";
import type { Sink } from "./sinks.ts";

/** Uploads a file with a client in the browser. @param origin of the sink, as the client is told it */
export type Upload = (path: string, origin?: string) => Promise<BrowserUpload>;

export interface BrowserUpload {
  id: string;
  /** Seconds by the client's own clock, and CPU seconds of the whole browser. */
  figures: { seconds: number; cpu: number };
}

export interface Browser {
  extension: Extension;
  /** Stands in the command of each of its processes. */
  profile: string;
  /** By their names. */
  clients: Record<string, Upload>;
  /** Sends files by a bare loop, and tells its seconds. */
  loop(paths: string[], concurrency: number): Promise<number>;
  /** The popup, and uploads that are started in it while it stays open. */
  openPopup(): Promise<{ upload(path: string): Promise<{ id: string }>; close(): Promise<void> }>;
  close(): Promise<void>;
}

/** The clients of `clients/peers.mjs`, by what they are called. */
export const PEERS = {
  xhr: "a plain XHR PUT",
  patch: "a plain XHR PATCH",
  parts: "XHR PATCHes of 8 MiB",
  stream: "a PATCH as a stream",
  tus: "tus-js-client",
  uppy: "Uppy",
  upchunk: "UpChunk",
  upcut: "Upcut's module",
};
/** Clients that send to an upload that was created before. */
const PATCHES = ["patch", "parts", "stream"];

/** Starts the browser; the extension is set up for a sink. */
export async function startBrowser(sink: Sink): Promise<Browser> {
  const [profile, folder] = [await scratchFolder("profile"), await scratchFolder("bench-extension")];
  await makePeers(folder.path);
  const extension = await loadExtension({
    userDataDir: profile.path,
    firstRun: true,
    beside: [folder.path],
  });
  await setUp(extension, sink);
  const page = await extension.context.newPage();
  await page.goto(`chrome-extension://${idOf(folder.path)}/page.html`);
  await page.evaluate("open()");
  let files = 0;
  /** Each row is found by its name. */
  const begin = async (popup: Page, path: string): Promise<string> => {
    const name = `video-${++files}.mp4`;
    await link(path, join(folder.path, name));
    await popup.locator("#choose-videos:enabled").waitFor();
    await popup.locator("#files").setInputFiles(join(folder.path, name));
    await rowOf(popup, name).getByRole("button", { name: "Start" }).click();
    await rowOf(popup, name).locator("progress").waitFor();
    return name;
  };
  const measured =
    (upload: (path: string, origin?: string) => Promise<{ id: string; seconds: number }>): Upload =>
    async (...given) => {
      const before = await cpuOf(profile.path);
      const { id, seconds } = await upload(...given);
      return { id, figures: { seconds, cpu: (await cpuOf(profile.path)) - before } };
    };
  const others = Object.entries(PEERS).map(([client, name]) => [
    name,
    measured((path, origin) => uploadByPeer(page, sink, client, path, origin)),
  ]);
  return {
    extension,
    profile: profile.path,
    async loop(paths, concurrency) {
      await page.locator("input").setInputFiles(paths);
      const { baseUrl, token } = sink;
      return await callPeer(page, "loop", { baseUrl, token, concurrency });
    },
    clients: {
      // As most uploads are: started in the popup, which is closed then.
      Upcut: measured(async (path) => {
        const popup = await extension.open("popup.html");
        const name = await begin(popup, path);
        await popup.close();
        return await endOf(extension, name);
      }),
      ...Object.fromEntries(others),
    },
    async openPopup() {
      const popup = await extension.open("popup.html");
      return {
        upload: async (path) => await endOf(extension, await begin(popup, path)),
        close: () => popup.close(),
      };
    },
    async close() {
      await extension.close();
      await profile.remove();
      await folder.remove();
    },
  };
}

async function endOf(extension: Extension, name: string): Promise<{ id: string; seconds: number }> {
  for (;;) {
    const { state, asset, outcome } = await extension.inWorker<Job>(`(${readJob})(${JSON.stringify(name)})`);
    if (state === "done") return { id: asset?.id ?? "", seconds: (outcome?.duration ?? Number.NaN) / 1000 };
    if (state === "failed") throw new Error(`${name} failed`);
    await delay(100);
  }
}

/** The job of a file, as the list in the browser has it. */
async function readJob(name: string): Promise<Job | undefined> {
  const opening = indexedDB.open("upcut");
  await new Promise((resolve) => opening.addEventListener("success", resolve));
  const reading = opening.result.transaction("jobs").objectStore("jobs").getAll();
  await new Promise((resolve) => reading.addEventListener("success", resolve));
  opening.result.close();
  const jobs: Job[] = reading.result;
  return jobs.find(({ source }) => source.name === name);
}

async function uploadByPeer(page: Page, sink: Sink, client: string, path: string, origin = sink.baseUrl) {
  const location = await sink.locate();
  if (PATCHES.includes(client)) location.url = await sink.create(location, (await stat(path)).size);
  for (const name of ["url", "tusEndpoint"] as const)
    location[name] = location[name].replace(sink.baseUrl, origin);
  await page.locator("input").setInputFiles(path);
  return { id: location.asset.id, seconds: await callPeer(page, client, location) };
}

async function callPeer(page: Page, client: string, told: object): Promise<number> {
  const call = `upload(${JSON.stringify(client)}, ${JSON.stringify(told)})`;
  const [outcome, milliseconds] = (await page.evaluate(call)) as [string, number];
  if (outcome !== "done") throw new Error(`${client} ${outcome}`);
  return milliseconds / 1000;
}

async function makePeers(folder: string): Promise<void> {
  const files: Record<string, string> = {};
  for (const name of ["page", "offscreen"]) {
    files[`${name}.js`] = await bundle(join(import.meta.dirname, `clients/${name}.mjs`), undefined, true);
    files[`${name}.html`] =
      `<!doctype html><title>${name}</title><input type="file" multiple><script type="module" src="${name}.js"></script>`;
  }
  const access = { permissions: ["offscreen"], host_permissions: ["http://*/*", "https://*/*"] };
  await makeExtension(folder, "Bench", access, files);
}

export async function makeExtension(
  folder: string,
  name: string,
  manifest: object,
  files: Record<string, string>,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const whole = JSON.stringify({ manifest_version: 3, name, version: "1", ...manifest });
  for (const [file, text] of Object.entries({ ...files, "manifest.json": whole }))
    await writeFile(join(folder, file), text);
}
