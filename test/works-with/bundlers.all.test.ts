/** The module as npm gets it, bundled by what pages and servers are bundled with, with and without optional packages. */
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { VERSION } from "../../core/cli/version.ts";
import { launchChromium } from "../browser/launch.ts";
import {
  BUNDLERS,
  type Bundler,
  PARCEL_SETTINGS,
  type Printed,
  type Project,
  sizeOf,
} from "../bundlers/bundlers.ts";
import { serveBundles } from "../bundlers/site.ts";
import { usePacked } from "../packaging/packed.ts";
import { ROOT } from "../packaging/run.ts";
import { readHls } from "../runtimes/page/hls.ts";
import { useService } from "../service/use-service.ts";
import { MiB, writeContent } from "../support/content.ts";
import { useHls } from "../support/hls/use-hls.ts";
import { useOpened } from "../support/use-opened.ts";
import { expectFindings, type Finding } from "./findings.ts";

const service = useService({ assetCall: true });
const packed = usePacked();
const hls = useHls();
const browser = useOpened(() => launchChromium({ pagesOnly: true }));
const site = useOpened(serveBundles);
const PLAYLIST = "/separate/main.m3u8";

const { exports } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { exports: object };
/** Pages take these whole; the program has the file's own entry. */
const ENTRIES = Object.keys(exports)
  .map((entry) => entry.slice(2) || "main")
  .filter((entry) => !["cli", "file", "package.json"].includes(entry));
const UPLOAD = 'import { createClient, upload } from "@upcut/core";';

/** What is measured, by the names of scripts. */
const MEASURED: Record<string, string> = {
  ...Object.fromEntries(
    ENTRIES.map((entry) => [entry, `import * as all from "@upcut/core/${entry}";`.replace("/main", "")]),
  ),
  errors: 'import { isUpcutError } from "@upcut/core";\nconst all = { isUpcutError };',
  upload: `${UPLOAD}\nconst all = { createClient, upload };`,
  verify: `${UPLOAD}\nimport { createSHA256 } from "hash-wasm";\nconst all = { createClient, upload, createSHA256 };`,
};

const MEASURED_WITHOUT = [...ENTRIES, "errors", "upload"];

/** Uploads the chosen file, or the video of a playlist; without hash-wasm `true` is what there is to verify by. */
const SEND = `
import { createClient, isUpcutError, upload } from "@upcut/core";
import { openHls } from "@upcut/core/hls";
globalThis.send = async ({ baseUrl, token, playlist, verify }) => {
  try {
    const client = createClient({ baseUrl, token, paths: { asset: "/api/asset/{id}" } });
    const [file] = document.querySelector("input").files;
    const source = playlist === undefined ? file : await openHls(new URL(playlist));
    const { asset, verified } = await upload(client, source, { verify: verify && VERIFY });
    return { id: asset.id, verified };
  } catch (error) {
    if (!isUpcutError(error)) throw error;
    return { code: error.code, message: error.message };
  }
};
`;
const SENDING = {
  send: SEND.replace("VERIFY", "true"),
  "send-with-packages": `import { createSHA256 } from "hash-wasm";${SEND.replace("VERIFY", "createSHA256")}`,
};

const PROGRAM = `
import { createClient, upload } from "@upcut/core";
import { openFile } from "@upcut/core/file";
export async function run() {
  const { UPCUT_URL: baseUrl, UPCUT_TOKEN: token, VIDEO } = process.env;
  const client = createClient({ baseUrl, token, paths: { asset: "/api/asset/{id}" } });
  const { asset, verified } = await upload(client, await openFile(VIDEO), { verify: true });
  return asset.id + " " + verified;
}
`;

const COMMAND = 'import "@upcut/core/cli";';

interface Sent {
  id?: string;
  verified?: string | false;
  code?: string;
  message?: string;
}

interface BundledPage {
  all: object;
  send(how: object): Promise<Sent>;
}

let page: Page;
let video: { path: string; sha256: string };
/** The same scripts without and with the optional packages. */
const projects = { bare: "", full: "" };

/** Of what a script imports, as Node gives it. */
const names = new Map<string, string[]>();

beforeAll(async () => {
  page = await browser.context.newPage();
  const path = join(packed.scratch, "video.mp4");
  video = { path, sha256: await writeContent(path, 9 * MiB + 17) };
  for (const name of ["bare", "full"] as const) {
    const folder = join(packed.scratch, name);
    projects[name] = folder;
    await cp(join(packed.project, "node_modules"), join(folder, "node_modules"), { recursive: true });
    await mkdir(join(folder, "src"));
    const settings = { private: true, type: "module", ...PARCEL_SETTINGS };
    await writeFile(join(folder, "package.json"), JSON.stringify(settings));
    const scripts = { nothing: "", ...SENDING, program: PROGRAM, command: COMMAND };
    for (const [script, code] of Object.entries(MEASURED))
      await writeFile(join(folder, `src/${script}.js`), `${code}\nglobalThis.all = all;\n`);
    for (const [script, code] of Object.entries(scripts))
      await writeFile(join(folder, `src/${script}.js`), code);
  }
  for (const script of MEASURED_WITHOUT) {
    await import(/* @vite-ignore */ join(projects.bare, `src/${script}.js`));
    names.set(script, Object.keys((globalThis as unknown as BundledPage).all).sort());
  }
  Reflect.deleteProperty(globalThis, "all");
  for (const each of ["hash-wasm", "mediabunny"])
    await cp(join(ROOT, "node_modules", each), join(projects.full, "node_modules", each), {
      recursive: true,
    });
});

