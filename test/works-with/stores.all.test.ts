/**
 * Uploads to the tus servers and stores that services run, with parts of several sizes, over a calm line and one that
 * breaks. None is called whole that isn't: it is stored right, or its error says that the store miscounts.
 */
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { isUpcutError, type Requester, type UploadOptions, upload } from "../../core/mod.ts";
import { type Lab, MiB, openLab, outcomeOf, startClient, videoFolder } from "../faults/lab.ts";
import { type Choose, NO_FAULT, startProxy } from "../faults/proxy.ts";
import { wrongAbout } from "../faults/stores.ts";
import { REAL_STORES } from "../service/stores.ts";
import { content, contentHash, writeContent } from "../support/content.ts";
import { useOpened } from "../support/use-opened.ts";
import { expectFindings, type Finding } from "./findings.ts";
import { startTusServer, TUS_PROGRAMS } from "./tus-servers.ts";

const SIZES = [8, 8 + 1 / MiB, 9, 32 + 1 / MiB, 40, 47, 48 + 1 / MiB, 98].map((size) => size * MiB);
const BROKEN_SIZES = [33 * MiB, 47 * MiB];
const PART_SIZES = [5, 6, 8, 10, 16, 50].map((size) => size * MiB);
const NAMES = {
  "tus-s3-1": "@tus/server 1.0.0, @tus/s3-store 1.0.0",
  "tus-s3-2": "@tus/server 2.4.5, @tus/s3-store 2.0.7",
};
const OPTIONS = {
  retry: { attempts: 30, minDelay: 1, maxDelay: 100 },
  timeout: { settle: 300 },
};

const lines: [sizes: number[], choose: () => Choose][] = [
  [SIZES, () => NO_FAULT],
  [BROKEN_SIZES, breaking],
];

/** Of four requests with a part, every second breaks off within it; the answers to the others are lost. */
function breaking(): Choose {
  let left = 4;
  return ({ length }) => {
    if (length < 5 * MiB || left === 0) return undefined;
    left--;
    return left % 2 === 0 ? { kind: "reset", after: Math.floor(length * 0.7) } : { kind: "drop-answer" };
  };
}

type Outcome = "right" | "told" | `wrong: ${string}`;

function told({ code, message }: { code: string; message: string }): Outcome {
  const isTold = code === "offset-beyond-end" && /miscounts|twice/.test(message);
  return isTold ? "told" : `wrong: ${code}: ${message}`;
}

function findingOf(name: string, outcomes: Outcome[]): Finding {
  expect(outcomes.filter((outcome) => outcome.startsWith("wrong"))).toEqual([]);
  const [isRight, isTold] = [outcomes.includes("right"), outcomes.includes("told")];
  return {
    name,
    tried: outcomes.length,
    verdict: isRight && isTold ? "right or told" : isTold ? "told" : "right",
    ...(isTold && {
      because: "it hides what is below a part; once that was told, a process sends it 5 MiB at a time",
    }),
  };
}

const findings: Finding[] = [];
const videos = new Map<number, string>();
const folder = useOpened(videoFolder);
beforeAll(async () => {
  for (const size of [...SIZES, ...BROKEN_SIZES]) {
    const path = join(folder.path, `${size}.mp4`);
    await writeContent(path, size);
    videos.set(size, path);
  }
});

test.each(REAL_STORES)(
  "what is whole at %s is whole, whatever its parts",
  async (store) => {
    const found = new Map<number, Outcome[]>();
    const left = [...PART_SIZES];
    // Uploads mostly wait for the store.
    const workers = [1, 2, 3].map(async () => {
      const lab = await openLab({}, { store });
      try {
        for (let partSize = left.shift(); partSize !== undefined; partSize = left.shift())
          found.set(partSize, await uploadAllSizes(lab, partSize));
      } finally {
        await lab.close();
      }
    });
    await Promise.all(workers);
    for (const partSize of PART_SIZES)
      findings.push(findingOf(`${NAMES[store]}, parts of ${partSize / MiB} MiB`, found.get(partSize) ?? []));
  },
  1_800_000,
);

async function uploadAllSizes(lab: Lab, storePartSize: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [sizes, choose] of lines)
    for (const size of sizes) {
      await lab.reset();
      await lab.service.set({ storePartSize, storeLatency: [5, 45], storeSeed: size });
      lab.upload.choose = choose();
      // Each in a process of its own: one that was told is careful with that host.
      const plan = { method: "resumable", path: videos.get(size) ?? "", options: OPTIONS } as const;
      const outcome = await outcomeOf(startClient(lab, "node", plan));
      if (outcome.kind === "error") outcomes.push(told(outcome.error));
      else if (outcome.kind !== "whole") outcomes.push(`wrong: ${outcome.kind}`);
      else {
        const wrong = await wrongAbout(lab.service, outcome.assetId, contentHash(size), size);
        outcomes.push(wrong === undefined ? "right" : `wrong: ${wrong}`);
      }
    }
  return outcomes;
}

test.each(TUS_PROGRAMS)(
  "what is whole at $name is whole",
  async (program) => {
    const outcomes: Outcome[] = [];
    for (const [sizes, choose] of lines)
      for (const size of sizes) {
        const server = await startTusServer(program);
        const proxy = await startProxy(server.url);
        proxy.choose = choose();
        const location = { asset: { id: "asset" }, tusEndpoint: `${proxy.url}/files`, mismatches: [] };
        const requester: Requester = { scope: "test", requestUpload: async () => location };
        const options: UploadOptions = { ...OPTIONS, method: "resumable" };
        try {
          await upload(requester, new File([content(size)], "video.mp4", { type: "video/mp4" }), options);
          const isRight = (await server.stored()) === contentHash(size);
          outcomes.push(isRight ? "right" : `wrong: ${size} bytes`);
        } catch (error) {
          if (!isUpcutError(error)) throw error;
          outcomes.push(told(error));
        } finally {
          await proxy.close();
          await server.close();
        }
      }
    findings.push(findingOf(program.name, outcomes));
  },
  600_000,
);

test("the findings are those that are kept", async () => {
  await expectFindings("stores", findings);
});
