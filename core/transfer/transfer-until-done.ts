/**
 * From a slot in the journal to a stored asset: asks for a location unless there is one, sends what the service doesn't
 * have, and goes on after interruptions.
 *
 * @module
 */

import { isUpcutError, UploadError } from "../errors.ts";
import { hasAnswered } from "../http/answered.ts";
import { observed, type RequestReport } from "../http/observe.ts";
import { noteAcknowledged, withAcknowledged } from "../journal/acknowledged.ts";
import type { UploadRecord } from "../journal/journal.ts";
import type { JournalSlot } from "../journal/slot.ts";
import { mediaTypeOf } from "../media-type.ts";
import { originOf, redact } from "../redaction/redaction.ts";
import { shortFileName } from "../source/file-name.ts";
import { PART_SIZE } from "../source/parts.ts";
import type { ReadableSource } from "../source/source.ts";
import { pacedBody } from "./bandwidth.ts";
import { chooseTransport } from "./choose-transport.ts";
import { transferDirect } from "./direct.ts";
import { Interruption } from "./interruption.ts";
import { leasedBody } from "./leased-body.ts";
import { requestLocation, type UploadRun } from "./location.ts";
import { transferResumable } from "./resumable.ts";
import { isWaitingForNetwork, pause, type RetryLoop, retryUntilDone, throughFirstContact } from "./retry.ts";
import { send } from "./send.ts";
import { Settling } from "./settling.ts";
import type { Transfer } from "./transfer.ts";
import type { Transport } from "./transport.ts";
import { uploadHeadersFor } from "./upload-headers.ts";

/**
 * Runs an upload until the service has all of it.
 *
 * @returns what was remembered of it
 */
export async function transferUntilDone(run: UploadRun): Promise<UploadRecord> {
  const { requester, source, slot, meter, signal, settings } = run;
  const transport = chooseTransport(source, requester);
  // A transport that holds each part before it leaves has the next one read meanwhile.
  const ahead = settings.method === "direct" || transport.streams ? undefined : source.readAhead?.();
  const attempt = makeAttempt({ ...run, source: { ...source, ...ahead } }, transport);
  const loop: RetryLoop = {
    purpose: "upload",
    retry: settings.retry,
    signal,
    acknowledged: () => meter.acknowledged,
    handedOver: () => meter.sent,
    hintWhenAlwaysBroken: () =>
      slot.record?.method === "direct"
        ? 'The connection breaks before the whole file is sent: use method "resumable"'
        : "The connection breaks before 8 MiB are sent, the least that services of parts keep: use a steadier one",
    onWait({ reason }, number, until) {
      meter.enter("waiting", { reason: until === undefined ? "offline" : reason, until, attempt: number });
    },
  };
  try {
    await retryUntilDone(() => throughFirstContact(attempt, loop), loop);
  } finally {
    await ahead?.close();
  }
  return recordOf(slot);
}

/** One attempt: asks for a location unless there is one, then sends what the service doesn't have. */
function makeAttempt(run: UploadRun, transport: Transport): () => Promise<void> {
  const { source, settings, slot, meter } = run;
  const isBegun = slot.record !== undefined;
  let locationUsed = isBegun;
  let settling: Settling | undefined;
  return async () => {
    if (slot.record === undefined) locationUsed = await requestLocation(run);
    settling ??= new Settling(settings.timeouts.settle, locationUsed, transport.repeats);
    const { asset, method } = recordOf(slot);
    meter.asset = asset;
    const transfer = transferOf(run, { source, transport, settling, locationUsed, isBegun });
    locationUsed = true;
    const { size } = source;
    // What has no size is never given a direct location.
    const isDirect = method === "direct" && size !== undefined;
    await (isDirect ? transferDirect(transfer, size) : transferResumable(transfer)).catch(waitOffline);
  };
}

