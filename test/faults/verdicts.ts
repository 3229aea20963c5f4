/** Uploads with `verify`, in whichever runtime runs this, of which the store damages or sweeps some: what is told of each. */
import { createSHA256 } from "hash-wasm";
import { hashesPieces } from "../../core/content/content-hash.ts";
import { createClient, memoryJournal, type UploadAllOptions, upload, uploadAll } from "../../core/mod.ts";
import { contentBytes, MiB } from "../support/content.ts";
import type { Place } from "./plan.ts";

export interface Verdict {
  /** The store keeps it, changes a byte of it, or sweeps its parts away. */
  kind: "whole" | "damaged" | "swept";
  size: number;
  seed: number;
  assetId: string | undefined;
  /** The algorithm by which it is what was sent, `size`, `false`, or the code of an error. */
  verdict: string;
}

/** What the service is switched to damage: assets with this in their names. */
export const DAMAGED = "damaged";

const SIZES = [1, 300_017, MiB, 8 * MiB, 8 * MiB + 1, 9 * MiB];
/** Videos that are swept are sent in several requests. */
const SWEPT_SIZES = [16 * MiB, 16 * MiB + 5];
/** Each group has a client of its own, which asks twice a second. */
const GROUP = 10;

function videoOf(seed: number) {
  const kind = seed < 40 ? "whole" : seed < 50 ? DAMAGED : "swept";
  const sizes = kind === "swept" ? SWEPT_SIZES : SIZES;
  const size = sizes[seed % sizes.length] ?? 1;
  const source = () =>
    new File([new Uint8Array(contentBytes(seed, 0, size))], `${kind}-${seed}.mp4`, {
      type: "video/mp4",
      lastModified: 1,
    });
  // A video that is swept after its last byte is never named.
  const impatient = { retry: { attempts: 6, minDelay: 1, maxDelay: 20 }, timeout: { verify: 30_000 } };
  return { source, data: { kind, size, seed } as const, ...(kind === "swept" && impatient) };
}

type Account = Pick<Place, "baseUrl" | "token">;

/**
 * Uploads 40 that are stored well, 10 whose bytes change in the store, and 10 whose parts it sweeps away in the middle.
 *
 * @param sweeper the address that is asked to sweep
 */
export async function collectVerdicts(account: Account, sweeper: string): Promise<Verdict[]> {
  const videos = Array.from({ length: 60 }, (_, seed) => videoOf(seed));
  const verify = hashesPieces() ? true : createSHA256;
  const options: UploadAllOptions = { method: "resumable", verify, journal: memoryJournal() };
  for (const { source, data } of videos)
    if (data.kind === "swept") await begin(clientOf(account), source(), options);
  await fetch(sweeper);
  const groups = Array.from({ length: videos.length / GROUP }, (_, at) =>
    videos.slice(at * GROUP, (at + 1) * GROUP),
  );
  return (await Promise.all(groups.map((group) => judge(account, group, options)))).flat();
}

async function judge(
  account: Account,
  videos: ReturnType<typeof videoOf>[],
  options: UploadAllOptions,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for await (const { source, result, error } of uploadAll(clientOf(account), videos, options)) {
    const assetId = result?.asset.id ?? error?.resume?.assetId;
    verdicts.push({ ...source.data, assetId, verdict: error?.code ?? `${result?.verified}` });
  }
  return verdicts;
}

function clientOf({ baseUrl, token }: Account) {
  return createClient({ baseUrl, token, paths: { asset: "/api/asset/{id}" } });
}

/** Stops an upload when the service has its first part. */
async function begin(
  client: ReturnType<typeof clientOf>,
  video: File,
  options: UploadAllOptions,
): Promise<void> {
  const stop = new AbortController();
  const beginning = upload(client, video, {
    ...options,
    onProgress: ({ acknowledged }) => acknowledged > 0 && stop.abort(),
    chunkSize: 8 * MiB,
    signal: stop.signal,
  });
  const how = await beginning.then(() => "whole", String);
  if (!stop.signal.aborted) throw new Error(`${video.name} was not stopped: ${how}`);
}
