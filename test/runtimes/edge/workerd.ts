/** workerd with one worker, as an edge host runs it, with the local service in reach. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { scratchFolder } from "../../support/scratch.ts";
import { findRuntime } from "../find-runtime.ts";

export type Workerd = Awaited<ReturnType<typeof startWorkerd>>;

/**
 * Starts workerd on a free port with a bundled worker and its bindings.
 *
 * @param date the compatibility date; later ones give workers Node's globals and modules
 */
export async function startWorkerd(script: string, date: string, bindings: Record<string, string>) {
  // The bindings hold the token, as a journal holds locations.
  const folder = await scratchFolder("journal");
  await writeFile(join(folder.path, "worker.js"), script);
  await writeFile(join(folder.path, "config.capnp"), configure(date, bindings));
  const child = spawn(findRuntime("workerd"), ["serve", "config.capnp", "--control-fd=3"], {
    cwd: folder.path,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL"))
      await once(child, "exit");
    await folder.remove();
  };
  try {
    const [line] = (await Promise.race([
      once(createInterface({ input: child.stdio[3] as Readable }), "line"),
      once(child, "exit").then(([code]) => Promise.reject(new Error(`workerd ended with ${code}`))),
    ])) as [string];
    const { port } = JSON.parse(line) as { port: number };
    return { url: `http://127.0.0.1:${port}`, pid: child.pid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function configure(date: string, bindings: Record<string, string>): string {
  const texts = Object.entries(bindings).map(
    ([name, value]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(value)})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      bindings = [${texts.join(", ")}],
      compatibilityDate = ${JSON.stringify(date)},
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
}
