/** The figures of the results page, read back for the documents that tell them. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readPage, type Sections } from "./report.ts";

/** Gives a cell of the results page: its section, a column that only its table has, its row, and its own column. */
export type ReadFigure = (section: string, table: string, row: string, column?: string) => string;

export interface Results {
  figure: ReadFigure;
  /** The rows of the table of targets: what, target, measured, whether it was met, section. */
  targets: string[][];
  sections: string[];
  /** What a section was measured on. */
  machineOf(section: string): string;
}

export async function readResults(): Promise<Results> {
  const sections: Sections = readPage(await readFile(join(import.meta.dirname, "results/README.md"), "utf8"));
  const textOf = (section: string) => sections.get(section)?.text ?? "";
  return {
    sections: [...sections.keys()].filter((title) => !title.startsWith("Targets")),
    targets: [...sections.values()].flatMap(({ targets }) => targets.map(cellsOf)),
    machineOf: (section) => /^Measured on (.+)\.$/m.exec(textOf(section))?.[1] ?? "",
    figure(section, table, row, column = table) {
      const tables = textOf(section)
        .split("\n\n")
        .filter((block) => block.startsWith("|"));
      const [head = [], , ...rows] =
        tables.map((block) => block.split("\n").map(cellsOf)).find(([columns]) => columns?.includes(table)) ??
        [];
      const cell = rows.find(([name]) => name === row)?.[head.indexOf(column)];
      if (cell === undefined) throw new Error(`The results have no ${section}, ${table}, ${row}, ${column}`);
      return cell;
    },
  };
}

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** The median of a cell such as "1.59 (1.11–1.78)". */
export function medianOf(cell: string): string {
  return cell.replace(/ \(.*/, "");
}
