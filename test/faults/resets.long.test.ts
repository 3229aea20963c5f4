/** What resets cost, beside tus-js-client with its defaults, in one run. */
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { writeContent } from "../content.ts";
import { filmFolder, type Lab, MiB, openLab, outcomeOf, startClient } from "./lab.ts";
import type { ClientOutcome, ClientPlan } from "./plan.ts";
import { type Choose, faulty } from "./proxy.ts";

const SIZE = 1024 * MiB;
const CLIENTS = { core: "client.ts", "tus-js-client": "plain-tus.ts" } as const;
type ClientName = keyof typeof CLIENTS;

interface Film {
  path: string;
  size: number;
  sha256: string;
}

let lab: Lab;
let folder: { path: string; remove(): Promise<void> };
let large: Film;
let small: Film;
const figures: Record<string, string | number>[] = [];

beforeAll(async () => {
  lab = await openLab();
  folder = await filmFolder();
  const film = async (name: string, size: number): Promise<Film> => {
    const path = join(folder.path, name);
    return { path, size, sha256: await writeContent(path, size) };
  };
  large = await film("large.mp4", SIZE);
  small = await film("small.mp4", 64 * MiB);
}, 120_000);
afterEach(() => lab.reset());
afterAll(async () => {
  console.table(figures);
  await lab.close();
  await folder.remove();
});

const every = (bytes: number): Choose => {
  const rule = faulty("PATCH", { kind: "reset", after: bytes }, { times: Number.POSITIVE_INFINITY });
  // One that ends exactly there is whole.
  return (request) => (request.length > bytes ? rule(request) : undefined);
};

interface Run {
  size: number;
  outcome: ClientOutcome;
  seconds: number;
  /** Bytes that left the client beyond the film's own, in percent. */
  resent: number;
  whole: boolean;
  assets: number;
  offsets: number[];
}

async function run(
  client: ClientName,
  film: Film,
  options: ClientPlan["options"] = {},
  deadline = 300_000,
): Promise<Run> {
  const began = Date.now();
  const plan: ClientPlan = { method: "resumable", path: film.path, options };
  const outcome = await outcomeOf(startClient(lab, "node", plan, CLIENTS[client]), deadline);
  const seconds = outcome.kind === "whole" ? outcome.milliseconds / 1000 : (Date.now() - began) / 1000;
  const resent = ((lab.upload.bytes - film.size) / film.size) * 100;
  const whole = outcome.kind === "whole" && (await lab.service.whole(outcome.assetId)).sha256 === film.sha256;
  const offsets = (await lab.service.requests("PATCH")).map(({ uploadOffset }) => Number(uploadOffset));
  return {
    size: film.size,
    outcome,
    seconds,
    resent,
    whole,
    assets: (await lab.service.assets()).length,
    offsets,
  };
}

function note(what: string, client: ClientName, result: Run, base?: number): void {
  const { outcome, seconds, resent, whole } = result;
  figures.push({
    what,
    client,
    outcome: whole
      ? "whole"
      : outcome.kind === "error"
        ? `error: ${outcome.error.message.slice(0, 60)}`
        : outcome.kind,
    seconds: seconds.toFixed(1),
    ratio: base === undefined || !whole ? "" : (seconds / base).toFixed(2),
    "re-sent %": whole ? resent.toFixed(1) : "",
    // Including what was still in the buffers of a socket when it broke, which only core tells.
    "handed over again %":
      outcome.kind === "whole" && client === "core" ? ((outcome.resent / result.size) * 100).toFixed(1) : "",
    resets: lab.upload.faults,
  });
}

describe("1 GiB from Node", () => {
  const base: Record<string, number> = {};

  test.each([
    ["core", false],
    ["core", true],
    ["tus-js-client", false],
    ["tus-js-client", true],
  ] as const)(
    "without resets, by %s, on parts: %s",
    async (client, parts) => {
      await lab.service.set({ parts });
      const result = await run(client, large);
      base[`${client} ${parts}`] = result.seconds;
      note(`no resets, ${parts ? "8 MiB parts" : "every byte"}`, client, result, result.seconds);
      expect(result).toMatchObject({ whole: true, assets: 1 });
    },
    320_000,
  );

  test.each([
    ["core", 20, true],
    ["tus-js-client", 20, true],
    ["core", 5, false],
    ["tus-js-client", 5, false],
  ] as const)(
    "%s with a reset every %i MiB, on parts: %s",
    async (client, bytes, parts) => {
      await lab.service.set({ parts });
      lab.upload.choose = every(bytes * MiB);
      const result = await run(client, large);
      note(
        `reset every ${bytes} MiB, ${parts ? "8 MiB parts" : "every byte"}`,
        client,
        result,
        base[`${client} ${parts}`],
      );
      if (client === "core") expect(result).toMatchObject({ whole: true, assets: 1 });
    },
    320_000,
  );

  test.each(["core", "tus-js-client"] as const)(
    "%s with a reset every 5 MiB, on parts",
    async (client) => {
      await lab.service.set({ parts: true });
      lab.upload.choose = every(5 * MiB);
      const result = await run(client, large, { retry: { minDelay: 20, maxDelay: 500 } });
      note("reset every 5 MiB, 8 MiB parts", client, result);
      if (client !== "core") return;
      expect(result.outcome).toMatchObject({
        kind: "error",
        error: { code: "interrupted", kept: { continues: true } },
      });
      if (result.outcome.kind === "error")
        expect(result.outcome.error.message).toContain("never carries 8 MiB at once");
    },
    320_000,
  );
});

describe("64 MiB from Node on parts of 8 MiB", () => {
  const slow = { parts: true, throttle: 16 * MiB };

  test.each(["core", "tus-js-client"] as const)(
    "%s and an outage of 14 s",
    async (client) => {
      await lab.service.set(slow);
      const outage = new Promise((resolve) => setTimeout(resolve, 3500)).then(() =>
        lab.upload.refuse(14_000),
      );
      const result = await run(client, small);
      await outage;
      note("outage of 14 s", client, result);
      if (client === "core") expect(result).toMatchObject({ whole: true, assets: 1 });
    },
    320_000,
  );

  test.each(["core", "tus-js-client"] as const)(
    "%s and a stall",
    async (client) => {
      await lab.service.set({ parts: true });
      lab.upload.choose = faulty("PATCH", { kind: "stall", after: 20 * MiB });
      const result = await run(client, small, {}, 60_000);
      note("stall, waited for 60 s", client, result);
      if (client === "core") expect(result).toMatchObject({ whole: true, assets: 1 });
    },
    320_000,
  );

  test.each(["core", "tus-js-client"] as const)(
    "%s and a 503 to the HEAD",
    async (client) => {
      await lab.service.set({
        parts: true,
        answerStatus: [{ host: "upload", method: "HEAD", status: 503, times: 1 }],
      });
      lab.upload.choose = faulty("PATCH", { kind: "reset", after: 40 * MiB });
      const result = await run(client, small);
      note(
        `503 to the HEAD: then on from ${result.offsets.slice(1).map((at) => at / MiB)} MiB`,
        client,
        result,
      );
      if (client === "core") expect(result).toMatchObject({ whole: true, assets: 1 });
    },
    320_000,
  );
});
