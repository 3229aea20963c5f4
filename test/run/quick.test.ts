/** Which tests `npm run test:quick` takes. */
import { expect, test } from "vitest";
import { follow } from "../support/programs/script.ts";

test("a test that was removed is none to run", async () => {
  const quick = ["--import", "tsx", "test/run/quick.ts", "test/core/removed.test.ts"];
  const { code, output } = await follow("node", quick, {}).ended();
  expect(output).toBe("Tests: none lies where a source has changed\n");
  expect(code).toBe(0);
});
