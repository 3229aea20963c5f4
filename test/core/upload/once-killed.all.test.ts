/** README's recipe for many videos: three processes at one folder, which are killed again and again. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { useService } from "../../service/use-service.ts";
import { MiB, writeContent } from "../../support/content.ts";
import { runScript, type Script } from "../../support/programs/script.ts";
import { seeded } from "../../support/seeded.ts";
import { useFolder } from "../../support/use-folder.ts";

const VIDEOS = 24;
const PROCESSES = 3;
const KILLS = 15;
const service = useService();
const folder = useFolder("once-videos");
const journal = useFolder("once-journal");

interface Line {
  name: string;
  asset?: string;
  code?: string;
}

const linesOf = (script: Script): Line[] =>
  script
    .output()
    .split("\n")
    // A process that is killed may leave half a line.
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as Line);

test("three processes make one asset of each video of a folder, though they are killed fifteen times", {
  timeout: 900_000,
}, async () => {
  const random = seeded(Number(process.env.UPCUT_SEED ?? 27));
  const hashes = new Map<string, string>();
  let total = 0;
  for (let at = 0; at < VIDEOS; at++) {
    const name = `video-${at}.mp4`;
    const size = Math.floor(100_000 + random() * 3 * MiB);
    total += size;
    hashes.set(name, await writeContent(join(folder.path, name), size, at));
  }
  await service.set({ throttle: 2 * MiB });
  const all: Script[] = [];
  const start = () => {
    const environment = {
      UPCUT_URL: service.baseUrl,
      UPCUT_TOKEN: service.token,
      UPCUT_JOURNAL: journal.path,
    };
    const script = runScript("test/support/programs/upload-once.ts", [folder.path], environment);
    all.push(script);
    return script;
  };
  const running = Array.from({ length: PROCESSES }, start);
  for (let kills = 0; kills < KILLS; kills++) {
    // At a share of the bytes, since a slow machine sees fewer changes on the way to the same end.
    const due = (total * (kills + random())) / (KILLS + 1);
    await service.until(async () => {
      const received = (await service.uploads()).reduce((sum, { bytesReceived }) => sum + bytesReceived, 0);
      return received >= due;
    });
    const victim = Math.floor(random() * PROCESSES);
    running[victim]?.process.kill("SIGKILL");
    running[victim] = start();
  }
  const wholeAtLastKill = (await service.assets()).filter(({ sha256 }) => sha256 !== null).length;
  await service.set({ throttle: 0 });
  await Promise.all(running.map((script) => script.ended()));
  // A process that was killed while it asked for an asset makes the next one say so, and the one after that ask again.
  let last = start();
  for (await last.ended(); linesOf(last).some(({ code }) => code !== undefined); await last.ended())
    last = start();

  const assets = await service.assets();
  const told = new Map(linesOf(last).map(({ name, asset }) => [name, asset]));
  const rows = [...hashes].map(([name, hash]) => {
    const made = assets.filter(({ received }) => received.name === name);
    const whole = made.filter(({ sha256 }) => sha256 !== null);
    return {
      name,
      made: made.length,
      whole: whole.length,
      right: whole[0]?.sha256 === hash,
      told: whole[0]?.asset.id === told.get(name),
    };
  });
  const unknown = all.flatMap(linesOf).filter(({ code }) => code === "asset-unknown").length;
  const killed = all.filter((script) => script.process.signalCode === "SIGKILL").length;
  // An asset whose answer was never written down stays empty: that window nobody can close.
  console.table(rows);
  console.log(
    `${killed} processes killed, the last one with ${wholeAtLastKill} videos whole; ` +
      `${unknown} requests for an asset without an answer`,
  );
  expect(killed).toBe(KILLS);
  expect(rows.map(({ whole, right, told }) => ({ whole, right, told }))).toEqual(
    rows.map(() => ({ whole: 1, right: true, told: true })),
  );
});
