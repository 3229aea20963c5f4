/**
 * The main job on the local service, as a newcomer sees it: the service starts, a sample video goes up by the same
 * script that goes to any service, a live stream is ended, and what arrived can be watched. In a terminal it keeps
 * serving until Ctrl-C; elsewhere it ends by itself.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Asset } from "../../core/mod.ts";
import { writeLongFilm } from "./long-film.ts";
import { type Service, type ServiceOptions, startService } from "./service.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SAMPLE = "test/service/samples/launch-film.mp4";
const FOLDER = ".upcut";
const FILM = `${FOLDER}/launch-film.mp4`;

const service = await startOnUsualPorts({
  directory: `${FOLDER}/service`,
  // Slow enough to see the progress.
  switches: { throttle: 4_000_000 },
});
const token = service.accounts[0]?.token ?? "";
console.log(`The local service is up: ${service.startPage}\n`);

await mkdir(FOLDER, { recursive: true });
await writeLongFilm(SAMPLE, FILM, 80);
console.log(`Uploading ${FILM}, a sample video repeated 80 times`);
const printed = await run("core/examples/upload.ts", FILM, "--name", "Launch film", "--mp4");
const id = /^Asset ([\w-]+)/m.exec(printed)?.[1] ?? "";
const asset = await finished(id);
console.log(`\nThe asset record, once the service had processed it:\n${JSON.stringify(asset, null, 2)}`);

const [stream = ""] = service.streams;
await demo(`streams/${encodeURIComponent(stream)}/start`, "POST");
console.log(`\nEnding the live stream "${stream}"`);
await run("core/examples/terminate.ts", stream);

console.log(`\nWatch it:      ${asset.downloadUrl}`);
if (asset.playbackUrl !== undefined) console.log(`As HLS:        ${asset.playbackUrl}`);
console.log(`All that came: ${service.startPage}`);
if (process.stdout.isTTY) {
  console.log(
    `\nServing until Ctrl-C. To try it yourself:\n  export UPCUT_URL=${service.baseUrl} UPCUT_TOKEN=${token}`,
  );
  console.log("  npx tsx core/examples/upload.ts YOUR_VIDEO");
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
}
await service.close();
process.exit(0);

async function startOnUsualPorts(options: ServiceOptions): Promise<Service> {
  try {
    return await startService({ ...options, apiPort: 8787, uploadPort: 8788 });
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EADDRINUSE") throw error;
    return await startService({ ...options, apiPort: 0, uploadPort: 0 });
  }
}

/** Runs an example as a person would, and returns what it printed. */
async function run(script: string, ...args: string[]): Promise<string> {
  const env = {
    ...process.env,
    UPCUT_URL: service.baseUrl,
    UPCUT_TOKEN: token,
    UPCUT_JOURNAL: `${FOLDER}/journal`,
  };
  const terminal = process.stdout.isTTY === true;
  const child = spawn("node", ["--import", "tsx", script, ...args], {
    cwd: ROOT,
    // In a terminal the script draws its bar itself; the asset is then found by asking the service.
    stdio: ["ignore", terminal ? "inherit" : "pipe", "inherit"],
    env,
  });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    process.stdout.write(text);
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) {
    await service.close();
    process.exit(code ?? 1);
  }
  return output;
}

async function finished(id: string): Promise<Asset> {
  for (;;) {
    const { assets } = await demo<{ assets: { asset: Asset }[] }>("assets");
    const found = id === "" ? assets.at(-1) : assets.find(({ asset }) => asset.id === id);
    const phase = found?.asset.status?.phase;
    if (found !== undefined && (phase === "ready" || phase === "failed")) return found.asset;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function demo<T>(path: string, method = "GET"): Promise<T> {
  const response = await fetch(`${service.baseUrl}/_demo/${path}`, { method });
  return (await response.json()) as T;
}
