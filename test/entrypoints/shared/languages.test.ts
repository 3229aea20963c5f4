import { expect, test } from "vitest";
import { tracksOf } from "../../../entrypoints/shared/languages.ts";

/** The labels of languages in English. */
function labels(...languages: { id: string; tag?: string; name?: string }[]): string[] {
  const video = { languages, subtitles: [] } as unknown as Parameters<typeof tracksOf>[0];
  return tracksOf(video, "en").languages.map(({ label }) => label);
}

test("a language is called as the person calls it, else by its own name, else by its id", () => {
  expect(labels({ id: "1", tag: "de", name: "Deutsch" })).toEqual(["German"]);
  expect(
    labels({ id: "1", tag: "und", name: "Other" }, { id: "2", tag: "xx-invalid-tag-", name: "Odd" }),
  ).toEqual(["Other", "Odd"]);
  expect(labels({ id: "1", tag: "qqq", name: "Own" }, { id: "2", name: "Sound" }, { id: "3" })).toEqual([
    "Own",
    "Sound",
    "3",
  ]);
});

test("a second one of the same language has its own name as well", () => {
  const german = { tag: "de", name: "Deutsch" };
  expect(
    labels({ id: "1", ...german }, { id: "2", tag: "de", name: "Kommentar" }, { id: "3", tag: "de" }),
  ).toEqual(["German", "German (Kommentar)", "German"]);
});

test("a hundred languages are offered, and subtitles counted", () => {
  const languages = Array.from({ length: 101 }, (_, at) => ({ id: `${at}` }));
  const video = { languages, subtitles: [{}, {}] } as unknown as Parameters<typeof tracksOf>[0];
  const tracks = tracksOf(video, "en");
  expect(tracks.languages).toHaveLength(100);
  expect(tracks.languages.at(-1)).toEqual({ id: "99", label: "99" });
  expect(tracks.subtitles).toBe(2);
});
