/** What the faults have found, each as small as it can be. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createClient, upload } from "../../core/mod.ts";
import { caught } from "../caught.ts";
import { content, contentStream, sha256 } from "../content.ts";
import { type Lab, MiB, openLab } from "./lab.ts";
import { faulty } from "./proxy.ts";

const QUICK = { retry: { minDelay: 10, maxDelay: 50 }, filename: "film.mp4" };
let lab: Lab;

beforeAll(async () => {
  lab = await openLab({ parts: true });
});
afterEach(() => lab.reset());
afterAll(() => lab.close());

const client = () => createClient({ baseUrl: lab.api.url, token: lab.service.token });
const expectWhole = async (id: string, size: number) => {
  expect((await lab.service.whole(id)).sha256).toBe(sha256(content(size)));
  expect(await lab.service.assets()).toHaveLength(1);
};

test("a stream of unknown length announces its length once, also when its last part is cut", async () => {
  const size = 12 * MiB;
  lab.upload.choose = faulty("PATCH", { kind: "reset", after: 2 * MiB }, { skip: 1, times: 2 });
  const { asset } = await upload(client(), contentStream(size), QUICK);
  await expectWhole(asset.id, size);
});

test.each([
  ["resumable", "PATCH", "never carries 8 MiB at once"],
  ["direct", "PUT", 'use method "resumable"'],
] as const)("a line on which every %s attempt breaks is told as such", async (method, verb, words) => {
  lab.upload.choose = faulty(verb, { kind: "reset", after: 5 * MiB }, { times: 99 });
  const film = new File([content(20 * MiB)], "film.mp4", { lastModified: 1 });
  const account = client();
  const options = { method, retry: { attempts: 3, minDelay: 1 } };
  const error = await caught(upload(account, film, options));
  expect(error).toMatchObject({ code: "interrupted", retryable: true, kept: { bytes: 0, continues: true } });
  expect(error.message).toContain(words);
  // A service that fails says nothing about the line.
  lab.upload.choose = () => undefined;
  await lab.service.set({ answerStatus: [{ host: "upload", method: verb, status: 503 }] });
  const failing = await caught(upload(account, film, options));
  expect(failing).toMatchObject({ code: "interrupted", status: 503 });
  expect(failing.message).not.toContain("at once");
});

test("a page in place of the answer to a direct upload is no success", async () => {
  const page = { contentType: "text/html; charset=utf-8", body: "<!doctype html><title>Sign in</title>" };
  await lab.service.set({
    answerStatus: [{ host: "upload", method: "PUT", status: 200, times: 2, ...page }],
  });
  const film = new File([content(2 * MiB)], "film.mp4", { lastModified: 1 });
  const { asset } = await upload(client(), film, { ...QUICK, method: "direct" });
  await expectWhole(asset.id, 2 * MiB);
});
