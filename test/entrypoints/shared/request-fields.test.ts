import * as v from "valibot";
import { describe, expect, onTestFinished, test } from "vitest";
import { REQUEST_FIELDS } from "../../../core/extension.ts";
import {
  jsonText,
  nameProblem,
  policyTexts,
  profileTexts,
  readFurther,
  readPolicy,
  readProfile,
  textProblem,
} from "../../../entrypoints/shared/request-fields.ts";

const noPolicy = policyTexts(undefined);
const noProfile = profileTexts({});

test("request fields that were left empty are absent, never empty texts, nulls or empty lists", () => {
  expect(readPolicy({ ...noPolicy, type: "  ", allowedOrigins: "\n \n" })).toEqual({ value: undefined });
  expect(readPolicy({ ...noPolicy, type: "webhook" })).toEqual({ value: { type: "webhook" } });
  expect(readProfile(noProfile)).toEqual({ value: undefined });
  expect(readProfile({ ...noProfile, width: " 1280 " })).toEqual({ value: { width: 1280 } });
  expect(readFurther(" \n")).toEqual({ value: {} });
});

describe("request fields that were filled in", () => {
  test("come back as the same texts", () => {
    const policy = {
      type: "webhook",
      webhookId: "wh-1",
      webhookContext: { streamer: { id: "s-1" } },
      refreshInterval: 600,
      allowedOrigins: ["https://a.example", "https://b.example"],
    };
    const profile = {
      name: "720p",
      width: 1280,
      height: 720,
      bitrate: 3_000_000,
      quality: 23,
      fps: 30,
      fpsDen: 1,
      gop: "2.0",
      profile: "H264Baseline",
      encoder: "H.264",
    };
    expect(readPolicy(policyTexts(policy))).toEqual({ value: policy });
    expect(readProfile(profileTexts(profile))).toEqual({ value: profile });
    expect(readFurther(jsonText({ a: [1, "2"] }))).toEqual({ value: { a: [1, "2"] } });
  });

  test("keep a group of pictures that looks like a number as the text that a request says", () => {
    expect(readProfile({ ...noProfile, gop: "2" })).toEqual({ value: { gop: "2" } });
  });

  test.each(["1.5", "1e3", "12px", "0x10", "--1", "1,280"])("refuse %j where an integer belongs", (text) => {
    expect(readProfile({ ...noProfile, height: text })).toEqual({
      problems: { height: "Give a whole number." },
    });
    expect(readPolicy({ ...noPolicy, refreshInterval: text })).toHaveProperty("problems.refreshInterval");
  });

  test("tell every problem at once", () => {
    const read = readProfile({ ...noProfile, width: "wide", height: "high", name: "720p" });
    expect(Object.keys("problems" in read ? read.problems : {})).toEqual(["width", "height"]);
  });
});

test("a text is told to be too long by the limit of its field", () => {
  const { name } = REQUEST_FIELDS;
  onTestFinished(() => void Object.assign(REQUEST_FIELDS, { name }));
  Object.assign(REQUEST_FIELDS, { name: { ...name, schema: v.pipe(v.string(), v.maxLength(10)) } });
  expect(textProblem("name", "x".repeat(10))).toBeUndefined();
  expect(textProblem("name", "x".repeat(11))).toBe("Too long: 11 of at most 10 characters.");
});

describe("JSON of request fields", () => {
  test.each(["{", "webhook", "[1]", "null", "7", '"text"'])("refuses %j, which is no object", (text) => {
    expect(readFurther(text)).toHaveProperty("problems.further");
    expect(readPolicy({ ...noPolicy, webhookContext: text })).toHaveProperty("problems.webhookContext");
  });

  test("refuses a number that would be sent as another one", () => {
    expect(readFurther('{"id": 12345678901234567890}')).toEqual({
      problems: {
        further: "A number in it is too long to be kept exactly: put it in quotes.",
      },
    });
  });

  test.each(["name", "staticMp4", "playbackPolicy", "profiles"])("leaves %s to its own field", (field) => {
    expect(readFurther(JSON.stringify({ [field]: null }))).toHaveProperty("problems.further");
  });
});

describe("texts that a service can't read", () => {
  const NUL = "It contains a character that can't be sent (NUL). Remove it.";
  const HALF = "It contains half a character, which can't be sent. Type it again.";

  test.each([
    ["a\u0000b", NUL],
    ["a\ud800", HALF],
    ["\udc00b", HALF],
  ])("are told beside each field: %j", (text, problem) => {
    expect(nameProblem(text)).toBe(problem);
    expect(readPolicy({ ...noPolicy, webhookId: text })).toEqual({ problems: { webhookId: problem } });
    expect(readPolicy({ ...noPolicy, allowedOrigins: `*\n${text}` })).toEqual({
      problems: { allowedOrigins: problem },
    });
    expect(readProfile({ ...noProfile, name: text })).toEqual({ problems: { name: problem } });
    const values = [{ deep: [text] }, { [text]: 1 }, { deep: { [text]: {} } }];
    for (const json of values.map((value) => JSON.stringify(value))) {
      expect(readFurther(json)).toEqual({ problems: { further: problem } });
      expect(readPolicy({ ...noPolicy, webhookContext: json })).toEqual({
        problems: { webhookContext: problem },
      });
    }
  });

  test("a name is told to be missing or too long, with its size", () => {
    expect(nameProblem(" ")).toBe("Enter a name.");
    expect(nameProblem("x".repeat(150_000))).toBe("Too long: 150\u00a0kB of at most 120\u00a0kB.");
    expect(nameProblem("Video 🎬")).toBeUndefined();
  });
});
