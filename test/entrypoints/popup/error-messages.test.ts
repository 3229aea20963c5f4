import { describe, expect, test } from "vitest";
import { ERROR_CODES, isErrorCode } from "../../../core/extension.ts";
import type { ErrorRecord } from "../../../core/mod.ts";
import { errorKey, errorSentences, resumeSentence } from "../../../entrypoints/popup/error-messages.ts";
import { FAULT } from "../../../entrypoints/shared/fault.ts";
import { t } from "../../../entrypoints/shared/translate.ts";
import { asset, failure, makeJob } from "../../support/extension/pages/jobs.ts";

test("every error is said in whole sentences, without the words of programs", () => {
  for (const code of Object.keys(ERROR_CODES).filter(isErrorCode)) {
    const sentence = t(errorKey(code));
    expect(sentence, code).toMatch(/^[A-Z].*[.?]$/s);
    expect(sentence, code).not.toMatch(/undefined|null|HTTP|\b[45]\d\d\b|baseUrl|journal|tus\b/);
  }
});

describe("errorSentences()", () => {
  test("a fault of the extension is not laid on the service", () => {
    expect(errorSentences(FAULT)).toEqual([
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
    ["credential disallows CORS access from origin chrome-extension://x", /Connect again/, /restrict/],
    [
      "access forbidden for CORS-enabled API key with restricted access",
      /restriction that blocks Upcut/,
      /Connect/,
    ],
    ["origin not allowed", /Connect again.*may be restricted/, /undefined/],
  ])("says after “%s” what helps, and nothing that doesn't", (sentence, helps, misleads) => {
    const said = errorSentences(failure("origin-refused", { details: [sentence] })).join(" ");
    expect(said).toMatch(helps);
    expect(said).not.toMatch(misleads);
  });

  test("claims neither cause of a refused origin where the service's sentence is not known", () => {
    expect(errorSentences(failure("origin-refused"))).toEqual([t("error.originRefused")]);
  });

  test("names the field of a request that can't be sent", () => {
    const error = failure("invalid-request", {
      message: "Cannot request: width is a list, expected an integer",
    });
    expect(errorSentences(error).at(-1)).toBe("Cannot request: width is a list, expected an integer.");
  });

  test("names the host that takes no request of such a size", () => {
    const message =
      "Cannot upload: the upload host answered 413. https://host.example takes no request of 8 MiB";
    expect(errorSentences(failure("rejected", { httpStatus: 413, message })).at(-1)).toBe(`${message}.`);
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

  test.each([
    [429, "Too many requests."],
    [503, "The service can't take the upload now."],
  ])("lays an upload that %i broke off not on the connection", (httpStatus, sentence) => {
    expect(errorSentences(failure("interrupted", { httpStatus }))[0]).toBe(sentence);
  });

  test("names the time the service asked for", () => {
    expect(errorSentences(failure("rate-limited", { retryAfter: 90_000 }))).toContain(
      "Try again in 2\u00a0min.",
    );
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
  expect(resumeSentence(failure("interrupted", { resume }), 48_000_000)).toContain(
    "8\u00a0MB of 48\u00a0MB uploaded",
  );
  expect(resumeSentence(failure("interrupted", { resume: { ...resume, offset: 0 } }), 1)).toContain(
    "same video",
  );
  expect(resumeSentence(failure("upload-gone", { resume: { ...resume, possible: false } }), 1)).toContain(
    "asset-1",
  );
});
