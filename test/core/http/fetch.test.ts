import { expect, test } from "vitest";
import { checkedFetch } from "../../../core/http/fetch.ts";

const answer = { status: 200, body: null, headers: { get: () => null }, text: async () => "" };
const asked = (given: unknown) => checkedFetch(async () => given as Response)("https://video.example");

test.each<object>([{}, { status: 0 }, { status: 999 }, { body: { locked: false } }, { body: "read" }])(
  "checkedFetch() passes on an answer of any fetch: %j",
  async (more) => {
    const given = { ...answer, ...more };
    expect(await asked(given)).toBe(given);
  },
);

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["no headers", { ...answer, headers: null }],
  ["headers of another kind", { ...answer, headers: {} }],
  ["no status", { ...answer, status: "200" }],
  ["a status that is none", { ...answer, status: 99 }],
  ["a status that is too high", { ...answer, status: 1000 }],
  ["a broken status", { ...answer, status: 200.5 }],
  ["no text", { ...answer, text: undefined }],
  ["a body that is read already", { ...answer, body: { locked: true } }],
])("checkedFetch() refuses %s", async (_, given) => {
  await expect(asked(given)).rejects.toThrow("the given fetch gave no Response");
});
