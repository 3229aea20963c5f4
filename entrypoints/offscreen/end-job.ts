/** Pauses, cancels and removes jobs. */
import { discard } from "../../core/mod.ts";
import type { OffscreenContext } from "./context.ts";
import { forgetRequest } from "./forget-request.ts";
import { jobJournal } from "./job-journal.ts";
import type { OpenJob } from "./job-source.ts";
import { jobRequester } from "./requester.ts";
import { openUploadAccess } from "./upload-access.ts";

/** Milliseconds a person waits for a cancellation; the service forgets what is unfinished by itself later. */
const CANCEL_TIMEOUT = 15_000;

/** At once: what is stored may take its time, in which nothing may happen to what is shown as paused. */
export async function pauseJob({ list, uploads }: OffscreenContext, jobId: string): Promise<void> {
  await Promise.all([list.apply(jobId, { type: "paused" }), uploads.stop(jobId)]);
}

/** Ends the upload at the service, which needs no file: what core remembers says enough. */
export async function cancelJob(context: OffscreenContext, jobId: string): Promise<void> {
  const { list, uploads } = context;
  if (list.get(jobId)?.ending) return;
  await Promise.all([list.apply(jobId, { type: "ending" }), uploads.stop(jobId)]);
  await finishCancelling(context, jobId);
}

/**
 * Cancels what an earlier document did not come to the end of.
 *
 * @param others jobs that this document itself is cancelling
 */
export async function resumeCancelling(
  context: OffscreenContext,
  others: ReadonlySet<string> = new Set(),
): Promise<void> {
  const left = context.list.all().filter(({ id, ending }) => ending && !others.has(id));
  await Promise.all(left.map(({ id }) => finishCancelling(context, id)));
}

async function finishCancelling(context: OffscreenContext, jobId: string): Promise<void> {
  const { list } = context;
  const job = list.get(jobId);
  // It was whole in the moment of its end, or is removed.
  if (!job?.ending) return;
  const endedAtService = job.journal === undefined || (await endAtService(context, job));
  const asset = await forgetRequest(jobId);
  const isNews = job.journal === undefined && asset !== undefined;
  await list.apply(jobId, { type: "cancelled", endedAtService, ...(isNews && { asset }) });
}

/** For good: what the person may want back is removed by `removals`. */
export async function removeJobs({ list, uploads }: OffscreenContext, jobIds: string[]): Promise<void> {
  await Promise.all(jobIds.map(uploads.stop));
  for (const id of jobIds) void forgetRequest(id);
  await list.remove(jobIds);
}

async function endAtService({ list, settings }: OffscreenContext, job: OpenJob): Promise<boolean> {
  const { id, journal } = job;
  if (journal === undefined) return false;
  const options = { journal: jobJournal(list, id), signal: AbortSignal.timeout(CANCEL_TIMEOUT) };
  const access = openUploadAccess(list, settings, id);
  const discarding = discard(jobRequester(list, settings, id, access), { journalKey: journal.key }, options);
  const { ended } = await discarding.catch(() => ({ ended: 0 })).finally(access.close);
  return ended > 0;
}
