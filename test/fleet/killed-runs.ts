/** A list that one machine uploads without Redis, by a script that is killed and started again until nothing is left. */
import type { Line } from "./fleet.ts";
import type { Local } from "./local.ts";

export interface KilledRuns {
  /** What became of each address, by the first line on which it stands. */
  lines: Line[];
  kills: number;
  /** Exit code of the last run. */
  code: number | null;
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
  const outputs: string[] = [];
  for (let kills = 0; ; ) {
    const run = local.startLocal(list);
    const done = new RegExp(`(?:: asset [\\w-]+\\n[^]*?){${doneBetween()}}`);
    const isKilled =
      kills < wanted &&
      (await run.prints(done).then(
        () => run.process.kill("SIGKILL"),
        () => false,
      ));
    if (isKilled) kills++;
    const { code, output } = await run.ended();
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
