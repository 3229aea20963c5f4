/** A list that one machine uploads without Redis, by a script that is killed and started again until nothing is left. */
import { writeFile } from "node:fs/promises";
import { expect } from "vitest";
import { seeded } from "../support/seeded.ts";
import { audit, type Line } from "./fleet.ts";
import type { Local } from "./local.ts";
import { addressList } from "./videos.ts";

/**
 * Has a list of good and broken videos uploaded by a script that is killed on the way, and expects each good one once.
 *
 * @param good how many good ones; three times as many lines name them again, or broken ones
 */
export async function uploadKilled(local: Local, good: number, wanted: number): Promise<void> {
  const random = seeded(11);
  const { list, videos } = local;
  const { addresses, seeds } = addressList(videos, good, random);
  await writeFile(list, addresses.join("\n"));
  const { lines, kills, code } = await run(local, wanted, () => 1 + Math.floor(random() * 3));
  const { wrong, assets, doubtful } = await audit(local, lines, seeds);
  expect(wrong).toEqual([]);
  expect(addresses).toHaveLength(4 * good);
  expect(lines).toHaveLength(2 * good);
  expect(lines.filter(({ failed }) => failed !== undefined)).toHaveLength(good);
  expect(assets).toBeGreaterThanOrEqual(good);
  expect(assets).toBeLessThanOrEqual(good + doubtful);
  expect(kills).toBe(wanted);
  expect(code).toBe(1);
}

/** Runs a list to its end; gives what became of each address, by the first line on which it stands. */
async function run(local: Local, wanted: number, doneBetween: () => number) {
  const outputs: string[] = [];
  for (let kills = 0; ; ) {
    const script = local.startLocal(local.list);
    const done = new RegExp(`(?:: asset [\\w-]+\\n[^]*?){${doneBetween()}}`);
    const isKilled =
      kills < wanted &&
      (await script.prints(done).then(
        () => script.process.kill("SIGKILL"),
        () => false,
      ));
    if (isKilled) kills++;
    const { code, output } = await script.ended();
    outputs.push(output);
    if (!isKilled) return { lines: linesOf(output, outputs.join("\n")), kills, code };
  }
}

/**
 * What is told of each line.
 *
 * @param last what the last run printed, which tells all of them
 * @param all what all of them printed
 */
export function linesOf(last: string, all: string): Line[] {
  const lines = new Map<number, Line>();
  for (const [, number, asset, said = ""] of last.matchAll(
    /^Line (\d+): (?:asset ([\w-]+)(?:, uploaded before)?|(.+))$/gm,
  )) {
    const line = Number(number);
    lines.set(line, {
      line,
      ...(asset === undefined ? { failed: said } : { assetId: asset }),
      doubtful: Array.from(
        all.matchAll(new RegExp(`^Line ${line}: .*asset may have been created`, "gm")),
        () => "unknown",
      ),
      started: 0,
      stalled: 0,
    });
  }
  return [...lines.values()].sort((a, b) => a.line - b.line);
}
