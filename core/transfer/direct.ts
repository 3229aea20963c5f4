/** Direct upload: one PUT of the whole source (interface document: "Direct upload"). */

import { mayBeVideo, mediaTypeOf } from "../content/media-type.ts";
import { UploadError } from "../errors/errors.ts";
import { isHtmlAnswer } from "../text/html.ts";
import { answeredWithPage, Interruption } from "./interruption.ts";
import { sendRequest } from "./request.ts";
import type { Transfer } from "./settling.ts";

/**
 * Sends the source, whose size is known, from its first byte. The location stays the same in every attempt, so it is the same asset.
 *
 * "Already uploaded" is success once an earlier attempt had handed over the whole body: then only its answer was lost.
 */
export async function transferDirect(transfer: Transfer, size: number): Promise<void> {
  const { source, transport, settling } = transfer;
  const { location: url, handedOver: before = false } = transfer.record();
  if (url === undefined)
    throw new UploadError("location-refused", "Cannot upload: there is no direct-upload location");
  const body = await (source.whole?.() ?? source.slice(0, size));
  let noted: Promise<void> | undefined;
  const noteWhole = () => {
    noted ??= transfer.note({ handedOver: true });
    // The note is awaited below; a failure before that must not count as unhandled.
    noted.catch(() => {});
    return noted;
  };
  if (settling.mayHaveCrashed) {
    // Some services crash with each request that their store can't take: such a request is not repeated at once.
    await sendRequest(transfer, { method: "HEAD", url });
    await transfer.waitForStore(REST * settling.quiet);
  }
  let sent = 0;
  // A host may never bring to its store what it takes for something else than a video, such as JSON.
  const filetype = mediaTypeOf(source.type, source.name);
  const isVideo = filetype !== undefined && mayBeVideo(filetype, undefined);
  const headers: Record<string, string> = isVideo ? { "Content-Type": filetype } : {};
  // A process that ends between the last byte and a note of it could not tell a whole upload from a used location.
  const reportsNoProgress = !transport.reportsProgress;
  if (reportsNoProgress) await noteWhole();
  const onHandedOver = (bytes: number) => {
    sent = bytes;
    if (bytes === body.size) void noteWhole();
  };
  const call = { method: "PUT", url, body, headers, beforeLastByte: noteWhole } as const;
  const answer = await sendRequest(transfer, call, onHandedOver).catch(async (error: unknown) => {
    if (error instanceof Interruption) settling.wholeFailed(sent > 0 && !error.neverLeft);
    // Nobody has the whole of a source that couldn't be read.
    if (reportsNoProgress && error instanceof UploadError && error.code.startsWith("source-"))
      await transfer.note({ handedOver: before });
    throw error;
  });
  await noted;
  const { status, refusal } = answer;
  // A network's sign-in page: an upload host never answers with a page.
  if (refusal === undefined && isHtmlAnswer(answer)) throw answeredWithPage(status);
  // A browser that sent the body twice by itself shows only the second answer.
  const twice = transport.repeats && noted !== undefined && /already/i.test(answer.text);
  if (refusal === undefined || (status === 422 && (before || twice))) return transfer.meter.acknowledge(size);
  // A refusal says that nothing was stored; only a lost or a failing answer leaves that open.
  if (refusal.reason === "refused") await transfer.note({ handedOver: before });
  throw refusal;
}

/** A host that may have crashed is left alone, once it is back, for this many times as long as an offset stands still. */
const REST = 10;
