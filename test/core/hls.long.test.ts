/** A long video in pieces from every runtime: the memory it takes has nothing to do with its length. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HlsServer, startHlsServer } from "../hls-server.ts";
import { serveLong } from "../long-hls.ts";
import { runtimes } from "../runtimes/commands.ts";
import { scratchFolder } from "../scratch.ts";
import { useService } from "../service/use-service.ts";
import { follow } from "./script.ts";

const MiB = 1024 * 1024;
const PIECE = 2 * MiB;
/** Most above what a sixteenth of the video takes: collectors of garbage take their time, Bun's the longest. */
const MORE: Record<string, number> = { node: 40, bun: 80, deno: 40 };

const service = useService();
let hls: HlsServer;
let folder: { path: string; remove(): Promise<void> };
const figures: Record<string, unknown>[] = [];
beforeAll(async () => {
  hls = await startHlsServer();
  folder = await scratchFolder("journal");
});
afterAll(async () => {
  console.table(figures);
  await hls.close();
  await folder.remove();
});

/** Most memory a process has held, in MiB. */
async function watch(pid: number | undefined, ended: Promise<unknown>): Promise<number> {
  let peak = 0;
  let over = false;
  const mark = () => {
    over = true;
  };
  ended.then(mark, mark);
  while (!over) {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    peak = Math.max(peak, Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1] ?? 0) / 1024);
    await delay(100);
  }
  return peak;
}

describe.each(Object.entries(runtimes()))("%s", (runtime, command) => {
  test("2 GiB in pieces take no more memory than 128 MiB", async () => {
    const copy = async (pieces: number) => {
      hls.files.clear();
      hls.requests.length = 0;
      serveLong(hls, { pieces, size: PIECE });
      const [program = "", ...rest] = [...command, "test/core/upload-hls.ts"];
      const journal = join(folder.path, crypto.randomUUID());
      const script = follow(program, [...rest, `${hls.origin}/long/index.m3u8`, journal], {
        UPCUT_URL: service.baseUrl,
        UPCUT_TOKEN: service.token,
      });
      const peak = await watch(script.process.pid, script.ended());
      expect(script.output()).toMatch(/asset \S+ new/);
      expect(hls.requests.length).toBe(pieces + 2);
      await service.reset();
      return peak;
    };
    const base = await copy(64);
    const began = Date.now();
    const peak = await copy(1024);
    figures.push({ runtime, base, peak, seconds: (Date.now() - began) / 1000 });
    expect(peak - base).toBeLessThan(MORE[runtime] ?? 0);
  }, 600_000);
});
