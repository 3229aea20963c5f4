/** What a refusal by the upload host means, and what of it may be said. */
import { describe, expect, test } from "vitest";
import { Host } from "../../../core/hosts/host.ts";
import type { UploadRecord } from "../../../core/journal/journal.ts";
import { HIDDEN } from "../../../core/redaction/redaction.ts";
import {
  connectionFailed,
  Interruption,
  isInterruption,
  refusalOf,
  refuseStreams,
} from "../../../core/transfer/interruption.ts";
import { MiB } from "../../support/content.ts";
import { MARKER } from "../../support/marker.ts";

const location = `https://upload.example/tus?token=${MARKER}`;
const record: UploadRecord = { method: "resumable", asset: { id: "a" }, mismatches: [], location };

const REFUSED_PART =
  "takes no request of 8 MiB, the least that can be sent. Ask whoever runs it to allow more, such as by client_max_body_size 8m in nginx";

/** What an answer to an upload means. */
function read(
  status: number,
  at: "location" | "upload" = "upload",
  {
    text = "",
    headers = {},
    secrets = [],
    acknowledged = 0,
    method = "resumable",
    bytes = 0,
  }: Partial<{
    text: string;
    headers: Record<string, string>;
    secrets: string[] | "unknown";
    acknowledged: number;
    method: UploadRecord["method"];
    bytes: number;
  }> = {},
) {
  const upload = {
    isUnproven: false,
    host: "https://upload.example",
    bytes,
    secrets: secrets === "unknown" ? undefined : secrets,
    record: { ...record, method, acknowledged },
  };
  const header = (name: string) => headers[name];
  return refusalOf(upload, { status, text, header }, at);
}

/** The error that ends the upload after an answer. */
function errorOf(...answer: Parameters<typeof read>) {
  const { error } = read(...answer);
  if (error === undefined) throw new Error("it ends no upload");
  return error;
}

describe("refusalOf()", () => {
  test.each([408, 409, 423, 425, 429, 500, 503])("of %d is an interruption", (status) => {
    const headers = { "retry-after": "7" };
    const found = read(status, "upload", { headers });
    expect(found).toMatchObject({
      name: "Interruption",
      reason: status === 429 ? "rate-limited" : "http-status",
      httpStatus: status,
      retryAfter: 7000,
      message: `the upload host answered ${status}`,
      error: undefined,
    });
  });

  test("of 404 for an upload is an interruption that ends as an upload that is gone", () => {
    const found = read(404);
    expect(found).toMatchObject({ name: "Interruption", reason: "not-found", httpStatus: 404 });
    expect(found).toMatchObject({ error: { code: "upload-gone", httpStatus: 404 } });
  });

  test.each([
    [410, "upload", "UploadError", "upload-gone"],
    [404, "location", "UploadError", "location-refused"],
    [410, "location", "UploadError", "location-refused"],
    [401, "upload", "UploadError", "location-refused"],
    [403, "location", "UploadError", "location-refused"],
    [411, "upload", "UploadError", "length-refused"],
    [422, "location", "UploadError", "location-refused"],
    [422, "upload", "ServiceError", "rejected"],
    [400, "location", "ServiceError", "rejected"],
    [501, "upload", "ServiceError", "rejected"],
  ] as const)("of %d for the %s is a %s: %s", (status, at, name, code) => {
    expect(read(status, at)).toMatchObject({ name: "Interruption", reason: "refused", httpStatus: status });
    const found = errorOf(status, at);
    expect(found).toMatchObject({ name, code, httpStatus: status, details: undefined });
    expect(found.message).toContain(`Cannot upload: the upload host answered ${status}`);
  });

  test("of 404 says to check the address where the host has never had bytes of the upload", () => {
    const told = (acknowledged: number) => errorOf(410, "upload", { acknowledged }).message;
    expect(told(1)).toContain("any more");
    expect(told(0)).toContain("check whether a proxy changes addresses");
    expect(told(0)).not.toContain("any more");
  });

  test.each([
    [422, "resumable", "Start a new upload"],
    [431, "resumable", "give a shorter filename"],
  ] as const)("of %d by the %s method names what helps", (status, method, step) => {
    expect(errorOf(status, "upload", { method }).message).toContain(step);
  });

  test.each([
    ["resumable", "upload", 8 * MiB, REFUSED_PART],
    ["direct", "location", 100_000, REFUSED_PART.replace("8 MiB", "1 MiB")],
    [
      "direct",
      "location",
      8 * MiB + 1,
      'takes no request of 9 MiB: use method "resumable", which sends less at a time',
    ],
    [
      "resumable",
      "location",
      98 * MiB,
      "takes no file of 98 MiB: give a smaller one, or ask whoever runs it to allow more",
    ],
  ] as const)(
    "of 413 by the %s method for the %s and %d bytes says who takes what",
    (method, at, bytes, says) => {
      const { message } = errorOf(413, at, { method, bytes });
      expect(message).toBe(`Cannot upload: the upload host answered 413. https://upload.example ${says}`);
    },
  );

  test.each([
    [401, "no longer valid"],
    [403, "no longer valid"],
    [422, "has been used up"],
  ])("of %d for the location says so of it", (status, words) => {
    expect(errorOf(status, "location").message).toContain(words);
  });

  test("says what the host says, without the secrets that it was sent", () => {
    const text = JSON.stringify({ errors: ["one", `no ${location} for a-long-token`] });
    const found = errorOf(400, "upload", { text, secrets: ["a-long-token"] });
    expect(found.message).toContain("answered 400: [hidden");
    expect(found).toMatchObject({ details: [HIDDEN] });
    expect(found.message).not.toContain(MARKER);
  });

  test("says nothing of it where it isn't known what was sent", () => {
    const found = errorOf(400, "upload", { text: '{"errors":["one"]}', secrets: "unknown" });
    expect(found.message).toBe("Cannot upload: the upload host answered 400");
  });
});

