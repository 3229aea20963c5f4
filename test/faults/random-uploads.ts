/** Uploads of random sizes, sources and methods through random faults, all of them drawn from one seed. */
import { join } from "node:path";
import { openFile } from "../../core/file.ts";
import { createClient, isUpcutError, type Uploadable, upload } from "../../core/mod.ts";
import { content, contentStream, sha256, writeContent } from "../content.ts";
import { seeded } from "../seeded.ts";
import type { AnswerRule } from "../service/switches.ts";
import { type Lab, openLab, videoFolder } from "./lab.ts";
import type { Choose, Fault } from "./proxy.ts";

export interface RandomRun {
  whole: number;
  /** What came of those that are not whole. */
  others: string[];
  /** Faults that happened. */
  faults: number;
  bytes: number;
  seconds: number;
}

/** Short, so that a stall costs little; still longer than a busy machine pauses. */
const OPTIONS = {
  retry: { attempts: 40, minDelay: 10, maxDelay: 200 },
  timeouts: { stall: 700, answer: 900, settle: 50 },
};
const STATUSES = [408, 409, 423, 429, 500, 502, 503, 504];

export async function uploadAtRandom(seed: number, count: number): Promise<RandomRun> {
  const began = Date.now();
  const lab = await openLab({ parts: true });
  const folder = await videoFolder();
  const run: RandomRun = { whole: 0, others: [], faults: 0, bytes: 0, seconds: 0 };
  for (let at = 0; at < count; at++) {
    const problem = await uploadOne(lab, join(folder.path, `video-${at}.mp4`), seed + at, run);
    if (problem === undefined) run.whole++;
    else run.others.push(`seed ${seed + at}: ${problem}`);
    await lab.reset();
  }
  await folder.remove();
  await lab.close();
  return { ...run, seconds: (Date.now() - began) / 1000 };
}

async function uploadOne(lab: Lab, path: string, seed: number, run: RandomRun): Promise<string | undefined> {
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
  const statuses = answersFor(random, method === "direct" ? "PUT" : "PATCH");
  await lab.service.set({ answerStatus: statuses });
  lab.upload.choose = chooser(random);
  const client = createClient({ baseUrl: lab.baseUrl, token: lab.token });
  try {
    const options = { ...OPTIONS, method, filename: "video.mp4" } as const;
    const { asset } = await upload(client, source, options);
    run.faults += lab.upload.faults + statuses.length;
    run.bytes += size;
    const stored = await lab.service.whole(asset.id);
    if (stored.sha256 !== sha256(content(size, seed))) return `${kind} ${method}: another content`;
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
