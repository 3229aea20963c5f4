/** Finds the unfinished upload of a video that is handed over again: it goes on, as the same asset. */
import { journalKey } from "../../core/mod.ts";
import { isEnded, type StoredJob } from "../shared/job.ts";
import type { AddressedVideo } from "../shared/messages.ts";
import type { UploadList } from "./list.ts";

/** Milliseconds for a server to say what it has. */
const PATIENCE = 10_000;

/** Where a video is, and whether anybody may read it there. */
type Reached = Pick<AddressedVideo, "address" | "open">;

/**
 * The job that an address continues. Signatures change, and some sites tell their videos apart by the query alone:
 * what counts is what the server gives there.
 */
export async function begunAt(video: Reached, jobs: StoredJob[]): Promise<StoredJob | undefined> {
  const place = placeOf(video.address);
  const begun = jobs.filter(
    (job) => isBegun(job) && job.video?.address !== undefined && placeOf(job.video.address) === place,
  );
  if (begun.length === 0) return undefined;
  const key = await identityAt(video).catch(() => undefined);
  return begun.find(({ journal }) => journal?.key === key);
}

/** The job that a Blob of a page continues, or that waits for it with nothing sent yet. */
export async function begunWith(
  blob: Blob,
  title: string,
  jobs: StoredJob[],
): Promise<StoredJob | undefined> {
  const alike = jobs.filter(
    (job) => !isEnded(job) && job.from?.kind === "page-blob" && job.file.size === blob.size,
  );
  const waiting = alike.find(
    ({ state, journal, file }) => state === "needs-file" && journal === undefined && file.name === title,
  );
  const begun = alike.filter(isBegun);
  if (begun.length === 0) return waiting;
  const key = await journalKey(blob, { anyType: true }).catch(() => undefined);
  return begun.find(({ journal }) => journal?.key === key) ?? waiting;
}

/** Gives an unfinished upload its new address, with which it goes on. */
export async function goOnAt(
  list: UploadList,
  jobId: string,
  { address, page, open }: Reached & Pick<AddressedVideo, "page">,
): Promise<void> {
  const known = page ?? list.get(jobId)?.video?.page;
  await list.keep(jobId, {
    video: { address, ...(known !== undefined && { page: known }), ...(open && { open }) },
  });
  await list.apply(jobId, { type: "continued" });
}

function isBegun(job: StoredJob): boolean {
  return job.journal !== undefined && !isEnded(job);
}

async function identityAt({ address, open }: Reached): Promise<string | undefined> {
  return await journalKey(new URL(address), {
    sourceCredentials: open ? "omit" : "include",
    anyType: true,
    signal: AbortSignal.timeout(PATIENCE),
  });
}

function placeOf(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}
