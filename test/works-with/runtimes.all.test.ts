/** The runtimes in which core runs: an upload in each, of a file where there is a disk, stored as it was sent. */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { launchChromium } from "../browser/launch.ts";
import { startFirefox } from "../firefox/firefox.ts";
import { bundle } from "../runtimes/bundle.ts";
import { startWorkerd } from "../runtimes/edge/workerd.ts";
import { findRuntime } from "../runtimes/find-runtime.ts";
import type { Shown } from "../runtimes/page/page.ts";
import { serveSite } from "../runtimes/page/site.ts";
import { denoRunner, type Places, useAbility } from "../runtimes/permissions.ts";
import { useService } from "../service/use-service.ts";
import { content, MiB, writeContent } from "../support/content.ts";
import { useFolder } from "../support/use-folder.ts";
import { useOpened } from "../support/use-opened.ts";
import { expectFindings, type Finding } from "./findings.ts";
import { bundleForNode, leastDeno, nodeVersions, versionOf } from "./server-runtimes.ts";

const SIZE = 10 * MiB + 17;
const service = useService({ assetCall: true });
const folder = useFolder("runtimes");
const site = useOpened(async () =>
  serveSite({ "page.js": await bundle("page/page.ts"), "worker.js": await bundle("page/worker.ts") }),
);
const findings: Finding[] = [];
const deno = denoRunner();
const [, ...denoFlags] = deno.command;
const all = ["-A"];
let node = { ability: "", cli: "" };
let sha256 = "";
let file = "";

beforeAll(async () => {
  await mkdir(join(folder.path, "programs"));
  node = await bundleForNode(join(folder.path, "programs"));
  file = join(folder.path, "video.mp4");
  sha256 = await writeContent(file, SIZE);
});

/** The one asset, stored as it was sent. */
async function noteRight(name: string): Promise<void> {
  const assets = await service.assets();
  expect(assets).toHaveLength(1);
  expect(await service.whole(assets[0]?.asset.id ?? "")).toMatchObject({ sha256 });
  findings.push({ name, tried: 1, verdict: "right" });
}

const servers = [
  ...nodeVersions().map(({ version, program }) => ({
    name: `Node ${version}`,
    runner: () => ({ command: [program], ...node }),
    flags: [],
  })),
  {
    name: `Bun ${versionOf("bun")}`,
    runner: () => ({ ...deno, command: [findRuntime("bun")] }),
    flags: [],
  },
  ...[leastDeno(), { version: versionOf("deno"), program: findRuntime("deno") }].map(
    ({ version, program }) => ({
      name: `Deno ${version}`,
      runner: () => ({ ...deno, command: [program, ...denoFlags] }),
      flags: all,
    }),
  ),
];

test.each(servers)("$name uploads a file, with a journal on disk", async ({ name, runner, flags }) => {
  const places = {
    ADDRESS: service.baseUrl,
    TOKEN: service.token,
    FILE: file,
    JOURNAL: join(folder.path, `journal-${crypto.randomUUID()}`),
  } as Places;
  const ability = { name: "openFile() and fileJournal()", flags };
  expect(await useAbility(runner(), ability, flags, places)).toMatchObject({ code: 0 });
  await noteRight(name);
});

test("workerd uploads the body of a request", async () => {
  const script = await bundle("edge/uploader.ts", ["workerd", "worker", "browser", "module"]);
  const edge = await startWorkerd(script, "2024-01-01", { BASE_URL: service.baseUrl, TOKEN: service.token });
  try {
    const headers = { "x-task": JSON.stringify({ do: "blob" }), "content-type": "video/mp4" };
    const response = await fetch(edge.url, { method: "POST", headers, body: content(SIZE) });
    expect(await response.json()).not.toHaveProperty("error");
    await noteRight(`workerd ${versionOf("workerd")}`);
  } finally {
    await edge.stop();
  }
});

const task = () => ({ baseUrl: service.baseUrl, token: service.token, options: {} });

test("Chromium uploads a chosen file of a page", async () => {
  const browser = await launchChromium({ pagesOnly: true });
  try {
    const page = await browser.context.newPage();
    await page.goto(site.url);
    await page.locator("input").setInputFiles(file);
    const { error } = await page.evaluate((what) => window.uploadFrom("page", what), task());
    expect(error).toBeUndefined();
    const agent = await page.evaluate(() => navigator.userAgent);
    await noteRight(`Chromium ${/Chrome\/(\d+)/.exec(agent)?.[1]}`);
  } finally {
    await browser.close();
  }
});

test("Firefox uploads a chosen file of a page", async () => {
  const profile = join(folder.path, "profile");
  await mkdir(profile);
  const firefox = await startFirefox(profile);
  try {
    const { send, inPage } = firefox;
    await send("WebDriver:Navigate", { url: site.url });
    const { value } = await send<{ value: Record<string, string> }>("WebDriver:FindElement", {
      using: "css selector",
      value: "input",
    });
    await send("WebDriver:ElementSendKeys", { id: Object.values(value)[0], text: file });
    const { error } = await inPage<Shown>(`return await window.uploadFrom("page", given[0])`, task());
    expect(error).toBeUndefined();
    const agent = await inPage<string>("return navigator.userAgent");
    await noteRight(`Firefox ESR ${/Firefox\/(\d+)/.exec(agent)?.[1]}`);
  } finally {
    await firefox.close();
    // For a page, Firefox keeps the upload's URL in its cache, as docs/web-page.md says.
    await rm(profile, { recursive: true });
  }
});

test("the table of runtimes is what was found", async () => {
  await expectFindings("runtimes", findings);
});
