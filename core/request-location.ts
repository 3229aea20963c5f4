/**
 * Asking for an upload location: once, with a note in the journal for as long as there is no answer, and by which method
 * the source then goes there.
 *
 * @module
 */

import type { AssetRequest } from "./asset.ts";
import { ConnectionError, isUpcutError, ServiceError } from "./errors.ts";
import type { JournalPlace, UploadRecord } from "./journal.ts";
import { readUploadLocation } from "./location.ts";
import type { ProgressMeter } from "./progress.ts";
import { show } from "./redaction.ts";
import { Interruption } from "./retry.ts";
import type { Source } from "./source/source.ts";
import type { Requester, UploadMethod, UploadSettings } from "./upload-options.ts";

/** What a location is asked for, by whom, and where the answer is kept. */
export interface LocationRequest {
  requester: Requester;
  source: Source;
  settings: UploadSettings;
  request: AssetRequest;
  place: JournalPlace;
  meter: ProgressMeter;
  signal: AbortSignal;
}

/** The error for an earlier call that ended while it asked; the call after this one asks anew. */
export async function requestUnknown(place: JournalPlace): Promise<ConnectionError> {
  await place.clearRequestNote();
  const state =
    "an earlier call ended while it asked for an upload location, so an asset may have been created";
  const advice = "Look into the account; uploading again makes another one";
  return new ConnectionError("asset-unknown", `Cannot upload: ${state}. ${advice}`, { retryable: true });
}

/**
 * Asks for a location, and leaves a note in the journal for as long as there is no answer.
 *
 * @returns whether something may have been sent to the location before
 */
export async function requestLocation(run: LocationRequest): Promise<boolean> {
  const { requester, place, signal } = run;
  // First, since what is stored after room was made for the record would take that room.
  if (requester.repeatable !== true) await place.noteRequest();
  try {
    await place.reserve();
    return await ask(run);
  } catch (error) {
    // Nobody was told what became of a request that was stopped: the next call tells.
    if (!signal.aborted) await place.clearRequestNote();
    throw error;
  }
}

/** Asks once; only a request that never left, or that was turned away for coming too soon, is asked again. */
async function ask(run: LocationRequest): Promise<boolean> {
  const { requester, request, place, meter, signal } = run;
  meter.enter("requesting");
  // Before there is an asset, which a failure here would lose.
  const direct = await goesDirectly(run);
  const answer = await requester.requestUpload(request, { signal }).catch((error: unknown) => {
    if (isUpcutError(error) && (error.code === "not-reached" || error.code === "too-soon")) {
      const reason = error.code === "too-soon" ? "status" : "connection";
      throw new Interruption(reason, error.message, { retryAfter: error.retryAfter, error });
    }
    throw error;
  });
  const location = readUploadLocation(answer, false);
  if ("problem" in location) {
    throw new ServiceError(
      "unexpected-answer",
      `Cannot upload: ${String(location.problem)}. An asset may have been created`,
    );
  }
  const { url, tusEndpoint, asset, task, mismatches } = location;
  const method = direct === "if-possible" ? (typeof url === "string" ? "direct" : "resumable") : direct;
  const [field, address] =
    method === "direct" ? (["url", url] as const) : (["tusEndpoint", tusEndpoint] as const);
  const record: UploadRecord = { method, asset, mismatches, ...(task && { task }) };
  if (typeof address !== "string") {
    place.record = record;
    const why = mismatches.find(({ path }) => path === field);
    const found = why === undefined ? "" : `: expected ${why.expected}, found ${why.found}`;
    const state = `asset ${show(asset.id)} was created without a usable ${method} location (${field}${found})`;
    throw new ServiceError("unexpected-answer", `Cannot upload: ${state}`);
  }
  const other = method === "direct" && typeof tusEndpoint === "string" && { resumableLocation: tusEndpoint };
  await place.save({ ...record, location: address, ...other });
  return requester.repeatable === true && location.used === true;
}

/** Up to this size nothing is gained by resuming, and one request is two round trips less. */
const DIRECT_UP_TO = 1024 * 1024;

/** By itself, what is small goes directly, unless the host would be sent two authorizations at once. */
async function goesDirectly({
  requester,
  source,
  settings,
}: LocationRequest): Promise<"direct" | "resumable" | "if-possible"> {
  if (settings.method !== "auto") return settings.method;
  const { size = Number.POSITIVE_INFINITY, rereadable } = source;
  if (!rereadable || size > DIRECT_UP_TO) return "resumable";
  const headers = Object.keys((await requester.uploadHeaders?.()) ?? {});
  const authorized =
    headers.some((name) => name.toLowerCase() === "authorization") || (await requester.authorizesUploads?.());
  return authorized === true ? "resumable" : "if-possible";
}

/** What "auto" sent directly goes on resumably, as the same asset, once that is asked for. */
export function switchMethod(place: JournalPlace, method: UploadMethod): void {
  if (method !== "resumable" || place.record?.method !== "direct") return;
  const { resumableLocation: location, location: _, handedOver: __, ...record } = place.record;
  if (location !== undefined) place.record = { ...record, method, location };
}
