import { expect, test } from "vitest";
import { SETTINGS, type Setting } from "../../../entrypoints/shared/settings.ts";
import { t } from "../../../entrypoints/shared/translate.ts";
import { refusedSettingSentence } from "../../../entrypoints/view/refused-settings.ts";

test("settings that were left out are named, and what waits for a look at them", () => {
  const { label: method } = SETTINGS.method as Setting<unknown>;
  const { label: fields } = SETTINGS.fields as Setting<unknown>;
  const [one, two] = [method, fields].map((label) => t(label as never));
  const sentence = t("options.refused", { settings: `${one}` });
  expect(refusedSettingSentence([method as never])).toBe(sentence);
  const both = t("options.refused", { settings: `${one} and ${two}` });
  expect(refusedSettingSentence([method as never, fields as never])).toBe(`${both} ${t("options.held")}`);
});
