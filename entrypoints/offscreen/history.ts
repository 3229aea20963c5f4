/** Notes what was uploaded, and recognises it when it is given again. */
import { addToHistory, clearHistory, type HistoryEntry, readHistory } from "../shared/history-store.ts";
import { plainText } from "../shared/plain-text.ts";
import { findKnown, sourceKind } from "../shared/source-kinds.ts";
import { shortName } from "../shared/video-name.ts";
import type { OpenJob } from "./job-source.ts";

export interface History {
  /** Notes a job that is done and still has what it was read from. */
  note(job: OpenJob): void;
  /** When each source of these digests was uploaded before, in milliseconds since 1970. */
  find(digests: string[][]): Promise<(number | undefined)[]>;
  clear(): Promise<void>;
}

export function createHistory(): History {
  async function add(job: OpenJob): Promise<void> {
    await addToHistory(await entryOf(job, Date.now()));
  }

  return {
    note(job) {
      // Without it everything works, but for what is given again.
      add(job).catch(logName);
    },
    async find(given) {
      const entries = await readHistory().catch(() => []);
      const known = new Map(
        entries.flatMap(({ digests, endedAt }) => digests.map((each) => [each, endedAt])),
      );
      return given.map((digests) => findKnown(digests, known));
    },
    clear: () => clearHistory().catch(logName),
  };
}

/** What is noted of a job. */
export async function entryOf(
  { id, source, fields, asset }: OpenJob,
  endedAt: number,
): Promise<HistoryEntry> {
  const { size, host } = source;
  return {
    id,
    name: shortName(plainText(fields.name)),
    ...(size !== undefined && { size }),
    ...(host !== undefined && { host }),
    endedAt,
    assetId: asset?.id ?? "",
    ...(typeof asset?.playbackId === "string" && { playbackId: asset.playbackId }),
    digests: await sourceKind(source).digests(source),
  };
}

function logName(error: unknown): void {
  console.error(error instanceof Error ? error.name : "unknown error");
}
