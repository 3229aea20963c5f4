/** How pieces are asked for: in a browser, of servers that let everybody read, nobody, or who has their cookies. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type * as pieceAccess from "../../../entrypoints/reach/piece-access.ts";
import { moduleScript } from "../../support/extension/pages/module-script.ts";
import { usePageServer } from "../../support/extension/pages/use-pages.ts";
import { closeServer, openServer } from "../../support/hosts/open-server.ts";

declare const reach: typeof pieceAccess;

const server = usePageServer();
const closers: (() => Promise<void>)[] = [];
let page: Page;

beforeAll(async () => {
  page = await server.newPage();
  await page.goto(`${server.origin}/piece-access`);
  await page.evaluate(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is not there in an insecure context.
    document.cookie = "session=1";
  });
  await page.addScriptTag({ content: await moduleScript("reach/piece-access.ts", "reach") });
});
afterAll(() => page.context().close());
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Respond = (request: IncomingMessage, response: ServerResponse, count: number) => void;

/** A host, and what it was asked: the method, and whether with cookies. */
async function serve(respond: Respond): Promise<{ origin: string; asked: string[] }> {
  const asked: string[] = [];
  const host = createServer((request, response) => {
    asked.push(`${request.method}${request.headers.cookie === undefined ? "" : " cookies"}`);
    respond(request, response, asked.length);
  });
  const origin = `http://127.0.0.1:${await openServer(host)}`;
  closers.push(() => closeServer(host));
  return { origin, asked };
}

const letsEverybody = { "access-control-allow-origin": "*" };
/** After a redirect between two other origins, the browser names no origin. */
const letsPerson = ({ headers }: IncomingMessage) => ({
  "access-control-allow-origin": headers.origin ?? "*",
  "access-control-allow-credentials": "true",
});
const everybody: Respond = (_, response) => response.writeHead(200, letsEverybody).end();
const person: Respond = (request, response) => response.writeHead(200, letsPerson(request)).end();
const nobody: Respond = (_, response) => response.writeHead(200).end();
const forbidden: Respond = (_, response) => response.writeHead(403, letsEverybody).end();
const silent: Respond = ({ socket }) => void socket.destroy();
/** Answers the first request, and nothing any more. */
const once =
  (first: Respond, then: Respond): Respond =>
  (request, response, count) =>
    (count === 1 ? first : then)(request, response, count);

interface Scene {
  urls: string[];
  place?: Partial<pieceAccess.PieceAccessOptions>;
  allowed?: string[];
  begun?: boolean;
  redirect?: string;
  scope?: "host" | "address" | "none";
  end?: "aborted" | "closed";
}

/** What reading addresses one after the other gives, who is to be allowed, and what the background was told. */
function read(scene: Scene) {
  return page.evaluate(
    async ({ urls, place, allowed = [], begun = false, redirect = null, scope = "host", end }) => {
      const needs: string[] = [];
      const told: string[] = [];
      const answers: Record<string, (address: string) => unknown> = {
        "is-permitted": (address) => allowed.includes(address),
        "redirect-of": () => redirect,
        "send-referrer": () => scope,
      };
      const sendMessage = async (message: Record<string, string>) => {
        const { type = "", address = "", page, jobId } = message;
        if (!/^is|^redirect/.test(type)) told.push([type, jobId, address, page].filter(Boolean).join(" "));
        return answers[type]?.(address) ?? null;
      };
      Object.assign(globalThis, { chrome: { runtime: { sendMessage } } });
      const access = reach.openPieceAccess({
        jobId: "one",
        address: urls[0] ?? "",
        isBegun: () => begun,
        onNeeds: (need) => needs.push(JSON.stringify(need)),
        ...place,
      });
      if (end === "closed") await access.close();
      const given: (number | string)[] = [];
      for (const url of urls) {
        const signal = end === "aborted" ? AbortSignal.abort() : null;
        const status = ({ status }: Response) => status;
        given.push(await access.fetch(url, { signal }).then(status, ({ name }: Error) => name));
      }
      await access.close();
      await access.close();
      return { given, needs, told };
    },
    scene,
  );
}

const needsOf = (...origins: string[]) =>
  origins.map((origin) => JSON.stringify({ permission: "host", origin, reads: true }));

type Case = [
  name: string,
  respond: Respond,
  scene: (origin: string) => Omit<Scene, "urls">,
  given: (number | string)[],
  needs: boolean,
  asked: string[],
];

