/** The service with a fault proxy in front of each of its origins, and clients that run in another process. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll } from "vitest";
import { runtimes } from "../runtimes/commands.ts";
import { spawnService } from "../service/spawned.ts";
import type { StoreName } from "../service/stores.ts";
import type { Switches } from "../service/switches.ts";
import { follow, type Script } from "../support/programs/script.ts";
import { makeExtension } from "./chromium/extension.ts";
import type { ClientOutcome, ClientPlan } from "./plan.ts";
import { startProxy } from "./proxy.ts";

export type RuntimeName = keyof ReturnType<typeof runtimes>;
export const RUNTIMES: readonly RuntimeName[] = ["node", "bun", "deno"];
export type ClientName = RuntimeName | "chromium";
export const CLIENTS: readonly ClientName[] = [...RUNTIMES, "chromium"];
export const MiB: number = 1024 * 1024;

export type Lab = Awaited<ReturnType<typeof openLab>>;

export interface LabOptions {
  /** Which one the lab is for: Chromium needs some preparation. */
  client?: ClientName;
  /** Where the service keeps resumable uploads. @default as `spawnService` has it */
  store?: StoreName | undefined;
}

export async function openLab(switches: Partial<Switches> = {}, { client, store }: LabOptions = {}) {
  const extension = client === "chromium" ? await makeExtension() : undefined;
  const upload = await startProxy();
  const service = await spawnService(switches, { advertise: upload.url, store });
  upload.target = service.uploadUrl;
  const api = await startProxy(service.baseUrl);
  return {
    service,
    /** Where clients reach the service: at the proxy in front of it. */
    baseUrl: api.url,
    token: service.token,
    /** In front of the base address. */
    api,
    /** In front of the upload host; every location names it. */
    upload,
    /** The folder of the extension that uploads from Chromium. */
    extension: extension?.path,
    async reset() {
      api.clear();
      upload.clear();
      await service.reset();
    },
    async close() {
      await Promise.all([api.close(), upload.close()]);
      await service.stop();
      await extension?.remove();
    },
  };
}

/** A lab for the tests of one file; after each there is no fault left, and the service is as at first. */
export function useLab(switches: Partial<Switches> = {}, options: LabOptions = {}): Lab {
  const lab = {} as Lab;
  beforeAll(async () => {
    Object.assign(lab, await openLab(switches, options));
  });
  afterEach(() => lab.reset());
  afterAll(() => lab.close?.());
  return lab;
}

export interface Client extends Script {
  /** Ends it at once, as a power cut does. */
  kill(): void;
}

/** What starts a command for whom the permissions of files hold, as they don't for root. */
export const AS_A_PERSON: readonly string[] =
  process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"] : [];

/** Starts a client in a runtime: core, or what it is compared with. */
export function startClient(
  lab: Lab,
  client: ClientName,
  plan: ClientPlan,
  file: "client.ts" | "plain-tus.ts" = "client.ts",
  through: readonly string[] = [],
): Client {
  const inChromium = client === "chromium";
  const [command = "", ...args] = [...through, ...runtimes()[inChromium ? "node" : client]];
  const path = `test/faults/${inChromium ? "chromium/" : ""}${file}`;
  const environment = {
    UPCUT_URL: lab.baseUrl,
    UPCUT_TOKEN: lab.token,
    UPCUT_EXTENSION: lab.extension ?? "",
  };
  const script = follow(command, [...args, path, JSON.stringify(plan)], environment);
  return {
    ...script,
    kill() {
      const [, browser] = /^browser (\d+)$/m.exec(script.output()) ?? [];
      if (browser !== undefined) process.kill(Number(browser), "SIGKILL");
      script.process.kill("SIGKILL");
    },
  };
}

/** Waits for what a client says in the end; one that hangs, crashes or says nothing is told as such. */
export async function outcomeOf(script: Client, deadline = 120_000): Promise<ClientOutcome> {
  const clock = new AbortController();
  const late = delay(deadline, "late" as const, { signal: clock.signal, ref: false }).catch(
    () => "late" as const,
  );
  const end = await Promise.race([script.ended(), late]);
  clock.abort();
  if (end === "late") {
    script.kill();
    return { kind: "hang", output: script.output() };
  }
  const line = end.output.split("\n").find((each) => each.startsWith('{"kind":'));
  if (end.code !== 0 || line === undefined)
    return { kind: "crash", output: `ended with ${end.code}: ${end.output}` };
  return JSON.parse(line) as ClientOutcome;
}

/** A folder for videos, which hold no secret: it goes at once, and is not searched for any. */
export async function videoFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "upcut-faults-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
