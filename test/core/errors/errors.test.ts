import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { errorFacts } from "../../../core/errors/error-codes.ts";
import {
  assetUnknown,
  ConnectionError,
  InputError,
  ServiceError,
  UpcutError,
  UploadError,
  withResume,
} from "../../../core/errors/errors.ts";
import { type ErrorRecord, errorFromRecord, isUpcutError } from "../../../core/mod.ts";
import { caught, exposures } from "../../support/caught.ts";
import { MARKER } from "../../support/marker.ts";

const SENTENCE = "Cannot do it: too soon";
const classes = {
  InputError: (more?: Partial<ErrorRecord>) => new InputError("invalid-id", SENTENCE, more),
  ServiceError: (more?: Partial<ErrorRecord>) => new ServiceError("rejected", SENTENCE, more),
  ConnectionError: (more?: Partial<ErrorRecord>) => new ConnectionError("unreachable", SENTENCE, more),
  UploadError: (more?: Partial<ErrorRecord>) => new UploadError("interrupted", SENTENCE, more),
};
const facts = {
  retryable: true,
  httpStatus: 429,
  retryAfter: 5000,
  details: ["too many requests"],
  resume: { assetId: "asset-1", offset: 8, possible: true },
};

describe.each(Object.entries(classes))("%s", (name, make) => {
  const full = () => make(facts);
  const { code } = full();

  test("is an Error and an UpcutError that tells all, also in toJSON(), as a plain copy", () => {
    const error = full();
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(UpcutError);
    expect(error).toMatchObject({ name, code, message: SENTENCE, ...facts });
    expect(String(error)).toBe(`${name}: ${SENTENCE}`);
    expect(error.cause).toBeUndefined();
    expect(isUpcutError(error)).toBe(true);
    const record = error.toJSON();
    expect(record).toEqual({ name, code, message: SENTENCE, ...facts });
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
    expect(structuredClone(record)).toEqual(record);
    expect(JSON.parse(JSON.stringify(error))).toEqual(record);
    expect(record.details).not.toBe(error.details);
    expect(record.resume).not.toBe(error.resume);
    const shown = inspect(error);
    for (const fact of [name, code, "429", "too many requests", "asset-1"]) expect(shown).toContain(fact);
  });

  test("can't be changed by whoever catches it", () => {
    const error = full();
    const before = error.toJSON();
    expect(() => Object.assign(error.resume ?? {}, { possible: false })).toThrow(TypeError);
    expect(() => (error.details as string[]).push("another")).toThrow(TypeError);
    const names = [...new Set([...Object.keys(before), ...Object.keys(error), "message"])];
    expect(names).toEqual(expect.arrayContaining(["name", "code", "message", ...Object.keys(facts)]));
    for (const fact of names) {
      expect(() => Object.assign(error, { [fact]: "other" }), fact).toThrow(TypeError);
      expect(() => Object.defineProperty(error, fact, { value: "other" }), fact).toThrow(TypeError);
      expect(Reflect.deleteProperty(error, fact), fact).toBe(false);
    }
    expect(error.toJSON()).toEqual(before);
    expect(() => {
      // @ts-expect-error the compiler knows it too
      error.message = "other";
    }).toThrow(TypeError);
  });

  test("leaves out of toJSON() what it doesn't know", () => {
    const record = make().toJSON();
    const retryable = errorFacts(code).retryable;
    expect(record).toEqual({ name, code, message: SENTENCE, retryable });
    expect(Object.keys(record)).toEqual(["name", "code", "message", "retryable"]);
  });

  test("comes back from its record as the same class", () => {
    const record = JSON.parse(JSON.stringify(full()));
    const back = errorFromRecord(record);
    expect(back.constructor).toBe(full().constructor);
    expect(back.toJSON()).toEqual(record);
    expect(isUpcutError(back)).toBe(true);
  });

  test("gets what can be resumed after it, and stays thrown at the same place", () => {
    const error = full();
    const resume = { assetId: "asset-2", offset: 7, possible: false };
    const copy = withResume(error, resume);
    expect(copy.toJSON()).toEqual({ ...error.toJSON(), resume });
    expect(copy.name).toBe(error.name);
    const places = { value: error.stack, configurable: true, writable: true, enumerable: false };
    expect(Object.getOwnPropertyDescriptor(copy, "stack")).toEqual(places);
  });
});

test("errorFromRecord() chooses the class by the code, whatever name it comes with", () => {
  const record = new ServiceError("not-found", "Cannot do it", facts).toJSON();
  for (const name of ["InputError", "LaterError", "constructor", "toString", "__proto__", undefined]) {
    const error = errorFromRecord({ ...record, name } as never);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.toJSON()).toEqual(record);
  }
  for (const code of ["later-code", "constructor", "__proto__", undefined])
    expect(errorFromRecord({ ...record, code } as never).toJSON()).toEqual({
      ...record,
      name: "UploadError",
      code: "interrupted",
    });
});

test("the name and the code of another code's failure go along, and none of its text", () => {
  const failure = Object.assign(new TypeError(MARKER, { cause: new Error(MARKER) }), { code: "ENOENT" });
  const cause = { name: "TypeError", code: "ENOENT" };
  const error = new UploadError("interrupted", SENTENCE, { cause: failure });
  const back = errorFromRecord(JSON.parse(JSON.stringify(error)));
  const resumed = withResume(error, { assetId: "asset-2", offset: 7, possible: false });
  for (const each of [error, back, resumed, errorFromRecord(error)]) {
    expect(each.cause).toEqual(cause);
    expect(each.toJSON()).toMatchObject({ cause });
    expect(() => Object.assign(each.cause ?? {}, { name: "other" })).toThrow(TypeError);
    expect(inspect(each)).not.toContain(MARKER);
  }
  const told = (given: unknown) => errorFromRecord({ ...error.toJSON(), cause: given }).cause;
  expect(told({ name: MARKER, code: MARKER, message: MARKER, stack: MARKER })).toEqual({ name: "Error" });
  expect(told(MARKER)).toEqual({ name: "string" });
  expect(told(undefined)).toBeUndefined();
});

