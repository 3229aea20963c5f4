/** Which hosts answer at all, and as whom each is read: in a browser, whose frames are limited to one origin. */
import { createServer, type RequestListener } from "node:http";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type * as hostAccess from "../../../entrypoints/reach/host-access.ts";
import type { ManifestPlace } from "../../../entrypoints/reach/host-access.ts";
import { moduleScript } from "../../support/extension/pages/module-script.ts";
import { usePageServer } from "../../support/extension/pages/use-pages.ts";
import { closeServer, openServer } from "../../support/hosts/open-server.ts";

declare const access: typeof hostAccess;

const server = usePageServer();
const closers: (() => Promise<void>)[] = [];
let page: Page;

beforeAll(async () => {
  page = await server.newPage();
  await page.goto(`${server.origin}/host-access`);
  await page.addScriptTag({ content: await moduleScript("reach/host-access.ts", "access") });
});
afterAll(() => page.context().close());
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(listener: RequestListener): Promise<string> {
  const host = createServer(listener);
  const origin = `http://127.0.0.1:${await openServer(host)}`;
  closers.push(() => closeServer(host));
  return origin;
}

const isReachable = (origin: string) => page.evaluate((origin) => access.isReachable(origin), origin);

test("a host is reachable where it answers, whatever that is", async () => {
  const methods: unknown[] = [];
  const origin = await serve(({ method }, response) => {
    methods.push(method);
    response.writeHead(403).end();
  });
  expect(await isReachable(origin)).toBe(true);
  expect(methods).toEqual(["HEAD"]);
  expect(await page.locator("iframe").count()).toBe(0);
});

test("a host is reachable where it redirects, and the other one is not asked", async () => {
  let asked = 0;
  const other = await serve((_, response) => response.end(`${asked++}`));
  const origin = await serve((_, response) => response.writeHead(307, { location: other }).end());
  expect(await isReachable(origin)).toBe(true);
  expect(asked).toBe(0);
});

test("a host is not reachable where nothing answers, nor where no frame can be limited to it", async () => {
  const origin = await serve(({ socket }) => socket.destroy());
  expect(await isReachable(origin)).toBe(false);
  expect(await isReachable("http://[::1]:80")).toBe(false);
});

const SITE = "https://site.example";
const address = `${SITE}/a.m3u8`;

test.each<[string, boolean, ManifestPlace, "include" | "omit"]>([
  ["is allowed", true, { address }, "include"],
  ["is allowed, and lets everybody read", true, { address, open: true }, "include"],
  ["isn't allowed", false, { address }, "omit"],
  ["is the page's", false, { address, page: `${SITE}/watch` }, "include"],
  ["isn't the page's", false, { address, page: "https://other.example" }, "omit"],
  ["is the page's, and lets everybody read", false, { address, page: SITE, open: true }, "omit"],
  [
    "is the page's, of an open manifest elsewhere",
    false,
    { address: "x:", page: SITE, open: true },
    "include",
  ],
])("cookies go to an origin as it %s", async (_, allowed, place, credentials) => {
  const found = await page.evaluate(
    ([origin, place, allowed]) => {
      Object.assign(globalThis, { chrome: { runtime: { sendMessage: async () => allowed } } });
      return access.findOriginAccess(origin, place);
    },
    [SITE, place, allowed] as const,
  );
  expect(found).toEqual({ allowed, credentials, worked: false });
});

test("a host that the background can't be asked about counts as allowed", async () => {
  const found = await page.evaluate(() => {
    const sendMessage = () => Promise.reject(new Error("died"));
    Object.assign(globalThis, { chrome: { runtime: { sendMessage } } });
    return access.isPermitted("https://site.example");
  });
  expect(found).toBe(true);
});