test.each<Case>([
  ["everybody may read", everybody, () => ({}), [200], false, ["GET"]],
  ["the person may read", person, (allowed) => ({ allowed: [allowed] }), [200], false, ["GET cookies"]],
  ["the page's own", person, (page) => ({ place: { page } }), [200], false, ["GET cookies"]],
  [
    "the page's own, which refuses cookies",
    everybody,
    (page) => ({ place: { page } }),
    [200, 200],
    false,
    ["GET cookies", "GET", "GET"],
  ],
  ["nobody may read", nobody, () => ({}), ["TypeError"], true, ["GET", "HEAD"]],
  [
    "nobody may read, allowed",
    nobody,
    (host) => ({ allowed: [host] }),
    ["TypeError"],
    false,
    ["GET cookies"],
  ],
  ["that doesn't answer", silent, () => ({}), ["TypeError"], false, ["GET", "HEAD"]],
  ["that forbids it", forbidden, () => ({}), [403], true, ["GET"]],
  ["that forbids it by now", forbidden, () => ({ begun: true }), [403], false, ["GET"]],
  ["that forbids what was open", forbidden, () => ({ place: { open: true } }), [403], false, ["GET"]],
  [
    "that forbids another address",
    forbidden,
    (origin) => ({ place: { open: true, address: `${origin}/other` } }),
    [403],
    true,
    ["GET"],
  ],
  ["read by who has stopped", nobody, () => ({ end: "aborted" }), ["AbortError"], false, []],
  ["read once it is closed", everybody, () => ({ end: "closed" }), ["Error"], false, []],
  [
    "that everybody could read",
    once(everybody, nobody),
    () => ({}),
    [200, "TypeError"],
    false,
    ["GET", "GET"],
  ],
  [
    "that the click opened until now",
    once(person, nobody),
    (page) => ({ place: { page } }),
    [200, "TypeError"],
    true,
    ["GET cookies", "GET cookies", "HEAD cookies", "HEAD"],
  ],
  [
    "that the click opened, over a connection that is lost",
    (request, response, count) =>
      (count === 1 || request.method === "HEAD" ? person : silent)(request, response, count),
    (page) => ({ place: { page } }),
    [200, "TypeError"],
    false,
    ["GET cookies", "GET cookies", "HEAD cookies"],
  ],
])("a host is read: one %s", async (_, respond, scene, given, needs, asked) => {
  const host = await serve(respond);
  const urls = given.map((_, at) => `${host.origin}/piece-${at}`);
  const found = await read({ urls, ...scene(host.origin) });
  expect(found.given).toEqual(given);
  expect(found.needs).toEqual(needs ? needsOf(host.origin) : []);
  // What fails over a kept connection, the browser asks once more.
  expect([...new Set(host.asked)]).toEqual([...new Set(asked)]);
});

test("where a host redirects, the other one is to be allowed", async () => {
  const { origin } = await serve(nobody);
  const redirect = "https://other.example";
  const urls = [`${origin}/1`];
  const allowed = [origin];
  expect((await read({ urls, allowed, redirect })).needs).toEqual(needsOf(redirect));
  expect((await read({ urls, allowed: [origin, redirect], redirect })).needs).toEqual([]);
  expect((await read({ urls, redirect: origin })).needs).toEqual(needsOf(origin));
});

test.each([
  ["host", 1],
  ["none", 1],
  ["address", 2],
] as const)("a referrer for the %s is told so often, and taken back in the end: %i", async (scope, times) => {
  const { origin } = await serve(person);
  const urls = [`${origin}/1`, `${origin}/2`];
  const place = { page: "https://site.example/watch" };
  const told = (referrer: string) =>
    urls.map((url) => `send-referrer one ${url} ${referrer}`).slice(0, times);
  const ended = "upload-stopped one";
  const scene = { urls, place, allowed: [origin], scope };
  expect((await read(scene)).told).toEqual([...told(place.page), ended]);
  const referrer = "https://frame.example/";
  expect((await read({ ...scene, place: { ...place, referrer } })).told).toEqual([...told(referrer), ended]);
  expect((await read({ ...scene, allowed: [] })).told).toEqual([]);
  expect((await read({ ...scene, place: {} })).told).toEqual([]);
});

test.each([
  ["host", true, 3],
  ["none", true, 3],
  ["address", true, 4],
  ["host", false, 2],
] as const)(
  "a host that a redirect leads to is asked again once the %s may know the page",
  async (...row) => {
    const [scope, isAllowed, times] = row;
    const forbid: Respond = (request, response) => response.writeHead(403, letsPerson(request)).end();
    const redirect = (location: string) =>
      serve((request, response) => response.writeHead(302, { ...letsPerson(request), location }).end());
    const place = { page: "https://site.example/watch" };
    const last = await serve(forbid);
    const first = await redirect(last.origin);
    const allowed = [first.origin, ...(isAllowed ? [last.origin] : [])];
    const urls = [`${first.origin}/1`, `${first.origin}/2`];
    expect((await read({ urls, place, allowed, scope })).given).toEqual([403, 403]);
    expect(last.asked).toHaveLength(times);
    const soon = await serve(once(forbid, person));
    const toIt = await redirect(soon.origin);
    const scene = { urls: [toIt.origin], place, allowed: [toIt.origin, soon.origin], scope };
    expect((await read(scene)).given).toEqual([200]);
  },
);

test("an inspection asks nobody, and ends at a host that has to be allowed", async () => {
  const { origin } = await serve(forbidden);
  const aborted = await page.evaluate(async (address) => {
    Object.assign(globalThis, { chrome: { runtime: { sendMessage: async () => false } } });
    const stopper = new AbortController();
    const access = reach.openInspectionAccess({ address, page: "https://site.example" }, stopper);
    const before = stopper.signal.aborted;
    await access.fetch(address);
    await access.close();
    return [before, stopper.signal.aborted];
  }, `${origin}/a.m3u8`);
  expect(aborted).toEqual([false, true]);
});
