/** The recipes of pages, in Chromium: each as its page has it, with the module as npm gets it. */
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../browser/launch.ts";
import { buildNext, startNext } from "../bundlers/next-js.ts";
import { PACKAGES } from "../bundlers/packages.ts";
import { usePacked } from "../packaging/packed.ts";
import { useService } from "../service/use-service.ts";
import { MiB, writeContent } from "../support/content.ts";
import { listen } from "../support/hosts/listen.ts";
import { useFolder } from "../support/use-folder.ts";
import { useOpened } from "../support/use-opened.ts";
import { linkPackages, writeRecipes } from "./recipes.ts";

const SIZE = 24 * MiB + 17;
const service = useService();
const packed = usePacked();
/** Holds a journal, which is the one place for secrets. */
const profile = useFolder("journal-recipes");
const browser = useOpened(() => launchChromium({ pagesOnly: true, userDataDir: profile.path }));
let project = "";
let sha256 = "";
const at = (name: string) => join(project, name);

/** What a page brings along that mounts the component twice. */
const MAIN = `import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { VideoForm } from "./video-upload.jsx";
createRoot(document.body).render(<StrictMode><VideoForm /></StrictMode>);
`;

beforeAll(async () => {
  project = packed.project;
  await linkPackages(project, PACKAGES, ["next", "react", "react-dom"]);
  await writeRecipes(project, "recipes-pages.md");
  await writeFile(at("main.jsx"), MAIN);
  sha256 = await writeContent(at("video.mp4"), SIZE);
  await build({
    entryPoints: ["main.jsx", "upload-worker.js", "with-worker.js"].map(at),
    outdir: at("built"),
    ...{ bundle: true, format: "esm", jsx: "automatic", logLevel: "error" },
    // Only this build of React mounts twice.
    define: { "process.env.NODE_ENV": '"development"' },
  });
});

/** A page with a script, whose server answers by the route of the recipe; gives its address. */
async function servePage(script: string, body: string): Promise<string> {
  Object.assign(process.env, { UPCUT_URL: service.baseUrl, UPCUT_TOKEN: service.token });
  const { POST } = await import(/* @vite-ignore */ `${pathToFileURL(at("app/api/videos/route.js"))}`);
  return await listen(
    createServer(async (request, response) => {
      if (request.url === "/")
        response
          .setHeader("content-type", "text/html")
          .end(`<!doctype html><body>${body}<script type="module" src="/${script}"></script></body>`);
      else if (request.url === "/api/videos") {
        const init = { method: "POST", body: await text(request) };
        const answer: Response = await POST(new Request("http://page.example/api/videos", init));
        response.writeHead(answer.status).end(await answer.text());
      } else {
        const content = await readFile(at(`built${request.url}`)).catch(() => undefined);
        response.setHeader("content-type", "text/javascript").end(content);
      }
    }),
  );
}

async function open(address: string): Promise<Page> {
  const page = await browser.context.newPage();
  await page.goto(address);
  return page;
}

/** The one asset that there is, once it is whole. */
async function expectOneWhole(id: string): Promise<void> {
  expect((await service.whole(id)).sha256).toBe(sha256);
  expect(await service.assets()).toHaveLength(1);
}

/** Chooses the video, pauses in its middle, and goes on: with the component, wherever it is. */
async function pauseAndResume(page: Page): Promise<void> {
  await service.set({ throttle: 6 * MiB });
  await page.locator("input").setInputFiles(at("video.mp4"));
  await page.waitForFunction("document.querySelector('progress')?.value > 0");
  await page.getByRole("button", { name: "Pause" }).click();
  const resume = page.getByRole("button", { name: "Resume" });
  await resume.waitFor();
  expect((await service.assets()).filter((each) => each.sha256 !== null)).toEqual([]);
  await service.set({ throttle: 0 });
  await resume.click();
  const outcome = page.getByText("Uploaded as");
  await outcome.waitFor();
  await expectOneWhole((await outcome.textContent())?.split(" ").at(-1) ?? "");
}

test("the component of React pauses and resumes under StrictMode, and makes one asset", async () => {
  const page = await open(await servePage("main.js", ""));
  await pauseAndResume(page);
  // An effect that runs again after the end.
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.waitForFunction("document.querySelector('progress').value === 1");
  expect(await service.assets()).toHaveLength(1);
  await page.reload();
  await page.locator("input").setInputFiles(at("video.mp4"));
  await page.getByText("Uploaded as").waitFor();
  expect(await service.assets()).toHaveLength(1);
});

test("the component shows what its server refuses", async () => {
  await service.set({
    answerStatus: [{ host: "api", status: 403, body: '{"errors":["not this account"]}' }],
  });
  const page = await open(await servePage("main.js", ""));
  await page.locator("input").setInputFiles(at("video.mp4"));
  await page.getByText("not this account").waitFor();
  expect(await service.assets()).toEqual([]);
});

test("the worker pauses and resumes", async () => {
  await service.set({ throttle: 6 * MiB });
  const page = await open(
    await servePage("with-worker.js", '<input type="file"><button>Pause</button><output></output>'),
  );
  const shows = (condition: string) =>
    page.waitForFunction(`((text) => ${condition})(document.querySelector("output").value)`);
  await page.locator("input").setInputFiles(at("video.mp4"));
  await shows("Number(text) > 0");
  await page.getByRole("button", { name: "Pause" }).click();
  await shows("text === 'Paused'");
  await service.set({ throttle: 0 });
  await page.locator("input").dispatchEvent("change");
  await shows("/^[0-9a-f]{8}-/.test(text)");
  await expectOneWhole((await page.locator("output").textContent()) ?? "");
});

describe.each(["--webpack", "--turbopack"])("Next with %s", (option) => {
  test("builds the page and the route, which upload a video", { timeout: 300_000 }, async () => {
    const folder = join(packed.scratch, `next${option}`);
    await mkdir(folder);
    await cp(project, folder, { recursive: true, verbatimSymlinks: true });
    for (const made of ["main.jsx", "built", "with-worker.js", "upload-worker.js"])
      await rm(join(folder, made), { recursive: true });
    // No setting is there while it is built.
    await buildNext(folder, option, {});
    const next = await startNext(folder, { UPCUT_URL: service.baseUrl, UPCUT_TOKEN: service.token });
    try {
      await pauseAndResume(await open(next.origin));
    } finally {
      await next.close();
    }
  });
});
