/**
 * How much of what was handed over the line can have taken: a connection holds megabytes in its buffers, so that a short
 * video would seem to be all there while its first bytes are on their way.
 */
import type { Progress } from "../../core/mod.ts";

type Sent = Pick<Progress, "sent" | "acknowledged" | "total">;

export interface LineProgress {
  /** @returns bytes, at least those that were acknowledged, and at most those that were handed over */
  taken(progress: Sent, now: number): number;
}

/** Milliseconds in which a connection fills its buffers, and bytes that these hold at most. */
const [FILL_TIME, MOST_HELD] = [300, 8 * 2 ** 20];
/** Milliseconds from which on a rate can be told. */
const RATE_TIME = 500;

/** The line of this document, with its bytes in a millisecond once an upload has found them. */
const ownLine: { rate?: number } = {};

export function createLineProgress(line = ownLine): LineProgress {
  let acknowledged = Number.NaN;
  let sent = 0;
  let sentAt = 0;
  let begunAt: number | undefined;
  /** What the buffers hold, and when and where they were full. */
  let held = 0;
  let full = { sent: 0, at: 0 };

  function note(news: Sent, now: number): void {
    if (news.acknowledged !== acknowledged) {
      const [bytes, time] = [news.acknowledged - acknowledged, now - (begunAt ?? now)];
      if (bytes > 0 && time >= RATE_TIME) line.rate = bytes / time;
      acknowledged = news.acknowledged;
      begunAt = undefined;
      held = 0;
      sent = acknowledged;
    }
    if (news.sent <= sent) return;
    begunAt ??= now;
    [sent, sentAt] = [news.sent, now];
    if (now - begunAt <= FILL_TIME) {
      held = Math.min(MOST_HELD, sent - acknowledged);
      full = { sent, at: now };
    } else if (now - full.at >= RATE_TIME) line.rate = (sent - full.sent) / (now - full.at);
  }

  return {
    taken(news, now) {
      note(news, now);
      // Once nothing more is handed over, what is held goes out at the rate of before.
      const gone = sent === news.total ? (line.rate ?? 0) * (now - sentAt) : 0;
      return Math.floor(Math.max(acknowledged, sent - Math.max(0, held - gone)));
    },
  };
}
