import { afterEach, expect, test } from "vitest";
import {
  formatBitrate,
  formatBytes,
  formatDuration,
  formatEstimate,
  formatLength,
  formatNumber,
  formatPartOf,
  formatPercent,
  formatPicture,
  formatSpeed,
  formatTime,
  formatTimeLeft,
} from "../../../entrypoints/shared/format.ts";
import { fractionOf } from "../../../entrypoints/shared/job.ts";
import { waitText } from "../../../entrypoints/shared/terminate-outcome.ts";
import { LANGUAGES, speak } from "../../support/extension/catalogue.ts";

/** A text whose words no line's end parts. */
const whole = (text: string) => text.replaceAll(" ", "\u00a0");

afterEach(() => speak("en"));

test.each(LANGUAGES)("no number is parted from its unit, in the language %s", async (language) => {
  await speak(language);
  const shown = [
    ...[0, 12, 4000, 48_200_000, 2_100_000_000].map(formatBytes),
    ...[4, 60, 4800, 93_600].map(formatDuration),
    formatPartOf(21_900_000, 48_200_000),
    formatPartOf(50_000_000, 2_100_000_000, true),
    formatSpeed(3_240_000),
    formatBitrate(5_200_000),
    formatPicture(1920, 1080) ?? "",
    formatEstimate(48_200_000) ?? "",
    formatTime(0),
    formatTimeLeft(26_300_000, 3_240_000),
    formatPercent(0.4),
    waitText(4000),
    waitText(125_000),
  ];
  for (const text of shown) expect(text).toMatch(/^[^ ]+$/);
});

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1000, "1 kB"],
  [1549, "1.5 kB"],
  [99_940, "99.9 kB"],
  [100_400, "100 kB"],
  [999_499, "999 kB"],
  [999_500, "1 MB"],
  [5e12, "5 TB"],
  [1e16, "10,000 TB"],
])("formatBytes() shows %d as %s", (bytes, shown) => expect(formatBytes(bytes)).toBe(whole(shown)));

test.each([
  [21_900_000, 48_200_000, "21.9 of 48.2 MB"],
  [4_100_000_000, 9_800_000_000, "4.1 of 9.8 GB"],
  // In gigabytes it would seem to be nothing.
  [50_000_000, 2_100_000_000, "50 MB of 2.1 GB"],
  [0, 9_800_000_000, "0 of 9.8 GB"],
  [0, 999, "0 of 999 bytes"],
  [123_456_789, 500_000_000, "123 of 500 MB"],
  // Rounded up it would seem to be all of it.
  [48_190_000, 48_200_000, "48.1 of 48.2 MB"],
  [100_030_000, 100_040_000, "99 of 100 MB"],
  // All of it is said as the whole is.
  [157_600, 157_600, "158 of 158 kB"],
  [41_960_000, 41_960_000, "42 of 42 MB"],
  [50, 40, "40 of 40 bytes"],
])("formatPartOf() shows %d of %d in the unit of the whole", (part, size, shown) => {
  expect(formatPartOf(part, size)).toBe(whole(shown));
});

test("formatPartOf() says that a whole is estimated", () => {
  expect(formatPartOf(21_900_000, 48_200_000, true)).toBe(whole("21.9 of about 48.2 MB"));
});

test("formatSpeed() says nothing without a speed", () => {
  expect(formatSpeed(3_240_000)).toBe(whole("3.2 MB/s"));
  for (const none of [0, 0.4, -1, Number.NaN, Number.POSITIVE_INFINITY]) expect(formatSpeed(none)).toBe("");
});

test.each([
  [0, "1 sec"],
  [4.4, "4 sec"],
  [59.4, "59 sec"],
  [59.6, "1 min"],
  [90, "2 min"],
  [3569, "59 min"],
  [3570, "1 hr"],
  [4800, "1 hr 20 min"],
  [86_400, "1 day"],
  [93_600, "1 day 2 hr"],
])("formatDuration() shows %d seconds as %s", (seconds, shown) =>
  expect(formatDuration(seconds)).toBe(whole(shown)),
);

test("formatTimeLeft() says nothing where it would be a guess", () => {
  expect(formatTimeLeft(26_300_000, 3_240_000)).toBe(whole("8 sec left"));
  expect(formatTimeLeft(1e12, 1e5)).toBe("");
  for (const speed of [0, -1, Number.NaN]) expect(formatTimeLeft(1000, speed)).toBe("");
  expect(formatTimeLeft(0, 1000)).toBe("");
});

test("a fraction stays below the whole, and a percentage is never rounded up", () => {
  expect(fractionOf(50, 100)).toBe(0.5);
  expect(fractionOf(100, 100)).toBe(0.99);
  expect(fractionOf(200, 100)).toBe(0.99);
  expect(fractionOf(-1, 100)).toBe(0);
  expect(fractionOf(1, 0)).toBe(0);
  expect(formatPercent(0.299)).toBe("29%");
  expect(formatPercent(0.29)).toBe("29%");
  expect(formatPercent(1)).toBe("100%");
});

test("formatNumber() doesn't group, since widths and places aren't counted", () => {
  expect(formatNumber(1280)).toBe("1280");
  expect(formatNumber(5, 2)).toBe("05");
});

test.each([
  [0.2, "0:00"],
  [59.6, "1:00"],
  [3599, "59:59"],
  [36_000, "10:00:00"],
])("%d seconds are %s", (seconds, words) => {
  expect(formatLength(seconds)).toBe(words);
});
