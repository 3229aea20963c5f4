/** What the document that uploads hands to the background to have the token taken out of it. */
import { expect, test, vi } from "vitest";
import type { ErrorRecord } from "../../../core/mod.ts";
import { cleanError } from "../../../entrypoints/background/account.ts";

const TOKEN = "Zq7-Secret_of/an.account+token=42";
const HIDDEN = "[hidden: it repeats a secret]";

async function clean(more: Partial<ErrorRecord>): Promise<ErrorRecord> {
  vi.stubGlobal("chrome", { storage: { local: { get: async () => ({ token: TOKEN }) } } });
  const name = "UploadError";
  return await cleanError({ name, code: "location-refused", message: "no", retryable: false, ...more });
}

test("cleanError() keeps what could not be done, and sentences without the token", async () => {
  const found = await clean({ message: `Cannot upload: no ${TOKEN}`, details: ["one", "two"] });
  expect(found).toMatchObject({ message: `Cannot upload: ${HIDDEN}`, details: ["one", "two"] });
});

test("cleanError() hides all sentences where the token is in one or divided among them", async () => {
  for (const details of [
    ["one", `no ${TOKEN}`],
    ["one", TOKEN.slice(0, 9), TOKEN.slice(9)],
  ])
    expect(await clean({ details })).toMatchObject({ details: [HIDDEN] });
});

test("cleanError() hides an asset's id that repeats the token", async () => {
  const resume = { assetId: btoa(TOKEN), offset: 1, possible: true };
  expect(await clean({ resume })).toMatchObject({ resume: { ...resume, assetId: HIDDEN } });
});
