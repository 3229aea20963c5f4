import { beforeEach, expect, test, vi } from "vitest";
import {
  forgetReferrers,
  MAX_ADDRESSES,
  MAX_HOSTS,
  noteReferrer,
  readReferrers,
  referrerOf,
} from "../../../entrypoints/background/referrers.ts";

beforeEach(() => {
  const stored: Record<string, unknown> = {};
  const session = {
    get: async (key: string) => ({ [key]: structuredClone(stored[key]) }),
    set: async (values: object) => void Object.assign(stored, structuredClone(values)),
  };
  vi.stubGlobal("chrome", { storage: { session } });
});

const CDN = "https://cdn.example";
const scopesOf = async (job: string) =>
  (await readReferrers()).flatMap(({ jobId, scope }) => (jobId === job ? [scope] : []));

test("a referrer is for the whole host, also of several jobs whose pages send the same", async () => {
  expect(await noteReferrer("one", `${CDN}/1.ts`, "https://site.example/1")).toBe("host");
  expect(await noteReferrer("one", `${CDN}/2.ts`, "https://site.example/1")).toBe("host");
  expect(await noteReferrer("two", `${CDN}/1.ts`, "https://site.example/2")).toBe("host");
  expect(await readReferrers()).toEqual([
    { jobId: "one", scope: CDN, referrer: "https://site.example/" },
    { jobId: "two", scope: CDN, referrer: "https://site.example/" },
  ]);
  expect(await noteReferrer("three", "http://cdn.example/1.ts", "https://site.example/1")).toBe("none");
});

test("a referrer is for one address where another job reads the host for another page", async () => {
  await noteReferrer("one", `${CDN}/1.ts`, "https://site.example/1");
  expect(await noteReferrer("two", `${CDN}/2.ts?a=1`, "https://other.example/")).toBe("address");
  expect(await readReferrers()).toContainEqual({
    jobId: "two",
    scope: `${CDN}/2.ts?a=1`,
    referrer: "https://other.example/",
  });
  // The referrer is for the host as soon as the other job has ended.
  await forgetReferrers("one");
  expect(await noteReferrer("two", `${CDN}/3.ts`, "https://other.example/")).toBe("host");
  await forgetReferrers("two");
  expect(await readReferrers()).toEqual([]);
});

test("a job has referrers for its latest hosts and addresses, and takes none from others", async () => {
  await noteReferrer("one", `${CDN}/1.ts`, "https://site.example/1");
  for (let at = 0; at <= MAX_HOSTS; at++)
    await noteReferrer("two", `https://${at}.example/1.ts`, "https://other.example/");
  for (let at = 0; at <= MAX_ADDRESSES; at++)
    await noteReferrer("two", `${CDN}/${at}.ts`, "https://other.example/");
  const scopes = await scopesOf("two");
  expect(scopes).toHaveLength(MAX_HOSTS + MAX_ADDRESSES);
  expect(scopes).not.toContain("https://0.example");
  expect(scopes).not.toContain(`${CDN}/0.ts`);
  expect(scopes).toContain(`${CDN}/${MAX_ADDRESSES}.ts`);
  expect(await scopesOf("one")).toEqual([CDN]);
});

const SITE = "https://site.example";

test.each([
  ["within its own origin", "https://a:b@site.example/watch?v=1#t=5", `${SITE}/x.m3u8`, `${SITE}/watch?v=1`],
  ["to others by its origin", `${SITE}/watch?v=1`, `${CDN}/1.ts`, `${SITE}/`],
  ["to another port by its origin", `${SITE}/watch`, `${SITE}:8443/1.ts`, `${SITE}/`],
  ["from http to https", "http://site.example/watch", `${CDN}/1.ts`, "http://site.example/"],
  ["not from https to http", `${SITE}/watch`, "http://cdn.example/1.ts", undefined],
  ["not where it is no page of the web", "chrome-extension://abc/popup.html", `${CDN}/1.ts`, undefined],
  ["not to what is no address", `${SITE}/watch`, "1.ts", undefined],
])("a page is sent as the referrer %s", (_, page, address, referrer) => {
  expect(referrerOf(page, address)).toBe(referrer);
});
