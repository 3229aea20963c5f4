import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { VERSION } from "../../../core/cli/version.ts";
import { startCliHere } from "../../support/programs/run-here.ts";

test("upcut --version tells the package's", async () => {
  const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
  expect(VERSION).toBe(version);
  expect(await startCliHere(["--version"], {}).ended()).toMatchObject({ code: 0, stdout: `${version}\n` });
});
