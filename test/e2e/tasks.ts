/** Tasks that keep a page from answering, as the page itself is told of them. */
import type { Extension } from "./extension.ts";

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

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds of the processor, which other work on the machine doesn't lengthen. */
  tdur?: number;
  args: { data?: { url?: string } };
}

/**
 * The longest task of an extension's pages while something is done, in milliseconds of the processor. Unlike the page
 * itself it also sees what the browser does of its own accord there, as when it looks for forms to fill in.
 */
export async function heaviestTask(
  { browser, id }: Pick<Extension, "browser" | "id">,
  work: () => Promise<void>,
): Promise<number> {
  const events: TraceEvent[] = [];
  const take = ({ value }: { value: object[] }) => events.push(...(value as TraceEvent[]));
  browser.on("Tracing.dataCollected", take);
  const includedCategories = ["toplevel", "devtools.timeline"];
  await browser.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories, excludedCategories: ["*"] },
  });
  await work();
  const complete = new Promise((resolve) => browser.once("Tracing.tracingComplete", resolve));
  await browser.send("Tracing.end");
  await complete;
  browser.off("Tracing.dataCollected", take);
  const threads = new Set(
    events.flatMap(({ args, pid, tid }) =>
      args.data?.url?.startsWith(`chrome-extension://${id}/`) ? [`${pid} ${tid}`] : [],
    ),
  );
  const tasks = events.flatMap(({ name, pid, tid, tdur = 0 }) =>
    name.endsWith("RunTask") && threads.has(`${pid} ${tid}`) ? [tdur / 1000] : [],
  );
  if (tasks.length === 0) throw new Error("the browser told of no task of the extension");
  return Math.round(Math.max(...tasks));
}
