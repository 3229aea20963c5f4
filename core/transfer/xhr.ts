/**
 * The transport on XMLHttpRequest: the one way in a page to see bytes leave.
 *
 * @module
 */

import { isRedirect } from "../http/status.ts";
import type { Slice } from "../source/source.ts";
import { collect, redirected } from "./body.ts";
import { Interruption } from "./interruption.ts";
import type { TransferAnswer, Transport } from "./transport.ts";

/** Sends by XMLHttpRequest; a Blob body goes from disk to the network without being held. */
export function xhrTransport(): Transport {
  return {
    streams: false,
    repeats: true,
    reportsProgress: true,
    // Progress comes some twenty times a second, and a request that the browser sends again reports none at first.
    unreported: Number.POSITIVE_INFINITY,
    async send(request) {
      const { body, signal } = request;
      const bytes = body && (body.blob ?? (await collect(body)));
      signal.throwIfAborted();
      try {
        return await new Promise<TransferAnswer>((resolve, reject) => {
          const xhr = new XMLHttpRequest();
          xhr.open(request.method, request.url);
          for (const [name, value] of Object.entries(request.headers)) xhr.setRequestHeader(name, value);
          const stop = () => xhr.abort();
          signal.addEventListener("abort", stop, { once: true });
          let furthest = 0;
          let failure: unknown;
          const onProgress = ({ loaded }: ProgressEvent) => {
            // The browser itself has sent the request again, at once: the host may still be storing what it had received.
            if (loaded < furthest) {
              failure = new Interruption("connection", "the connection failed");
              return xhr.abort();
            }
            furthest = loaded;
            request.onHandedOver(loaded);
          };
          if (body !== undefined) xhr.upload.onprogress = onProgress;
          xhr.onload = () => {
            const moved =
              xhr.responseURL !== "" && new URL(xhr.responseURL).origin !== new URL(request.url).origin;
            if (moved || isRedirect(xhr)) return reject(redirected());
            resolve({
              status: xhr.status,
              header: (name) => xhr.getResponseHeader(name) ?? undefined,
              text: xhr.responseText,
            });
          };
          xhr.onerror = () => reject(new Interruption("connection", "the connection failed"));
          xhr.onabort = () => reject(failure ?? signal.reason);
          xhr.onloadend = () => signal.removeEventListener("abort", stop);
          xhr.send(bytes ?? null);
        });
      } catch (error) {
        signal.throwIfAborted();
        // A file that changed on disk looks like a failed connection; reading a byte of it tells them apart.
        if (error instanceof Interruption && body !== undefined) await readOne(body);
        throw error;
      }
    },
  };
}

async function readOne(body: Slice): Promise<void> {
  const pieces = body.pieces();
  await pieces.next();
  await pieces.return?.();
}
