import { beforeEach, expect, test, vi } from "vitest";
import { redirectOf, watchRedirects } from "../../../entrypoints/background/redirects.ts";

type Redirect = Record<"url" | "redirectUrl", string> & { initiator?: string };
let listeners: Set<(redirect: Redirect) => void>;
const ask = (url: string, redirectUrl: string, initiator = "chrome-extension://upcut") => {
  for (const listener of listeners) listener({ url, redirectUrl, initiator });
};

beforeEach(() => {
  listeners = new Set();
  const onBeforeRedirect = {
    addListener: (listener: (redirect: Redirect) => void) => listeners.add(listener),
    removeListener: (listener: (redirect: Redirect) => void) => listeners.delete(listener),
  };
  vi.stubGlobal("chrome", { webRequest: { onBeforeRedirect }, tabs: { TAB_ID_NONE: -1 } });
  vi.stubGlobal("location", { origin: "chrome-extension://upcut" });
  watchRedirects();
});

test("redirectOf() follows what the extension's own requests were sent on to, and ends in a circle", () => {
  ask("https://shop.example/1", "https://shop.example/2");
  ask("https://shop.example/2", "https://cdn.example/video.mp4?signature=s");
  expect(redirectOf("https://shop.example/1")).toBe("https://cdn.example");
  expect(redirectOf("https://shop.example/3")).toBeNull();
  ask("https://page.example/1", "https://cdn.example/", "https://page.example");
  expect(redirectOf("https://page.example/1")).toBeNull();
  ask("https://circle.example/1", "https://circle.example/2");
  ask("https://circle.example/2", "https://circle.example/1");
  expect(redirectOf("https://circle.example/1")).toBeNull();
});

test("redirectOf() knows the last hundred redirects", () => {
  for (let at = 0; at <= 100; at++) ask(`https://many.example/${at}`, "https://cdn.example/");
  expect([0, 1, 100].map((at) => redirectOf(`https://many.example/${at}`))).toEqual([
    null,
    "https://cdn.example",
    "https://cdn.example",
  ]);
});
