/**
 * `verify` on each store: 40 uploads that are stored well, 10 whose bytes change in the store, and 10 whose parts it
 * sweeps away in the middle. Each verdict is compared with what is stored.
 */
import { expect, test } from "vitest";
import { createClient, memoryJournal, type UploadAllOptions, upload, uploadAll } from "../../core/mod.ts";
import { content, MiB, sha256 } from "../content.ts";
import { spawnService } from "../service/spawned.ts";
import { STORE_NAMES } from "../service/stores.ts";

const SIZES = [1, 300_017, MiB, 8 * MiB, 8 * MiB + 1, 9 * MiB];
/** What is swept is sent in several requests. */
const SWEPT_SIZES = [16 * MiB, 16 * MiB + 5];

function videos(kind: string, from: number, to: number, sizes = SIZES) {
  return Array.from({ length: to - from }, (_, at) => {
    const seed = from + at;
    const bytes = () => content(sizes[seed % sizes.length] ?? 1, seed);
    const source = () => new File([bytes()], `${kind}-${seed}.mp4`, { type: "video/mp4", lastModified: 1 });
    return { source, data: { kind, sha256: () => sha256(bytes()) } };
  });
}

test.each(STORE_NAMES)(
  "each verdict about 60 uploads to %s is right",
  { timeout: 1_800_000 },
  async (store) => {
    const service = await spawnService({ assetCall: true, parts: true, damages: "damaged" }, { store });
    const paths = { asset: "/api/asset/{id}" };
    const client = createClient({ baseUrl: service.baseUrl, token: service.token, paths });
    const options: UploadAllOptions = { method: "resumable", verify: true, journal: memoryJournal() };

    const swept = videos("swept", 50, 60, SWEPT_SIZES);
    for (const { source } of swept) {
      const stop = new AbortController();
      const beginning = upload(client, source(), {
        ...options,
        chunkSize: 8 * MiB,
        signal: stop.signal,
        onProgress: ({ acknowledged }) => acknowledged > 0 && stop.abort(),
      });
      await expect(beginning).rejects.toThrow("abort");
    }
    await service.set({ swept: new Date().toISOString() });
    // One that is swept after its last byte is never named.
    const impatient = { retry: { attempts: 6, minDelay: 1, maxDelay: 20 }, timeouts: { verify: 60_000 } };

    const verdicts: Record<string, number> = {};
    const wrong: string[] = [];
    const all = [
      ...videos("whole", 0, 40),
      ...videos("damaged", 40, 50),
      ...swept.map((each) => ({ ...each, ...impatient })),
    ];
    for await (const { source, result, error } of uploadAll(client, all, options)) {
      const { kind, sha256: own } = source.data;
      const verdict = error?.code ?? `${result?.verified}`;
      verdicts[`${kind}: ${verdict}`] = (verdicts[`${kind}: ${verdict}`] ?? 0) + 1;
      const id = result?.asset.id ?? error?.resume?.assetId;
      const stored = (await service.assets()).find(({ asset }) => asset.id === id)?.sha256;
      if ((stored === own()) !== (verdict === "sha256")) wrong.push(`${kind}, stored ${stored}: ${verdict}`);
    }
    await service.stop();
    console.log(store, JSON.stringify(verdicts));
    expect(wrong).toEqual([]);
    expect(verdicts).toMatchObject({ "whole: sha256": 40, "damaged: content-differs": 10 });
    expect(Object.values(verdicts).reduce((sum, count) => sum + count)).toBe(60);
  },
);
