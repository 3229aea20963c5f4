/** A list that one machine uploads without Redis, by a script that is killed and started again until nothing is left. */
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Line } from "./fleet.ts";
import type { Local } from "./local.ts";

export interface KilledRuns {
  /** What became of each address, by the first line on which it stands. */
  lines: Line[];
  kills: number;
  /** Exit code of the last run. */
  code: number | null;
  /** What the runs printed. */
  output: string;
}

/**
 * Runs a list to its end.
 *
 * @param doneBetween how many more videos are done until the script is killed again
 */
export async function runKilled(
  local: Local,
  list: string,
  { kills: wanted, doneBetween }: { kills: number; doneBetween: () => number },
): Promise<KilledRuns> {
  let kills = 0;
  let output = "";
  const doneOf = async () => (await wordsOf(`${list}.done`)).length;
  for (;;) {
    const next = (await doneOf()) + doneBetween();
    const run = local.startLocal(list);
    let hasEnded = false;
    const ended = run.ended().finally(() => {
      hasEnded = true;
    });
    while (!hasEnded) {
      if (kills < wanted && (await doneOf()) >= next && run.process.kill("SIGKILL")) {
        kills++;
        break;
      }
      await Promise.race([delay(20), ended]);
    }
    const { code, output: printed } = await ended;
    output += printed;
    if (run.process.signalCode === null) return { lines: await report(list, printed), kills, code, output };
  }
}

/** What the notes and the last run say. */
async function report(list: string, printed: string): Promise<Line[]> {
  const lines = new Map<number, Line>();
  const at = (line: number): Line => {
    const found = lines.get(line) ?? { line, started: 0, stalled: 0 };
    lines.set(line, found);
    return found;
  };
  for (const [, line, assetId = ""] of await wordsOf(`${list}.done`)) at(Number(line)).assetId = assetId;
  for (const [line, asset = ""] of await wordsOf(`${list}.doubtful`)) {
    const { doubtful = [] } = at(Number(line));
    at(Number(line)).doubtful = [...doubtful, asset];
  }
  for (const [, line, said = ""] of printed.matchAll(/^Line (\d+): (.+)$/gm)) {
    const found = at(Number(line));
    if (found.assetId === undefined) found.failed = said;
  }
  return [...lines.values()].sort((a, b) => a.line - b.line);
}

async function wordsOf(file: string): Promise<string[][]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [line.split(" ")]));
}
