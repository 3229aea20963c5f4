/** The browser is asked about whole hosts, once for each, and given back what it gave for them alone. */
import { expect, test, vi } from "vitest";
import {
  createAccess,
  forgetHosts,
  isAllowed,
  isHostAllowed,
  isOpenedByClick,
  onHostsChanged,
  requestHosts,
  requestReading,
  watchQuestions,
} from "../../../entrypoints/reach/host-permissions.ts";

const HOST = "https://cdn.example";

/** Calls of the browser's permissions, in their order, of which `answer` gives what they result in. */
function stubPermissions(answer: (name: string) => unknown = () => true) {
  const calls: [string, unknown][] = [];
  const call = (name: string) => async (given?: unknown) => {
    calls.push([name, given]);
    return answer(name);
  };
  const listeners: Record<string, () => void> = {};
  const event = (name: string) => ({
    addListener: (listener: () => void) => {
      listeners[name] = listener;
    },
  });
  const events = { onAdded: event("added"), onRemoved: event("removed") };
  const names = ["contains", "request", "remove", "getAll"];
  const methods = Object.fromEntries(names.map((name) => [name, call(name)]));
  vi.stubGlobal("chrome", { permissions: { ...methods, ...events } });
  return { calls, listeners };
}

test("a host is asked about without the rest of its address", async () => {
  const { calls } = stubPermissions();
  expect(await isHostAllowed(`${HOST}:8443/a.m3u8?secret`)).toBe(true);
  await isAllowed([HOST, "http://b.example/x"], ["power"]);
  expect(calls).toEqual([
    ["contains", { origins: [`${HOST}/*`], permissions: [] }],
    ["contains", { origins: [`${HOST}/*`, "http://b.example/*"], permissions: ["power"] }],
  ]);
  stubPermissions(() => false);
  expect(await isHostAllowed(HOST)).toBe(false);
});

test("a question names each host once, and tells who watches before and after it", async () => {
  const { calls } = stubPermissions((name) => {
    calls.push([`${name} answered`, undefined]);
    return true;
  });
  watchQuestions(() => {
    calls.push(["before", undefined]);
    return () => calls.push(["after", undefined]);
  });
  expect(await requestHosts([`${HOST}/a`, `${HOST}/b`], ["power"])).toBe(true);
  expect(calls.map(([name]) => name)).toEqual(["before", "request", "request answered", "after"]);
  expect(calls[1]?.[1]).toEqual({ origins: [`${HOST}/*`], permissions: ["power"] });
  watchQuestions(() => () => {});
});

test("a question that the browser refuses counts as a no", async () => {
  stubPermissions(() => {
    throw new Error("only within a click");
  });
  expect(await requestHosts([HOST])).toBe(false);
});

test("reading is asked for together with redirects", async () => {
  const { calls } = stubPermissions();
  expect(await requestReading([HOST])).toBe(true);
  expect(calls).toEqual([["request", { origins: [`${HOST}/*`], permissions: ["webRequest"] }]]);
});

test.each([
  [{ origins: [`${HOST}/*`], permissions: ["power", "webRequest"] }, [`${HOST}/*`], ["webRequest"]],
  [{ origins: [`${HOST}/*`] }, [`${HOST}/*`], []],
  [{ permissions: ["webRequest"] }, [], ["webRequest"]],
])("forgetHosts() gives back of %j the hosts, and redirects", async (given, origins, permissions) => {
  const { calls } = stubPermissions(() => given);
  await forgetHosts();
  expect(calls.slice(1)).toEqual([["remove", { origins, permissions }]]);
});

test("forgetHosts() gives nothing back where nothing was given", async () => {
  const { calls } = stubPermissions(() => ({ permissions: ["power"] }));
  await forgetHosts();
  expect(calls.map(([name]) => name)).toEqual(["getAll"]);
});

test("onHostsChanged() tells of what is added, and of what is removed where that is wanted", () => {
  const { listeners } = stubPermissions();
  const told: string[] = [];
  onHostsChanged({ onAdded: () => told.push("added") });
  expect(Object.keys(listeners)).toEqual(["added"]);
  onHostsChanged({ onAdded: () => told.push("added"), onRemoved: () => told.push("removed") });
  listeners.added?.();
  listeners.removed?.();
  expect(told).toEqual(["added", "removed"]);
});

test.each([
  ["the page's own origin, without a question", "https://site.example", "https://site.example", "include", 0],
  ["a host that is allowed", "https://site.example", HOST, "include", 1],
  ["a host that isn't", "https://site.example", "https://other.example", "omit", 1],
  ["an own network, from a public page", "https://site.example", "http://192.168.0.1", undefined, 0],
  ["an own network, from a page in it", "http://192.168.0.2", "http://192.168.0.1", "omit", 1],
  ["an own network, from no page", "", "http://192.168.0.1", "omit", 1],
])("createAccess() tells how to read %s", async (_, page, origin, expected, asked) => {
  const { calls } = stubPermissions(() => origin === HOST);
  const access = createAccess(page);
  expect(await access(origin)).toBe(expected);
  expect(await access(origin)).toBe(expected);
  expect(calls).toHaveLength(asked);
});

test("a click on a page opens its origin alone, and none in Firefox", async () => {
  expect(isOpenedByClick(HOST, HOST)).toBe(true);
  expect(isOpenedByClick(HOST, "https://site.example")).toBe(false);
  vi.stubEnv("FIREFOX", "true");
  vi.resetModules();
  const inFirefox = await import("../../../entrypoints/reach/host-permissions.ts");
  // No other file may find these modules.
  vi.resetModules();
  vi.unstubAllEnvs();
  expect(inFirefox.isOpenedByClick(HOST, HOST)).toBe(false);
});
