/** The script of the fleet's example that needs no Redis, with a service and videos of the test. */
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { runtimes } from "../runtimes/commands.ts";
import { spawnService } from "../service/spawned.ts";
import { follow, type Script } from "../support/programs/script.ts";
import { scratchFolder } from "../support/scratch.ts";
import { serveVideos } from "./videos.ts";

export type Local = Awaited<ReturnType<typeof startLocal>> & { list: string };

async function startLocal() {
  const [service, videos] = await Promise.all([spawnService(), serveVideos()]);
  const started = new Set<Script>();
  return {
    service,
    videos,
    startLocal(list: string, concurrency = 4): Script {
      const [command = "", ...args] = runtimes().node;
      const script = follow(command, [...args, "core/examples/fleet/local.ts", list], {
        UPCUT_URL: service.baseUrl,
        UPCUT_TOKEN: service.token,
        UPCUT_JOURNAL: `${list}.journal`,
        UPCUT_CONCURRENCY: `${concurrency}`,
      });
      started.add(script);
      return script;
    },
    async stop() {
      for (const { process: each } of started) each.kill("SIGKILL");
      await Promise.all([service.stop(), videos.close()]);
    },
  };
}

/** Starts it before the first test, and gives each of them the path of a list of its own. */
export function useLocal(): Local {
  const local = {} as Local;
  let folder: Awaited<ReturnType<typeof scratchFolder>>;
  beforeAll(async () => {
    Object.assign(local, await startLocal());
  });
  beforeEach(async () => {
    await local.service.reset();
    folder = await scratchFolder("journal-local");
    local.list = join(folder.path, "list.txt");
  });
  afterEach(() => folder?.remove());
  afterAll(() => local.stop?.());
  return local;
}
