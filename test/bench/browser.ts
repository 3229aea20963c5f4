/** Chromium with the built extension, and beside it an extension whose offscreen document runs the other clients. */
import { link, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import { build } from "vite";
import type { Job } from "../../entrypoints/shared/job.ts";
import { rowOf, setUp } from "../e2e/actions.ts";
import { type Extension, loadExtension } from "../e2e/extension.ts";
import { scratchFolder } from "../scratch.ts";
import type { Sink } from "./sinks.ts";

/** A client in the browser. */
export interface BrowserClient {
  name: string;
  upload(path: string): Promise<BrowserUpload>;
}

export interface BrowserUpload {
  id: string;
  /** By the client's own clock. */
  seconds: number;
}

export interface Browser {
  extension: Extension;
  /** Stands in the command of each of its processes. */
  profile: string;
  clients: BrowserClient[];
  /** The popup, and uploads that are started in it while it stays open. */
  openPopup(): Promise<{ upload: BrowserClient["upload"]; close(): Promise<void> }>;
  close(): Promise<void>;
}

const names = {
  xhr: "a plain XHR PUT",
  patch: "a plain XHR PATCH",
  parts: "XHR PATCHes of 8 MiB",
  tus: "tus-js-client",
  uppy: "Uppy",
  upchunk: "UpChunk",
} as const;

/** Starts the browser; the extension is set up for a sink. */
export async function startBrowser(sink: Sink): Promise<Browser> {
  const [profile, folder] = [await scratchFolder("profile"), await scratchFolder("bench-extension")];
  await buildPeers(folder.path);
  const extension = await loadExtension({
    userDataDir: profile.path,
    firstRun: true,
    beside: [folder.path],
  });
  await setUp(extension, sink);
  const page = await extension.context.newPage();
  await page.goto(`chrome-extension://${await idOf(folder.path)}/page.html`);
  await page.evaluate("open()");
  let files = 0;
  /** Each row is found by its name. */
  const begin = async (popup: Page, path: string): Promise<string> => {
    const name = `video-${++files}.mp4`;
    const own = join(folder.path, name);
    await link(path, own);
    await startInPopup(popup, own, name);
    return name;
  };
  return {
    extension,
    profile: profile.path,
    clients: [
      {
        name: "Upcut",
        // As most uploads are: started in the popup, which is closed then.
        async upload(path) {
          const popup = await extension.open("popup.html");
          const name = await begin(popup, path);
          await popup.close();
          return await endOf(extension, name);
        },
      },
      ...(["xhr", "patch", "parts", "tus", "uppy", "upchunk"] as const).map((client) =>
        peer(page, sink, client),
      ),
    ],
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

async function startInPopup(popup: Page, path: string, name: string): Promise<void> {
  await popup.locator("#choose-videos:enabled").waitFor();
  await popup.locator("#files").setInputFiles(path);
  const row = rowOf(popup, name);
  await row.getByRole("button", { name: "Start" }).click();
  await row.locator("progress").waitFor();
}

async function endOf(extension: Extension, name: string): Promise<BrowserUpload> {
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
  const database = await new Promise<IDBDatabase>((resolve) => {
    opening.onsuccess = () => resolve(opening.result);
  });
  const reading = database.transaction("jobs").objectStore("jobs").getAll();
  const jobs = await new Promise<Job[]>((resolve) => {
    reading.onsuccess = () => resolve(reading.result);
  });
  database.close();
  return jobs.find(({ source }) => source.name === name);
}

function peer(page: Page, sink: Sink, client: keyof typeof names): BrowserClient {
  return {
    name: names[client],
    async upload(path) {
      const located = await sink.locate();
      const { size } = await stat(path);
      const isPatched = client === "patch" || client === "parts";
      const location = { ...located, ...(isPatched && { url: await sink.create(located, size) }) };
      await page.locator("input").setInputFiles(path);
      const [outcome, milliseconds] = (await page.evaluate(
        `upload(${JSON.stringify(client)}, ${JSON.stringify(location)})`,
      )) as [string, number];
      if (outcome !== "done") throw new Error(`${names[client]} ${outcome}`);
      return { id: location.asset.id, seconds: milliseconds / 1000 };
    },
  };
}

async function buildPeers(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of ["page", "offscreen"]) {
    await build({
      root: import.meta.dirname,
      configFile: false,
      logLevel: "silent",
      build: {
        outDir: folder,
        emptyOutDir: false,
        minify: true,
        modulePreload: false,
        rolldownOptions: {
          input: join(import.meta.dirname, `clients/${name}.mjs`),
          output: { entryFileNames: `${name}.js`, codeSplitting: false },
        },
      },
    });
    const html = `<!doctype html><title>${name}</title><input type="file"><script type="module" src="${name}.js"></script>`;
    await writeFile(join(folder, `${name}.html`), html);
  }
  await writeFile(
    join(folder, "manifest.json"),
    JSON.stringify({
      manifest_version: 3,
      name: "Bench",
      version: "1",
      permissions: ["offscreen"],
      host_permissions: ["http://*/*"],
    }),
  );
}

/** The id Chromium gives an extension loaded from a folder: the folder's path, hashed, in letters from a to p. */
export async function idOf(folder: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(folder));
  return Array.from(new Uint8Array(hash).subarray(0, 16), (byte) =>
    String.fromCharCode(97 + (byte >> 4), 97 + (byte & 15)),
  ).join("");
}
