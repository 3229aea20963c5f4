/** A long video in pieces from every runtime: the memory it takes has nothing to do with its length. */
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runtimes } from "../../runtimes/commands.ts";
import { useService } from "../../service/use-service.ts";
import { MiB } from "../../support/content.ts";
import { serveLong } from "../../support/hls/long-hls.ts";
import { useHls } from "../../support/hls/use-hls.ts";
import { peakDuring } from "../../support/programs/peak-memory.ts";
import { follow } from "../../support/programs/script.ts";
import { useFolder } from "../../support/use-folder.ts";

const PIECE = 2 * MiB;
/** Most above what a sixteenth of the video takes: collectors of garbage take their time, Bun's the longest. */
const MORE: Record<string, number> = { node: 40, bun: 80, deno: 40 };

const service = useService();
const hls = useHls();
const folder = useFolder("journal");
const figures: Record<string, unknown>[] = [];
afterAll(() => console.table(figures));

describe.each(Object.entries(runtimes()))("%s", (runtime, command) => {
  test("2 GiB in pieces take no more memory than 128 MiB", async () => {
    const copy = async (pieces: number) => {
      hls.files.clear();
      hls.requests.length = 0;
      serveLong(hls, { pieces, size: PIECE });
      const [program = "", ...rest] = [...command, "test/support/hls/upload-hls.ts"];
      const journal = join(folder.path, crypto.randomUUID());
      const script = follow(program, [...rest, `${hls.origin}/long/index.m3u8`, journal], {
        UPCUT_URL: service.baseUrl,
        UPCUT_TOKEN: service.token,
      });
      const peak = await peakDuring(script.process.pid, script.ended());
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
