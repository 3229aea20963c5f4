/**
 * `verify` in each runtime, and on each store: 40 uploads that are stored well, 10 whose bytes change in the store, and 10
 * whose parts it sweeps away in the middle. Each verdict is compared with what is stored.
 */
import { createServer } from "node:http";
import { expect, test } from "vitest";
import { bundle } from "../runtimes/bundle.ts";
import { startWorkerd } from "../runtimes/edge/workerd.ts";
import { STORE_NAMES } from "../service/stores.ts";
import { contentHash } from "../support/content.ts";
import { listen } from "../support/hosts/listen.ts";
import { CLIENTS, type Lab, openLab, outcomeOf, startClient } from "./lab.ts";
import { DAMAGED, type Verdict } from "./verdicts.ts";

const LONGEST = 1_800_000;
const RUNNERS = [...CLIENTS, "workerd"] as const;
const cells = RUNNERS.flatMap((client) =>
  STORE_NAMES.filter((store) => store !== "files" || client === "node").map(
    (store) => [client, store] as const,
  ),
);

/** Has the store lose what is unfinished, whenever it is asked to: no page may switch the service itself. */
function startSweeper({ service }: Lab): Promise<string> {
  const server = createServer(async (_, response) => {
    await service.set({ swept: new Date().toISOString() });
    response.setHeader("access-control-allow-origin", "*").end();
  });
  return listen(server);
}

async function verdictsIn(lab: Lab, client: (typeof RUNNERS)[number], sweeper: string): Promise<Verdict[]> {
  if (client !== "workerd") {
    const script = startClient(lab, client, { method: "resumable", verdicts: sweeper });
    const outcome = await outcomeOf(script, LONGEST);
    if (outcome.kind !== "verdicts") throw new Error(JSON.stringify(outcome));
    return outcome.verdicts;
  }
  const script = await bundle("../faults/edge.ts", ["workerd", "worker", "browser", "module"]);
  const edge = await startWorkerd(script, "2024-01-01", {
    BASE_URL: lab.baseUrl,
    TOKEN: lab.token,
    SWEEPER: sweeper,
  });
  const answer = await fetch(edge.url);
  const verdicts = (await answer.json()) as Verdict[];
  await edge.stop();
  return verdicts;
}

test.each(cells)(
  "each verdict of %s about 60 uploads to %s is right",
  { timeout: LONGEST },
  async (client, store) => {
    const switches = { assetCall: true, parts: true, damages: DAMAGED };
    const lab = await openLab(switches, { store, ...(client !== "workerd" && { client }) });
    const verdicts = await verdictsIn(lab, client, await startSweeper(lab));
    const stored = new Map((await lab.service.assets()).map(({ asset, sha256 }) => [asset.id, sha256]));
    await lab.close();
    const wrong = verdicts.filter(
      ({ assetId = "", size, seed, verdict }) =>
        (stored.get(assetId) === contentHash(size, seed)) !== (verdict === "sha256"),
    );
    const counts: Record<string, number> = {};
    for (const { kind, verdict } of verdicts)
      counts[`${kind}: ${verdict}`] = (counts[`${kind}: ${verdict}`] ?? 0) + 1;
    console.log(client, store, JSON.stringify(counts));
    expect(wrong).toEqual([]);
    expect(counts).toMatchObject({ "whole: sha256": 40, "damaged: content-differs": 10 });
    expect(verdicts).toHaveLength(60);
  },
);
