/** The built extension in a real Firefox, built once. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { secondTry } from "../second-try/config.ts";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    ...secondTry,
    include: ["test/firefox/**/*.test.ts"],
    globalSetup: ["test/firefox/build.ts"],
    // A browser on a busy machine takes its time.
    expect: { poll: { timeout: 60_000, interval: 100 } },
    testTimeout: 180_000,
    hookTimeout: 240_000,
  },
});
