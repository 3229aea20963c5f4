/** The edge on this machine: miniflare with the workerd of the tests, which keeps what its objects and buckets hold. */
import { readdir, readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { scratchFolder } from "../../support/scratch.ts";
import { findRuntime } from "../find-runtime.ts";

export type Edge = Awaited<ReturnType<typeof startEdge>>;

/** Starts one worker; the folder of its storage holds a journal, and so locations. */
export async function startEdge(worker: Record<string, unknown>) {
  process.env.MINIFLARE_WORKERD_PATH = findRuntime("workerd");
  const folder = await scratchFolder("journal-edge");
  const open = () =>
    new Miniflare({
      compatibilityDate: "2026-04-01",
      modules: true,
      defaultPersistRoot: folder.path,
      handleRuntimeStdio(out: Readable, errors: Readable) {
        for (const stream of [out, errors]) stream.pipe(process.stderr, { end: false });
      },
      ...worker,
    } as MiniflareOptions);
  const others = new Set(await workerds());
  const own = async () => (await workerds()).filter((id) => !others.has(id));
  let miniflare = open();
  await miniflare.ready;
  return {
    /** Another one from each start. */
    miniflare: () => miniflare,
    /** Kills workerd, as a machine that loses power. */
    async kill() {
      for (const id of await own()) process.kill(Number(id), "SIGKILL");
      await miniflare.dispose().catch(() => {});
    },
    /** Starts it again with what it had kept. */
    async start() {
      miniflare = open();
      await miniflare.ready;
    },
    async stop() {
      await miniflare.dispose().catch(() => {});
      await folder.remove();
    },
  };
}

/** The workerd processes that this one has started. */
async function workerds(): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(
    ids.map(async (id) => ({ id, stat: await readFile(`/proc/${id}/stat`, "utf8").catch(() => "") })),
  );
  return all.flatMap(({ id, stat }) => {
    const [, name = "", parent = ""] = /^\d+ \((.*)\) \S (\d+)/.exec(stat) ?? [];
    return name.startsWith("workerd") && parent === `${process.pid}` ? [id] : [];
  });
}
