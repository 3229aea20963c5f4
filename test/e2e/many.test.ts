import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeContent } from "../content.ts";
import { useLab, videoFolder } from "../faults/lab.ts";
import type { Fault } from "../faults/proxy.ts";
import { seeded } from "../seeded.ts";
import { changeOptions, choose } from "./actions.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
const COUNT = 10;
/** A stall takes the half minute in which nothing goes through. */
const long = process.env.UPCUT_LONG !== undefined;
const lab = useLab({ parts: true });
const extension = useExtension(lab);
let folder: Awaited<ReturnType<typeof videoFolder>>;

beforeAll(async () => {
  folder = await videoFolder();
  await changeOptions(extension, (options) => options.getByLabel("Uploads at a time").fill(`${COUNT}`));
});
afterAll(() => folder.remove());

test("ten uploads at once over a line that breaks all the time arrive whole, as ten assets", async () => {
  const seed = Number(process.env.UPCUT_SEED ?? Date.now() % 2 ** 31);
  const random = seeded(seed);
  const faultOf = (length: number): Fault => {
    const kinds: Fault[] = [
      { kind: "reset", after: Math.floor(random() * length) },
      { kind: "half-close", after: Math.floor(random() * length) },
      { kind: "cut-at-end" },
      { kind: "drop-answer" },
      { kind: "delay", milliseconds: 500 },
    ];
    if (long) kinds.push({ kind: "stall", after: Math.floor(random() * length) });
    return kinds[Math.floor(random() * kinds.length)] as Fault;
  };
  let left = long ? 60 : 25;
  // Each upload's first body meets one, and whatever comes then perhaps.
  const begun = new Set<string>();
  lab.upload.choose = ({ method, path, length }) => {
    const first = method === "PATCH" && !begun.has(path);
    if (first) begun.add(path);
    if (!["PATCH", "POST", "HEAD"].includes(method) || (!first && random() > 0.6)) return undefined;
    return first || left-- > 0 ? faultOf(length) : undefined;
  };
  const hashes = new Map<string, string>();
  const paths: string[] = [];
  for (let index = 0; index < COUNT; index++) {
    const path = join(folder.path, `video-${index}.mp4`);
    const size = Math.floor((1 + random() * (long ? 29 : 9)) * MiB);
    hashes.set(`video-${index}.mp4`, await writeContent(path, size, index));
    paths.push(path);
  }
  const popup = await extension.open("popup.html");
  await choose(popup, ...paths);
  await expect.poll(() => popup.getByRole("button", { name: "Start", exact: true }).count()).toBe(COUNT);
  await popup.getByRole("button", { name: "Start all" }).click();
  await expect
    .poll(() => popup.getByText(/^Uploaded ·/).count(), { timeout: long ? 600_000 : 90_000 })
    .toBe(COUNT);
  const assets = await lab.service.assets();
  expect(assets.map(({ asset }) => asset.name).sort()).toEqual([...hashes.keys()]);
  for (const { asset } of assets)
    expect((await lab.service.whole(asset.id)).sha256).toBe(hashes.get(asset.name ?? ""));
  expect(lab.upload.faults, `seed ${seed}`).toBeGreaterThan(COUNT);
  console.log(`Ten of ten whole through ${lab.upload.faults} faults, seed ${seed}`);
}, 700_000);
