import { expect, test } from "vitest";
import { createClient, memoryJournal, type UploadOptions } from "../../../core/mod.ts";
import { readUploadOptions } from "../../../core/upload/options.ts";
import { caught } from "../../support/caught.ts";

const account = { baseUrl: "https://video.example", token: "a-token" };
const client = createClient(account);
const reading = createClient({ ...account, paths: { asset: "/api/asset/{id}" } });
const MiB = 1024 * 1024;

test("options have their defaults", () => {
  const read = readUploadOptions(client, {});
  expect(read).toMatchObject({ method: "auto", resume: true, once: false, verify: false, request: {} });
  expect([read.bandwidth, read.chunkSize]).toEqual([undefined, undefined]);
  // Two calls share the journal of their requester.
  expect(read.journal).toBe(readUploadOptions(client, {}).journal);
  expect(read.journal).not.toBe(readUploadOptions(reading, {}).journal);
});

test("the request has the fields that were given, and further ones", () => {
  const given = { name: "", staticMp4: false, playbackPolicy: null, profiles: undefined };
  const { request } = readUploadOptions(client, { ...given, fields: { further: 1 } });
  expect(request).toEqual({ name: "", staticMp4: false, playbackPolicy: null, further: 1 });
});

test("what must be told later how far it came is sent resumably, unless it is to be sent directly", () => {
  for (const options of [{ once: true }, { verify: true }]) {
    expect(readUploadOptions(reading, options).method).toBe("resumable");
    expect(readUploadOptions(reading, { ...options, method: "direct" }).method).toBe("direct");
  }
});

test("options are taken at their bounds", () => {
  const journal = memoryJournal();
  const bounds = { chunkSize: 8 * MiB, bandwidth: 1024, journal, verify: false, resume: false } as const;
  const { bandwidth, hooks, ...read } = readUploadOptions(client, bounds);
  expect(read).toMatchObject({ chunkSize: 8 * MiB, journal, resume: false });
  expect([bandwidth === undefined, hooks === bounds]).toEqual([false, true]);
});

test.each<[object, string]>([
  [{ fields: { name: "a" } }, "fields.name has an option of its own: give name"],
  [{ fields: [] }, "fields is an empty list, expected an object"],
  [{ verify: true }, "verify needs to read the asset back"],
  [{ verify: 1 }, "true, false or a function that opens a sha-256"],
  [{ method: "post" }, "method"],
  [{ chunkSize: 0 }, "a multiple of 8388608"],
  [{ chunkSize: 8 * MiB + 1 }, "a multiple of 8388608"],
  [{ bandwidth: 1023 }, "bytes per second, 1024 or more"],
  [{ bandwidth: Number.POSITIVE_INFINITY }, "bytes per second, 1024 or more"],
  [{ furtherField: 1 }, "Further request fields go into fields"],
])("refuses %o", async (options, sentence) => {
  const error = await caught(() => readUploadOptions(client, options as UploadOptions));
  expect(error).toMatchObject({ code: "invalid-option", message: expect.stringContaining(sentence) });
});

test("refuses what is no requester", async () => {
  const error = await caught(() => readUploadOptions({} as never, {}));
  expect(error).toMatchObject({ name: "InputError" });
});
