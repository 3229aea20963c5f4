/** Says in the list why a job failed, or what it needs instead. */
import { type ErrorCode, type ErrorRecord, isUpcutError, type UpcutError } from "../../core/mod.ts";
import { faultOf } from "../shared/fault.ts";
import { callBackground } from "../shared/messages.ts";
import { forgetRequest } from "./forget-request.ts";
import { needAfter } from "./host-needs.ts";
import type { JobRun } from "./job-run.ts";
import type { OpenJob } from "./job-source.ts";

/** How core says that a location can't be used. */
const UNUSABLE: readonly ErrorCode[] = ["unexpected-answer", "location-refused"];

export async function reportFailure(
  { list, settings, id }: Omit<JobRun, "stopper">,
  error: unknown,
  source: Blob | URL | undefined,
): Promise<void> {
  // A job that stayed in a running state would be started again without an end.
  if (!isUpcutError(error))
    return await list.apply(id, { type: "failed", error: faultOf("upload the video") });
  const needs = await needAfter(error, list.get(id), source, settings);
  if (needs !== undefined) return await list.apply(id, { type: "permission-needed", needs });
  // The next try would be given the same location again.
  if (UNUSABLE.includes(error.code) && list.get(id)?.journal === undefined) await forgetRequest(id);
  const record = { ...error.toJSON(), ...resumeOf(list.get(id), error) };
  const { details: _, ...silent } = record;
  // A background that can't answer leaves out what the host said.
  const clean = await callBackground("clean-error", { error: record }).catch(() => silent);
  await list.apply(id, { type: "failed", error: clean });
  // It was given a new address meanwhile.
  const now = list.get(id)?.source;
  const isRenewed = source instanceof URL && now !== undefined && now.url !== source.href;
  if (isRenewed && error.code === "source-refused") await list.apply(id, { type: "continued" });
}

/** What was sent stays, also where an error came before core could look at it. */
function resumeOf(
  { journal, asset, progress }: Partial<OpenJob> = {},
  { resume }: UpcutError,
): Pick<ErrorRecord, "resume"> {
  if (resume !== undefined || journal === undefined || asset === undefined) return {};
  return { resume: { assetId: asset.id, offset: progress?.acknowledged ?? 0, possible: true } };
}
