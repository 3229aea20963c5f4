/** One machine without Redis: a list in a script, which goes on where it was when it is started again. */
import { appendFile, writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { useLocal } from "./local.ts";

const local = useLocal();
vi.setConfig({ testTimeout: 120_000 });

test("a list is uploaded, and what was done is left out when it has grown", async () => {
  const { service, videos, list } = local;
  await writeFile(list, [videos.address(2), "", videos.address(3), videos.address(2)].join("\n"));
  const first = await local.startLocal(list).ended();
  expect(first.output).toMatch(/Line 1: asset [\w-]+\n/);
  expect(first.output).toMatch(/Line 3: asset [\w-]+\n/);
  expect(first.code).toBe(0);
  await appendFile(list, `\n${videos.address(4)}\n`);
  expect((await local.startLocal(list).ended()).output).toMatch(/^Line 5: asset [\w-]+\n$/);
  const hashes = await Promise.all(
    (await service.assets()).map(async ({ asset }) => (await service.whole(asset.id)).sha256),
  );
  expect(hashes.sort()).toEqual([2, 3, 4].map((seed) => videos.sha256(seed)).sort());
});

test("a list that is signed again names the same videos, and another parameter another one", async () => {
  const { service, videos, list } = local;
  const address = (signature: string) =>
    [2, 3].map((id) => `${videos.address(2)}?id=${id}&X-Amz-Date=${signature}&X-Amz-Signature=${signature}`);
  await writeFile(list, address("one").join("\n"));
  expect((await local.startLocal(list, 1).ended()).output.match(/: asset /g)).toHaveLength(2);
  await writeFile(list, address("two").join("\n"));
  expect(await local.startLocal(list, 1).ended()).toMatchObject({ code: 0, output: "" });
  expect(await service.assets()).toHaveLength(2);
});
