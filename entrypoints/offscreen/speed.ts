/** The speed of an upload as a person wants to read it: steady, yet not far behind. */

/** Milliseconds over which older measurements lose their weight. */
const SMOOTHING_TIME = 4_000;
/** Milliseconds at the beginning that don't count: sockets swallow some MiB at once. */
const WARM_UP_TIME = 1_000;

/** Takes the bytes sent so far, returns bytes per second, 0 while it can't be told. */
export function speedMeter(now: () => number = Date.now): (bytes: number) => number {
  let began: number | undefined;
  let last: { at: number; bytes: number } | undefined;
  let speed = 0;
  return (bytes) => {
    const at = now();
    if (bytes > 0) began ??= at;
    if (began === undefined || at - began < WARM_UP_TIME) return 0;
    if (last === undefined || bytes < last.bytes) {
      last = { at, bytes };
      return speed;
    }
    const elapsed = at - last.at;
    if (elapsed < 100) return speed;
    const current = ((bytes - last.bytes) / elapsed) * 1000;
    const weight = speed === 0 ? 1 : 1 - Math.exp(-elapsed / SMOOTHING_TIME);
    speed += (current - speed) * weight;
    last = { at, bytes };
    return speed;
  };
}
