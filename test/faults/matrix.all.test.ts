/**
 * Every fault, met from every client at the service's own store, and from one of them at those of real services.
 * `UPCUT_FAULT="journal|stream"` runs those whose names match, `UPCUT_CLIENT=chromium` one client.
 */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { REAL_STORES, type StoreName } from "../service/stores.ts";
import { MiB, writeContent } from "../support/content.ts";
import { CASES } from "./cases.ts";
import { CLIENTS, type ClientName, outcomeOf, RUNTIMES, startClient, useLab, videoFolder } from "./lab.ts";
import { cellsOf, openMatrixLab, runCell } from "./matrix.ts";
import { faulty } from "./proxy.ts";

const { UPCUT_FAULT = "", UPCUT_CLIENT = "" } = process.env;
const wanted = new RegExp(UPCUT_FAULT);
const chosen = CASES.filter(({ name }) => wanted.test(name));
const columns: [ClientName, StoreName][] = [
  ...CLIENTS.map((client): [ClientName, StoreName] => [client, "files"]),
  ...REAL_STORES.map((store): [ClientName, StoreName] => ["node", store]),
].filter(([client]) => client?.includes(UPCUT_CLIENT)) as [ClientName, StoreName][];

describe.concurrent.each(columns)("every fault, met from %s at the store %s", (client, store) => {
  test("ends whole or in a clear error that keeps what is needed to go on", async () => {
    const lab = await openMatrixLab(client, store);
    const problems: string[] = [];
    for (const [fault, method] of cellsOf(chosen, client, store)) {
      const { problem, outcome } = await runCell(lab, fault, client, method, store);
      if (problem !== undefined) problems.push(`${fault.name}, ${method}: ${outcome}: ${problem}`);
    }
    await lab.close();
    expect(problems).toEqual([]);
  }, 3_600_000);
});

describe("a script", () => {
  const lab = useLab({ parts: true });

  test.each(RUNTIMES)("in %s ends as soon as its upload has, also after a reset", async (runtime) => {
    const folder = await videoFolder();
    const path = join(folder.path, "video.mp4");
    await writeContent(path, 24 * MiB);
    lab.upload.choose = faulty("PATCH", { kind: "reset", after: 9 * MiB }, { times: 2 });
    const script = startClient(lab, runtime, { method: "resumable", path });
    await script.prints('{"kind":"whole"');
    const told = Date.now();
    expect((await outcomeOf(script)).kind).toBe("whole");
    // Every timer of an upload is longer.
    expect(Date.now() - told).toBeLessThan(20_000);
    await folder.remove();
  });
});
