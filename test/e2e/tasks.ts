/** Tasks that keep a page from answering, as the page itself is told of them. */

/** Milliseconds from which on a person notices. */
export const LONG = 50;

interface Watched {
  evaluate<T>(expression: string): Promise<T>;
}

/** Begins to note the durations of long tasks. */
export async function watchTasks(page: Watched): Promise<void> {
  await page.evaluate(`(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((entries) => {
      for (const { duration } of entries.getEntries()) longTasks.push(Math.round(duration));
    }).observe({ type: "longtask" });
  })()`);
}

/** The durations noted since the last call. */
export async function takeTasks(page: Watched): Promise<number[]> {
  // The browser tells of a task after it.
  return await page.evaluate<number[]>(
    "new Promise((resolve) => setTimeout(() => resolve(longTasks.splice(0)), 100))",
  );
}

/** Keeps a page busy for one long task: what watches for them must see it. */
export async function beBusy(page: Watched): Promise<void> {
  await page.evaluate(`new Promise((resolve) => setTimeout(() => {
    for (const end = performance.now() + ${2 * LONG}; performance.now() < end; );
    resolve();
  }))`);
}
