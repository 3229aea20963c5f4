/** The thin tests, which run under Node and drive workerd and Chromium. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { secondTry } from "../second-try/config.ts";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    ...secondTry,
    include: ["test/runtimes/*.test.ts"],
    globalSetup: ["test/browser/setup.ts"],
    // A busy machine takes its time; a test that passes never waits so long.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
