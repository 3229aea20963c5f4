/** What happens to a finished upload, one after the other, in a process of its own so that uploads go on at full speed. */
import { type ChildProcess, fork } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type AssetEntry, setPhase, type VideoSpec } from "./assets.ts";
import type { Shelf } from "./shelf.ts";
import type { Switches } from "./switches.ts";

export interface Job {
  path: string;
  /** Where the playlist goes; null leaves out everything but the hash. */
  playlistDirectory: string | null;
}

export interface JobResult {
  sha256: string;
  videoSpec?: VideoSpec;
  playlist: boolean;
  error?: string;
}

export interface ProcessingOptions {
  assets: Shelf<AssetEntry>;
  switches: Switches;
  pathOf(assetId: string): string;
  playlistDirectory(playbackId: string): string;
}

export interface Processing {
  add(entry: AssetEntry): void;
  close(): Promise<void>;
}

export function createProcessing(options: ProcessingOptions): Processing {
  const { assets, switches } = options;
  let worker: ChildProcess | undefined;
  let last = Promise.resolve();
  let closed = false;

  async function process(entry: AssetEntry): Promise<void> {
    const { id, playbackId } = entry.asset;
    if (closed || switches.processing === "none" || assets.get(id) !== entry) return;
    const playlistDirectory = switches.processing === "full" ? options.playlistDirectory(playbackId) : null;
    if (playlistDirectory !== null) await mkdir(playlistDirectory, { recursive: true });
    worker ??= openWorker();
    const result = await run(worker, { path: options.pathOf(id), playlistDirectory }).catch(
      (error: Error) => {
        worker = undefined;
        return error;
      },
    );
    // Forgotten by a reset in the meantime, or left for the next start.
    if (closed || assets.get(id) !== entry) return;
    if (result instanceof Error) setPhase(entry, "failed", "The file could not be processed");
    else {
      entry.asset.hash = [{ hash: result.sha256, algorithm: "sha256" }];
      if (result.videoSpec !== undefined) entry.asset.videoSpec = result.videoSpec;
      entry.playlist = result.playlist;
      if (result.error === undefined) setPhase(entry, "ready");
      else setPhase(entry, "failed", result.error);
    }
    assets.put(id, entry);
    await assets.flush();
  }

  return {
    add(entry) {
      last = last.then(() => process(entry)).catch(() => {});
    },
    async close() {
      closed = true;
      worker?.kill();
      await last;
    },
  };
}

function openWorker(): ChildProcess {
  // Named by its path, so that the service can run from any directory and inside another tool's loader.
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  return fork(fileURLToPath(new URL("./worker.ts", import.meta.url)), {
    execArgv: ["--import", loader],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}

function run(worker: ChildProcess, job: Job): Promise<JobResult> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error("Cannot process the file: the worker ended"));
    worker.once("error", reject).once("exit", onExit);
    worker.once("message", (result: JobResult) => {
      worker.off("error", reject).off("exit", onExit);
      resolve(result);
    });
    worker.send(job);
  });
}