const findings: Finding[] = [];
/** By what is bundled: at most so many kilobytes in each bundler, in steps of five, so that small changes of core keep them. */
const sizes = new Map<string, string[]>();
/** What is kept stays, while it is not exceeded. To measure all anew, remove the file and run with `-u`. */
const kept = JSON.parse(
  await readFile(new URL("found/bundle-sizes.json", import.meta.url), "utf8").catch(() => "[]"),
) as Finding[];

function keptSize(name: string, bundler: string): number {
  const { because = "" } = kept.find((finding) => finding.name === name) ?? {};
  return Number(new RegExp(`(?:^|, )${bundler} (\\d+) kB`).exec(because)?.[1] ?? 0);
}

/** Bundles scripts, and a page of none, with which the others are compared; serves the pages. */
async function bundle(bundler: Bundler, { pages, ...project }: Project): Promise<Printed> {
  const output = join(packed.scratch, `${bundler.name} ${pages.length}`);
  await mkdir(output);
  const environment = { UPCUT_URL: service.baseUrl, UPCUT_TOKEN: service.token, VIDEO: video.path };
  const printed = await bundler.bundle({ ...project, pages: ["nothing", ...pages] }, output, environment);
  site.folder = output;
  const least = await sizeOf(output, "nothing");
  for (const script of pages.filter((each) => each in MEASURED)) {
    const name = project.folder === projects.bare ? script : `${script}, with the optional packages`;
    const size = ((await sizeOf(output, script)) - least) / 1000;
    const measured = size < 5 ? Math.ceil(size) : 5 * Math.ceil(size / 5);
    const kilobytes = Math.max(measured, keptSize(name, bundler.name));
    sizes.set(name, [...(sizes.get(name) ?? []), `${bundler.name} ${kilobytes} kB`]);
  }
  return printed;
}

/** Shows a page until its script has run. */
async function show(script: string, name: "all" | "send"): Promise<void> {
  await page.goto(`${site.origin}/${script}.html`);
  await page.waitForFunction((global) => global in globalThis, name);
}

async function send(how: { playlist?: string; verify?: boolean }): Promise<Sent> {
  await page.locator("input").setInputFiles(video.path);
  const given = { baseUrl: service.baseUrl, token: service.token, ...how };
  return await page.evaluate((all) => (globalThis as unknown as BundledPage).send(all), given);
}

/** Milliseconds: webpack and Next take minutes where a machine is busy. */
const timeout = 600_000;

describe.each(BUNDLERS.map((bundler) => [bundler.name, bundler] as const))(
  "%s",
  { timeout },
  (_, bundler) => {
    const without = [...MEASURED_WITHOUT, "send"];
    const withAll = ["hls", "verify", "send-with-packages"];

    test("bundles each entry without optional packages, and a page that uploads", async () => {
      await bundle(bundler, { folder: projects.bare, pages: without });
      for (const script of MEASURED_WITHOUT) {
        await show(script, "all");
        const found = await page.evaluate(() => Object.keys((globalThis as unknown as BundledPage).all));
        expect([script, ...found.sort()]).toEqual([script, ...(names.get(script) ?? [])]);
      }
      await show("send", "send");
      expect(await send({ verify: true })).toEqual({
        code: "invalid-option",
        message: expect.stringContaining("Give it a function that opens a sha-256"),
      });
      expect(await send({ playlist: hls.origin + PLAYLIST })).toEqual({
        code: "invalid-source",
        message: expect.stringContaining("the package mediabunny isn't installed here"),
      });
      expect(await service.requests()).toEqual([]);
      const { id = "" } = await send({});
      expect(await service.whole(id)).toMatchObject({ sha256: video.sha256 });
    });

    test("bundles what asks for optional packages, and programs for Node", async () => {
      const programs = { program: "program", command: "command" };
      const printed = await bundle(bundler, { folder: projects.full, pages: withAll, ...programs });
      if (!bundler.name.startsWith("Next")) expect(printed.command).toBe(`${VERSION}\n`);
      const [byProgram = "", verified] = printed.program?.trim().split(" ") ?? [];
      expect(verified).toBe("sha256");
      expect(await service.whole(byProgram)).toMatchObject({ sha256: video.sha256 });
      await show("send-with-packages", "send");
      expect(await send({ verify: true })).toEqual({ id: expect.any(String), verified: "sha256" });
      const { id = "" } = await send({ playlist: hls.origin + PLAYLIST });
      expect((await service.whole(id)).sha256).toBe((await readHls(hls.origin + PLAYLIST)).sha256);
      const { name, version, because } = bundler;
      // Pages, programs, and four uploads.
      const tried = without.length + withAll.length + Object.keys(printed).length + 4;
      findings.push({ name: `${name} ${version}`, tried, verdict: "right", ...(because && { because }) });
    });
  },
);

test("each bundler is as it was", async () => {
  await expectFindings("bundlers", findings);
});

test("what is bundled is at most as large as it was", async () => {
  const rows: Finding[] = [...sizes].map(([name, ofBundlers]) => ({
    name,
    tried: ofBundlers.length,
    verdict: "right",
    because: ofBundlers.join(", "),
  }));
  await expectFindings("bundle-sizes", rows);
});
