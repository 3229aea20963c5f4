/**
 * A second try for tests that fail on a busy machine, and a reporter that names each test that needed one.
 *
 * `npm test` switches both on; run alone, a test has one try. Stored bytes that differ from those sent get no
 * second try anywhere, nor do the fault matrices: bytes that are lost once in ten runs are the worst fault of all.
 */
import { appendFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** Where the names are written, for the summary of the whole run. */
const list = process.env.UPCUT_SECOND_TRIES;

/** Content is compared by its sha256, which stands in the message then. */
const NOT_ABOUT_CONTENT = /^(?![\s\S]*[0-9a-f]{30})/;

class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (list === undefined || test.diagnostic()?.flaky !== true) continue;
        const [error] = test.result().errors ?? [];
        const reason = (error?.message ?? "no message").split("\n", 1)[0];
        appendFileSync(list, `${module.relativeModuleId} > ${test.fullName}: ${reason}\n`);
      }
    }
  }
}

/** What each configuration of vitest adds. */
export const secondTry =
  list === undefined
    ? {}
    : {
        retry: { count: 1, condition: NOT_ABOUT_CONTENT },
        // A message that is cut would leave out the sha256 of an object or a list.
        chaiConfig: { truncateThreshold: 0 },
        reporters: ["default", new SecondTries()],
      };
