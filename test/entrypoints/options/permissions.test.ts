import { expect, test } from "vitest";
import { missing, needsOf, request } from "../../../entrypoints/options/permissions.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../../entrypoints/shared/settings.ts";
import { stubWorker } from "../../support/extension/stub-worker.ts";

test.each<[Partial<Settings>, string[]]>([
  [{ address: "https://video.example" }, ["https://video.example"]],
  [{ notifications: true }, ["notifications"]],
  [{ confirmTerminate: false }, ["notifications"]],
  [{ keepAwake: true }, ["power"]],
  [{}, []],
])("the settings %j need %j of the browser", (more, needed) => {
  const needs = needsOf({ ...DEFAULT_SETTINGS, ...more });
  expect(needs.flatMap(({ hosts, permissions }) => [...hosts, ...permissions])).toEqual(needed);
  for (const { lack, button } of needs) expect([lack, button]).not.toContain("");
});

test("what is missing is asked for together", async () => {
  const needs = needsOf({ ...DEFAULT_SETTINGS, address: "https://video.example", keepAwake: true });
  const { calls } = stubWorker({
    "permissions.contains": async ({ permissions }: { permissions: string[] }) => permissions.length > 0,
    "permissions.request": true,
  });
  expect(await missing(needs)).toEqual(needs.slice(0, 1));
  await request(needs);
  const asked = { origins: ["https://video.example/*"], permissions: ["power"] };
  expect(calls.at(-1)).toEqual(["permissions.request", asked]);
});
