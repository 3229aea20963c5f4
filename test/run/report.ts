/** A reporter of how long each test file took and what failed, for the end of `npm test`: one line of JSON each. */
import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

export interface Failure {
  where: string;
  reason: string;
}

export interface Report {
  files: { file: string; seconds: number }[];
  failures: Failure[];
}

/** Lines of a failure that are shown at the end: the message, and where it was thrown. */
const SHOWN_LINES = 12;

export async function readReport(path: string): Promise<Report> {
  const lines = (await readFile(path, "utf8").catch(() => "")).split("\n").filter(Boolean);
  const entries = lines.map((line) => JSON.parse(line) as Report["files"][number] | Failure);
  return {
    files: entries.filter((entry) => "file" in entry),
    failures: entries.filter((entry) => "where" in entry),
  };
}

class FailuresAndTimes implements Reporter {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  onTestModuleEnd(module: TestModule): void {
    const { duration, collectDuration } = module.diagnostic();
    const { relativeModuleId: file } = module;
    this.#write({ file, seconds: (duration + collectDuration) / 1000 });
    for (const error of module.errors()) this.#writeFailure(file, error);
    for (const suite of module.children.allSuites())
      for (const error of suite.errors()) this.#writeFailure(`${file} > ${suite.fullName}`, error);
    for (const test of module.children.allTests())
      for (const error of test.result().errors ?? []) this.#writeFailure(`${file} > ${test.fullName}`, error);
  }

  onTestRunEnd(_modules: readonly TestModule[], outside: readonly SerializedError[]): void {
    for (const error of outside)
      this.#writeFailure(`outside of tests, while ${error.VITEST_TEST_PATH ?? "no file"} ran`, error);
  }

  #writeFailure(where: string, { message, stack }: { message: string; stack?: string }): void {
    const lines = `${message}\n${stack ?? ""}`.split("\n").filter(Boolean);
    this.#write({ where, reason: lines.slice(0, SHOWN_LINES).join("\n    ") });
  }

  #write(line: object): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
  }
}

const path = process.env.UPCUT_REPORT;

/** The reporters of every configuration of vitest. */
export const reporters: (string | Reporter)[] = [
  "default",
  ...(path === undefined ? [] : [new FailuresAndTimes(path)]),
];
