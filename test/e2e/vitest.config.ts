/** The built extension in real Chromium: three browsers at a time, since tests mostly wait; built once. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { secondTry } from "../second-try/config.ts";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    ...secondTry,
    include: ["test/e2e/**/*.test.ts"],
    exclude: process.env.UPCUT_LONG === undefined ? ["**/*.long.test.ts"] : [],
    globalSetup: ["test/e2e/build.ts"],
    // The long run also measures.
    maxWorkers: process.env.UPCUT_LONG === undefined ? 3 : 1,
    // A browser on a busy machine takes its time.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
