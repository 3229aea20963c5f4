/** Big uploads from every runtime, in processes of their own, with the most memory each took. */

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runtimes } from "../../runtimes/commands.ts";
import { useService } from "../../service/use-service.ts";
import { contentHash, MiB, writeContent } from "../../support/content.ts";
import { peakDuring, peakMemory } from "../../support/programs/peak-memory.ts";
import { follow, type Script } from "../../support/programs/script.ts";
import { useFolder } from "../../support/use-folder.ts";

const GiB = 1024 * MiB;
const CLI = "core/cli/main.ts";
const service = useService();
const folder = useFolder("large-journal");
let video: { path: string; size: number; sha256: string };
const figures: Record<string, string | number>[] = [];

beforeAll(async () => {
  const path = join(folder.path, "video.mp4");
  video = { path, size: 2 * GiB, sha256: await writeContent(path, 2 * GiB, 3) };
}, 120_000);
afterAll(async () => {
  console.table(figures);
});

const environment = (journal: string) => ({
  UPCUT_URL: service.baseUrl,
  UPCUT_TOKEN: service.token,
  UPCUT_JOURNAL: join(folder.path, journal),
});
const start = (
  command: readonly string[],
  file: string,
  args: string[],
  journal: string = crypto.randomUUID(),
) => {
  const [first = "", ...rest] = [...command, file, ...args];
  return follow(first, rest, environment(journal));
};

const watchMemory = ({ process: { pid }, ended }: Script) => peakDuring(pid, ended());

describe.each(Object.entries(runtimes()))("%s", (name, command) => {
  test.each(["resumable", "direct"])(
    "uploads 2 GiB by the %s method",
    async (method) => {
      const began = Date.now();
      const script = start(command, CLI, ["upload", video.path, "--method", method]);
      const peak = await watchMemory(script);
      const seconds = (Date.now() - began) / 1000;
      expect(script.output()).toMatch(/^Uploaded .* \(2\.1 GB in /m);
      const [stored] = await service.assets();
      expect((await service.whole(stored?.asset.id ?? "")).sha256).toBe(video.sha256);
      figures.push({ runtime: name, what: `2 GiB ${method}`, seconds, "peak MiB": peak });
    },
    180_000,
  );

  test("resumes 2 GiB after SIGKILL at about 60 %, on a service strict about parts", async () => {
    await service.set({ parts: true, throttle: 400 * MiB });
    const first = start(command, CLI, ["upload", video.path, "--json"], name);
    await first.prints(/"fraction":0\.[67]/);
    first.process.kill("SIGKILL");
    await first.ended();
    await service.set({ throttle: 0 });
    const second = await start(command, CLI, ["upload", video.path], name).ended();
    expect(second.output).toContain("Resumed");
    const assets = await service.assets();
    expect(assets).toHaveLength(1);
    expect((await service.whole(assets[0]?.asset.id ?? "")).sha256).toBe(video.sha256);
    const [received] = await service.uploads();
    const excess = (received?.bytesReceived ?? 0) - video.size;
    expect(excess).toBeLessThanOrEqual(8 * MiB);
    figures.push({
      runtime: name,
      what: "killed and resumed",
      "received twice": `${(excess / MiB).toFixed(2)} MiB`,
    });
  }, 180_000);

  test("uploads a stream of unknown length of 200 MB", async () => {
    const size = 200_000_000;
    const script = start(command, "test/support/programs/upload-stream.ts", [`${size}`]);
    await script.prints("ready");
    await new Promise((resolve) => setTimeout(resolve, 250));
    const base = Math.round(await peakMemory(script.process.pid));
    const peak = await watchMemory(script);
    const id = /asset (\S+) 200000000/.exec(script.output())?.[1] ?? "";
    expect((await service.whole(id)).sha256).toBe(contentHash(size));
    figures.push({ runtime: name, what: "200 MB stream", "peak MiB": peak, "above start MiB": peak - base });
  }, 120_000);
});
