/** The built extension in real Chromium: one browser at a time, built once. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/e2e/**/*.test.ts"],
    exclude: process.env.UPCUT_LONG === undefined ? ["**/*.long.test.ts"] : [],
    globalSetup: ["test/e2e/build.ts"],
    fileParallelism: false,
    // A browser on a busy machine takes its time.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
