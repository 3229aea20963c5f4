/** Processes that stand still for longer than their lease in a folder's journal lives. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, expect, test } from "vitest";
import { fileJournal } from "../../../core/file.ts";
import type { JournalEntry } from "../../../core/journal/journal.ts";
import type { ClientOutcome } from "../../faults/plan.ts";
import { useService } from "../../service/use-service.ts";
import { MiB, writeContent } from "../../support/content.ts";
import { runScript, type Script } from "../../support/programs/script.ts";
import { useFolder } from "../../support/use-folder.ts";

const LEASE = 3000;
const service = useService();
const scratch = useFolder("lease");
const journals = useFolder("journal");
let sha256 = "";

beforeAll(async () => {
  sha256 = await writeContent(join(scratch.path, "video.mp4"), 24 * MiB + 5, 7);
});

/** Processes that a failing test may leave. */
const started: Script[] = [];
afterEach(() => {
  for (const { process } of started.splice(0)) process.kill("SIGKILL");
});

function startClient(method: string, journal: string): Script {
  const plan = { method, path: join(scratch.path, "video.mp4"), journal, leaseTimeout: LEASE };
  const environment = { UPCUT_URL: service.baseUrl, UPCUT_TOKEN: service.token };
  const script = runScript("test/faults/client.ts", [JSON.stringify(plan)], environment);
  started.push(script);
  return script;
}

/** Not by the handle of the process, of which Deno expects the end after any signal. */
function signal({ process: { pid } }: Script, name: "SIGSTOP" | "SIGCONT"): void {
  process.kill(pid ?? 0, name);
}

async function outcomeOf(script: Script): Promise<ClientOutcome> {
  const { output } = await script.ended();
  const line = output.split("\n").find((each) => each.startsWith('{"kind":'));
  expect(line, output).toBeDefined();
  return JSON.parse(line ?? "");
}

test.each([
  ["resumable", "at work"],
  ["resumable", "done"],
  ["direct", "done"],
])("a process that was suspended in a %s upload steps aside for one that is %s", async (method, state) => {
  await service.set({ throttle: 6 * MiB });
  const journal = join(journals.path, crypto.randomUUID());
  const entry = async () => {
    const name = (await readdir(journal)).find((each) => each.endsWith(".json"));
    if (name === undefined) return undefined;
    const stored = await fileJournal(journal).get(name.replace(/\.json$/, ""));
    const { uploads = {} } = stored as JournalEntry;
    // The second one notes meanwhile how far it is.
    return Object.values<object>(uploads).map((record) => ({ ...record, acknowledged: 0 }));
  };
  const first = startClient(method, journal);
  await first.prints("at 10");
  signal(first, "SIGSTOP");
  // A process that stands still can be given no other clock.
  await delay(LEASE + 500);
  const second = startClient(method, journal);
  if (state === "at work") await second.prints("at 2");
  else {
    await service.set({ throttle: 0 });
    await second.ended();
  }
  const before = await entry();
  signal(first, "SIGCONT");
  const steppedAside = { name: "UploadError", code: "in-progress", retryable: true };
  expect(await outcomeOf(first)).toMatchObject({ kind: "error", error: steppedAside });
  expect(await entry()).toEqual(before);
  expect(await outcomeOf(second)).toMatchObject({ kind: "whole", resumed: true });
  const [only, ...others] = await service.assets();
  expect(others).toEqual([]);
  expect((await service.whole(only?.asset.id ?? "")).sha256).toBe(sha256);
  expect(await readdir(journal)).toEqual([]);
});
