/** Reads jobs as earlier versions of the stored list held them. Pure. */
import type { ErrorRecord } from "../../core/mod.ts";
import { entryOf } from "./entry-of.ts";
import { type Failure, faultOf } from "./fault.ts";
import { type JobState, STATES, type StoredJob, type StoredSource } from "./job.ts";
import { type Fields, isFields } from "./stored-job.ts";

/**
 * A job of an earlier version of the list as one of version 3. One that is in the present form already stays as it is.
 *
 * @param version of the list that held it
 * @returns nothing for what can't be understood: it is left out, so that the rest of the list can be read
 */
export function upgradeJob(old: unknown, version: number): StoredJob | undefined {
  if (!isFields(old)) return undefined;
  const job = version < 2 ? toVersion2(old) : old;
  return job && (toVersion3(job) as unknown as StoredJob);
}

function toVersion3({ mended, source, otherLength, ...job }: Fields): Fields {
  return {
    ...job,
    ...(source !== undefined && { source: withUnit(source) }),
    ...(mended === true && { retryOffered: true }),
    ...(otherLength !== undefined && { otherLength: withUnits(otherLength) }),
  };
}

/** Version 2 named lengths without their unit. */
function withUnit(source: unknown): unknown {
  if (!isFields(source) || source.played === undefined) return source;
  const { played: playedSeconds, ...rest } = source;
  return { ...rest, playedSeconds };
}

function withUnits(lengths: unknown): unknown {
  if (!isFields(lengths) || lengths.played === undefined) return lengths;
  return { playedSeconds: lengths.played, foundSeconds: lengths.found };
}

function toVersion2(old: Fields): Fields | undefined {
  const { file, from, video, handle, waiting, error, outcome, progress, createdAt, ...rest } = old;
  const source = isFields(old.source) ? old.source : sourceOf(file, from, video, handle);
  const { id, state, fields } = rest;
  if (typeof id !== "string" || !STATES.includes(state as JobState)) return undefined;
  if (!isFields(fields) || typeof fields.name !== "string") return undefined;
  if (source === undefined || typeof source.name !== "string") return undefined;
  return {
    ...rest,
    source: { ...source, type: text(source.type), lastModified: number(source.lastModified) },
    createdAt: number(createdAt),
    progress: progressOf(progress),
    fields: { ...fields, further: isFields(fields.further) ? fields.further : {} },
    ...(isFields(waiting) && { waiting: waitingOf(waiting) }),
    ...(isFields(error) && { error: failureOf(error) }),
    ...(isFields(outcome) && { outcome: outcomeOf(outcome) }),
  };
}

/** Version 1 had the file, where it is from, its secret address and its handle beside each other. */
function sourceOf(file: unknown, from: unknown, video: unknown, handle: unknown): Fields | undefined {
  if (!isFields(file)) return undefined;
  if (!isFields(from)) return { kind: "file", ...file, ...(handle !== undefined && { handle }) };
  const { kind, host, hasPage } = from;
  const { address, page, open } = isFields(video) ? video : {};
  const place = { host: text(host), hasPage: hasPage === true, ...(page !== undefined && { page }) };
  if (kind === "page-blob") return { kind: "page-blob", ...file, ...place };
  if (kind !== "address") return undefined;
  const url = { ...(address !== undefined && { url: address }), ...(open === true && { open }) };
  return { kind: "url" satisfies StoredSource["kind"], ...file, ...place, ...url };
}

function progressOf(progress: unknown): StoredJob["progress"] {
  const { sent, acknowledged, speed } = isFields(progress) ? progress : {};
  return { sent: number(sent), acknowledged: number(acknowledged), speed: number(speed) };
}

function waitingOf({ reason, ...waiting }: Fields): Fields {
  return { ...waiting, reason: reason === "status" ? "http-status" : reason };
}

function outcomeOf({ continued, ...outcome }: Fields): Fields {
  return { resumed: continued === true, ...outcome };
}

const NEW_CODES: Partial<Record<string, ErrorRecord["code"]>> = {
  "too-soon": "rate-limited",
  "not-reached": "unreachable",
  "service-failed": "service-error",
  "end-unknown": "terminate-unknown",
};

function failureOf({ status, sentences, kept, ...error }: Fields): Failure {
  const { name, code, retryAfter, httpStatus } = error;
  // A service that failed was a ServiceError; under this name it was a fault inside the extension.
  if (name === "UpcutError" && code === "service-failed") return faultOf("upload the video");
  const { assetId, bytes, continues } = isFields(kept) ? kept : {};
  return {
    ...error,
    code: entryOf(NEW_CODES, text(code)) ?? code,
    ...(status !== undefined && { httpStatus: status }),
    ...(Array.isArray(sentences) && { details: sentences }),
    // Version 1 counted seconds. What has its status under the present name counts milliseconds.
    ...(typeof retryAfter === "number" && httpStatus === undefined && { retryAfter: retryAfter * 1000 }),
    ...(typeof assetId === "string" && {
      resume: { assetId, offset: number(bytes), possible: continues === true },
    }),
  } as unknown as Failure;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
