/** Does what pages command: each command by one function. */

import { discard } from "../../core/mod.ts";
import { isPermitted } from "../reach/host-access.ts";
import { isFault } from "../shared/fault.ts";
import {
  type DraftFields,
  graceLeft,
  isRunning,
  isUnfinished,
  isUnusable,
  NOTHING_SENT,
  withoutSecrets,
} from "../shared/job.ts";
import type { OffscreenCommand } from "../shared/messages.ts";
import { accountFault } from "../shared/next-steps.ts";
import { known, without } from "../shared/record.ts";
import type { OffscreenContext } from "./context.ts";
import { type Drafts, reportTaken } from "./drafts.ts";
import { takeFile, takeRefused } from "./given-files.ts";
import { jobJournal } from "./job-journal.ts";
import type { JobList } from "./job-list.ts";
import type { JobEvent } from "./job-reducer.ts";
import type { OpenJob } from "./job-source.ts";
import { nameTracks } from "./pieces.ts";
import { forgetRequest, jobRequester } from "./requester.ts";
import { reachSource } from "./run-job.ts";
import { openUploadAccess } from "./upload-access.ts";

export async function handleCommand(
  context: OffscreenContext,
  drafts: Drafts,
  command: OffscreenCommand,
): Promise<void> {
  const { list } = context;
  switch (command.type) {
    case "hello":
      return sendState(context);
    case "list":
      return context.send({ type: "changed", jobs: list.all().map(withoutSecrets), isWhole: true });
    case "settings-changed":
      context.settings.replace(command.settings);
      void context.assets.refresh();
      await holdForReview(context);
      await followAccount(context);
      // There may be room for more at a time.
      return await context.uploads.startQueued();
    case "repair-list":
      return await repairList(context, command.discardStored);
    case "hosts-changed":
      return await hostsChanged(context);
    case "account-changed":
      // Uploads that failed for the token or the address may work now: they are offered to be tried again.
      void context.assets.refresh(true);
      return await applyTo(list, () => true, command);
    case "use-account":
      return await useAccount(context, command);
    case "keep-account":
      return await applyTo(list, isOneOf(command.jobIds), { type: "account-kept" });
    case "expect-blob":
      return drafts.expectBlob(command.batch);
    case "dialog-left":
      return reportTaken({ batch: command.batch, jobIds: [] });
    case "redraft":
      return await applyTo(list, isOneOf(command.jobIds), { type: "redrafted" });
    case "files":
      return await drafts.addFiles(command);
    case "addresses":
      return await drafts.addAddresses(command);
    case "edit":
      return await list.apply(command.jobId, { type: "edited", fields: command.fields });
    case "start":
      return await queueAll(context, isOneOf(command.jobIds), "started");
    case "continue":
      return await queueAll(context, isOneOf(command.jobIds), "continued");
    case "pause":
      return await pauseJobs(context, command.jobIds);
    case "cancel":
      return await cancelJob(context, command.jobId);
    case "remove":
      return await context.removals.remove(command.jobIds);
    case "undo":
      return await context.removals.undo();
    case "move-up":
      return await list.apply(command.jobId, { type: "moved-up", at: Date.now() });
    case "edit-drafts":
      return await editDrafts(context, command.fields);
    case "start-over":
      return await startOver(context, command.jobId);
    case "give-file":
      await takeFile(context, command.jobId, command);
      void context.uploads.startQueued();
      return reportTaken({ jobIds: [command.jobId] });
    case "upload-new":
      return await uploadNew(context, drafts, command.jobId);
    case "permission-given":
      return await permissionGiven(context, command.jobId);
    case "clear-list":
      return await clearList(context);
    default:
      return command satisfies never;
  }
}

function sendState({ list, send }: OffscreenContext): void {
  send({ type: "ready" });
  const trouble = list.trouble();
  if (trouble !== undefined) send({ type: "trouble", trouble });
  // The stored list may lag some seconds behind; in trouble it may not be there at all.
  const jobs = list.all().filter((job) => trouble !== undefined || isRunning(job));
  send({ type: "changed", jobs: jobs.map(withoutSecrets) });
}

async function repairList(context: OffscreenContext, discardStored: boolean): Promise<void> {
  const { list, uploads } = context;
  const known = new Set(idsOf(list.all()));
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
  await removeJobs(context, idsOf(list.all()));
}

/** What was given for another account than the one that is set now waits, and what waited for that one goes on. */
export async function followAccount({ list, settings }: OffscreenContext): Promise<void> {
  const { account } = await settings.read();
  if (account !== undefined) await applyTo(list, () => true, { type: "account-set", account });
}

async function useAccount(
  context: OffscreenContext,
  { jobIds, account }: Extract<OffscreenCommand, { type: "use-account" }>,
): Promise<void> {
  const { list } = context;
  const isOne = isOneOf(jobIds);
  const failed = list.all().filter((job) => isOne(job) && accountFault(job) !== undefined);
  await applyTo(list, isOne, { type: "account-used", account });
  const isLost = ({ error }: OpenJob) =>
    error !== undefined && !isFault(error) && error.resume?.possible === false;
  for (const { id } of failed.filter(isLost)) await startOver(context, id);
  const again = failed.filter((job) => !isLost(job));
  await queueAll(context, isOneOf(idsOf(again)), "continued");
}

