/** The list of uploads in a browser's database: what a thousand uploads cost it. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import type { openJobList } from "../../entrypoints/offscreen/job-list.ts";
import type { JobEvent } from "../../entrypoints/offscreen/job-reducer.ts";
import type { OffscreenEvent } from "../../entrypoints/shared/messages.ts";
import { inAll } from "../in-all.ts";
import { asset, makeJob } from "./pages/jobs.ts";
import { usePageServer } from "./pages/use-pages.ts";

declare const list: { openJobList: typeof openJobList };

const server = usePageServer();
let page: Page;

beforeAll(async () => {
  page = await server.newPage();
  await page.goto(`${server.origin}/list`);
  const source = fileURLToPath(new URL("../../entrypoints/offscreen/job-list.ts", import.meta.url));
  const how = { bundle: true, write: false, format: "iife", globalName: "list" } as const;
  const { outputFiles } = await build({ entryPoints: [source], ...how });
  await page.evaluate("globalThis.chrome = { runtime: { sendMessage: async () => null } }");
  await page.addScriptTag({ content: outputFiles[0]?.text ?? "" });
});
afterAll(() => page.context().close());

inAll(
  "a thousand uploads are chosen, started and finished in a few transactions, stored, and read a few at a time",
  async () => {
    const drafts = Array.from({ length: 1000 }, () => makeJob("draft"));
    const finished: JobEvent = {
      type: "finished",
      endedAt: 1,
      size: 5,
      asset,
      mismatches: [],
      outcome: { resent: 0, duration: 1, resumed: false },
    };
    const result = await page.evaluate(
      async ({ drafts, finished }) => {
        const { transaction } = IDBDatabase.prototype;
        let writes = 0;
        IDBDatabase.prototype.transaction = function (names, mode, ...more) {
          if (mode === "readwrite") writes++;
          return transaction.call(this, names, mode, ...more);
        };
        const events: OffscreenEvent[] = [];
        const jobs = await list.openJobList((event) => void events.push(event));
        await jobs.add(drafts);
        const costs = [writes];
        for (const event of [{ type: "started" }, finished] as const) {
          await Promise.all(drafts.map(({ id }) => jobs.apply(id, event)));
          costs.push(writes);
        }
        await jobs.remove([drafts[0]?.id ?? ""]);
        const { getAll } = IDBObjectStore.prototype;
        const reads: IDBRequest<unknown[]>[] = [];
        IDBObjectStore.prototype.getAll = function (...how) {
          const request = getAll.apply(this, how);
          reads.push(request);
          return request;
        };
        const again = await list.openJobList(() => {});
        const states = new Set(again.all().map(({ state }) => state));
        const mostRead = Math.max(...reads.map(({ result }) => result.length));
        const troubles = events.filter(({ type }) => type === "trouble");
        return { costs, mostRead, stored: again.all().length, states: [...states], troubles };
      },
      { drafts, finished },
    );
    expect(result).toEqual({ costs: [1, 2, 3], mostRead: 100, stored: 999, states: ["done"], troubles: [] });
  },
);
