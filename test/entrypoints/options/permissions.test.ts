import { expect, test } from "vitest";
import { needsOf } from "../../../entrypoints/options/permissions.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../../entrypoints/shared/settings.ts";

test.each<[Partial<Settings>, string[]]>([
  [{ address: "https://video.example" }, ["https://video.example"]],
  [{ notifications: true }, ["notifications"]],
  [{ confirmTerminate: false }, ["notifications"]],
  [{ keepAwake: true }, ["power"]],
  [{}, []],
])("the settings %j need %j of the browser", (more, needed) => {
  const needs = needsOf({ ...DEFAULT_SETTINGS, ...more });
  expect(needs.flatMap(({ hosts, permissions }) => [...hosts, ...permissions])).toEqual(needed);
});
