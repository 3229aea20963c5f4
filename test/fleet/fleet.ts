/** The fleet of the example: its scripts in each runtime, on a Redis and a service of the test. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startRedis } from "../redis/server.ts";
import { runtimes } from "../runtimes/commands.ts";
import { openIoredis } from "../runtimes/redis-clients.ts";
import { spawnService } from "../service/spawned.ts";
import { follow, type Script } from "../support/programs/script.ts";
import { scratchFolder } from "../support/scratch.ts";
import { serveVideos } from "./videos.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FLEET = "core/examples/fleet";
const run = promisify(execFile);

export type RuntimeName = keyof ReturnType<typeof runtimes>;

export interface Line {
  line: number;
  assetId?: string;
  size?: number;
  resumed?: boolean;
  failed?: string;
  doubtful?: string[];
  started: number;
  stalled: number;
}

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

export async function startFleet(lease: number) {
  if (!existsSync(join(ROOT, FLEET, "node_modules")))
    throw new Error(`The fleet's packages are missing. Run npm --prefix ${FLEET} ci`);
  const [redis, service, videos, folder] = await Promise.all([
    startRedis(),
    spawnService(),
    serveVideos(),
    scratchFolder("fleet"),
  ]);
  const environment = {
    UPCUT_URL: service.baseUrl,
    UPCUT_TOKEN: service.token,
    REDIS_URL: redis.url,
    UPCUT_LEASE: `${lease}`,
  };
  const client = openIoredis(redis.port);
  const workers = new Set<Script>();
  const script = async (name: string, args: string[]) => {
    const [command = "", ...first] = runtimes().node;
    const options = { cwd: ROOT, env: { ...process.env, ...environment }, maxBuffer: 64 * 1024 * 1024 };
    return (await run(command, [...first, `${FLEET}/${name}.ts`, ...args], options)).stdout;
  };
  const killWorkers = () => {
    for (const worker of workers) worker.process.kill("SIGKILL");
  };
  return {
    redis,
    service,
    videos,
    /** Puts addresses into the queue, and gives what that printed. */
    async add(addresses: string[], attempts = 6) {
      const list = join(folder.path, "list.txt");
      await writeFile(list, addresses.join("\n"));
      return await script("add", [list, "--attempts", `${attempts}`]);
    },
    startWorker(runtime: RuntimeName, concurrency = 2): Script {
      const [command = "", ...args] = runtimes()[runtime];
      const own = { ...environment, UPCUT_CONCURRENCY: `${concurrency}` };
      const worker = follow(command, [...args, `${FLEET}/worker.ts`], own);
      workers.add(worker);
      void worker.ended().then(() => workers.delete(worker));
      return worker;
    },
    killWorkers,
    /** Videos that were uploaded, and that were set aside. */
    async ended() {
      const [completed, failed] = await Promise.all(
        ["completed", "failed"].map((state) => client.zcard(`upcut-queue:videos:${state}`)),
      );
      return { completed: completed ?? 0, failed: failed ?? 0 };
    },
    async report() {
      const lines = (await script("report", ["--json"])).split("\n").filter((line) => line !== "");
      return lines.map((line) => JSON.parse(line) as Line).sort((a, b) => a.line - b.line);
    },
    async stop() {
      client.disconnect();
      killWorkers();
      await Promise.all([redis.stop(), service.stop(), videos.close(), folder.remove()]);
    },
  };
}

/** Compares what the service stores with the videos; gives what is wrong, line by line, and what was counted. */
export async function audit(
  { service, videos }: Pick<Fleet, "service" | "videos">,
  lines: Line[],
  seeds: Map<number, number>,
) {
  const stored = await service.assets();
  const byId = new Map(stored.map((each) => [each.asset.id, each]));
  const copiesOf = (name: string) => stored.filter(({ received }) => received.name === name);
  const ofRecord = new Set(lines.map(({ assetId }) => assetId));
  const wrong: string[] = [];
  let doubtful = 0;
  let besidesBroken = 0;
  for (const report of lines) {
    const { line, assetId = "", failed, doubtful: besides = [] } = report;
    const seed = seeds.get(line);
    doubtful += besides.length;
    // Deleting what is named must never lose a video.
    for (const id of besides)
      if (ofRecord.has(id)) wrong.push(`line ${line} names an asset of record: ${id}`);
    if (seed === undefined) {
      besidesBroken += besides.length;
      if (failed === undefined) wrong.push(`line ${line} is broken, and was not reported`);
      continue;
    }
    if (failed !== undefined) wrong.push(`line ${line} was set aside: ${failed}`);
    const { sha256 } = byId.has(assetId) ? await service.whole(assetId) : { sha256: "nothing" };
    if (sha256 !== videos.sha256(seed)) wrong.push(`line ${line} is stored as ${sha256}`);
    const copies = copiesOf(`video-${seed}.mp4`);
    if (copies.length > 1 + besides.length) {
      const made = copies.map(({ asset }) => new Date(Number(asset.createdAt)).toISOString()).join(" and ");
      wrong.push(
        `line ${line} has assets of ${made}, of which ${besides.length} are named: ${JSON.stringify(report)}`,
      );
    }
  }
  // A source that breaks off has an asset by then, which is resumed as well.
  const others = stored
    .map(({ received }) => `${received.name}`)
    .filter((name) => name.startsWith("broken-"));
  const surplus = others.length - new Set(others).size;
  if (surplus > besidesBroken) wrong.push(`broken ones have ${surplus} assets too many`);
  const assets = stored.length - others.length;
  return { wrong, assets, doubtful };
}
