import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openJobList } from "../../../entrypoints/offscreen/job-list.ts";
import { openUploadAccess } from "../../../entrypoints/offscreen/upload-access.ts";
import { DEFAULT_SETTINGS } from "../../../entrypoints/shared/settings.ts";
import { asset, makeJob } from "../../support/extension/pages/jobs.ts";

/** What the background was told of authorizations, in the order in which it has done it. */
let done: string[];
/** How it answers the wish for an authorization. */
let answer: () => Promise<null>;

beforeEach(() => {
  done = [];
  answer = async () => null;
  const sendMessage = async ({ type }: { type: string }) => {
    if (type === "authorize-upload") await answer();
    if (type === "authorize-upload" || type === "upload-stopped") done.push(type);
    return null;
  };
  vi.stubGlobal("chrome", { runtime: { sendMessage } });
});
afterEach(() => void vi.useRealTimers());

const entry = {
  version: 1 as const,
  uploads: {
    one: { method: "resumable" as const, asset, mismatches: [], location: "https://upload.example/tus" },
  },
};

function promised() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** The access of a job whose location is known, with settings that are read when the test lets them. */
async function openAccess(read: Promise<void> = Promise.resolve()) {
  const list = await openJobList(() => {});
  await list.add([
    {
      ...makeJob("uploading", { id: "one", address: "https://video.example" }),
      journal: { key: "key", entry },
    },
  ]);
  const settings = {
    replace: () => {},
    read: async () => {
      await read;
      return { ...DEFAULT_SETTINGS, uploadAuthorization: true };
    },
  };
  return openUploadAccess(list, settings, "one");
}

test("close() ends the authorization of an upload", async () => {
  const access = await openAccess();
  await access.authorize();
  await access.authorize();
  await access.close();
  expect(done).toEqual(["authorize-upload", "upload-stopped"]);
});

test("close() ends nothing where nothing was authorized", async () => {
  const access = await openAccess();
  await access.close();
  expect(done).toEqual([]);
});

test.each([
  ["is being set", (): null => null],
  [
    "fails to be set, as far as is known",
    () => {
      throw new Error("the background didn't respond");
    },
  ],
])("close() ends an authorization that still %s", async (_, outcome) => {
  const { promise, resolve } = promised();
  const asked = promised();
  answer = async () => {
    asked.resolve();
    await promise;
    return outcome();
  };
  const access = await openAccess();
  const authorizing = access.authorize().catch(() => {});
  await asked.promise;
  const closing = access.close();
  // All that waits for nothing else is done by then.
  await new Promise(setImmediate);
  expect(done).toEqual([]);
  resolve();
  await Promise.all([authorizing, closing]);
  expect(done.at(-1)).toBe("upload-stopped");
});

test("nothing is authorized nor opened once it is closed", async () => {
  const { promise, resolve } = promised();
  const access = await openAccess(promise);
  const late = access.authorize();
  const refused = expect(late).rejects.toThrow("closed");
  await access.close();
  resolve();
  await refused;
  await expect(access.authorize()).rejects.toThrow("closed");
  await expect(access.xhrFor("https://upload.example")).rejects.toThrow("closed");
  expect(done).toEqual([]);
});

/** A document whose frames load at once. */
function stubDocument() {
  const frames: { removed: boolean; redirect(): void }[] = [];
  const createElement = () => {
    let onRedirect = () => {};
    const inside = { XMLHttpRequest: class {}, document: { addEventListener } };
    function addEventListener(_: string, listener: () => void) {
      onRedirect = listener;
    }
    const frame = {
      removed: false,
      contentDocument: { defaultView: inside },
      addEventListener: (_: string, loaded: () => void) => loaded(),
      remove: () => {
        frame.removed = true;
      },
      redirect: () => onRedirect(),
    };
    frames.push(frame);
    return frame;
  };
  vi.stubGlobal("document", { createElement, body: { append() {} } });
  return frames;
}

test("the frame of an upload that is done serves the next one to its origin, for some seconds", async () => {
  vi.useFakeTimers();
  const frames = stubDocument();
  const use = async (origin: string, isDone: boolean, whileOpen: () => void = () => {}) => {
    const access = await openAccess();
    await access.xhrFor(origin);
    whileOpen();
    await access.close(isDone);
    return frames.map(({ removed }) => (removed ? "removed" : "kept"));
  };
  expect(await use("https://one.example", true)).toEqual(["kept"]);
  expect(await use("https://two.example", true)).toEqual(["kept", "kept"]);
  expect(await use("https://one.example", false)).toEqual(["removed", "kept"]);
  expect(await use("https://two.example", true, () => frames[1]?.redirect())).toEqual(["removed", "removed"]);
  const both = [await openAccess(), await openAccess()];
  for (const access of both) await access.xhrFor("https://one.example");
  for (const access of both) await access.close(true);
  expect(frames.map(({ removed }) => removed)).toEqual([true, true, false, false]);
  vi.advanceTimersByTime(5_000);
  expect(frames.every(({ removed }) => removed)).toBe(true);
});
