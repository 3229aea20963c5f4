import * as v from "valibot";
import { expect, test } from "vitest";
import {
  filledFields,
  REQUEST_FIELD_NAMES,
  REQUEST_FIELDS,
  type RequestFields,
} from "../../../core/service/request-fields.ts";

test("filledFields() leaves out what is empty, off, or no field of a request", () => {
  const profiles = [{ width: 1280 }];
  const filled = { name: "Video", staticMp4: true, playbackPolicy: { type: "public" }, profiles } as const;
  expect(filledFields({ ...filled, command: "upload" } as RequestFields)).toEqual(filled);
  expect(filledFields({ name: "", staticMp4: false, playbackPolicy: null })).toEqual({});
});

test("REQUEST_FIELDS names each field, its control and its option of the command line", () => {
  expect(REQUEST_FIELD_NAMES).toEqual(["name", "staticMp4", "playbackPolicy", "profiles"]);
  expect(
    REQUEST_FIELD_NAMES.map((name) => [REQUEST_FIELDS[name].control, REQUEST_FIELDS[name].flag?.name]),
  ).toEqual([
    ["text", "name"],
    ["switch", "mp4"],
    ["policy", undefined],
    ["profiles", undefined],
  ]);
  expect(REQUEST_FIELDS.name.flag?.value).toBe("NAME");
});

test.each<[keyof RequestFields, unknown, boolean]>([
  ["name", "x".repeat(120_000), true],
  ["name", "x".repeat(120_001), false],
  ["name", 1, false],
  ["staticMp4", true, true],
  ["staticMp4", "true", false],
  ["playbackPolicy", null, true],
  ["playbackPolicy", { refreshInterval: 1.5 }, true],
  ["playbackPolicy", { refreshInterval: Number.NaN }, false],
  ["playbackPolicy", { type: 1 }, false],
  ["profiles", null, true],
  ["profiles", [{ width: 1280 }], true],
  ["profiles", [{ width: 1.5 }], false],
  ["profiles", {}, false],
])("the schema of %s: that it takes %o is %s", (name, value, takes) => {
  expect(v.is(REQUEST_FIELDS[name].schema, value)).toBe(takes);
});