function transferOf(
  { requester, settings, slot, meter, signal }: UploadRun,
  {
    isBegun,
    ...parts
  }: Pick<Transfer, "source" | "transport" | "settling" | "locationUsed"> & { isBegun: boolean },
): Transfer {
  const { source, transport } = parts;
  let secrets: string[] | undefined;
  let isUnproven = false;
  let notedAt = Number.NEGATIVE_INFINITY;
  return {
    ...parts,
    signal,
    filename: shortFileName(source.name ?? "video"),
    filetype: mediaTypeOf(source.type, source.name),
    chunkSize: settings.chunkSize ?? defaultChunkSize(source, transport),
    secrets: () => secrets && [...requester.secrets(), ...secrets],
    isUnproven: () => isUnproven,
    record: () => recordOf(slot),
    save: (record) => slot.save(withAcknowledged(record, meter)),
    acknowledge: (offset) => meter.acknowledge(offset),
    async waitForStore(milliseconds) {
      meter.enter("waiting", { reason: "settling", until: Date.now() + milliseconds, attempt: 1 });
      await pause(milliseconds, signal);
    },
    async send({ method, url, headers, body, start = 0, beforeLastByte }, onSent) {
      const { bandwidth, timeouts, hooks } = settings;
      // What a transport holds leaves at once: it is waited for before.
      if (!transport.streams && body !== undefined) await bandwidth?.take(body.size, signal);
      const count = body && meter.body(start);
      if (body !== undefined) meter.enter("sending");
      let sent = 0;
      const onHandedOver = (bytes: number) => {
        sent = bytes;
        count?.(bytes);
        onSent?.(bytes);
      };
      const own = await uploadHeadersFor(requester, recordOf(slot), url);
      isUnproven = own.isUnproven;
      secrets = (await requester.authorizesUploads?.()) === true ? undefined : own.secrets;
      const paced = body && transport.streams && bandwidth ? pacedBody(body, bandwidth, signal) : body;
      const leased = paced && leasedBody(paced, slot.confirmAfterPause);
      const all = { ...own.headers, ...headers };
      // Before a request, so that no two writes of it meet.
      if (performance.now() - notedAt >= NOTE_INTERVAL && (await noteAcknowledged(slot, meter)))
        notedAt = performance.now();
      await slot.confirm();
      // The service chose the host, and may have put into its name what it was sent.
      const origin = redact(originOf(url), requester.secrets());
      try {
        const held = beforeLastByte && { beforeLastByte };
        const request = { method, url, headers: all, body: leased, signal, onHandedOver, ...held };
        const report = { kind: kindOf(method), method, origin, bytes: body?.size ?? 0 };
        return await observed(
          hooks,
          report,
          () => send(transport, request, timeouts),
          () => sent,
        );
      } catch (error) {
        const isFirstContact = !isBegun && sent === 0 && !hasAnswered(origin);
        if (isFirstContact && error instanceof Interruption) error.neverAnswered = origin;
        throw error;
      } finally {
        // An answer that waited while the process was suspended may be about what another one did since.
        await slot.confirmAfterPause();
      }
    },
  };
}

/** A source that can't be reached while there is no network is waited for like the service. */
function waitOffline(error: unknown): never {
  const unreachable = isUpcutError(error) && error.code === "source-unreadable" && error.retryable;
  if (unreachable && isWaitingForNetwork()) throw new Interruption("connection", error.message, { error });
  throw error;
}

/**
 * Bytes of one request. A browser may send a request again by itself at once, while the host still stores parts of it:
 * there one part is sent at a time.
 */
function defaultChunkSize(source: ReadableSource, transport: Transport): number {
  return source.rereadable && !transport.repeats ? Number.POSITIVE_INFINITY : PART_SIZE;
}

function recordOf(slot: JournalSlot): UploadRecord {
  if (slot.record === undefined)
    throw new UploadError("location-refused", "Cannot upload: there is no location");
  return slot.record;
}

/** What a request to the upload host is for. */
function kindOf(method: string): RequestReport["kind"] {
  if (method === "POST") return "create";
  return method === "HEAD" ? "offset" : "content";
}

/** Milliseconds after which the journal is told how far an upload is, for whoever lists what was paused or killed. */
const NOTE_INTERVAL = 5_000;
