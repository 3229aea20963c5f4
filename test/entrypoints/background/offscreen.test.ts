/** The document that uploads: made once, looked after while anything is unended, closed when nobody needs it. */
import { beforeEach, expect, test, vi } from "vitest";
import type * as offscreen from "../../../entrypoints/background/offscreen.ts";
import { type StubbedWorker, stubWorker } from "../../support/extension/stub-worker.ts";

let worker: StubbedWorker;
let module: typeof offscreen;
/** What the browser has open, by the kind of its context. */
let open: string[];

/** The document's part of what the browser was called for. */
const names = () =>
  worker.calls.map(([name]) => name).filter((name) => /^(offscreen|alarms\.[^g])/.test(name));

beforeEach(async () => {
  open = [];
  worker = stubWorker({
    "runtime.getContexts": async ({ contextTypes }: { contextTypes: string[] }) =>
      open.filter((each) => contextTypes.includes(each)),
    "offscreen.createDocument": async () => void open.push("OFFSCREEN_DOCUMENT"),
    "offscreen.closeDocument": async () => void open.splice(open.indexOf("OFFSCREEN_DOCUMENT"), 1),
    "declarativeNetRequest.getSessionRules": [],
  });
  vi.stubGlobal("location", { host: "upcut" });
  vi.resetModules();
  module = await import("../../../entrypoints/background/offscreen.ts");
});

test("ensureOffscreen() makes the document once, and again when it has ended", async () => {
  worker.stored.session["authorized-uploads"] = { one: { address: "https://video.example", targets: [] } };
  await Promise.all([module.ensureOffscreen(), module.ensureOffscreen()]);
  await module.ensureOffscreen();
  expect(names()).toEqual(["offscreen.createDocument"]);
  const [, document] = worker.calls.find(([name]) => name === "offscreen.createDocument") ?? [];
  expect(document).toMatchObject({ url: "offscreen.html", reasons: ["BLOBS"] });
  // No header stays of what an earlier document ran.
  expect(worker.stored.session["authorized-uploads"]).toEqual({});
  open = [];
  await module.ensureOffscreen();
  expect(names()).toHaveLength(2);
});

test("ensureOffscreen() waits ten seconds for the document, and fails where it can't be made", async () => {
  vi.useFakeTimers();
  const make = worker.answers["offscreen.createDocument"];
  worker.answers["offscreen.createDocument"] = () => new Promise(() => {});
  let isEnded = false;
  const ensuring = module.ensureOffscreen().then(() => {
    isEnded = true;
  });
  await vi.advanceTimersByTimeAsync(9_999);
  expect(isEnded).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await ensuring;
  vi.useRealTimers();
  worker.answers["offscreen.createDocument"] = () => Promise.reject(new Error("no"));
  await expect(module.ensureOffscreen()).rejects.toThrow("no");
  worker.answers["offscreen.createDocument"] = make;
  await module.ensureOffscreen();
  expect(open).toEqual(["OFFSCREEN_DOCUMENT"]);
});

test("keepWatch() has one alarm twice a minute, and notes whether uploads are unended where that is known", async () => {
  await module.keepWatch();
  expect(worker.calls.at(-1)).toEqual(["alarms.create", expect.any(String), { periodInMinutes: 0.5 }]);
  expect(worker.stored.session).toEqual({});
  worker.answers["alarms.get"] = { name: "one" };
  await module.keepWatch(false);
  expect(worker.stored.session).toEqual({ "open-uploads": false });
  expect(names()).toEqual(["alarms.create"]);
  worker.answers["alarms.get"] = undefined;
  await module.noteFollowing(true);
  expect(worker.stored.session).toEqual({ "open-uploads": false, "follows-videos": true });
  expect(names()).toEqual(["alarms.create", "alarms.create"]);
});

test.each([
  ["isn't known to be idle", {}, [], ["offscreen.createDocument"]],
  ["has uploads that are unended", { "open-uploads": true }, [], ["offscreen.createDocument"]],
  [
    "follows what is made of videos",
    { "open-uploads": false, "follows-videos": true },
    [],
    ["offscreen.createDocument"],
  ],
  ["is idle, below a page", { "open-uploads": false }, ["OFFSCREEN_DOCUMENT", "POPUP"], []],
  ["is idle, below a tab", { "open-uploads": false }, ["OFFSCREEN_DOCUMENT", "TAB"], []],
  ["is idle, below the side panel", { "open-uploads": false }, ["OFFSCREEN_DOCUMENT", "SIDE_PANEL"], []],
  [
    "is idle",
    { "open-uploads": false, "follows-videos": false },
    ["OFFSCREEN_DOCUMENT"],
    ["alarms.clear", "offscreen.closeDocument"],
  ],
  ["is idle, and not there", { "open-uploads": false }, [], ["alarms.clear"]],
])("closeIfIdle() looks after a document that %s", async (_, stored, contexts, expected) => {
  Object.assign(worker.stored.session, stored);
  open = contexts;
  await module.closeIfIdle();
  expect(names()).toEqual(expected);
});

test("the document of Firefox is a frame, for which the browser is called every ten seconds", async () => {
  vi.useFakeTimers();
  vi.stubEnv("FIREFOX", "true");
  vi.resetModules();
  const inFirefox = await import("../../../entrypoints/background/offscreen.ts");
  vi.resetModules();
  vi.unstubAllEnvs();
  const frames: { src: string }[] = [];
  const createElement = () => ({
    src: "",
    addEventListener: (event: string, loaded: () => void) => event === "load" && loaded(),
    remove: () => void frames.pop(),
  });
  vi.stubGlobal("document", {
    createElement,
    body: { append: (made: { src: string }) => frames.push(made) },
  });
  await inFirefox.ensureOffscreen();
  await inFirefox.ensureOffscreen();
  expect(frames).toMatchObject([{ src: "offscreen.html" }]);
  const kept = () => worker.calls.filter(([name]) => name === "runtime.getPlatformInfo").length;
  vi.advanceTimersByTime(20_000);
  expect(kept()).toBe(2);
  worker.stored.session["open-uploads"] = false;
  worker.answers["runtime.getContexts"] = [];
  await inFirefox.closeIfIdle();
  expect(frames).toEqual([]);
  vi.advanceTimersByTime(20_000);
  expect(kept()).toBe(2);
  await inFirefox.ensureOffscreen();
  expect(frames).toHaveLength(1);
  await inFirefox.closeIfIdle();
  vi.useRealTimers();
});
