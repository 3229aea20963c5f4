/** Samples of what was sent of a Blob: some browsers read on in a file that was overwritten, without an error. */
import { PART_SIZE } from "./parts.ts";

const SAMPLE = 1024;
/** Least bytes from one sample to the next: each takes half a millisecond in Chromium. */
const STEP = PART_SIZE / 2;
/** Most samples of a request, and most requests whose samples are kept. */
const MOST = 64;

/** @param read gives the bytes of a Blob, or rejects where there are fewer by now */
export function sampleBlob(
  blob: Blob,
  read: (samples: Blob) => Promise<Uint8Array>,
): { take(start: number, end: number): Promise<void>; areSame(): Promise<boolean> } {
  let taken: { ranges: [number, number][]; bytes: Uint8Array }[] = [];
  // Read as one Blob, since each read of a file asks another process in a browser.
  const readAll = (ranges: [number, number][]) => read(new Blob(ranges.map((range) => blob.slice(...range))));
  return {
    async take(start, end) {
      const ranges: [number, number][] = [[Math.max(start, end - SAMPLE), end]];
      const step = Math.max(STEP, (end - start) / MOST);
      for (let at = start; at < end; at += step)
        ranges.push([Math.floor(at), Math.min(end, Math.floor(at) + SAMPLE)]);
      if (taken.length === MOST) taken = taken.filter((_, index) => index % 2 === 0);
      taken.push({ ranges, bytes: await readAll(ranges) });
    },
    async areSame() {
      const now = await readAll(taken.flatMap(({ ranges }) => ranges));
      let at = 0;
      return taken.every(({ bytes }) => bytes.every((byte) => byte === now[at++]));
    },
  };
}
