/** The tests of the core, as they stand, for whichever runtime executes vitest. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/core/**/*.test.ts"],
    exclude: ["**/*.long.test.ts"],
    setupFiles: ["test/runtimes/inside.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
