/** Big videos at addresses from every runtime: the most memory each took, and how much of the video it fetched. */
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { bundle } from "../../runtimes/bundle.ts";
import { runtimes } from "../../runtimes/commands.ts";
import type { EdgeTask } from "../../runtimes/edge/uploader.ts";
import { startWorkerd } from "../../runtimes/edge/workerd.ts";
import { useService } from "../../service/use-service.ts";
import { contentHash, MiB } from "../../support/content.ts";
import { serveVideo, type VideoServer } from "../../support/hosts/video-server.ts";
import { peakDuring } from "../../support/programs/peak-memory.ts";
import { follow } from "../../support/programs/script.ts";
import { useFolder } from "../../support/use-folder.ts";

const SIZE = 2 * 1024 * MiB;
const EDGE_SIZE = 200_000_000;
const service = useService();
const folder = useFolder("address-journal");
let video: VideoServer;
const figures: Record<string, string | number>[] = [];

afterEach(async () => {
  await video.close();
});
afterAll(async () => {
  console.table(figures);
});

async function expectWhole(size: number): Promise<void> {
  const [stored] = await service.assets();
  expect((await service.whole(stored?.asset.id ?? "")).sha256).toBe(contentHash(size));
}

describe.each(Object.entries(runtimes()))("%s", (runtime, command) => {
  test.each([
    ["in ranges", true, "resumable"],
    ["in ranges", true, "direct"],
    ["only whole", false, "resumable"],
  ] as const)(
    "copies 2 GiB from an address that gives it %s (ranges: %s) by the %s method",
    async (way, ranges, method) => {
      const copy = async (size: number) => {
        video = await serveVideo(size, { ranges });
        const words = ["core/cli/main.ts", "upload", video.url, "--method", method];
        const [program = "", ...args] = [...command, ...words];
        const script = follow(program, args, {
          UPCUT_URL: service.baseUrl,
          UPCUT_TOKEN: service.token,
          UPCUT_JOURNAL: join(folder.path, crypto.randomUUID()),
        });
        const peak = await peakDuring(script.process.pid, script.ended());
        expect(script.output()).toContain("Uploaded");
        await expectWhole(size);
        return peak;
      };
      const base = await copy(MiB);
      await video.close();
      await service.reset();
      const began = Date.now();
      const peak = await copy(SIZE);
      const seconds = (Date.now() - began) / 1000;
      const fetched = video.given / SIZE;
      figures.push({
        runtime,
        what: `2 GiB ${way}, ${method}`,
        base,
        peak,
        "fetched / size": fetched,
        seconds,
      });
      expect(fetched).toBeLessThan(1.01);
      expect(peak - base).toBeLessThan(150);
    },
    300_000,
  );
});

test.each([
  ["in ranges", true],
  ["only whole", false],
])(
  "workerd copies 200 MB from an address that gives it %s (ranges: %s)",
  async (way, ranges) => {
    const bindings = { BASE_URL: service.baseUrl, TOKEN: service.token };
    const script = await bundle("edge/uploader.ts", ["workerd", "worker", "browser", "module"]);
    const edge = await startWorkerd(script, "2026-10-01", bindings);
    const copy = async (size: number) => {
      video = await serveVideo(size, { ranges });
      const task: EdgeTask = { do: "url", what: video.url };
      const asked = fetch(edge.url, { method: "POST", headers: { "x-task": JSON.stringify(task) } });
      const peak = await peakDuring(
        edge.pid,
        asked.then((response) => response.text()),
      );
      await expectWhole(size);
      return peak;
    };
    const base = await copy(MiB);
    await video.close();
    await service.reset();
    const peak = await copy(EDGE_SIZE);
    const fetched = video.given / EDGE_SIZE;
    figures.push({ runtime: "workerd", what: `200 MB ${way}`, base, peak, "fetched / size": fetched });
    await edge.stop();
    expect(fetched).toBeLessThan(1.01);
    expect(peak - base).toBeLessThan(150);
  },
  120_000,
);
