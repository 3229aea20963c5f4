import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/**/*.long.test.ts", "test/runtimes/**", "test/bench/**"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
