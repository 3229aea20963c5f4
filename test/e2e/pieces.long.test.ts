/** A long video in pieces: the memory that the browser takes, and the time against curl. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { cpuOf, memoryOf } from "../bench/processes.ts";
import { useService } from "../service/use-service.ts";
import { serveLong } from "../support/hls/long-hls.ts";
import { useHls } from "../support/hls/use-hls.ts";
import { useFolder } from "../support/use-folder.ts";
import { handAddresses, rowOf, setUp } from "./actions.ts";
import { type Extension, loadExtension } from "./extension.ts";

const MiB = 1024 * 1024;
const PIECE = 2 * MiB;
const PIECES = Number(process.env.UPCUT_PIECES ?? 2048);
/** Bytes a second that the service takes: a fast line, and slower than this machine copies. */
const LINE = 16 * MiB;
const curl = (...args: string[]) =>
  promisify(execFile)("curl", ["--silent", "--show-error", "--fail", ...args]);

const hls = useHls();
// The service counts bytes and throws them away.
const service = useService({ processing: "none", discardBytes: true }, { store: "files" });
const folder = useFolder("pieces");

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

/** Seconds that curl takes to fetch all pieces, three at a time. */
async function fetchByCurl(): Promise<number> {
  const list = join(folder.path, "pieces.txt");
  const lines = Array.from(
    { length: PIECES },
    (_, at) => `url=${hls.origin}/long/${at}.m4s\noutput=/dev/null`,
  );
  await writeFile(list, lines.join("\n"));
  return await timed(() => curl("--parallel", "--parallel-max", "3", "--config", list));
}

/** Seconds that the extension takes for so many pieces, and the most memory that the browser holds meanwhile. */
async function uploadPieces(extension: Extension, profile: string, pieces: number) {
  hls.files.clear();
  Object.assign(hls, { requests: [], headers: [], times: [] });
  serveLong(hls, { pieces, size: PIECE });
  const popup = await extension.open("popup.html?tab=1");
  const address = `${hls.origin}/long/index.m3u8?${pieces}`;
  await handAddresses(popup, { address, title: "A video", pieces: "hls" });
  const row = rowOf(popup, "A video");
  await row.getByRole("button", { name: "Start" }).waitFor();
  const before = await memoryOf(profile);
  const cpuBefore = await cpuOf(profile);
  let peak = 0;
  const seconds = await timed(async () => {
    await row.getByRole("button", { name: "Start" }).click();
    while (!(await row.getByText(/^Uploaded/).isVisible())) {
      peak = Math.max(peak, await memoryOf(profile));
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  });
  const cpu = (await cpuOf(profile)) - cpuBefore;
  await row.getByRole("button", { name: "More" }).waitFor();
  await popup.getByRole("button", { name: "Clear finished" }).click();
  await popup.close();
  // The playlist is read once more when its link is given.
  expect(hls.requests.length).toBe(pieces + 3);
  return { before, peak, seconds, cpu };
}

test("4 GiB in pieces are fetched once, and never in memory", async () => {
  const profile = join(folder.path, "profile");
  const extension = await loadExtension({ userDataDir: profile, firstRun: true });
  await setUp(extension, service);
  await service.set({ throttle: LINE });
  const small = await uploadPieces(extension, profile, PIECES / 16);
  const large = await uploadPieces(extension, profile, PIECES);
  const size = (await service.uploads())[1]?.bytesReceived ?? 0;
  expect(size).toBeGreaterThan(PIECES * PIECE);
  await extension.close();
  // The line is the slower one of both: nothing sends faster than it.
  const [fetched, sent] = [await fetchByCurl(), size / LINE];
  console.table({
    [`${PIECES / 16} pieces`]: small,
    [`${PIECES} pieces`]: large,
    "curl, fetching": { seconds: fetched },
    "the line": { seconds: sent },
  });
  console.log(`time against the slower of both: ${(large.seconds / Math.max(fetched, sent)).toFixed(2)}`);
  // A moment of garbage that isn't collected yet counts too.
  expect(large.peak - small.peak).toBeLessThan(100);
}, 1_200_000);
