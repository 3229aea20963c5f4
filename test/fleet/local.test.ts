/** One machine without Redis: a list in a script, which resumes when it is started again. */

import { appendFile, writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { inAll } from "../in-all.ts";
import { useLocal } from "./local.ts";

const local = useLocal();
vi.setConfig({ testTimeout: 120_000 });

test("a list is uploaded, and what was done is told again when it has grown", async () => {
  const { service, videos, list } = local;
  await writeFile(list, [videos.address(2), "# of May", videos.address(3), videos.address(2)].join("\n"));
  const first = await local.startLocal(list).ended();
  expect(first.output).toMatch(/Line 1: asset [\w-]+\n/);
  expect(first.output).toMatch(/Line 3: asset [\w-]+\n/);
  expect(first.code).toBe(0);
  await appendFile(list, `\n${videos.address(4)}\n\n`);
  const second = (await local.startLocal(list).ended()).output;
  expect(second).toMatch(/^Line 5: asset [\w-]+$/m);
  const before = first.output.match(/^Line [13]: asset [\w-]+$/gm) ?? [];
  expect(second.match(/^Line [13]: .*$/gm)?.sort()).toEqual(
    before.sort().map((line) => `${line}, uploaded before`),
  );
  const hashes = await Promise.all(
    (await service.assets()).map(async ({ asset }) => (await service.whole(asset.id)).sha256),
  );
  expect(hashes.sort()).toEqual([2, 3, 4].map((seed) => videos.sha256(seed)).sort());
});

inAll("a list that is signed again names the same videos", async () => {
  const { service, videos, list } = local;
  const address = (signature: string) =>
    `${videos.address(2)}?id=1&X-Amz-Date=${signature}&X-Amz-Signature=${signature}`;
  await writeFile(list, address("one"));
  await local.startLocal(list, 1).ended();
  await writeFile(list, [address("two"), address("three")].join("\n"));
  const { code, output } = await local.startLocal(list, 1).ended();
  expect(code).toBe(0);
  expect(output).toMatch(/^Line 1: asset [\w-]+, uploaded before\n$/);
  expect(await service.assets()).toHaveLength(1);
});
