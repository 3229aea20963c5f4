/** Which addresses are in the list already, or were uploaded before: known before a page's videos are offered. */
import { readHistory } from "../shared/history-store.ts";
import { isEnded } from "../shared/job.ts";
import { openDatabase, readJobs } from "../shared/list-store.ts";
import { addressDigests, sourceKind } from "../shared/source-kinds.ts";

/** `listed`: in the list and not ended; `uploaded`: at some time, in milliseconds since 1970. */
export type KnownAddress = { state: "listed" } | { state: "uploaded"; at: number };

/** What is known of each address, in their order; nothing where that can't be read. */
export async function lookUpAddresses(
  videos: readonly { address: string; size?: number }[],
): Promise<(KnownAddress | undefined)[]> {
  const [entries, listed] = await Promise.all([readHistory().catch(() => []), listedDigests()]);
  const uploaded = new Map(entries.flatMap(({ digests, endedAt }) => digests.map((each) => [each, endedAt])));
  return await Promise.all(
    videos.map(async (video) => {
      // A data: address has neither.
      if (!/^https?:/i.test(video.address) || !URL.canParse(video.address)) return undefined;
      const digests = await addressDigests(video);
      if (digests.some((each) => listed.has(each))) return { state: "listed" };
      const at = digests.map((each) => uploaded.get(each)).find((each) => each !== undefined);
      return at === undefined ? undefined : { state: "uploaded", at };
    }),
  );
}

async function listedDigests(): Promise<Set<string>> {
  const list = await openDatabase().catch(() => undefined);
  const jobs = list === undefined ? [] : await readJobs(list).catch(() => []);
  list?.close();
  const digests = jobs.map(async (job) => {
    const { source } = job;
    return isEnded(job) || source.url === undefined ? [] : await sourceKind(source).digests(source);
  });
  return new Set((await Promise.all(digests)).flat());
}
