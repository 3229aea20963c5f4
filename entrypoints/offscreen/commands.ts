/** Does what pages command: each command by one function. */
import { isEnded, withoutSecrets } from "../shared/job.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import type { OffscreenContext } from "./context.ts";
import type { Drafts } from "./drafts.ts";
import { cancelJob, pauseJob, removeJobs } from "./end-job.ts";
import { giveFile, hostsChanged, permissionGiven } from "./give-source.ts";
import { isRunning } from "./job-reducer.ts";

export async function handleCommand(
  context: OffscreenContext,
  drafts: Drafts,
  command: OffscreenCommand,
): Promise<void> {
  const { list } = context;
  switch (command.type) {
    case "hello":
      return sendState(context);
    case "settings-changed":
      return context.settings.replace(command.settings);
    case "repair-list":
      return await repairList(context, command.discardStored);
    case "hosts-changed":
      return await hostsChanged(context);
    case "redraft":
      return await list.apply(command.jobId, { type: "redrafted" });
    case "files":
      return await drafts.addFiles(command);
    case "addresses":
      return await drafts.addAddresses(command);
    case "edit":
      return await list.apply(command.jobId, { type: "edited", fields: command.fields });
    case "start":
      return await queueJob(context, command.jobId, "started");
    case "continue":
      return await queueJob(context, command.jobId, "continued");
    case "pause":
      return await pauseJob(context, command.jobId);
    case "cancel":
      return await cancelJob(context, command.jobId);
    case "remove":
      return await removeJobs(context, [command.jobId]);
    case "start-over":
      return await startOver(context, command.jobId);
    case "give-file":
      return await giveFile(context, command);
    case "permission-given":
      return await permissionGiven(context, command.jobId);
    case "clear-ended":
      return await removeJobs(
        context,
        list.all().flatMap((job) => (isEnded(job) ? [job.id] : [])),
      );
  }
}

function sendState({ list, send }: OffscreenContext): void {
  send({ type: "ready" });
  const trouble = list.trouble();
  if (trouble !== undefined) send({ type: "trouble", trouble });
  // What is stored may lag some seconds behind; in trouble it may not be there at all.
  const jobs = list.all().filter((job) => trouble !== undefined || isRunning(job));
  send({ type: "changed", jobs: jobs.map(withoutSecrets) });
}

async function repairList({ list, uploads }: OffscreenContext, discardStored: boolean): Promise<void> {
  await list.repair(discardStored);
  await uploads.restore();
  void uploads.startQueued();
}

async function queueJob(
  { list, uploads }: OffscreenContext,
  jobId: string,
  type: "started" | "continued",
): Promise<void> {
  await list.apply(jobId, { type });
  void uploads.startQueued();
}

/** A new asset, on purpose: what was begun is forgotten. */
async function startOver(context: OffscreenContext, jobId: string): Promise<void> {
  const job = context.list.get(jobId);
  if (job === undefined) return;
  const { journal: _, asset: __, ...rest } = job;
  await context.list.add([{ ...rest, progress: { sent: 0, acknowledged: 0, speed: 0 } }]);
  await queueJob(context, jobId, "continued");
}
