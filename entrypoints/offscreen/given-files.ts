/** Files that are given again: found for the uploads that wait for them, and taken where their content is the same. */
import { errorFacts, sha256 } from "../../core/extension.ts";
import { journalKey } from "../../core/mod.ts";
import type { ChosenFile } from "../shared/chosen-files.ts";
import { isFault } from "../shared/fault.ts";
import { START_DELAY } from "../shared/job.ts";
import { known, without } from "../shared/record.ts";
import type { JobList } from "./job-list.ts";
import { fileDetails, isSameFile, type OpenJob } from "./job-source.ts";
import type { SettingsCopy } from "./settings-copy.ts";

/** Bytes that are digested at a time. */
const PIECE = 256 * 1024;
/** Bytes that are digested for one report of progress: a faster upload is compared less far. */
const MOST_AT_ONCE = 4 * PIECE;

const NOTHING = { size: 0, digest: "" };
type SentContent = NonNullable<OpenJob["sentContent"]>;

const digesting = new Set<string>();

/** Digests the content of a file up to where it was sent: should its date change, no record but this tells what that was. */
export async function digestSent(list: JobList, id: string, sent: number): Promise<void> {
  const { source, sentContent = NOTHING } = list.get(id) ?? {};
  const blob = source?.blob;
  if (!(blob instanceof File) || sent - sentContent.size < PIECE || digesting.has(id)) return;
  digesting.add(id);
  // A file that can't be read ends the upload by itself.
  await digestTo(blob, Math.min(sent, sentContent.size + MOST_AT_ONCE), sentContent)
    .then((digested) => list.hold(id, { sentContent: digested }))
    .catch(() => {});
  digesting.delete(id);
}

async function digestTo(file: Blob, end: number, { size, digest }: SentContent): Promise<SentContent> {
  let [at, sum] = [size, digest];
  for (; at + PIECE <= end; at += PIECE) {
    sum = await sha256(await new Blob([sum, file.slice(at, at + PIECE)]).arrayBuffer());
  }
  return { size: at, digest: sum };
}

/** A file under the name and date that an upload was begun with; nothing where its content is another. */
export async function asBegun(job: OpenJob, file: File): Promise<File | undefined> {
  const { source, journal, sentContent = NOTHING } = job;
  const { name, lastModified } = source;
  if (file.size !== source.size) return undefined;
  const isDated = isSameFile(source, file);
  const begun =
    isDated && file.name === name ? file : new File([file], name, { type: file.type, lastModified });
  if (journal === undefined) return isDated ? begun : undefined;
  try {
    if ((await journalKey(begun)) !== journal.key) return undefined;
    // A program that writes its own bytes into a file changes its date as well.
    if (!isDated && (await digestTo(file, sentContent.size, NOTHING)).digest !== sentContent.digest)
      return undefined;
    return begun;
  } catch {
    return undefined;
  }
}

/** The uploads that go on with files, by these: each waits for one, and two may wait for the same. */
export async function findWaiting(
  files: readonly ChosenFile[],
  jobs: readonly OpenJob[],
): Promise<Map<ChosenFile, OpenJob[]>> {
  const found = new Map<ChosenFile, OpenJob[]>();
  const alikeTo = ({ source }: OpenJob) => files.filter(({ file }) => file.size === source.size);
  const isExact = (job: OpenJob) => alikeTo(job).some(({ file }) => unlikeness(job, file) === 0);
  const waiting = jobs.filter(waitsForFile);
  // What fits another upload better is not taken by one that has sent nothing, and so can't compare it.
  for (const job of [...waiting.filter(isExact), ...waiting.filter((each) => !isExact(each))]) {
    const rank = (chosen: ChosenFile) => unlikeness(job, chosen.file) + (found.has(chosen) ? 0.5 : 0);
    const fits = async (chosen: ChosenFile) =>
      job.asset === undefined ? rank(chosen) < 1.5 : (await asBegun(job, chosen.file)) !== undefined;
    for (const chosen of alikeTo(job).toSorted((a, b) => rank(a) - rank(b))) {
      if (!(await fits(chosen))) continue;
      found.set(chosen, [...(found.get(chosen) ?? []), job]);
      break;
    }
  }
  return found;
}

/** How many of name and date are others. */
function unlikeness({ source }: OpenJob, file: File): number {
  return Number(file.name !== source.name) + Number(file.lastModified !== source.lastModified);
}

function waitsForFile({ state, source, needs, error, journal, ending }: OpenJob): boolean {
  if (ending || source.kind !== "file") return false;
  if (state === "needs-permission") return needs?.permission === "file";
  if (state !== "failed" || error === undefined || isFault(error)) return state === "needs-file";
  return journal !== undefined || errorFacts(error.code).next === "give-source-again";
}

/** Files that were refused, until the person decides what becomes of them. */
const refused = new Map<string, ChosenFile>();

/** Gives an upload its file; one that has begun refuses another one. */
export async function takeFile(
  { list, settings }: { list: JobList; settings: Pick<SettingsCopy, "read"> },
  jobId: string,
  { file, handle }: ChosenFile,
): Promise<void> {
  const job = list.get(jobId);
  if (job === undefined) return;
  const blob = job.asset === undefined ? file : await asBegun(job, file);
  if (blob === undefined) {
    refused.set(jobId, { file, ...known({ handle }) });
    return await list.apply(jobId, { type: "file-refused", refused: fileDetails(file) });
  }
  const source = { ...without(job.source, "handle"), ...fileDetails(blob), blob, ...known({ handle }) };
  await list.apply(jobId, { type: "file-given", source });
  // A job without an asset may have got another file: it starts as if it were new.
  if (!(await settings.read()).reviewFirst)
    await list.apply(jobId, { type: "scheduled", startsAt: Date.now() + START_DELAY });
}

export function takeRefused(jobId: string): ChosenFile | undefined {
  const given = refused.get(jobId);
  refused.delete(jobId);
  return given;
}
