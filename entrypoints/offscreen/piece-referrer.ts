/** The referrer of a job's requests for pieces: the page that plays the video, which the background adds by a rule. */
import { callBackground } from "../shared/messages.ts";
import type { OriginAccess } from "./origin-access.ts";

export interface PieceReferrer {
  /** Adds it to requests: once for a host, or for each address where another job reads that host for another page. */
  send(address: string, access: OriginAccess): Promise<void>;
  close(): Promise<void>;
}

/** @param page nothing where the requests get no referrer */
export function openPieceReferrer(jobId: string, page: string | undefined): PieceReferrer {
  let sent: Promise<unknown> | undefined;
  return {
    async send(address, access) {
      if (page === undefined || !mayNeedReferrer(access)) return;
      const sending = callBackground("send-referrer", { jobId, address, page }).catch(() => undefined);
      sent = Promise.all([sent, sending]);
      const scope = await sending;
      if (scope === undefined) return;
      access.referrerScope = scope;
      access.referrerSetAt ??= performance.now();
    },
    async close() {
      // A rule that is still being set would outlive the job.
      await sent;
      if (sent !== undefined) await callBackground("upload-stopped", { jobId }).catch(() => {});
      sent = undefined;
    },
  };
}

function mayNeedReferrer({ allowed, referrerScope }: OriginAccess): boolean {
  return allowed && referrerScope !== "host" && referrerScope !== "none";
}

/** Whether a request may have gone without: others, sent at the same time, may have set the referrer meanwhile. */
export function wentWithoutReferrer(
  { allowed, referrerScope, referrerSetAt = 0 }: OriginAccess,
  asked: number,
): boolean {
  return allowed && referrerScope !== "none" && (referrerScope !== "host" || referrerSetAt >= asked);
}
