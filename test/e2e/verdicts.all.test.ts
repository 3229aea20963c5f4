/** The extension's words for uploads that are stored well, whose bytes change in the store, and whose parts it sweeps away. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { StoredJob } from "../../entrypoints/shared/job.ts";
import { MiB, writeContent } from "../content.ts";
import { useLab, videoFolder } from "../faults/lab.ts";
import { changeOptions, choose } from "./actions.ts";
import { readStored } from "./stored-jobs.ts";
import { useExtension } from "./use-extension.ts";

const SIZES = [100_003, 300_017, MiB, 8 * MiB, 8 * MiB + 1, 9 * MiB];
/** Those that are swept are sent in several requests. */
const SWEPT_SIZE = 16 * MiB + 5;
const lab = useLab({ assetCall: true, damages: "damaged" }, { store: "tus-s3-1" });
const extension = useExtension(lab);
let folder: Awaited<ReturnType<typeof videoFolder>>;
beforeAll(async () => {
  folder = await videoFolder();
});
afterAll(() => folder.remove());

test("each verdict about 20 uploads is right", { timeout: 600_000 }, async () => {
  const hashes = new Map<string, string>();
  const write = async (kind: string, count: number, sizes: number[]) => {
    const names = Array.from({ length: count }, (_, seed) => `${kind}-${seed}.mp4`);
    for (const [seed, name] of names.entries())
      hashes.set(name, await writeContent(join(folder.path, name), sizes[seed % sizes.length] ?? 1, seed));
    return names.map((name) => join(folder.path, name));
  };
  await changeOptions(extension, async (options) => {
    await options.getByLabel("Path that reads a video").fill("/api/asset/{id}");
    await options.getByLabel("Uploads at a time").fill("10");
    await options.getByLabel("Review before uploading").uncheck();
  });
  const popup = await extension.open("popup.html");
  const states = async () => (await readStored(popup)).map(({ state }) => state);

  await lab.service.set({ throttle: 2 * MiB });
  await choose(popup, ...(await write("swept", 4, [SWEPT_SIZE])));
  await lab.service.until(async () => {
    const uploads = await lab.service.uploads();
    return uploads.length === 4 && uploads.every(({ arrived }) => arrived > 9 * MiB);
  });
  await popup.getByRole("button", { name: "Pause all" }).click();
  await expect.poll(states).not.toContain("uploading");
  await lab.service.set({ swept: new Date().toISOString(), throttle: 0 });
  await popup.getByRole("button", { name: "Continue all" }).click();
  await choose(popup, ...(await write("whole", 12, SIZES)), ...(await write("damaged", 4, SIZES)));

  const isJudged = ({ state, processing }: StoredJob) =>
    state === "failed" || (state === "done" && ["ready", "differs"].includes(processing?.stage ?? ""));
  // One that is swept after its last byte is never named.
  const isLeft = (job: StoredJob) => job.fields.name.startsWith("swept") && job.state === "done";
  await expect.poll(async () => (await readStored(popup)).length).toBe(20);
  await expect
    .poll(async () => (await readStored(popup)).filter((job) => !isJudged(job) && !isLeft(job)))
    .toEqual([]);
  // The last hash is compared after its row says that it is ready.
  const isCompared = ({ processing }: StoredJob) => processing?.stage !== "ready" || processing.same;
  await expect.poll(async () => (await readStored(popup)).every(isCompared)).toBe(true);
  const stored = new Map((await lab.service.assets()).map(({ asset, sha256 }) => [asset.id, sha256]));
  const verdicts = (await readStored(popup)).map(({ asset, source, state, processing = { since: 0 } }) => {
    const { stage, same } = processing;
    const isWhole = stored.get(asset?.id ?? "") === hashes.get(source.name);
    return {
      kind: source.name.split("-")[0],
      verdict: state === "done" ? `${stage} ${same}` : state,
      isRight: (same === "content") === isWhole,
    };
  });
  console.log(verdicts.map(({ kind, verdict }) => `${kind}: ${verdict}`).sort());
  expect(verdicts.filter(({ isRight }) => !isRight)).toEqual([]);
  const of = (wanted: string) => verdicts.filter(({ kind }) => kind === wanted).map(({ verdict }) => verdict);
  expect(of("whole")).toEqual(Array(12).fill("ready content"));
  expect(of("damaged")).toEqual(Array(4).fill("differs undefined"));
});
