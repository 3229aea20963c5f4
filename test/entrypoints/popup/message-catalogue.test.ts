import { expect, test } from "vitest";
import { WAITING_REASONS } from "../../../core/extension.ts";
import {
  BUTTON_KEYS,
  cancelledSentence,
  refusedFileSentence,
  stateKey,
  uploadedBeforeSentence,
  waitingSentence,
} from "../../../entrypoints/popup/message-catalogue.ts";
import { formatTime } from "../../../entrypoints/shared/format.ts";
import { STATES } from "../../../entrypoints/shared/job.ts";
import { t } from "../../../entrypoints/shared/translate.ts";
import { asset, makeJob } from "../../support/extension/pages/jobs.ts";

test("no two states and no two buttons say the same", () => {
  for (const keys of [STATES.map(stateKey), Object.values(BUTTON_KEYS)]) {
    const said = keys.map((key) => (key === "button.allowHost" ? t(key, { host: "a.example" }) : t(key)));
    expect(new Set(said).size).toBe(said.length);
  }
});

const now = 1_700_000_000_000;
const time = (later: number) => formatTime(now + later);
const WAITING = [
  ["connection", now + 3200, "Connection lost. Trying again in 4\u00a0sec."],
  ["connection", now - 1, "Connection lost. Trying again."],
  ["stalled", now + 1000, "Nothing was sent for a while. Trying again in 1\u00a0sec."],
  ["unanswered", undefined, "The service didn't answer. Trying again."],
  ["http-status", now + 90_000, `The service can't take the upload now. Trying again at ${time(90_000)}.`],
  ["rate-limited", now + 59_000, "Too many requests. Trying again in 59\u00a0sec."],
  ["rate-limited", now + 3_600_000, `Too many requests. Trying again at ${time(3_600_000)}.`],
  ["offset", now + 500, "Some data was lost on the way; sending it again. Trying again in 1\u00a0sec."],
  ["not-found", now + 500, "The service can't find the upload right now. Checking again in 1\u00a0sec."],
  ["settling", now + 12_500, "Checking what arrived. Resumes in 13\u00a0sec."],
  ["settling", now - 1, "Checking what arrived."],
  ["offline", undefined, "Offline. Resumes when the network is back."],
] as const;
test.each(WAITING)("waitingSentence() tells %s until %s", (reason, until, sentence) => {
  expect(waitingSentence({ reason, until, attempt: 1 }, now)).toBe(sentence);
});

test("waitingSentence() is asked for every reason", () => {
  expect(new Set(WAITING.map(([reason]) => reason))).toEqual(new Set(WAITING_REASONS));
});

test("refusedFileSentence() names both files, or that one was changed", () => {
  const { source: file } = makeJob("needs-file");
  expect(refusedFileSentence(file, { ...file, name: "other.mp4", size: 3_100_000 })).toBe(
    "This is another file: “other.mp4” (3.1\u00a0MB). Choose “holiday-2024.mp4” (48.2\u00a0MB).",
  );
  expect(refusedFileSentence(file, { ...file, lastModified: 1 })).toContain("has other content");
  expect(refusedFileSentence(file, { ...file, size: 48_200_001 })).toContain("has other content");
});

test("cancelledSentence() says what stays in the account", () => {
  expect(cancelledSentence(makeJob("cancelled"))).toContain("before anything was sent");
  expect(cancelledSentence(makeJob("cancelled", { asset, endedAtService: true }))).toContain(
    "The empty video “holiday-2024” stays in the account",
  );
  expect(cancelledSentence(makeJob("cancelled", { asset, endedAtService: false }))).toContain(
    "couldn't be reached",
  );
});

test.each([
  [1, "Uploaded today. Upload again?"],
  // By the calendar, not by the clock.
  [10, "Uploaded yesterday. Upload again?"],
  [72, "Uploaded 3\u00a0days\u00a0ago. Upload again?"],
  [24 * 60, "Uploaded Mar 18, 2026. Upload again?"],
])("what was uploaded %d hours ago is told as: %s", (hours, sentence) => {
  const now = new Date(2026, 4, 17, 9).getTime();
  expect(uploadedBeforeSentence(now - hours * 3_600_000, now)).toBe(sentence);
});
