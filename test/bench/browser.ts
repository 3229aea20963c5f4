/** Chromium with the built extension, and beside it an extension whose offscreen document runs the other clients. */
import { link, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import { build } from "vite";
import { type Extension, loadExtension } from "../e2e/extension.ts";
import { rowOf, setUp } from "../e2e/person.ts";
import { scratchFolder } from "../scratch.ts";
import type { DiscardSink } from "./sinks.ts";

/** A client in the browser; returns once the sink has all of the file. */
export interface BrowserClient {
  name: string;
  upload(sink: DiscardSink, path: string): Promise<string>;
}

export interface Browser {
  extension: Extension;
  /** Stands in the command of each of its processes. */
  profile: string;
  clients: BrowserClient[];
  close(): Promise<void>;
}

const names = {
  xhr: "a plain XHR PUT",
  tus: "tus-js-client",
  uppy: "Uppy",
  upchunk: "UpChunk",
} as const;

/** Starts the browser; the extension is set up for a sink. */
export async function startBrowser(sink: DiscardSink): Promise<Browser> {
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
  return {
    extension,
    profile: profile.path,
    clients: [
      ...(["xhr"] as const).map((client) => peer(page, client)),
      {
        name: "Upcut",
        async upload(to, path) {
          // Each row is found by its name.
          const name = `film-${++files}.mp4`;
          const own = join(folder.path, name);
          await link(path, own);
          return await uploadByPopup(extension, own, name, to);
        },
      },
      ...(["tus", "uppy", "upchunk"] as const).map((client) => peer(page, client)),
    ],
    async close() {
      await extension.close();
      await profile.remove();
      await folder.remove();
    },
  };
}

/** As most uploads are: started in the popup, which is closed then. */
async function uploadByPopup(
  { open }: Extension,
  path: string,
  name: string,
  sink: DiscardSink,
): Promise<string> {
  const popup = await open("popup.html");
  await popup.locator("#choose-videos:enabled").waitFor();
  await popup.locator("#files").setInputFiles(path);
  const row = rowOf(popup, name);
  await row.getByRole("button", { name: "Start" }).click();
  await row.locator("progress").waitFor();
  await popup.close();
  const id = await sink.latest();
  const { size } = await stat(path);
  while (!(await sink.has(id, size))) await delay(100);
  return id;
}

function peer(page: Page, client: keyof typeof names): BrowserClient {
  return {
    name: names[client],
    async upload(sink, path) {
      const location = await sink.locate();
      await page.locator("input").setInputFiles(path);
      const outcome = await page.evaluate(`upload(${JSON.stringify(client)}, ${JSON.stringify(location)})`);
      if (outcome !== "done") throw new Error(`${names[client]} ${outcome}`);
      return location.asset.id;
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
      host_permissions: ["http://127.0.0.1/*"],
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
