/**
 * From a slot in the journal to a stored asset: asks for a location unless there is one, sends what the service doesn't
 * have, and goes on after interruptions.
 */
import { isUpcutError, UploadError } from "../errors/errors.ts";
import type { UploadRecord } from "../journal/journal.ts";
import { type JournalSlot, noteAcknowledged, withAcknowledged } from "../journal/slot.ts";
import { isWaitingForNetwork } from "../runtime.ts";
import { dateNow, steadyNow } from "../time/clock.ts";
import { transferDirect } from "./direct.ts";
import { Interruption } from "./interruption.ts";
import { requestLocation, type UploadRun } from "./location.ts";
import { chooseTransport, type Transfer } from "./request.ts";
import { transferResumable } from "./resumable.ts";
import { pause, retryUntilDone } from "./retry.ts";
import { Settling } from "./settling.ts";
import type { Transport } from "./transport.ts";

export async function transferUntilDone(run: UploadRun): Promise<UploadRecord> {
  const { requester, source, slot, meter, signal, settings } = run;
  const transport = chooseTransport(source, requester);
  // A transport that holds each part before it leaves has the next one read meanwhile.
  const ahead = settings.method === "direct" || transport.streams ? undefined : source.readAhead?.();
  const attempt = makeAttempt({ ...run, source: { ...source, ...ahead } }, transport);
  try {
    await retryUntilDone(attempt, {
      ...settings,
      purpose: "upload",
      signal,
      // An earlier call that began the upload knew its host.
      isNew: slot.record === undefined,
      acknowledged: () => meter.acknowledged,
      handedOver: () => meter.sent,
      hintWhenAlwaysBroken: () =>
        slot.record?.method === "direct"
          ? 'The connection breaks before the whole file is sent: use method "resumable"'
          : "The connection breaks before 8 MiB are sent, the least that services of parts keep: use a steadier one, or a proxy that takes bodies of 8 MiB",
      onWait({ reason, httpStatus }, attempt, until) {
        const status = httpStatus !== undefined && { httpStatus };
        const why = until === undefined ? ({ reason: "offline" } as const) : { reason, ...status };
        meter.enter("waiting", { ...why, until, attempt });
      },
    });
  } finally {
    await ahead?.close();
  }
  return recordOf(slot);
}

/** One attempt: asks for a location unless there is one, then sends what the service doesn't have. */
function makeAttempt(run: UploadRun, transport: Transport): () => Promise<void> {
  const { requester, source, settings, slot, meter, signal } = run;
  let locationUsed = slot.record !== undefined;
  let settling: Settling | undefined;
  return async () => {
    if (slot.record === undefined) locationUsed = await requestLocation(run);
    settling ??= new Settling(settings.timeouts.settle, locationUsed);
    const { asset, method } = recordOf(slot);
    meter.asset = asset;
    let notedAt = Number.NEGATIVE_INFINITY;
    const transfer: Transfer = {
      requester,
      source,
      transport,
      settings,
      settling,
      locationUsed,
      meter,
      signal,
      record: () => recordOf(slot),
      note: (facts) => slot.save(withAcknowledged({ ...recordOf(slot), ...facts }, meter)),
      async confirm() {
        // Before a request, so that no two writes of it meet.
        if (steadyNow() - notedAt >= NOTE_INTERVAL && (await noteAcknowledged(slot, meter)))
          notedAt = steadyNow();
        await slot.confirm();
      },
      confirmAfterPause: slot.confirmAfterPause,
      async waitForStore(milliseconds) {
        meter.enter("waiting", { reason: "settling", until: dateNow() + milliseconds, attempt: 1 });
        await pause(milliseconds, signal);
      },
    };
    locationUsed = true;
    const { size } = source;
    // A source without a size is never given a direct location.
    const isDirect = method === "direct" && size !== undefined;
    await (isDirect ? transferDirect(transfer, size) : transferResumable(transfer)).catch(waitOffline);
  };
}

/** A source that can't be reached while there is no network is waited for like the service. */
function waitOffline(error: unknown): never {
  const unreachable = isUpcutError(error) && error.code === "source-unreadable" && error.retryable;
  if (unreachable && isWaitingForNetwork()) throw new Interruption("connection", error.message, { error });
  throw error;
}

function recordOf(slot: JournalSlot): UploadRecord {
  if (slot.record === undefined)
    throw new UploadError("location-refused", "Cannot upload: there is no location");
  return slot.record;
}

/** Milliseconds after which the journal is told how far an upload is, for whoever lists what was paused or killed. */
const NOTE_INTERVAL = 5_000;
