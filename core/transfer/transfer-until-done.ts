/**
 * From a slot in the journal to a stored asset: asks for a location unless there is one, sends what the service doesn't
 * have, and goes on after interruptions.
 *
 * @module
 */

import { isUpcutError, UploadError } from "../errors.ts";
import type { UploadRecord } from "../journal.ts";
import type { JournalSlot } from "../journal-slot.ts";
import { shortFileName } from "../source/file-name.ts";
import { mediaTypeOf } from "../source/media-type.ts";
import { PART_SIZE } from "../source/parts.ts";
import type { ReadableSource } from "../source/source.ts";
import { chooseTransport } from "./choose-transport.ts";
import { transferDirect } from "./direct.ts";
import { Interruption } from "./interruption.ts";
import { requestLocation, type UploadRun } from "./request-location.ts";
import { transferResumable } from "./resumable.ts";
import { isWaitingForNetwork, pause, retryUntilDone } from "./retry-until-done.ts";
import { send } from "./send.ts";
import { Settling } from "./settling.ts";
import type { Transfer } from "./transfer.ts";
import type { Transport } from "./transport.ts";

/**
 * Runs an upload until the service has all of it.
 *
 * @returns what was remembered of it
 */
export async function transferUntilDone(run: UploadRun): Promise<UploadRecord> {
  const { slot, meter, signal, settings } = run;
  await retryUntilDone(attemptsOf(run), {
    retry: settings.retry,
    signal,
    acknowledged: () => meter.acknowledged,
    handedOver: () => meter.sent,
    neverCarried: () =>
      slot.record?.method === "direct"
        ? 'This line never carries the whole file at once: use method "resumable"'
        : "This line never carries 8 MiB at once, the least that services of parts count: use a steadier one",
    onWait({ reason }, attempt, until) {
      meter.enter("waiting", { reason: until === undefined ? "offline" : reason, until, attempt });
    },
  });
  return recordOf(slot);
}

/** One attempt: asks for a location unless there is one, then sends what the service doesn't have. */
function attemptsOf(run: UploadRun): () => Promise<void> {
  const { requester, settings, slot, meter } = run;
  const transport = chooseTransport(run.source, requester.fetch);
  // A transport that holds each part before it leaves has the next one read meanwhile.
  const readsAhead = settings.method !== "direct" && !transport.streams;
  const source: ReadableSource = readsAhead ? { ...run.source, ...run.source.ahead?.() } : run.source;
  let locationUsed = slot.record !== undefined;
  let settling: Settling | undefined;
  return async () => {
    if (slot.record === undefined) locationUsed = await requestLocation(run);
    settling ??= new Settling(settings.timeouts.settle, locationUsed, transport.repeats);
    const { asset, method } = recordOf(slot);
    meter.asset = asset;
    const transfer = transferOf(run, { source, transport, settling, locationUsed });
    locationUsed = true;
    const { size } = source;
    const work =
      method === "direct" && size !== undefined
        ? transferDirect(transfer, size)
        : transferResumable(transfer);
    await work.catch(waitOffline);
  };
}

function transferOf(
  { requester, settings, slot, meter, signal }: UploadRun,
  parts: Pick<Transfer, "source" | "transport" | "settling" | "locationUsed">,
): Transfer {
  const { source, transport } = parts;
  return {
    ...parts,
    signal,
    filename: shortFileName(source.name ?? "video"),
    filetype: mediaTypeOf(source.type, source.name),
    chunkSize: settings.chunkSize ?? defaultChunkSize(source, transport),
    record: () => recordOf(slot),
    save: (record) => slot.save(record),
    acknowledge: (offset) => meter.acknowledge(offset),
    async waitForStore(milliseconds) {
      meter.enter("waiting", { reason: "settling", until: Date.now() + milliseconds, attempt: 1 });
      await pause(milliseconds, signal);
    },
    async send({ method, url, headers, body, start = 0 }, onSent) {
      const count = body && meter.body(start);
      if (body !== undefined) meter.enter("sending");
      const onHandedOver = (bytes: number) => {
        count?.(bytes);
        onSent?.(bytes);
      };
      const all = { ...(await requester.uploadHeaders?.()), ...headers };
      const request = { method, url, headers: all, body, signal, onHandedOver };
      return await send(transport, request, settings.timeouts);
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
