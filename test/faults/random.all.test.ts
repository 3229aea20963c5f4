/**
 * Uploads of random sizes, sources and methods through random faults, all of them drawn from one seed: `UPCUT_SEED`
 * gives the same again, `UPCUT_COUNT` says how many.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFile } from "../../core/file.ts";
import { createClient, isUpcutError, type Uploadable, upload } from "../../core/mod.ts";
import type { AnswerRule } from "../service/switches.ts";
import { content, contentHash, contentStream, writeContent } from "../support/content.ts";
import { seeded } from "../support/seeded.ts";
import { type Lab, useLab, videoFolder } from "./lab.ts";
import type { Choose, Fault } from "./proxy.ts";

/** Short, so that a stall costs little; still longer than a busy machine pauses. */
const OPTIONS = {
  retry: { attempts: 40, minDelay: 10, maxDelay: 200 },
  timeout: { stall: 1500, answer: 2500, settle: 50 },
};
const STATUSES = [408, 409, 423, 429, 500, 502, 503, 504];

const lab = useLab({ parts: true });
const COUNT = Number(process.env.UPCUT_COUNT ?? 60);

test(`${COUNT} uploads come whole through random faults`, async () => {
  const seed = Number(process.env.UPCUT_SEED ?? Date.now() % 1_000_000_000);
  console.log(`UPCUT_SEED=${seed}`);
  const folder = await videoFolder();
  const problems: string[] = [];
  let faults = 0;
  for (let at = 0; at < COUNT; at++) {
    const problem = await uploadOne(lab, join(folder.path, `video-${at}.mp4`), seed + at);
    if (problem !== undefined) problems.push(`seed ${seed + at}: ${problem}`);
    faults += lab.upload.faults;
    await lab.reset();
  }
  await folder.remove();
  expect(problems).toEqual([]);
  expect(faults).toBeGreaterThan(COUNT / 2);
}, 1_800_000);

async function uploadOne(lab: Lab, path: string, seed: number): Promise<string | undefined> {
  const random = seeded(seed);
  const size = Math.floor(1e6 + random() * 29e6);
  const kind = (["file", "file", "blob", "stream"] as const)[Math.floor(random() * 4)] ?? "file";
  // A stream can be sent once only, which is no way through faults in one request.
  const method = kind !== "stream" && random() < 0.25 ? "direct" : "resumable";
  let source: Uploadable;
  if (kind === "file") {
    await writeContent(path, size, seed);
    source = await openFile(path);
  } else source = kind === "blob" ? new File([content(size, seed)], "video.mp4") : contentStream(size, seed);
  await lab.service.set({ answerStatus: answersFor(random, method === "direct" ? "PUT" : "PATCH") });
  lab.upload.choose = chooser(random);
  const client = createClient({ baseUrl: lab.baseUrl, token: lab.token });
  try {
    const options = { ...OPTIONS, method, filename: "video.mp4" } as const;
    const { asset } = await upload(client, source, options);
    const stored = await lab.service.whole(asset.id);
    if (stored.sha256 !== contentHash(size, seed)) return `${kind} ${method}: another content`;
    const assets = await lab.service.assets();
    return assets.length === 1 ? undefined : `${kind} ${method}: ${assets.length} assets`;
  } catch (error) {
    return `${kind} ${method} of ${size}: ${isUpcutError(error) ? `${error.code} ${error.message}` : String(error)}`;
  }
}

function answersFor(random: () => number, body: string): AnswerRule[] {
  return Array.from({ length: Math.floor(random() * 3) }, () => ({
    host: "upload" as const,
    method: random() < 0.6 ? body : "HEAD",
    status: STATUSES[Math.floor(random() * STATUSES.length)] ?? 503,
    times: 1,
    ...(random() < 0.3 && { retryAfter: "1" }),
    early: random() < 0.5,
  }));
}

function chooser(random: () => number): Choose {
  return ({ method, length }) => {
    if (random() > (length > 0 ? 0.6 : 0.3)) return undefined;
    const after = Math.floor(random() * Math.min(length, 40e6));
    const faults: Fault[] = [
      { kind: "reset", after },
      { kind: "reset", after },
      { kind: "half-close", after },
      { kind: "drop-answer" },
      { kind: "delay", milliseconds: random() * 400 },
      { kind: random() < 0.3 ? "hold-answer" : "drop-answer" },
    ];
    if (length > 0)
      faults.push({ kind: "stall", after }, { kind: "cut-at-end" }, { kind: "throttle", rate: 20e6 });
    // Once an upload has been created again, its location is the same; each creation may be lost.
    return method === "POST" && random() < 0.5 ? undefined : faults[Math.floor(random() * faults.length)];
  };
}