/** A person who turns the review on while something is about to start means that too. */
async function holdForReview({ list, settings }: OffscreenContext): Promise<void> {
  if (!(await settings.read()).reviewFirst) return;
  await applyTo(list, (job) => graceLeft(job, Date.now()) > 0, { type: "redrafted" });
}

/** A new asset, on purpose: what was begun is forgotten. */
async function startOver(context: OffscreenContext, jobId: string): Promise<void> {
  if (!canStartOver(context.list.get(jobId))) return;
  await forgetRequest(jobId);
  const job = context.list.get(jobId);
  // Another click may have begun or cancelled it meanwhile.
  if (!canStartOver(job)) return;
  const progress = NOTHING_SENT;
  if (job.state === "done") {
    // Nothing is left of its file, and only what the service can't use is wanted again.
    if (!isUnusable(job)) return;
    const again = without(job, "asset", "outcome", "processing", "endedAt");
    return await context.list.add([{ ...again, state: "needs-file", progress }]);
  }
  if (job.state === "cancelled") {
    await context.list.add([{ ...without(job, "asset", "endedAtService"), state: "draft", progress }]);
    return await queueAll(context, isOneOf([jobId]), "started");
  }
  await context.list.add([{ ...without(job, "journal", "sentContent", "asset"), progress }]);
  await queueAll(context, isOneOf([jobId]), "continued");
}

function canStartOver(job: OpenJob | undefined): job is OpenJob {
  return job !== undefined && !job.ending && !isUnfinished(job);
}

/**
 * At once: what is stored may take its time, in which nothing may happen to what is shown as paused. What is queued comes
 * first, so that nothing of it is begun when running uploads stop.
 */
async function pauseJobs({ list, uploads }: OffscreenContext, jobIds: string[]): Promise<void> {
  await Promise.all([applyTo(list, isOneOf(jobIds), { type: "paused" }), ...jobIds.map(uploads.stop)]);
}

async function queueAll(
  { list, uploads }: OffscreenContext,
  which: (job: OpenJob) => boolean,
  type: "started" | "continued",
): Promise<void> {
  await applyTo(list, which, { type });
  void uploads.startQueued();
}

async function editDrafts({ list }: OffscreenContext, fields: Omit<DraftFields, "name">): Promise<void> {
  // Each video has languages of its own.
  const shared = without(fields, "language");
  const edits = new Map<string, JobEvent>();
  for (const { id, state, fields: own } of list.all()) {
    const { name, further, language } = own;
    const edited = { ...shared, further, name, ...known({ language }) };
    if (state === "draft") edits.set(id, { type: "edited", fields: edited });
  }
  await list.applyAll(edits);
}

async function applyTo(list: JobList, which: (job: OpenJob) => boolean, event: JobEvent): Promise<void> {
  await list.applyAll(new Map(idsOf(list.all(), which).map((id) => [id, event])));
}

function isOneOf(ids: readonly string[]): (job: OpenJob) => boolean {
  const wanted = new Set(ids);
  return ({ id }) => wanted.has(id);
}

function idsOf(jobs: OpenJob[], which: (job: OpenJob) => boolean = () => true): string[] {
  return jobs.filter(which).map(({ id }) => id);
}

/** The file that an upload refused becomes an upload of its own, in its place. */
async function uploadNew(context: OffscreenContext, drafts: Drafts, jobId: string): Promise<void> {
  const { list } = context;
  const job = list.get(jobId);
  if (job?.refused === undefined || job.ending) return;
  const given = takeRefused(jobId);
  if (given === undefined) {
    // The browser was closed since: the next file that is chosen is the new one.
    await forgetRequest(jobId);
    const begun = list.get(jobId);
    // Another click may have cancelled it meanwhile.
    if (begun?.refused === undefined || begun.ending) return;
    const again = without(begun, "journal", "sentContent", "asset", "refused", "error");
    return await list.add([{ ...again, state: "needs-file", progress: NOTHING_SENT }]);
  }
  // Its place is free first, since a full list would leave the new one out.
  await cancelJob(context, jobId);
  await drafts.addFiles({ type: "files", batch: crypto.randomUUID(), files: [given], fields: job.fields });
}

async function permissionGiven({ list, uploads }: OffscreenContext, jobId: string): Promise<void> {
  if ((await reachSource(list, jobId)) === undefined) return;
  await list.apply(jobId, { type: "permission-given" });
  void uploads.startQueued();
}

export async function hostsChanged(context: OffscreenContext): Promise<void> {
  for (const { id, needs } of context.list.all()) {
    if (needs?.permission !== "host") continue;
    if (await isPermitted(needs.origin)) await permissionGiven(context, id);
  }
  for (const { id } of context.list.all()) await nameTracks(context.list, id);
}

/** Milliseconds a person waits for a cancellation; the service forgets what is unfinished by itself later. */
const CANCEL_TIMEOUT = 15_000;

/** Ends the upload at the service, which needs no file: what core remembers says enough. */
async function cancelJob(context: OffscreenContext, jobId: string): Promise<void> {
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
  // The upload was whole in the moment of its end, or is removed.
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
