/** Does what pages command: each command by one function. */
import type { AccountFault } from "../shared/account-fault.ts";
import { graceLeft } from "../shared/grace.ts";
import { type DraftFields, withoutSecrets } from "../shared/job.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import { canBeRetried } from "../shared/retry.ts";
import type { OffscreenContext } from "./context.ts";
import type { Drafts } from "./drafts.ts";
import { cancelJob, pauseJob, removeJobs, resumeCancelling } from "./end-job.ts";
import { forgetRequest } from "./forget-request.ts";
import { giveFile, hostsChanged, permissionGiven } from "./give-source.ts";
import { isRunning, isUnfinished } from "./job-reducer.ts";
import type { OpenJob } from "./job-source.ts";
import { reportTaken } from "./report-taken.ts";

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
      context.settings.replace(command.settings);
      return await holdForReview(context);
    case "repair-list":
      return await repairList(context, command.discardStored);
    case "hosts-changed":
      return await hostsChanged(context);
    case "account-changed":
      return await offerAgain(context, command.faults);
    case "expect-blob":
      return drafts.expectBlob(command.batch);
    case "dialog-left":
      return reportTaken({ batch: command.batch, jobIds: [] });
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
      return await context.removals.remove([command.jobId]);
    case "undo":
      return await context.removals.undo();
    case "move-up":
      return await list.apply(command.jobId, { type: "moved-up", at: Date.now() });
    case "pause-all":
      return await pauseAll(context);
    case "continue-all":
      return await queueAll(context, ({ state }) => state === "paused");
    case "retry-failed":
      return await queueAll(context, canBeRetried);
    case "edit-drafts":
      return await editDrafts(context, command.fields);
    case "start-over":
      return await startOver(context, command.jobId);
    case "give-file":
      await giveFile(context, command);
      return reportTaken({ jobIds: [command.jobId] });
    case "permission-given":
      return await permissionGiven(context, command.jobId);
    case "clear-list":
      return await clearList(context);
    case "clear-ended":
      return await context.removals.remove(idsOf(list.all(), ({ state }) => state === "done"));
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

async function repairList(context: OffscreenContext, discardStored: boolean): Promise<void> {
  const { list, uploads } = context;
  const known = new Set(idsOf(list.all(), () => true));
  await list.repair(discardStored);
  void resumeCancelling(context, known);
  await uploads.restore();
  void uploads.startQueued();
}

/** Also what could not be read, what was removed a moment ago, and the history. */
async function clearList(context: OffscreenContext): Promise<void> {
  const { list, removals, history } = context;
  removals.forget();
  await history.clear();
  if (list.trouble() === "unreadable") await list.repair(true);
  await removeJobs(
    context,
    list.all().map(({ id }) => id),
  );
}

async function queueJob(
  { list, uploads }: OffscreenContext,
  jobId: string,
  type: "started" | "continued",
): Promise<void> {
  await list.apply(jobId, { type });
  void uploads.startQueued();
}

/** Whoever turns the review on while something is about to start means that too. */
async function holdForReview({ list, settings }: OffscreenContext): Promise<void> {
  if (!(await settings.read()).reviewFirst) return;
  const held = list.all().filter((job) => graceLeft(job, Date.now()) > 0);
  await Promise.all(held.map(({ id }) => list.apply(id, { type: "redrafted" })));
}

/** What failed for the token or the address may work now: the person is offered to try all of it again. */
async function offerAgain({ list }: OffscreenContext, faults: AccountFault[]): Promise<void> {
  await Promise.all(list.all().map(({ id }) => list.apply(id, { type: "account-changed", faults })));
}

/** A new asset, on purpose: what was begun is forgotten. */
async function startOver(context: OffscreenContext, jobId: string): Promise<void> {
  if (!canStartOver(context.list.get(jobId))) return;
  await forgetRequest(jobId);
  const job = context.list.get(jobId);
  // Another click may have begun or cancelled it meanwhile.
  if (!canStartOver(job)) return;
  const progress = { sent: 0, acknowledged: 0, speed: 0 };
  if (job.state === "cancelled") {
    const { asset: _, endedAtService: __, ...again } = job;
    await context.list.add([{ ...again, state: "draft", progress }]);
    return await queueJob(context, jobId, "started");
  }
  const { journal: _, asset: __, ...rest } = job;
  await context.list.add([{ ...rest, progress }]);
  await queueJob(context, jobId, "continued");
}

function canStartOver(job: OpenJob | undefined): job is OpenJob {
  return job !== undefined && !job.ending && !isUnfinished(job);
}

/** What waits for its turn first, so that nothing of it is begun when what runs is stopped. */
async function pauseAll({ list, uploads }: OffscreenContext): Promise<void> {
  const ids = idsOf(list.all(), isUnfinished);
  await Promise.all([
    list.applyAll(new Map(ids.map((id) => [id, { type: "paused" }]))),
    ...ids.map(uploads.stop),
  ]);
}

async function queueAll(
  { list, uploads }: OffscreenContext,
  which: (job: OpenJob) => boolean,
): Promise<void> {
  await list.applyAll(new Map(idsOf(list.all(), which).map((id) => [id, { type: "continued" }])));
  void uploads.startQueued();
}

async function editDrafts({ list }: OffscreenContext, fields: Omit<DraftFields, "name">): Promise<void> {
  const drafts = list.all().filter(({ state }) => state === "draft");
  // Each video has languages of its own.
  const { language: _, ...shared } = fields;
  await list.applyAll(
    new Map(
      drafts.map(({ id, fields: { name, further, language } }) => [
        id,
        { type: "edited", fields: { ...shared, further, name, ...(language !== undefined && { language }) } },
      ]),
    ),
  );
}

function idsOf(jobs: OpenJob[], which: (job: OpenJob) => boolean): string[] {
  return jobs.filter(which).map(({ id }) => id);
}
