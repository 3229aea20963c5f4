/** The thin tests, which run under Node and drive workerd and Chromium. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/runtimes/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
});
