/** Takes what a job was waiting for: its file, or a permission. */
import { START_DELAY } from "../shared/grace.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import type { OffscreenContext } from "./context.ts";
import { isPermitted } from "./is-permitted.ts";
import { fileDetails, isSameFile } from "./job-source.ts";
import { nameTracks } from "./name-tracks.ts";
import { reachSource } from "./reach-source.ts";

export async function giveFile(
  { list, uploads, settings }: OffscreenContext,
  { jobId, file, handle }: Extract<OffscreenCommand, { type: "give-file" }>,
): Promise<void> {
  const job = list.get(jobId);
  if (job === undefined) return;
  const given = fileDetails(file);
  if (job.asset !== undefined && !isSameFile(job.source, given))
    return await list.apply(jobId, { type: "file-refused", refused: given });
  const source = { ...job.source, ...given, blob: file, ...(handle && { handle }) };
  await list.apply(jobId, { type: "file-given", source });
  // One that had no asset yet may have got another file: it starts as if it were new.
  if (!(await settings.read()).reviewFirst)
    await list.apply(jobId, { type: "scheduled", startsAt: Date.now() + START_DELAY });
  void uploads.startQueued();
}

export async function permissionGiven({ list, uploads }: OffscreenContext, jobId: string): Promise<void> {
  if ((await reachSource(list, jobId)) === undefined) return;
  await list.apply(jobId, { type: "permission-given" });
  void uploads.startQueued();
}

/** A host was allowed: continues the jobs that wait for it. */
export async function hostsChanged(context: OffscreenContext): Promise<void> {
  for (const { id, needs } of context.list.all()) {
    if (needs?.permission !== "host") continue;
    if (await isPermitted(needs.origin)) await permissionGiven(context, id);
  }
  for (const { id } of context.list.all()) await nameTracks(context.list, id);
}
