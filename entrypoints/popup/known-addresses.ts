/** Which addresses are in the list already, or were uploaded before: known before a page's videos are offered. */

import type { KnownVideo } from "../page-videos/page-video.ts";
import { readHistory } from "../shared/history-store.ts";
import { isEnded } from "../shared/job.ts";
import { readList } from "../shared/list-store.ts";
import { addressDigests, sourceKind } from "../shared/source-kinds.ts";

/** What is known of each address, in their order; nothing where that can't be read. */
export async function lookUpAddresses(
  videos: readonly { address: string; size?: number }[],
): Promise<(KnownVideo | undefined)[]> {
  const [entries, listed] = await Promise.all([readHistory().catch(() => []), listedDigests()]);
  const uploaded = new Set(entries.flatMap(({ digests }) => digests));
  return await Promise.all(
    videos.map(async (video) => {
      // A data: address has neither.
      if (!/^https?:/i.test(video.address) || !URL.canParse(video.address)) return undefined;
      const digests = await addressDigests(video);
      if (digests.some((each) => listed.has(each))) return "listed";
      return digests.some((each) => uploaded.has(each)) ? "uploaded" : undefined;
    }),
  );
}

async function listedDigests(): Promise<Set<string>> {
  const jobs = await readList().catch(() => []);
  const digests = jobs.map(async (job) => {
    const { source } = job;
    return isEnded(job) || source.url === undefined ? [] : await sourceKind(source).digests(source);
  });
  return new Set((await Promise.all(digests)).flat());
}
