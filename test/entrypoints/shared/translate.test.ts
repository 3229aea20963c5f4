import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  formatBytes,
  formatDuration,
  formatLength,
  formatPercent,
} from "../../../entrypoints/shared/format.ts";
import { direction, joinSentences, language, plural, t } from "../../../entrypoints/shared/translate.ts";
import { speak } from "../../support/extension/catalogue.ts";

/** Shows the marks of foreign parts. */
const shown = (text: string) => text.replaceAll("\u2068", "[").replaceAll("\u2069", "]");

afterEach(async () => {
  vi.unstubAllGlobals();
  await speak("en");
});

describe("t()", () => {
  test("puts values in as plain text", () => {
    expect(t("row.choose", { name: "a\u202Eb\nc" })).toBe("Choose “ab c”.");
  });

  test("marks a value that reads in the other direction", () => {
    expect(shown(t("row.choose", { name: "عطلة.mp4" }))).toBe("Choose “[عطلة.mp4]”.");
    expect(shown(t("row.choose", { name: "חופשה" }))).toBe("Choose “[חופשה]”.");
  });

  test("marks every value where the language is written from right to left", async () => {
    await speak("ar");
    expect(direction()).toBe("rtl");
    expect(shown(t("row.sizeIn", { size: formatBytes(48_200_000), time: formatDuration(4) }))).toBe(
      "[48.2\u00a0م.ب] خلال [4\u00a0ث]",
    );
  });

  test("lets no value end its own part", async () => {
    await speak("ar");
    expect(shown(t("row.choose", { name: "a\u2069b\u2068c" }))).toContain("«[abc]»");
  });

  test("takes what a value holds for no place of another value", () => {
    expect(t("popup.stateOf", { name: "{state}", state: "$1" })).toBe("{state}: $1");
  });

  test("refuses values that are missing or too many as types", () => {
    // @ts-expect-error: the name is missing
    expect(t("row.choose")).toContain("{name}");
    // @ts-expect-error: there is no size in it
    t("row.choose", { name: "a", size: "1" });
    // @ts-expect-error: it has no values
    t("row.trying", { time: "1" });
    // @ts-expect-error: there is no such message
    expect(t("row.nothing")).toBe("row.nothing");
    // @ts-expect-error: it counts something
    t("popup.added.other");
  });
});

describe("joinSentences()", () => {
  test("parts sentences by a space, and leaves out those that are none", () => {
    expect(joinSentences(["It waits.", false, "Trying again.", undefined, ""])).toBe(
      "It waits. Trying again.",
    );
    expect(joinSentences([])).toBe("");
  });

  test("puts no space behind a wide full stop, which has one in itself", () => {
    expect(joinSentences(["接続が切れました。", "再試行しています。"])).toBe(
      "接続が切れました。再試行しています。",
    );
    expect(joinSentences(["要重新上传吗？", "已上传。"])).toBe("要重新上传吗？已上传。");
  });
});

describe("plural()", () => {
  test("chooses between the English categories", () => {
    expect([0, 1, 2, 1200].map((count) => plural("popup.added", count))).toEqual([
      "0 videos added",
      "1 video added",
      "2 videos added",
      "1,200 videos added",
    ]);
  });

  test("chooses among the six Arabic ones", async () => {
    await speak("ar");
    const said = [0, 1, 2, 3, 11, 100].map((count) => shown(plural("popup.added", count)));
    expect(said).toEqual([
      "لم يُضف أي فيديو",
      "أُضيف فيديو واحد",
      "أُضيف فيديوهان",
      "أُضيفت [3] فيديوهات",
      "أُضيف [11] فيديو",
      "أُضيف [100] فيديو",
    ]);
  });

  test("falls back to the category that every language has", () => {
    const { getMessage } = chrome.i18n;
    const i18n = { getMessage: (name: string) => (name === "language" ? "ar" : getMessage(name)) };
    vi.stubGlobal("chrome", { i18n });
    expect(plural("popup.added", 3)).toBe("3 videos added");
  });
});

describe("figures", () => {
  beforeEach(() => speak("de"));

  test("are written as the language does", () => {
    expect(formatBytes(48_200_000)).toBe("48,2\u00a0MB");
    expect(formatDuration(4800)).toBe("1\u00a0Std.\u00a020\u00a0Min.");
    expect(formatPercent(0.45)).toBe("45\u00a0%");
    expect(formatLength(3723)).toBe("1:02:03");
    expect(plural("found.uploadPicked", 1200)).toBe("1.200 Videos hochladen");
  });

  test.each([
    ["de-AT", "de-AT"],
    ["de", "de"],
    ["en-GB", "de"],
    ["den", "de"],
  ])("of a browser in %s are those of %s, while the texts are German", (own, tag) => {
    vi.stubGlobal("navigator", { language: own });
    expect(language()).toBe(tag);
  });
});
