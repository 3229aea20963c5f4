/** How long ago something was, also where the process or the whole machine stood still meanwhile. */

/** A steady clock may stop while the machine sleeps, and that of the day may be set back: the longer of both counts. */
export function startStopwatch(): () => number {
  const [date, steady] = [Date.now(), performance.now()];
  return () => Math.max(Date.now() - date, performance.now() - steady);
}
