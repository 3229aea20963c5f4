/** Finds the unfinished upload of a video that is handed over again: it resumes, as the same asset. */
import { journalKey, openUrl } from "../../core/mod.ts";
import { identityOf } from "../page-videos/video-identity.ts";
import { openInspectionAccess } from "../reach/piece-access.ts";
import { isEnded } from "../shared/job.ts";
import type { AddressedVideo } from "../shared/messages.ts";
import { known, without } from "../shared/record.ts";
import { isInPieces, sourceKind } from "../shared/source-kinds.ts";
import type { JobList } from "./job-list.ts";
import type { OpenJob } from "./job-source.ts";
import { openPieces } from "./pieces.ts";

/** Milliseconds for a server to say what it has. */
const IDENTIFY_TIMEOUT = 10_000;
/** The same of pieces: a manifest, and the first piece. */
const IDENTIFY_PIECES_TIMEOUT = 30_000;

/** Where a video is, and whether anybody may read it there. */
type Reached = { [Field in "page" | "quality" | "language" | "referrer"]?: string | undefined } & {
  address: string;
  open?: boolean | undefined;
  pieces?: AddressedVideo["pieces"] | undefined;
};

/**
 * The job that an address continues. Signatures change, and some sites tell their videos apart by the query alone:
 * what counts is what the server gives there.
 *
 * @param signal ends the search, with nothing found
 */
export async function findByUrl(
  video: Reached,
  jobs: OpenJob[],
  signal?: AbortSignal,
): Promise<OpenJob | undefined> {
  if (video.pieces !== undefined) return await findByPieces(video, jobs, signal);
  const wanted = withoutQuery(video.address);
  const unfinished = jobs.filter(
    (job) =>
      isUnfinishedUpload(job) &&
      !isInPieces(job.source) &&
      job.source.url !== undefined &&
      withoutQuery(job.source.url) === wanted,
  );
  if (unfinished.length === 0) return undefined;
  const key = await identityAt(video, signal).catch(() => undefined);
  return unfinished.find(({ journal }) => journal?.key === key);
}

/**
 * The same of a video in pieces. Its addresses often hold the signature in their path, so that of the page counts as
 * well, with its query, which tells the pages of many sites apart; whether it is the same video only its first piece
 * tells.
 */
async function findByPieces(
  video: Reached,
  jobs: OpenJob[],
  signal: AbortSignal | undefined,
): Promise<OpenJob | undefined> {
  const unfinished = jobs.filter((job) => isUnfinishedUpload(job) && isLikelySame(video, job));
  const keys = new Map<string, Promise<string | undefined>>();
  for (const job of unfinished) {
    // A video without a quality, or a language, means the one that was begun with.
    const quality = video.quality ?? job.source.quality;
    const language = video.language ?? job.fields.language;
    const chosen = JSON.stringify([quality, language]);
    const key =
      keys.get(chosen) ?? identityOfPieces({ ...video, quality, language }, signal).catch(() => undefined);
    keys.set(chosen, key);
    if (job.journal?.key === (await key)) return job;
  }
  return undefined;
}

function isLikelySame({ address, page }: Reached, { source }: OpenJob): boolean {
  if (!isInPieces(source)) return false;
  const samePage =
    page !== undefined && source.page !== undefined && identityOf(source.page) === identityOf(page);
  return samePage || withoutQuery(source.url) === withoutQuery(address);
}

/** The job that a Blob of a page continues, or that waits for it with nothing sent yet. */
export async function findByBlob(blob: Blob, title: string, jobs: OpenJob[]): Promise<OpenJob | undefined> {
  const alike = jobs.filter(
    (job) => isOpen(job) && sourceKind(job.source).isSentByPage && job.source.size === blob.size,
  );
  const waiting = alike.find(
    ({ state, journal, source }) => state === "needs-file" && journal === undefined && source.name === title,
  );
  const unfinished = alike.filter(isUnfinishedUpload);
  if (unfinished.length === 0) return waiting;
  const key = await journalKey(blob).catch(() => undefined);
  return unfinished.find(({ journal }) => journal?.key === key) ?? waiting;
}

/**
 * Gives an unfinished upload its new address, with which it resumes.
 *
 * @returns whether it is still there to be resumed: it may have ended while servers were asked
 */
export async function resumeAt(
  list: JobList,
  jobId: string,
  { address, page, referrer, open }: Reached,
): Promise<boolean> {
  const job = list.get(jobId);
  if (job === undefined || !sourceKind(job.source).isAtAddress || !isOpen(job)) return false;
  // A frame belongs to its page.
  const frame = page === undefined ? job.source.referrer : referrer;
  const found = known({ url: address, page, referrer: frame, open: open || undefined });
  await list.keep(jobId, { source: { ...without(job.source, "open", "referrer"), ...found } });
  await list.apply(jobId, { type: "continued" });
  return true;
}

function isOpen(job: OpenJob): boolean {
  return !isEnded(job) && !job.ending;
}

function isUnfinishedUpload(job: OpenJob): boolean {
  return job.journal !== undefined && isOpen(job);
}

async function identityAt(
  { address, open }: Reached,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const video = openUrl(new URL(address), sourceKind({ kind: "url" }).urlOptions({ open }));
  return await journalKey(video, { signal: withTimeout(signal, IDENTIFY_TIMEOUT) });
}

type Chosen = Record<"quality" | "language", string | undefined>;

async function identityOfPieces(
  { address, quality, language, ...video }: Omit<Reached, "quality" | "language"> & Chosen,
  wanted: AbortSignal | undefined,
): Promise<string | undefined> {
  const stopper = new AbortController();
  const signal = AbortSignal.any([stopper.signal, withTimeout(wanted, IDENTIFY_PIECES_TIMEOUT)]);
  const access = openInspectionAccess({ ...video, address }, stopper);
  try {
    return await journalKey(await openPieces(address, { quality, language, access, signal }), { signal });
  } finally {
    await access.close();
  }
}

function withTimeout(signal: AbortSignal | undefined, milliseconds: number): AbortSignal {
  return AbortSignal.any([AbortSignal.timeout(milliseconds), ...(signal ? [signal] : [])]);
}

function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}
