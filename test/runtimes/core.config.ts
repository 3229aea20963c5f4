/** The tests of the core, as they stand, for whichever runtime executes vitest. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { secondTry } from "../second-try/config.ts";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    ...secondTry,
    include: ["test/core/**/*.test.ts"],
    exclude: ["**/*.long.test.ts"],
    setupFiles: ["test/runtimes/inside.ts"],
    // They mostly wait.
    maxWorkers: 2,
    // A busy machine takes its time; a test that passes never waits so long.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
