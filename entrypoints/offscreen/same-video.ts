/** Finds the unfinished upload of a video that is handed over again: it resumes, as the same asset. */
import { journalKey } from "../../core/mod.ts";
import { isEnded } from "../shared/job.ts";
import type { AddressedVideo } from "../shared/messages.ts";
import type { JobList } from "./job-list.ts";
import type { OpenJob } from "./job-source.ts";

/** Milliseconds for a server to say what it has. */
const IDENTIFY_TIMEOUT = 10_000;

/** Where a video is, and whether anybody may read it there. */
type Reached = Pick<AddressedVideo, "address" | "open">;

/**
 * The job that an address continues. Signatures change, and some sites tell their videos apart by the query alone:
 * what counts is what the server gives there.
 */
export async function findByUrl(video: Reached, jobs: OpenJob[]): Promise<OpenJob | undefined> {
  const wanted = withoutQuery(video.address);
  const unfinished = jobs.filter(
    (job) => isUnfinishedUpload(job) && urlOf(job) !== undefined && withoutQuery(urlOf(job) ?? "") === wanted,
  );
  if (unfinished.length === 0) return undefined;
  const key = await identityAt(video).catch(() => undefined);
  return unfinished.find(({ journal }) => journal?.key === key);
}

/** The job that a Blob of a page continues, or that waits for it with nothing sent yet. */
export async function findByBlob(blob: Blob, title: string, jobs: OpenJob[]): Promise<OpenJob | undefined> {
  const alike = jobs.filter(
    (job) => !isEnded(job) && job.source.kind === "page-blob" && job.source.size === blob.size,
  );
  const waiting = alike.find(
    ({ state, journal, source }) => state === "needs-file" && journal === undefined && source.name === title,
  );
  const unfinished = alike.filter(isUnfinishedUpload);
  if (unfinished.length === 0) return waiting;
  const key = await journalKey(blob, { anyType: true }).catch(() => undefined);
  return unfinished.find(({ journal }) => journal?.key === key) ?? waiting;
}

/** Gives an unfinished upload its new address, with which it resumes. */
export async function resumeAt(
  list: JobList,
  jobId: string,
  { address, page, open }: Reached & Pick<AddressedVideo, "page">,
): Promise<void> {
  const source = list.get(jobId)?.source;
  if (source?.kind !== "url") return;
  const { open: _, ...rest } = source;
  const found = { url: address, ...(page !== undefined && { page }), ...(open && { open }) };
  await list.keep(jobId, { source: { ...rest, ...found } });
  await list.apply(jobId, { type: "continued" });
}

function isUnfinishedUpload(job: OpenJob): boolean {
  return job.journal !== undefined && !isEnded(job);
}

async function identityAt({ address, open }: Reached): Promise<string | undefined> {
  return await journalKey(new URL(address), {
    sourceCredentials: open ? "omit" : "include",
    anyType: true,
    signal: AbortSignal.timeout(IDENTIFY_TIMEOUT),
  });
}

function urlOf({ source }: OpenJob): string | undefined {
  return source.kind === "url" ? source.url : undefined;
}

function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}
