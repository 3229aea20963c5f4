/** The answers of this runtime; those of others are asked for in `test/runtimes` and `test/works-with`. */
import { afterEach, expect, test, vi } from "vitest";
import {
  builtInCrypto,
  canReadAtLeast,
  canStreamBodies,
  hasRequestCache,
  hasXhr,
  immediate,
  isBun,
  isDeno,
  isOffline,
  isWaitingForNetwork,
  lengthStream,
  pageOrigin,
  sendsAfterCallback,
  sendsStreams,
  showsRedirects,
} from "../../core/runtime.ts";

const inNode = test.runIf(process.env.EXPECT_RUNTIME === undefined);

afterEach(() => {
  vi.unstubAllGlobals();
});

inNode("Node has its own globals, and none of a page, of Deno, Bun or an edge", () => {
  expect([isDeno(), isBun(), hasXhr(), sendsAfterCallback(), isOffline(), isWaitingForNetwork()]).toEqual(
    Array(6).fill(false),
  );
  expect([lengthStream(), pageOrigin()]).toEqual([undefined, undefined]);
  expect([canStreamBodies(), sendsStreams(), showsRedirects(), hasRequestCache()]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(immediate()).toBe(setImmediate);
  expect(canReadAtLeast()).toBe(false);
  expect(builtInCrypto()?.createHash("sha256").update("").digest("hex")).toMatch(/^e3b0c442/);
});

inNode("a Deno before 2.8 sends after the callback", () => {
  for (const [deno, sends] of [
    ["1.9.0", true],
    ["2.7.14", true],
    ["2.8.0", false],
    ["3.0.0", false],
  ]) {
    vi.stubGlobal("Deno", { version: { deno } });
    expect([deno, sendsAfterCallback()]).toEqual([deno, sends]);
  }
  vi.stubGlobal("Deno", {});
  expect(sendsAfterCallback()).toBe(true);
});

inNode("a page has an origin, and a network that may be missing", () => {
  vi.stubGlobal("location", { origin: "https://page.example" });
  vi.stubGlobal("navigator", { onLine: false });
  expect([pageOrigin(), isOffline(), isWaitingForNetwork()]).toEqual(["https://page.example", true, false]);
  vi.stubGlobal("addEventListener", () => {});
  expect(isWaitingForNetwork()).toBe(true);
  vi.stubGlobal("location", { origin: "chrome-extension://a" });
  expect(pageOrigin()).toBeUndefined();
  vi.stubGlobal("location", { origin: "https://page.example" });
  vi.stubGlobal("Deno", {});
  expect(pageOrigin()).toBeUndefined();
});
