/** The site is made by one command, and nothing on it leads nowhere. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeSite } from "../release/site/run.ts";
import { useFolder } from "../support/use-folder.ts";

const folder = useFolder("site");

test("every link of the site leads somewhere, and no page asks another host", {
  timeout: 300_000,
}, async () => {
  const { pages, links, wrong } = await makeSite(folder.path);
  expect(wrong).toEqual([]);
  expect(pages).toBeGreaterThan(100);
  expect(links).toBeGreaterThan(1000);
  const pictures = await readdir(join(folder.path, "pictures"));
  for (const name of pictures)
    expect((await stat(join(folder.path, "pictures", name))).size).toBeGreaterThan(2_000);
  expect(pictures.length).toBeGreaterThan(10);
});
