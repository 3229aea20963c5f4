/**
 * The tests of core for Bun or Deno, whichever runs vitest. `npm test` takes those of what branches by runtime, and
 * `npm run test:all` every one.
 */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { reporters } from "../run/report.ts";

/** Sources, requests and transports, disk, journals, examples and the command line. */
const BY_RUNTIME = [
  "test/core/{cli/main,examples/examples,redaction/hidden-secrets,service/calls}.test.ts",
  "test/core/disk/{claim,journal,lease,source}.test.ts",
  "test/core/http/{fetch-proxy,hostile-answers,limited-body,network-error-tls}.test.ts",
  "test/core/{journal/slot,journals/redis}.test.ts",
  "test/core/source/{blob-file-changes,blob-file-state,download,open,url-request}.test.ts",
  "test/core/transfer/{attempts-first-contact,attempts-interruptions,fetch}.test.ts",
];
const isAll = process.env.UPCUT_FILES === "all";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: isAll ? ["test/core/**/*.test.ts"] : BY_RUNTIME,
    exclude: ["**/*.long.test.ts"],
    globalSetup: ["test/run/bundled.ts"],
    setupFiles: ["test/support/poll.ts", "test/runtimes/inside.ts"],
    maxWorkers: 2,
    // All files of a worker run in one context: what they import takes longer than they do.
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    chaiConfig: { truncateThreshold: 0 },
    reporters,
  },
});
