/** Pauses of uploads at many moments, each with another call in the same tick: for every journal, in every runtime. */
import { isUpcutError, type Journal, type Requester, upload } from "../../../core/mod.ts";

/** Milliseconds after which a call is aborted. */
export const MOMENTS: readonly number[] = [0, 1, 5, 50, 500, 1_600];
/** Bytes of each video: sent for seconds at a rate of 1 MiB a second. */
export const PAUSED_SIZE = 3 * 1024 * 1024 + 1;

export interface PauseOutcome {
  after: number;
  /** The asset of the second call, or the code of its error. */
  second: string;
}

/**
 * Uploads a video for each moment, all at the same time.
 *
 * @param open gives a journal of the same place, anew for each call
 */
export async function pauseAtMoments(
  moments: readonly number[],
  open: () => Journal,
  requester: () => Requester,
): Promise<PauseOutcome[]> {
  return await Promise.all(
    moments.map(async (after, seed) => {
      const video = new File([new Uint8Array(PAUSED_SIZE).fill(seed + 1)], `${after}.mp4`, {
        type: "video/mp4",
        lastModified: 1,
      });
      const send = (signal?: AbortSignal) =>
        upload(requester(), video, {
          journal: open(),
          method: "resumable",
          timeout: { settle: 100 },
          signal,
        });
      const stop = new AbortController();
      const first = send(stop.signal).catch(() => {});
      if (after > 0) await new Promise((resolve) => setTimeout(resolve, after));
      stop.abort();
      const second = await send().then(
        ({ asset }) => asset.id,
        (error) => (isUpcutError(error) ? error.code : String(error)),
      );
      await first;
      return { after, second };
    }),
  );
}
