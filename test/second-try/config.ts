/**
 * A reporter of what `run.ts` has to know to give files a second try.
 *
 * `npm test` switches it on; run alone, a test has one try. Stored bytes that differ from those sent get no second try
 * anywhere, nor do the fault matrices (`retry: 0`): bytes that are lost once in ten runs are the worst fault of all.
 */
import { appendFileSync } from "node:fs";
import type { Reporter, SerializedError, TestModule, TestSpecification } from "vitest/node";

/** Where the reporter writes, a line each. */
export const REPORT = "UPCUT_TEST_REPORT";

export type Line =
  /** A test file that is to be run. */
  | { kind: "file"; file: string }
  /** A test file in which all passed. */
  | { kind: "passed"; file: string }
  /** What failed, and whether that is final. */
  | { kind: "failed"; file: string | undefined; where: string; reason: string; isFinal: boolean };

const report = process.env[REPORT];

/** Content is compared by its sha256, which stands in the message then. */
const NOT_ABOUT_CONTENT = /^(?![\s\S]*[0-9a-f]{30})/;

class Report implements Reporter {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    for (const { moduleId } of specifications) this.#write({ kind: "file", file: moduleId });
  }

  onTestModuleEnd(module: TestModule): void {
    const { moduleId: file, relativeModuleId } = module;
    if (module.state() !== "failed") this.#write({ kind: "passed", file });
    for (const error of module.errors()) this.#writeFailure(error, file, relativeModuleId, false);
    for (const suite of module.children.allSuites()) {
      const where = `${relativeModuleId} > ${suite.fullName}`;
      for (const error of suite.errors()) this.#writeFailure(error, file, where, false);
    }
    for (const test of module.children.allTests()) {
      const where = `${relativeModuleId} > ${test.fullName}`;
      const { state, errors } = test.result();
      if (state !== "failed") continue;
      for (const error of errors) this.#writeFailure(error, file, where, test.options.retry === 0);
    }
  }

  onTestRunEnd(_modules: readonly TestModule[], outside: readonly SerializedError[]): void {
    for (const error of outside) {
      const file = error.VITEST_TEST_PATH as string | undefined;
      this.#writeFailure(error, file, `outside of tests, while ${file ?? "no file"} ran`, file === undefined);
    }
  }

  #writeFailure(
    { message, stack }: { message: string; stack?: string },
    file: string | undefined,
    where: string,
    isFinal: boolean,
  ): void {
    const reason = `${message}\n${stack ?? ""}`;
    this.#write({
      kind: "failed",
      file,
      where,
      reason,
      isFinal: isFinal || !NOT_ABOUT_CONTENT.test(message),
    });
  }

  #write(line: Line): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
  }
}

/** What each configuration of vitest adds. */
export const secondTry =
  report === undefined
    ? {}
    : {
        // None within a run; a test of its own `retry: 0` is told from the others by it.
        retry: { count: 0 },
        // A message that is cut would leave out the sha256 of an object or a list.
        chaiConfig: { truncateThreshold: 0 },
        reporters: ["default", new Report(report)],
      };