describe("errorFromRecord() of what is no record of an error", () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const others: [string, unknown][] = [
    ["null", null],
    ["nothing", undefined],
    ["{}", {}],
    ["a list", []],
    ["a number", 7],
    ["a BigInt", 7n],
    ["a symbol", Symbol("a")],
    ["a function", () => 7],
    ["an empty text", ""],
    ["a text", "Bad Gateway"],
    ["a page", "<html><title>Bad Gateway</title><body>…</body></html>"],
    ["a TypeError", new TypeError(MARKER)],
    ["an object that contains itself", circular],
    ["an object without a prototype", Object.create(null)],
    ["an object whose JSON fails", { toJSON: () => JSON.parse("{") }],
    ["a message that is none", { message: 7, code: "rejected", retryable: true }],
    ["a code alone", { code: "rejected" }],
  ];

  test.each(others)("takes %s for an unexpected answer", (_, given) => {
    const error = errorFromRecord(given);
    expect(error).toMatchObject({ name: "ServiceError", code: "unexpected-answer", retryable: false });
    expect(error.message).toMatch(/^Cannot go on: no error of this module was told/);
    expect(error.message).not.toMatch(/undefined$|\[object/);
    expect(inspect(error)).not.toContain(MARKER);
    expect(errorFromRecord(error.toJSON()).toJSON()).toEqual(error.toJSON());
    expect(errorFromRecord(given, 503)).toMatchObject({ code: "service-error", httpStatus: 503 });
  });

  test.each<[unknown, string[]]>([
    [{ message: "Not signed in" }, ["Not signed in"]],
    ['{"message":"Not signed in"}', ["Not signed in"]],
    [{ error: "no" }, ["no"]],
    [{ errors: [["one"], "two"] }, ["one", "two"]],
    [{ title: "Forbidden", detail: "no credit" }, ["no credit"]],
  ])("reads the sentences of %j", (given, details) => {
    const error = errorFromRecord(given, 401);
    expect(error).toMatchObject({ code: "unauthorized", httpStatus: 401, details });
    expect(error.message).toBe(`Cannot go on: the answer was 401: ${details.join("; ")}`);
  });

  test("keeps of a record what is of its type, and nothing of what isn't", () => {
    const odd = { retryable: "yes", httpStatus: "401", retryAfter: -1, details: [7], resume: { assetId: 7 } };
    expect(errorFromRecord({ code: "unauthorized", message: "no", ...odd }, 401).toJSON()).toEqual({
      name: "ServiceError",
      code: "unauthorized",
      message: "no",
      retryable: false,
      httpStatus: 401,
    });
  });
});

test("errorFromRecord() shows no more of a foreign record than of an error", () => {
  const long = "word ".repeat(4_000);
  const resume = { assetId: long, offset: 8, possible: true };
  const record = { code: "rejected", message: long, retryable: true, details: Array(99).fill(long), resume };
  const error = errorFromRecord(record);
  expect(error.message.length).toBeLessThanOrEqual(2_000);
  expect(JSON.stringify(error).length).toBeLessThan(6_000);
});

test("errorFromRecord() shows no secret of a foreign record", async () => {
  const record = {
    name: "LaterError",
    code: "not-found" as const,
    message: `Cannot do it: https://video.example/?token=${MARKER}`,
    retryable: false,
  };
  const error = errorFromRecord(record as never);
  expect(error).toMatchObject({ name: "ServiceError", code: "not-found" });
  await caught(() => {
    throw error;
  });
});

describe("isUpcutError()", () => {
  test("knows errors of another copy of the module", async () => {
    const copy = "../../../core/errors/errors.ts?another-copy";
    const other: typeof import("../../../core/errors/errors.ts") = await import(/* @vite-ignore */ copy);
    const error = new other.InputError("invalid-id", "Cannot do it");
    expect(error).not.toBeInstanceOf(InputError);
    expect(isUpcutError(error)).toBe(true);
  });

  test("knows nothing else", () => {
    const system = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    const others = [
      new Error("no"),
      system,
      new TypeError("no"),
      new DOMException("stopped", "AbortError"),
      new InputError("invalid-id", "Cannot do it").toJSON(),
      { name: "InputError", code: "invalid-id", toJSON() {} },
      "InputError",
      null,
      undefined,
      7,
    ];
    expect(others.filter(isUpcutError)).toEqual([]);
  });
});

test("what caught() looks through holds every fact of an error", () => {
  const secret = `${MARKER}-x`;
  const hidden = [
    new Error(secret),
    Object.assign(new Error("a"), { detail: { deep: secret } }),
    new Error("a", { cause: new Error(secret) }),
    Object.defineProperty(new Error("a"), "hidden", { value: secret, enumerable: false }),
    Object.assign(new Error("a"), { toJSON: () => secret }),
    secret,
  ];
  for (const error of hidden) expect(exposures(error).join("\n")).toContain(MARKER);
});

test("assetUnknown() says what kept the answer back, and crosses contexts as it is", () => {
  const record = assetUnknown("the browser ended").toJSON();
  expect(record).toMatchObject({ name: "ConnectionError", code: "asset-unknown", retryable: false });
  expect(record.message).toContain("the browser ended before the answer was stored. An asset may have been");
  expect(errorFromRecord(record).toJSON()).toEqual(record);
});
