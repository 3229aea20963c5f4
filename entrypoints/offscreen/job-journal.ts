/** The journal of one job: what core remembers is a field of the job, so that there is no second store. */

import { type JournalEntry, recordsOf, UploadError } from "../../core/extension.ts";
import type { Journal } from "../../core/mod.ts";
import type { JobList } from "./job-list.ts";
import { noteStored } from "./requester.ts";

/**
 * A journal for core, kept in the job. A source that isn't the one the upload began with is refused.
 *
 * @param onFirst called once the location is kept, before it is used
 */
export function jobJournal(
  list: JobList,
  jobId: string,
  onFirst: () => Promise<void> = async () => {},
): Journal {
  const claims = new Set<string>();
  return {
    async get(key) {
      const kept = list.get(jobId)?.journal;
      if (kept !== undefined && kept.key !== key) {
        throw new UploadError(
          "source-changed",
          "Cannot continue the upload: this is not the file it was begun with",
        );
      }
      return kept?.entry;
    },
    async set(key, entry: JournalEntry) {
      const first = list.get(jobId)?.journal === undefined;
      // Where it can't be stored, the person is told, and the upload continues as long as this document lives.
      const [record] = recordsOf(entry);
      // In one write, so that a job that can be continued also says whose asset it is.
      const safe = await list.keep(jobId, {
        journal: { key, entry },
        ...(record && { asset: record.asset }),
      });
      if (first && safe) noteStored(jobId);
      if (first) await onFirst();
    },
    async delete() {
      await list.forget(jobId);
    },
    async claim(key) {
      if (claims.has(key)) return undefined;
      claims.add(key);
      return async () => void claims.delete(key);
    },
  };
}
