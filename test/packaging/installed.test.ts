import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useFolder } from "../support/use-folder.ts";
import { ROOT, run } from "./run.ts";

const folder = useFolder("installed");

test("the check says what isn't installed", async () => {
  const { path } = folder;
  await cp(join(ROOT, "test/run/installed.mjs"), join(path, "test/run/installed.mjs"));
  const check = async () => await run("node", ["test/run/installed.mjs"], path);
  const runtimes = "test/runtimes/node_modules isn't installed. Run npm --prefix test/runtimes ci\n";
  expect(await check()).toMatchObject({
    code: 1,
    output: `node_modules isn't installed. Run npm ci\n${runtimes}`,
  });
  for (const [folder, output] of [
    ["node_modules", runtimes],
    ["test/runtimes/node_modules", ""],
  ] as const) {
    await mkdir(join(path, folder), { recursive: true });
    await writeFile(join(path, folder, ".package-lock.json"), "{}");
    expect(await check()).toMatchObject({ code: output === "" ? 0 : 1, output });
  }
});
