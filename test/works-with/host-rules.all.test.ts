/** Upload hosts with rules of their own for a body or a file, which the local service plays: what is stored, or told. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFile } from "../../core/file.ts";
import { createClient, type UploadOptions, upload } from "../../core/mod.ts";
import { type SpawnedService, spawnService } from "../service/spawned.ts";
import type { Switches } from "../service/switches.ts";
import { contentHash, contentStream, MiB, writeContent } from "../support/content.ts";
import { runCli } from "../support/programs/cli-process.ts";
import { useFolder } from "../support/use-folder.ts";
import { expectFindings, type Finding } from "./findings.ts";

interface Rule {
  name: string;
  limits: Switches["bodyLimits"];
  /** Of the videos. */
  sizes: number[];
  /** Of an error that a person reads. @default none: each is whole */
  told?: RegExp;
  because?: string;
}

const KiB = 1024;
const LARGE = [98 * MiB, 300 * MiB + 17];
const multiples = { multipleOf: 256 * KiB, most: 200 * MiB };
const exactly = (status: number): Rule => ({
  name: `requests of exactly 6 MiB, else ${status}`,
  limits: { exactly: 6 * MiB, status, errors: ["each chunk must have 6 MiB"] },
  sizes: [8 * MiB + 1, 98 * MiB],
  told: new RegExp(`answered ${status}: each chunk must have 6 MiB`),
  because: "parts of 8 MiB are the least that can be sent: its own words are shown",
});
const perFile = { whole: 50 * MiB, errors: ["Maximum size exceeded"] };

const RULES: Rule[] = [
  ...[413, 400].map((status) => ({
    name: `multiples of 256 KiB, at most 200 MiB a request, else ${status}`,
    limits: { ...multiples, status, errors: ["chunk size is wrong"] },
    sizes: LARGE,
    because: "less is sent at a time after the first refusal",
  })),
  ...[413, 400].map(exactly),
  { name: "files up to 50 MiB, videos within that", limits: perFile, sizes: [49 * MiB] },
  {
    name: "files up to 50 MiB, larger videos",
    limits: perFile,
    sizes: [98 * MiB],
    told: /answered 413: Maximum size exceeded\. http\S+ takes no file of 98 MiB/,
    because: "the error says so, with the words of the host",
  },
];

const folder = useFolder("video");
const journals = useFolder("journal");

interface Outcome {
  assetId?: string | undefined;
  error?: string | undefined;
}

type Client = (service: SpawnedService, path: string, size: number) => Promise<Outcome>;

const send = async (
  { baseUrl, token }: SpawnedService,
  video: Parameters<typeof upload>[1],
  options?: UploadOptions,
): Promise<Outcome> =>
  await upload(createClient({ baseUrl, token }), video, options).then(
    ({ asset }) => ({ assetId: asset.id }),
    (error: Error) => ({ error: error.message }),
  );

const CLIENTS: Client[] = [
  async (service, path) => await send(service, await openFile(path)),
  async (service, _, size) => await send(service, contentStream(size), { size, filename: "video.mp4" }),
  async ({ baseUrl, token }, path) => {
    const journal = join(journals.path, crypto.randomUUID());
    const environment = { UPCUT_URL: baseUrl, UPCUT_TOKEN: token, UPCUT_JOURNAL: journal };
    const { code, stdout, stderr } = await runCli(["upload", path], environment);
    const assetId = /asset (\S+) /.exec(stdout)?.[1];
    return code === 0 ? { assetId } : { error: code === 1 ? stderr : `exit code ${code}` };
  },
];

/** @returns what is not as it should be */
async function problemOf(
  service: SpawnedService,
  { assetId, error }: Outcome,
  size: number,
  told: RegExp | undefined,
): Promise<string | undefined> {
  const bodies = await service.requests("PATCH");
  // What can't be right is not tried for minutes.
  if (told !== undefined && bodies.length > 5) return `${bodies.length} requests`;
  if (told !== undefined) return told.test(error ?? "") ? undefined : `not told: ${error}`;
  if (assetId === undefined) return `not whole: ${error}`;
  const stored = await service.whole(assetId, 60_000).catch(() => undefined);
  return stored?.sha256 === contentHash(size) ? undefined : "WRONG: another content is stored";
}

test("at hosts with rules of their own each video is stored whole, or the rule is told", async () => {
  const findings: Finding[] = [];
  const problems: string[] = [];
  for (const { name, limits, sizes, told, because } of RULES) {
    // Nobody knows of its host yet.
    const service = await spawnService({ bodyLimits: limits });
    for (const size of sizes) {
      const path = join(folder.path, `${size}.mp4`);
      await writeContent(path, size);
      for (const [index, client] of CLIENTS.entries()) {
        const problem = await problemOf(service, await client(service, path, size), size, told);
        console.log(`${name}, client ${index + 1}, ${size} bytes: ${problem ?? "as it should be"}`);
        if (problem !== undefined) problems.push(`${name}, client ${index + 1}, ${size} bytes: ${problem}`);
        await service.reset();
      }
    }
    await service.stop();
    const verdict = told === undefined ? "right" : "told";
    findings.push({ name, tried: sizes.length * CLIENTS.length, verdict, ...(because && { because }) });
  }
  expect(problems).toEqual([]);
  await expectFindings("host-rules", findings);
}, 900_000);
