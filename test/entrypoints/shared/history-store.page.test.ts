import { expect, test } from "vitest";
import type * as HistoryStore from "../../../entrypoints/shared/history-store.ts";
import { moduleScript } from "../../support/extension/pages/module-script.ts";
import { usePageServer } from "../../support/extension/pages/use-pages.ts";

declare const store: typeof HistoryStore;
const server = usePageServer();

test("the history keeps the newest entries, shows them first, leaves out what is none, and can be emptied", async () => {
  const page = await server.newPage();
  await page.goto(`${server.origin}/history`);
  await page.addScriptTag({ content: await moduleScript("shared/history-store.ts", "store") });
  const entry = (endedAt: number) => ({ id: `${endedAt}`, name: "a", endedAt, assetId: "a", digests: [] });
  const entries = Array.from({ length: 500 }, (_, at) => entry(at));
  const seen = await page.evaluate(
    async ([entries, last]) => {
      const times = async () => (await store.readHistory()).map(({ endedAt }) => endedAt);
      await store.addToHistory(entries);
      const all = await times();
      await store.addToHistory([last, { id: "odd", endedAt: 1000 } as never]);
      const left = await times();
      await store.clearHistory();
      return {
        all: all.length,
        newest: left[0],
        oldest: left.at(-1),
        left: left.length,
        none: await times(),
      };
    },
    [entries, entry(500)] as const,
  );
  // One of the 450 that are left is no entry.
  expect(seen).toEqual({ all: 500, newest: 500, oldest: 52, left: 449, none: [] });
  await page.context().close();
});
