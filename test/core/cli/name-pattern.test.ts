import { expect, test } from "vitest";
import { filledName, isPattern } from "../../../core/cli/name-pattern.ts";

test.each([
  ["Holiday {stem}", { name: "clip.final.MOV", folder: "2024" }, "Holiday clip.final"],
  ["{folder}: {name}", { name: "clip.mov", folder: "2024" }, "2024: clip.mov"],
  ["{stem}", { name: ".mov", folder: "" }, ".mov"],
  ["{stem}", { name: "film", folder: "" }, "film"],
  ["{stem} {stem}", { name: "{name}$&.mp4", folder: "" }, "{name}$& {name}$&"],
  ["{stem}", undefined, "Untitled video"],
  ["{folder}{name}", undefined, "Untitled video"],
  ["Launch {1}", { name: "a.mp4", folder: "" }, "Launch {1}"],
])("the name %j of %o is %j", (pattern, names, name) => {
  expect(filledName(pattern, names)).toBe(name);
});

test("a name without a place to fill is no pattern", () => {
  expect(["a", "{a}", "{stem", "{stem}", "x {folder}"].map(isPattern)).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
});
