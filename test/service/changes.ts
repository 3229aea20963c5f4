/** A count of what has changed at the service, so that whoever waits for something asks again only when there is news. */

export type Changes = ReturnType<typeof createChanges>;

/** Below the time after which a client or a proxy may take a silent answer for lost. */
const LONGEST_SILENCE = 25_000;

export function createChanges() {
  let count = 0;
  const waiting = new Set<() => void>();
  return {
    /** Counts one more: bytes have come, a record was kept, a request ended. */
    note() {
      count++;
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
    /** The count, as soon as it isn't `known` any more; after a while also if it still is. */
    async after(known: number) {
      if (known === count) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, LONGEST_SILENCE).unref();
          waiting.add(() => {
            clearTimeout(timer);
            resolve();
          });
        });
      }
      return count;
    },
  };
}
