/** Tasks that keep a page from answering, as the page itself is told of them. */
import type { Extension } from "./extension.ts";

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds of the processor, which other work on the machine doesn't lengthen. */
  tdur?: number;
  args: { data?: { url?: string } };
}

export interface Tasks {
  /** The longest one, in milliseconds of the processor. */
  heaviest: number;
  /** All of them together. */
  total: number;
}

/**
 * The tasks of each page in which the extension runs while something is done, of the busiest one first. Unlike the
 * page itself it also sees what the browser does of its own accord there, as when it looks for forms to fill in.
 */
export async function tasksDuring(
  { browser, id }: Pick<Extension, "browser" | "id">,
  work: () => Promise<void>,
): Promise<Tasks[]> {
  const events: TraceEvent[] = [];
  const take = ({ value }: { value: object[] }) => events.push(...(value as TraceEvent[]));
  browser.on("Tracing.dataCollected", take);
  const includedCategories = ["toplevel", "devtools.timeline"];
  await browser.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories, excludedCategories: ["*"] },
  });
  await work().finally(async () => {
    const complete = new Promise((resolve) => browser.once("Tracing.tracingComplete", resolve));
    await browser.send("Tracing.end");
    await complete;
    browser.off("Tracing.dataCollected", take);
  });
  const threads = new Set(
    events.flatMap(({ args, pid, tid }) =>
      args.data?.url?.startsWith(`chrome-extension://${id}/`) ? [`${pid} ${tid}`] : [],
    ),
  );
  const all = [...threads].map((thread) => {
    const tasks = events.flatMap(({ name, pid, tid, tdur = 0 }) =>
      name.endsWith("RunTask") && `${pid} ${tid}` === thread ? [tdur / 1000] : [],
    );
    return { heaviest: Math.max(0, ...tasks), total: tasks.reduce((sum, each) => sum + each, 0) };
  });
  return all.sort((one, other) => other.total - one.total);
}
