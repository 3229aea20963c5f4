/** Recognises videos that are given again: after they were uploaded, and while they still are. */
import { plainText } from "../../core/extension.ts";
import { logName } from "../shared/fault.ts";
import { addToHistory, clearHistory, type HistoryEntry, readHistory } from "../shared/history-store.ts";
import { isUnfinished } from "../shared/job.ts";
import { known } from "../shared/record.ts";
import { findKnown, sourceKind } from "../shared/source-kinds.ts";
import { createTurns } from "../shared/turns.ts";
import { shortName } from "../shared/video-name.ts";
import { isWebAddress } from "../shared/web-address.ts";
import type { JobList } from "./job-list.ts";
import type { JobEvent } from "./job-reducer.ts";
import type { OpenJob } from "./job-source.ts";

export interface UploadHistory {
  note(job: OpenJob): void;
  /** When each source of these digests was uploaded before, in milliseconds since 1970. */
  find(digests: string[][]): Promise<(number | undefined)[]>;
  clear(): Promise<void>;
}

export function createHistory(): UploadHistory {
  const noted: Promise<HistoryEntry>[] = [];
  const inTurn = createTurns(1);

  async function write(): Promise<void> {
    const entries = await Promise.allSettled(noted.splice(0));
    const sound = entries.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    if (sound.length > 0) await addToHistory(sound);
  }

  return {
    note(job) {
      noted.push(historyEntryOf(job, Date.now()));
      // Together with those that end meanwhile. A note that is lost is missed where the video is given again, and nowhere else.
      void inTurn(write).catch(logName);
    },
    async find(given) {
      const entries = await readHistory().catch(() => []);
      const byDigest = new Map(
        entries.flatMap(({ digests, endedAt }) => digests.map((each) => [each, endedAt])),
      );
      return given.map((digests) => findKnown(digests, byDigest));
    },
    clear: () => inTurn(clearHistory).catch(logName),
  };
}

export async function historyEntryOf(
  { id, source, fields, asset }: OpenJob,
  endedAt: number,
): Promise<HistoryEntry> {
  const { size, host } = source;
  return {
    id,
    name: shortName(plainText(fields.name)),
    ...known({ size, host }),
    endedAt,
    assetId: asset?.id ?? "",
    ...(typeof asset?.playbackId === "string" && { playbackId: asset.playbackId }),
    ...(isLink(asset?.playbackUrl) && { playbackUrl: asset.playbackUrl }),
    ...(isLink(asset?.downloadUrl) && { downloadUrl: asset.downloadUrl }),
    digests: await sourceKind(source).digests(source),
  };
}

const MAX_LINK = 2000;

function isLink(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_LINK && isWebAddress(value);
}

/** The id of the job that uploads the same file or address, for each source of these digests. */
export async function findDuplicates(given: string[][], jobs: OpenJob[]): Promise<(string | undefined)[]> {
  const ids = new Map<string, string>();
  for (const { id, source } of jobs.filter(isUnderWay))
    for (const digest of await sourceKind(source).digests(source)) ids.set(digest, id);
  return given.map((digests) => findKnown(digests, ids));
}

/** Settles the drafts that were given while these jobs were under way, once they are no longer. */
export async function settleDuplicates(list: JobList, jobIds: string[]): Promise<void> {
  const over = new Set(jobIds.filter((id) => !isUnderWay(list.get(id))));
  if (over.size === 0) return;
  const events = new Map<string, JobEvent>();
  for (const { id, duplicateOf } of list.all()) {
    if (duplicateOf === undefined || !over.has(duplicateOf)) continue;
    const isDone = list.get(duplicateOf)?.state === "done";
    events.set(id, { type: "duplicate-over", ...(isDone && { uploadedAt: Date.now() }) });
  }
  if (events.size > 0) await list.applyAll(events);
}

function isUnderWay(job: OpenJob | undefined): boolean {
  return job !== undefined && (isUnfinished(job) || job.state === "paused");
}
