/** The extension with the stores that real services run: what it says is whole is whole there too. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PART_SIZE } from "../../core/source/parts.ts";
import { useLab, videoFolder } from "../faults/lab.ts";
import type { Fault } from "../faults/proxy.ts";
import { REAL_STORES } from "../service/stores.ts";
import { MiB, writeContent } from "../support/content.ts";
import { seeded } from "../support/seeded.ts";
import { useOpened } from "../support/use-opened.ts";
import { changeOptions, choose } from "./actions.ts";
import { useExtension } from "./use-extension.ts";

const COUNT = 10;
const folder = useOpened(videoFolder);

describe.each(["own", ...REAL_STORES] as const)("with the store %s", (store) => {
  const isReal = store !== "own";
  const lab = useLab(isReal ? { storeLatency: [5, 45] } : { parts: true }, isReal ? { store } : {});
  const extension = useExtension(lab);

  test("ten uploads at once over a line that breaks all the time arrive whole, as ten assets", async () => {
    const seed = Number(process.env.UPCUT_SEED ?? Date.now() % 1_000_000);
    const random = seeded(seed);
    await lab.service.set({ storeSeed: seed });
    await changeOptions(extension, (options) => options.getByLabel("Uploads at a time").fill(`${COUNT}`));
    const faultOf = (length: number): Fault => {
      const kinds: Fault[] = [
        { kind: "reset", after: Math.floor(random() * length) },
        { kind: "cut-at-end" },
        { kind: "drop-answer" },
        { kind: "delay", milliseconds: 500 },
      ];
      // A browser that is sending to a real store notices it only after the half minute of a stall.
      if (!isReal) kinds.push({ kind: "half-close", after: Math.floor(random() * length) });
      return kinds[Math.floor(random() * kinds.length)] as Fault;
    };
    let left = 15;
    // Each upload's first body meets one, also a short one behind whole parts, and whatever comes then perhaps.
    const begun = new Set<string>();
    lab.upload.choose = ({ method, path, length }) => {
      const kind = `${path} ${length === PART_SIZE}`;
      const first = method === "PATCH" && !begun.has(kind);
      if (first) begun.add(kind);
      if (!["PATCH", "POST", "HEAD"].includes(method) || (!first && random() > 0.6)) return undefined;
      return first || left-- > 0 ? faultOf(length) : undefined;
    };
    const hashes = new Map<string, string>();
    for (let index = 0; index < COUNT; index++) {
      const size = Math.floor((1 + random() * 19) * MiB);
      const name = `video-${index}.mp4`;
      hashes.set(name, await writeContent(join(folder.path, name), size, index));
    }
    const popup = await extension.open("popup.html");
    await choose(popup, ...[...hashes.keys()].map((name) => join(folder.path, name)));
    await expect.poll(() => popup.getByRole("button", { name: "Start", exact: true }).count()).toBe(COUNT);
    await popup.getByRole("button", { name: "Start all" }).click();
    await expect
      .poll(() => popup.getByRole("listitem").filter({ hasText: "video-" }).allTextContents(), {
        message: `seed ${seed}`,
      })
      .toEqual(Array(COUNT).fill(expect.stringMatching("Uploaded ·")));
    const assets = await lab.service.assets();
    expect(assets.map(({ asset }) => asset.name).sort(), `seed ${seed}`).toEqual([...hashes.keys()]);
    for (const { asset } of assets)
      expect((await lab.service.whole(asset.id)).sha256, `seed ${seed}`).toBe(hashes.get(asset.name ?? ""));
    expect(lab.upload.faults, `seed ${seed}`).toBeGreaterThan(COUNT);
  }, 600_000);
});
