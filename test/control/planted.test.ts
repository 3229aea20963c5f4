/** The control of the search for secrets: prints, throws and stores one each, which the search must find. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { note } from "../support/caught.ts";
import { MARKER } from "../support/marker.ts";

test("a secret is printed, thrown and stored", async () => {
  console.log(`printed: ${MARKER}`);
  expect(() => note(new Error("thrown", { cause: { token: MARKER } }))).toThrow("an error shows a secret");
  const { UPCUT_SCRATCH: folder } = process.env;
  if (folder === undefined) throw new Error("only a searched run may store a secret");
  await writeFile(join(folder, "planted.txt"), MARKER);
});