test("an Interruption carries why, and nothing that wasn't given", () => {
  const plain = new Interruption("stalled", "words");
  expect({ ...plain }).toEqual({
    name: "Interruption",
    reason: "stalled",
    httpStatus: undefined,
    retryAfter: undefined,
    error: undefined,
  });
  expect(plain.message).toBe("words");
  expect(new Interruption("refused", "", plain).reason).toBe("refused");
  expect(new Interruption("http-status", "", { httpStatus: 503, retryAfter: 7 })).toMatchObject({
    httpStatus: 503,
    retryAfter: 7,
  });
});

test("isInterruption() holds time limits, conflicts, locks, rate limits and failing servers to pass", () => {
  const passing = [408, 409, 423, 425, 429, 500, 502, 503, 504, 507, 599];
  const lasting = [200, 204, 301, 307, 400, 401, 403, 404, 405, 410, 411, 412, 413, 415, 416, 422, 460, 501];
  expect(passing.filter((status) => !isInterruption(status))).toEqual([]);
  expect(lasting.filter(isInterruption)).toEqual([]);
});

test("connectionFailed() ends the upload where this program may not connect, and only there", () => {
  const refused = Object.assign(new Error("no"), { code: "ECONNREFUSED" });
  const forbidden = Object.assign(new Error("no"), { name: "NotCapable" });
  expect(connectionFailed(refused)).toMatchObject({ name: "Interruption", reason: "connection" });
  expect(connectionFailed(forbidden)).toMatchObject({
    name: "ConnectionError",
    code: "unreachable",
    retryable: false,
  });
});

test("refuseStreams() keeps in mind that a host takes no bodies of unknown length", () => {
  for (const status of [400, 411, 413, 501]) {
    const host = new Host();
    expect(() => refuseStreams(host, status)).toThrow(Interruption);
    expect(host.takesStreams).toBe(false);
  }
  const host = new Host();
  for (const status of [undefined, 404, 503]) refuseStreams(host, status);
  expect(host.takesStreams).toBe(true);
});
