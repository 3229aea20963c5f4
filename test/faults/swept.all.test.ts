/**
 * Uploads that are interrupted, whose store then sweeps away what it holds of them, and that are resumed: whatever is
 * called whole must be whole. All of them are drawn from one seed: `UPCUT_SEED` gives the same again, `UPCUT_COUNT` says
 * how many for each store.
 */
import { expect, test } from "vitest";
import { createClient, isUpcutError, memoryJournal, type UploadOptions, upload } from "../../core/mod.ts";
import { type SpawnedService, spawnService } from "../service/spawned.ts";
import { STORE_NAMES } from "../service/stores.ts";
import { content, sha256 } from "../support/content.ts";
import { seeded } from "../support/seeded.ts";
import { MiB } from "./lab.ts";
import { wrongAbout } from "./stores.ts";

const SIZES = [1, MiB, 5 * MiB, 8 * MiB - 1, 8 * MiB, 8 * MiB + 1, 9 * MiB, 16 * MiB, 16 * MiB + 5, 24 * MiB];
const INTERRUPTIONS = ["connection broken", "answer lost", "aborted"] as const;
const OPTIONS: UploadOptions = {
  method: "resumable",
  retry: { attempts: 6, minDelay: 1, maxDelay: 20 },
  timeouts: { settle: 50 },
};
const COUNT = Number(process.env.UPCUT_COUNT ?? 30);
const seed = Number(process.env.UPCUT_SEED ?? Date.now() % 1_000_000);

/** What a resumed upload said, and what is wrong with the asset if it said that it is whole. */
interface Resumed {
  what: string;
  said: string;
  sent: number;
  wrong: string | undefined;
}

test.each(STORE_NAMES)(
  `none of ${COUNT} uploads is called whole that isn't, after %s has swept`,
  async (store) => {
    const service = await spawnService({ parts: true }, { store });
    const all: Resumed[] = [];
    for (let at = 0; at < COUNT; at++) {
      all.push(await resumeSwept(service, at, seeded(seed * 1009 + at)));
      await service.reset();
    }
    await service.stop();
    const whole = all.filter(({ said }) => said === "whole");
    const unsent = whole.filter(({ sent }) => sent === 0);
    console.log(
      `${store}, UPCUT_SEED=${seed}: of ${all.length}, ${whole.length} were called whole, ${unsent.length} of them without another byte`,
    );
    expect(whole.filter(({ wrong }) => wrong !== undefined)).toEqual([]);
    // Servers of real stores remember a swept upload even after it was created again: then nobody can go on with it.
    const told = store === "files" ? ["whole"] : ["whole", "offset-beyond-end"];
    expect(all.filter(({ said }) => !told.includes(said))).toEqual([]);
    expect(unsent.length).toBeLessThan(COUNT / 2);
  },
  1_800_000,
);

async function resumeSwept(service: SpawnedService, at: number, random: () => number): Promise<Resumed> {
  const size = SIZES[at % SIZES.length] ?? 1;
  const interruption = INTERRUPTIONS[Math.floor(random() * INTERRUPTIONS.length)] ?? "aborted";
  const bytes = content(size, at + 1);
  const source = () => new File([bytes], "video.mp4", { type: "video/mp4", lastModified: 1 });
  const client = createClient({ baseUrl: service.baseUrl, token: service.token });
  const options = { ...OPTIONS, ...(random() < 0.5 && { chunkSize: 8 * MiB }), journal: memoryJournal() };
  const bodies = { host: "upload", method: "PATCH" } as const;
  const share = Math.max(1, Math.floor(random() * size));
  if (interruption === "connection broken") await service.set({ resetAfter: [{ ...bodies, bytes: share }] });
  if (interruption === "answer lost") await service.set({ dropAnswer: [bodies] });
  const stop = new AbortController();
  const first = upload(client, source(), {
    ...options,
    retry: { attempts: 0 },
    signal: stop.signal,
    onProgress: ({ sent }) => interruption === "aborted" && sent >= share && stop.abort(),
  });
  const before = await first.then(
    () => "whole",
    () => interruption,
  );
  await service.set({ resetAfter: [], dropAnswer: [], swept: new Date().toISOString() });
  const what = `upload ${at} of ${size} bytes, ${before}`;
  try {
    const { asset, sent } = await upload(client, source(), options);
    const wrong = await wrongAbout(service, asset.id, sha256(bytes), size);
    return { what, said: "whole", sent, wrong };
  } catch (error) {
    const said = isUpcutError(error) ? error.code : String(error);
    return { what, said, sent: 0, wrong: undefined };
  }
}
