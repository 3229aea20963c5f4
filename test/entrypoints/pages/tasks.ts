/** How long a page keeps its thread busy at a time. */
import type { Page } from "playwright-core";

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds of the processor, which other work on the machine doesn't lengthen. */
  tdur?: number;
  args: { name?: string; data?: { url?: string } };
}

/** The heaviest task of a page while something is done: its time of the processor, and its share in that of all tasks. */
export async function heaviestTask(
  page: Page,
  work: () => Promise<void>,
): Promise<{ milliseconds: number; share: number }> {
  const browser = page.context().browser();
  if (browser === null) throw new Error("There is no browser");
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline", "-*"] });
  await work();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const { origin } = new URL(page.url());
  const threads = new Set(
    trace.traceEvents.flatMap(({ args, pid, tid }) =>
      args.data?.url?.startsWith(origin) ? [`${pid} ${tid}`] : [],
    ),
  );
  const own = trace.traceEvents.filter(({ pid, tid }) => threads.has(`${pid} ${tid}`));
  const times = own.filter(({ name }) => name.endsWith("RunTask")).map(({ tdur = 0 }) => tdur);
  const heaviest = Math.max(0, ...times);
  const all = times.reduce((sum, time) => sum + time, 0);
  return { milliseconds: heaviest / 1000, share: heaviest / all };
}
