/** One machine without Redis: a script that is killed again and again, and a service that loses its answers. */
import { appendFile, writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { seeded } from "../support/seeded.ts";
import { audit } from "./fleet.ts";
import { linesOf, uploadKilled } from "./killed-runs.ts";
import { useLocal } from "./local.ts";
import { addressList } from "./videos.ts";

const VIDEOS = 24;
const local = useLocal();
vi.setConfig({ testTimeout: 120_000 });

test("a list is uploaded once each, though the process is killed again and again", async () => {
  await uploadKilled(local, VIDEOS, 5);
});

test("three processes at one list make one asset of each video, and each tells all of them", async () => {
  const { list, videos, service } = local;
  const { addresses, seeds } = addressList(videos, VIDEOS, seeded(3));
  await writeFile(list, addresses.join("\n"));
  const runs = await Promise.all([1, 2, 3].map(() => local.startLocal(list).ended()));
  for (const { output } of runs) {
    const { wrong, doubtful } = await audit(local, linesOf(output, output), seeds);
    expect({ wrong, doubtful }).toEqual({ wrong: [], doubtful: 0 });
  }
  const names = (await service.assets()).map(({ received }) => `${received.name}`);
  expect(names.filter((name) => name.startsWith("video-"))).toHaveLength(VIDEOS);
});

test("a process that is killed while it asks for an asset makes the next one say that it may exist", async () => {
  const { service, videos, list } = local;
  await writeFile(list, videos.address(2));
  await service.set({ stallAfter: [{ host: "api", method: "POST", bytes: 0, times: 1 }] });
  const first = local.startLocal(list);
  await expect.poll(async () => (await service.requests("POST", "request-upload")).length).toBe(1);
  first.process.kill("SIGKILL");
  await first.ended();
  const { code, output } = await local.startLocal(list).ended();
  expect(code).toBe(0);
  expect(output).toContain("Line 1: Cannot request an upload location: an earlier call ended before");
  expect(output).toMatch(/Line 1: asset [\w-]+\n/);
});

test("a service that loses its answers is asked twice for a video in a run, and each doubt is named", async () => {
  const { service, videos, list } = local;
  await writeFile(list, [videos.address(2), videos.address(3)].join("\n"));
  await service.set({ dropAnswer: [{ host: "api", method: "POST", times: 3 }] });
  const { code, output } = await local.startLocal(list).ended();
  // Three answers are lost of four: one video is made in the end, and the other one is left to the next run.
  expect(code).toBe(1);
  expect(await service.requests("POST", "request-upload")).toHaveLength(4);
  expect(output.match(/asset may have been created/g)).toHaveLength(3);
  expect(output.match(/: asset [\w-]+\n/g)).toHaveLength(1);
});

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

test("a list that is signed again names the same videos", async () => {
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

test("a list that can't be read and a wrong setting are told in a sentence", async () => {
  const { list } = local;
  const unread = { code: 2, output: `The list can't be read: ${list}\n` };
  expect(await local.startLocal(list).ended()).toEqual(unread);
  await writeFile(list, "http://127.0.0.1:9/video.mp4");
  const { code, output } = await local.startLocal(list, 0).ended();
  expect({ code, lines: output.split("\n").length }).toEqual({ code: 2, lines: 2 });
  expect(output).toContain("concurrency is 0, expected a whole number from 1 to 100");
});
