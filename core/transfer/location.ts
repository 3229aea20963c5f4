/**
 * Asking for an upload location: once, with a note in the journal for as long as there is no answer, and by which method
 * the source then goes there.
 */

import { errorFacts } from "../errors/error-codes.ts";
import { ASSET_UNKNOWN, isUpcutError, ServiceError } from "../errors/errors.ts";
import { type Hosts, NEVER_ANSWERED } from "../hosts/host.ts";
import type { UploadRecord } from "../journal/journal.ts";
import type { JournalSlot } from "../journal/slot.ts";
import type { ProgressMeter } from "../progress/progress.ts";
import type { AssetRequest } from "../service/request-fields.ts";
import type { GuardedRequester } from "../service/requester.ts";
import { readUploadLocation, withoutLocation } from "../service/upload-location.ts";
import { shortFileName } from "../source/file-name.ts";
import type { ReadableSource } from "../source/source.ts";
import { onAbort, untilAborted } from "../time/abort.ts";
import { dateNow } from "../time/clock.ts";
import { Interruption, interruptedBy } from "./interruption.ts";
import { originsOf, proofOf, type TransferSettings } from "./request.ts";

export interface UploadRun {
  requester: GuardedRequester;
  source: ReadableSource;
  settings: TransferSettings;
  request: AssetRequest;
  slot: JournalSlot;
  meter: ProgressMeter;
  signal: AbortSignal;
  hosts: Hosts;
}

/**
 * A request goes on by itself where the call is stopped meanwhile: its answer is noted under the call's lease, and the next
 * call resumes that asset. Only the end of the process loses it.
 *
 * @returns whether something may have been sent to the location before
 */
export async function requestLocation(run: UploadRun): Promise<boolean> {
  const { requester, slot, signal } = run;
  // A requester for one upload gives the same answer again, to the next call too.
  if (requester.repeatable === true) {
    await slot.reserve();
    return await ask(run, signal);
  }
  return await untilAborted(slot.keepDuring(answered(run)), signal);
}

/** Milliseconds for which a request goes on after its call was stopped, where the requester itself doesn't end it. */
const LONGEST_ANSWER = 60_000;

async function answered(run: UploadRun): Promise<boolean> {
  const { slot, signal } = run;
  const own = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsked = false;
  const forget = onAbort(signal, () => {
    timer = setTimeout(() => own.abort(signal.reason), isAsked ? LONGEST_ANSWER : 0);
  });
  const noteAsked = () => {
    signal.throwIfAborted();
    isAsked = true;
  };
  try {
    // First, since what is stored after room was made for the record would take that room.
    await slot.noteRequest();
    signal.throwIfAborted();
    await slot.reserve();
    return await untilAborted(ask(run, own.signal, noteAsked), own.signal);
  } catch (error) {
    // Nobody hears any more what became of a request whose call was stopped: unless it came to nothing, the next one does.
    const isKnown =
      error instanceof Interruption || (isUpcutError(error) && errorFacts(error.code).kept !== "unknown");
    if (!signal.aborted || !isAsked || isKnown) await slot.clearRequestNote();
    throw error;
  } finally {
    forget();
    clearTimeout(timer);
  }
}

/** Asks once; only a request that never left, or that was turned away for coming too soon, is asked again. */
async function ask(run: UploadRun, signal: AbortSignal, beforeAsking = () => {}): Promise<boolean> {
  const { requester, source, settings, request, slot, meter } = run;
  meter.enter("requesting");
  // The headers are asked for before there is an asset, which a failure here would lose.
  const headers = (await requester.uploadHeaders?.()) ?? {};
  const direct = await goesDirectly(run, headers);
  beforeAsking();
  const answer = await requester.requestUpload(request, { signal }).catch((error: unknown) => {
    if (!isUpcutError(error)) throw error;
    const { code, message, httpStatus = 429, retryAfter } = error;
    if (code === "rate-limited") throw interruptedBy(httpStatus, message, { retryAfter, error });
    if (code !== "unreachable" || !error.retryable) throw error;
    const neverAnswered = NEVER_ANSWERED in error ? "the account" : undefined;
    throw new Interruption("connection", message, { error, neverAnswered });
  });
  const location = readUploadLocation(answer);
  if (typeof location === "string")
    throw new ServiceError("unexpected-answer", `Cannot upload: ${location}. ${ASSET_UNKNOWN.state}`);
  const { url, tusEndpoint, asset, task, mismatches } = location;
  const method = direct === "if-possible" ? (typeof url === "string" ? "direct" : "resumable") : direct;
  const field = method === "direct" ? "url" : "tusEndpoint";
  const address = location[field];
  const origins = originsOf(url, tusEndpoint);
  const { headers: own } = settings;
  const proof = await proofOf(requester, { ...(typeof own === "object" && own), ...headers }, origins);
  const record: UploadRecord = {
    method,
    asset,
    mismatches,
    origins,
    source: factsOf(source),
    begunAt: dateNow(),
    ...(task && { task }),
    ...(proof !== undefined && { proof }),
  };
  if (typeof address !== "string") {
    slot.record = record;
    throw withoutLocation("Cannot upload", location, [field], { secrets: requester.secrets() });
  }
  const other = method === "direct" && typeof tusEndpoint === "string" && { resumableLocation: tusEndpoint };
  await slot.save({ ...record, location: address, ...other });
  return requester.repeatable === true && location.used === true;
}

function factsOf({ name, size, origin }: ReadableSource): NonNullable<UploadRecord["source"]> {
  return {
    ...(name !== undefined && { name: shortFileName(name) }),
    ...(size !== undefined && { size }),
    ...(origin !== undefined && { origin }),
  };
}

/**
 * Up to this size nothing is gained by resuming, and one request is two round trips less. Over lines that break every two
 * MB or so, a PUT of 1 MiB was whole sooner at 2, 20 and 200 Mbit/s; one of 2 MiB took 1.7 times as long at 2 Mbit/s.
 */
const MOST_DIRECT_BYTES = 1024 * 1024;

/** A small source goes directly by itself, unless the host would be sent two authorizations at once. */
async function goesDirectly(
  { requester, source, settings }: UploadRun,
  headers: Record<string, string>,
): Promise<"direct" | "resumable" | "if-possible"> {
  if (settings.method !== "auto") return settings.method;
  const { size = Number.POSITIVE_INFINITY, rereadable } = source;
  if (!rereadable || size > MOST_DIRECT_BYTES) return "resumable";
  const authorized =
    Object.keys(headers).some((name) => name.toLowerCase() === "authorization") ||
    (await requester.authorizesUploads?.());
  return authorized === true ? "resumable" : "if-possible";
}

/** Switches what "auto" began directly to the resumable location of the same asset, when the caller asks for that method. */
export function switchMethod(slot: JournalSlot, method: TransferSettings["method"]): void {
  if (method !== "resumable" || slot.record?.method !== "direct") return;
  const { resumableLocation: location, location: _, ...record } = slot.record;
  if (location !== undefined) slot.record = { ...record, method, location };
}
