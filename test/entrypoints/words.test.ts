import { describe, expect, test } from "vitest";
import type { ErrorRecord } from "../../core/mod.ts";
import { ERROR_KEYS, errorSentences, resumeSentence } from "../../entrypoints/popup/error-messages.ts";
import {
  BUTTON_KEYS,
  cancelledSentence,
  refusedFileSentence,
  STATE_KEYS,
  waitingSentence,
} from "../../entrypoints/popup/message-catalogue.ts";
import { faultOf } from "../../entrypoints/shared/fault.ts";
import { t } from "../../entrypoints/shared/translate.ts";
import { asset, failure, makeJob } from "./pages/jobs.ts";

test("every error is said in whole sentences, without the words of programs", () => {
  for (const [code, key] of Object.entries(ERROR_KEYS)) {
    const sentence = t(key);
    expect(sentence, code).toMatch(/^[A-Z].*[.?]$/s);
    expect(sentence, code).not.toMatch(/undefined|null|HTTP|\b[45]\d\d\b|baseUrl|journal|tus\b/);
  }
});

test("no two states and no two buttons say the same", () => {
  for (const keys of [STATE_KEYS, BUTTON_KEYS]) {
    const said = Object.values(keys).map((key) => t(key));
    expect(new Set(said).size).toBe(said.length);
  }
});

describe("errorSentences()", () => {
  test("a fault of the extension is not laid on the service ", () => {
    expect(errorSentences(faultOf("request an upload location"))).toEqual([
      "Something went wrong inside Upcut. Nothing was sent. Try again.",
    ]);
    expect(errorSentences(failure("service-error"))[0]).toContain("service");
  });

  test("adds what the service said", () => {
    const error = failure("rejected", { details: ["name must be string", "", "profiles is empty"] });
    expect(errorSentences(error).join(" ")).toBe(
      "The service refuses the request. The service said: “name must be string; profiles is empty”.",
    );
  });

  test.each([
    ["credential disallows CORS access from origin chrome-extension://x", /Save the address/, /restrict/],
    ["access forbidden for CORS-enabled API key with restricted access", /without that restriction/, /Save/],
    ["origin not allowed", /Save the address.*restricted to certain web pages/, /undefined/],
  ])("says after “%s” what helps, and nothing that doesn't", (sentence, helps, misleads) => {
    const said = errorSentences(failure("origin-refused", { details: [sentence] })).join(" ");
    expect(said).toMatch(helps);
    expect(said).not.toMatch(misleads);
  });

  test("claims neither cause of a refused origin where the service's sentence is not known", () => {
    expect(errorSentences(failure("origin-refused"))).toEqual([t(ERROR_KEYS["origin-refused"])]);
  });

  test("names the field of a request that can't be sent", () => {
    const error = failure("invalid-request", {
      message: "Cannot request: width is a list, expected an integer",
    });
    expect(errorSentences(error).at(-1)).toBe("Cannot request: width is a list, expected an integer.");
  });

  test("names what a webhook policy may lack after the service failed to give a location", () => {
    const error = failure("service-error", { httpStatus: 500 });
    const hint =
      "The service has a problem. The playback policy has the type webhook but no webhook id, which may be the cause. Add the id, or try again later.";
    const { fields } = makeJob("failed");
    const lacking = { ...fields, playbackPolicy: { type: "webhook" } };
    expect(errorSentences(error, { fields: lacking })).toEqual([hint]);
    expect(errorSentences(error, { fields })).not.toContain(hint);
    expect(errorSentences(failure("rejected", { httpStatus: 422 }), { fields: lacking })).not.toContain(hint);
    const whole = { ...fields, playbackPolicy: { type: "webhook", webhookId: "hook-1" } };
    expect(errorSentences(error, { fields: whole })).not.toContain(hint);
    // Then it was not the request for a location that failed.
    expect(errorSentences(error, { fields: lacking, asset })).not.toContain(hint);
  });

  test("names the time the service asked for", () => {
    expect(errorSentences(failure("rate-limited", { retryAfter: 90_000 }))).toContain("Try again in 2 min.");
  });

  test("falls back to the message for a code of another version", () => {
    const error = {
      ...failure("rejected"),
      code: "new-code",
      message: "Cannot upload",
    } as unknown as ErrorRecord;
    expect(errorSentences(error)).toEqual(["Cannot upload"]);
  });
});

test("resumeSentence() tells what goes on from what only stays behind", () => {
  const resume = { assetId: "asset-1", offset: 8_000_000, possible: true };
  expect(resumeSentence(failure("interrupted"), 1)).toBe("");
  expect(resumeSentence(failure("interrupted", { resume }), 48_000_000)).toContain("8 MB of 48 MB uploaded");
  expect(resumeSentence(failure("interrupted", { resume: { ...resume, offset: 0 } }), 1)).toContain(
    "same video",
  );
  expect(resumeSentence(failure("upload-gone", { resume: { ...resume, possible: false } }), 1)).toContain(
    "asset-1",
  );
});

describe("waitingSentence()", () => {
  const now = 1_700_000_000_000;
  test.each([
    ["connection", now + 3200, "Connection lost. Trying again in 4 sec."],
    ["connection", now - 1, "Connection lost. Trying again."],
    ["stalled", now + 1000, "Nothing was sent for a while. Trying again in 1 sec."],
    ["unanswered", undefined, "The service didn't answer. Trying again."],
    ["http-status", now + 90_000, "The service can't take the upload now. Trying again in 2 min."],
    ["offset", now + 500, "The service has received less than was sent. Checking again in 1 sec."],
    ["not-found", now + 500, "The service can't find the upload right now. Checking again in 1 sec."],
    ["settling", now + 500, "The service may still be storing what it received. Resumes in a moment."],
    ["offline", undefined, "Offline. Resumes when the network is back."],
  ] as const)("%s until %s", (reason, until, sentence) => {
    expect(waitingSentence({ reason, until, attempt: 1 }, now)).toBe(sentence);
  });
});

test("refusedFileSentence() names both files, or that one was changed", () => {
  const { source: file } = makeJob("needs-file");
  expect(refusedFileSentence(file, { ...file, name: "other.mp4", size: 3_100_000 })).toBe(
    "This is another file: “other.mp4” (3.1 MB). Choose “holiday-2024.mp4” (48.2 MB).",
  );
  expect(refusedFileSentence(file, { ...file, lastModified: 1 })).toContain("has changed since");
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
