/** Does what pages ask of the uploads: takes videos, starts, pauses, cancels, removes. */
import { type Asset, discard } from "../../core/mod.ts";
import { isRunning, type StoredJob, withoutSecrets } from "../shared/job.ts";
import { askBackground, type OffscreenAsk, type OffscreenNews } from "../shared/messages.ts";
import { createDrafts, type Drafts } from "./drafts.ts";
import { jobJournal } from "./job-journal.ts";
import { fileDetails, isSame } from "./job-source.ts";
import type { UploadList } from "./list.ts";
import { jobRequester } from "./requester.ts";
import type { Uploads } from "./uploads.ts";

/** Milliseconds a person waits for a cancellation; the service forgets what is unfinished by itself later. */
const PATIENCE = 15_000;

export interface Commands {
  answer(ask: OffscreenAsk): Promise<void>;
  /** Takes a video that only its page can read. */
  takePageBlob: Drafts["addPageBlob"];
}

export function createCommands(
  list: UploadList,
  uploads: Uploads,
  tell: (news: OffscreenNews) => void,
): Commands {
  const drafts = createDrafts(list, uploads, tell);

  async function giveFile({
    jobId,
    file,
    handle,
  }: Extract<OffscreenAsk, { type: "give-file" }>): Promise<void> {
    const job = list.get(jobId);
    if (job === undefined) return;
    const got = fileDetails(file);
    if (job.asset !== undefined && !isSame(job.source, got)) {
      return await list.apply(jobId, { type: "file-refused", refused: got });
    }
    const source = { ...job.source, ...got, blob: file, ...(handle && { handle }) };
    await list.apply(jobId, { type: "file-given", source });
    void uploads.pump();
  }

  async function permissionGiven(jobId: string): Promise<void> {
    if ((await uploads.reachSource(jobId)) === undefined) return;
    await list.apply(jobId, { type: "permission-given" });
    void uploads.pump();
  }

  async function hostsChanged(): Promise<void> {
    for (const { id, needs } of list.all()) {
      if (needs?.permission !== "host") continue;
      if (await askBackground("is-permitted", { address: needs.origin })) await permissionGiven(id);
    }
  }

  /** At once: what is stored may take its time, in which nothing may happen to what is shown as paused. */
  async function pause(jobId: string): Promise<void> {
    await Promise.all([list.apply(jobId, { type: "paused" }), uploads.stop(jobId)]);
  }

  /** Ends the upload at the service, which needs no file: what core remembers says enough. */
  async function cancel(jobId: string): Promise<void> {
    await pause(jobId);
    const job = list.get(jobId);
    if (job === undefined) return;
    const endedAtService = job.journal === undefined || (await endAtService(job));
    const asset = job.journal === undefined ? await forgetRequest(jobId) : undefined;
    await list.apply(jobId, { type: "cancelled", endedAtService, ...(asset && { asset }) });
  }

  /** A request that was on its way has its answer by now, perhaps; nothing is left of it but its asset. */
  async function forgetRequest(jobId: string): Promise<Asset | undefined> {
    const answer = await askBackground("recall-location", { jobId }).catch(() => null);
    await askBackground("location-kept", { jobId }).catch(() => {});
    return answer?.location.asset;
  }

  async function endAtService(job: StoredJob): Promise<boolean> {
    const { id, journal } = job;
    if (journal === undefined) return false;
    const how = { journal: jobJournal(list, id), signal: AbortSignal.timeout(PATIENCE) };
    const { ended } = await discard(jobRequester(list, id), { journalKey: journal.key }, how).catch(() => ({
      ended: 0,
    }));
    return ended > 0;
  }

  async function remove(jobIds: string[]): Promise<void> {
    await Promise.all(jobIds.map(uploads.stop));
    for (const id of jobIds) {
      if (list.get(id)?.state === "requesting") void forgetRequest(id);
    }
    await list.remove(jobIds);
  }

  /** A new asset, on purpose: what was begun is forgotten. */
  async function startOver(jobId: string): Promise<void> {
    const job = list.get(jobId);
    if (job === undefined) return;
    const { journal: _, asset: __, ...rest } = job;
    await list.add([{ ...rest, progress: { sent: 0, acknowledged: 0, speed: 0 } }]);
    await list.apply(jobId, { type: "continued" });
    void uploads.pump();
  }

  async function change(jobId: string, type: "started" | "continued"): Promise<void> {
    await list.apply(jobId, { type });
    void uploads.pump();
  }

  function greet(): void {
    tell({ type: "ready" });
    const trouble = list.trouble();
    if (trouble !== undefined) tell({ type: "trouble", trouble });
    // What is stored may lag some seconds behind; in trouble it may not be there at all.
    const jobs = list.all().filter((job) => trouble !== undefined || isRunning(job));
    tell({ type: "changed", jobs: jobs.map(withoutSecrets) });
  }

  async function mend(anew: boolean): Promise<void> {
    await list.mend(anew);
    await uploads.restore();
    void uploads.pump();
  }

  return {
    takePageBlob: drafts.addPageBlob,
    async answer(ask) {
      switch (ask.type) {
        case "hello":
          return greet();
        case "mend-list":
          return await mend(ask.anew);
        case "hosts-changed":
          return await hostsChanged();
        case "redraft":
          return await list.apply(ask.jobId, { type: "redrafted" });
        case "files":
          return await drafts.addFiles(ask);
        case "addresses":
          return await drafts.addAddresses(ask);
        case "edit":
          return await list.apply(ask.jobId, { type: "edited", fields: ask.fields });
        case "start":
          return await change(ask.jobId, "started");
        case "continue":
          return await change(ask.jobId, "continued");
        case "pause":
          return await pause(ask.jobId);
        case "cancel":
          return await cancel(ask.jobId);
        case "remove":
          return await remove([ask.jobId]);
        case "start-over":
          return await startOver(ask.jobId);
        case "give-file":
          return await giveFile(ask);
        case "permission-given":
          return await permissionGiven(ask.jobId);
        case "clear-ended":
          return await remove(
            list.all().flatMap(({ id, state }) => (state === "done" || state === "cancelled" ? [id] : [])),
          );
      }
    },
  };
}
