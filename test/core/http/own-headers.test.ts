/** Headers of the caller's own, and the decision whether a failure is tried again: to whom they go, and what they are told. */
import { describe, expect, test } from "vitest";
import type { JournalEntry, UploadRecord } from "../../../core/journal/journal.ts";
import { discard, journalKey, memoryJournal, type UploadOptions, upload } from "../../../core/mod.ts";
import type { RetryDecision, RetryReport } from "../../../core/transfer/request.ts";
import { caught } from "../../support/caught.ts";
import { MiB, videoFile } from "../../support/content.ts";
import { FEW_TRIES, type HostileHost, PATIENT, startHostileHost } from "../../support/hosts/hostile-host.ts";
import { type RawAnswer, rawAnswer } from "../../support/hosts/raw-server.ts";
import { serveVideo } from "../../support/hosts/video-server.ts";
import { MARKER } from "../../support/marker.ts";

const video = () => videoFile(2 * MiB);
const resumably: UploadOptions = { ...PATIENT, method: "resumable" };
const KEY = `${MARKER}-key-of-the-caller`;

/** Answers so a number of times, and then as the host does. */
function answering(status: number, times: number, text = "no") {
  const answers: Partial<Record<"POST" | "PATCH", RawAnswer>> = {};
  answers.PATCH = (_, socket) => {
    if (--times <= 0) delete answers.PATCH;
    socket.end(rawAnswer(status, { "content-length": text.length, connection: "close" }, text));
  };
  return answers;
}

const keysAt = ({ requests }: HostileHost, path: RegExp) =>
  requests.filter((request) => path.test(request.path)).map(({ headers }) => headers["x-key"]);

describe("headers", () => {
  test.each([
    ["resumable", "POST"],
    ["direct", "PUT"],
  ] as const)("that are too long are named as the reason of a 431 by the %s method", async (method, call) => {
    const host = await startHostileHost({
      [call]: ((_, socket) => void socket.end(rawAnswer(431, { connection: "close" }))) satisfies RawAnswer,
    });
    const options = { ...PATIENT, method, headers: { "X-Key": "a".repeat(9_000) } };
    const error = await caught(upload(host.client(), video(), options));
    expect(error).toMatchObject({ code: "rejected", httpStatus: 431 });
    expect(error.message).toMatch(/A header is too long: check headers, or/);
  });

  test("of a client go to the base address alone, those of an upload to the upload host alone", async () => {
    const host = await startHostileHost();
    const server = await serveVideo(MiB);
    const account = host.client({ headers: { "X-Key": "base" } });
    await upload(account, new URL(server.url), { ...resumably, headers: { "X-Key": "upload" } });
    await account.terminateStream("launch");
    await server.close();
    expect(keysAt(host, /^\/(api|stream)/)).toEqual(["base", "base"]);
    expect(keysAt(host, /^\/tus/)).toEqual(["upload", "upload"]);
    expect(server.requests.filter(({ headers }) => "x-key" in headers)).toEqual([]);
  });

  test("are asked of a function for each request, which is told no secret", async () => {
    const host = await startHostileHost();
    const told: unknown[] = [];
    const headers = async (request: object) => {
      told.push(request);
      return { "X-Key": `${told.length}` };
    };
    await upload(host.client({ headers }), video(), { ...resumably, headers });
    const { origin } = host;
    expect(told).toEqual([
      { kind: "request-upload", method: "POST", origin, bytes: expect.any(Number) },
      { kind: "create", method: "POST", origin, bytes: 0 },
      { kind: "content", method: "PATCH", origin, bytes: 2 * MiB },
    ]);
    expect(host.requests.map(({ headers }) => headers["x-key"])).toEqual(["1", "2", "3"]);
    expect(JSON.stringify(told)).not.toContain(MARKER);
  });

  /** An upload that broke off, in a journal as another process reads it. */
  async function begun(host: HostileHost, change: (record: UploadRecord) => void = () => {}) {
    const journal = memoryJournal();
    const client = host.client({ account: "studio" });
    const options = { ...resumably, journal, headers: { "X-Key": KEY }, retry: { attempts: 0 } };
    expect(await caught(upload(client, video(), options))).toMatchObject({ code: "interrupted" });
    const key = (await journalKey(video())) ?? "";
    const entry = structuredClone(await journal.get(key)) as JournalEntry | undefined;
    for (const record of Object.values(entry?.uploads ?? {})) change(record);
    if (entry !== undefined) await journal.set(key, entry);
    return journal;
  }

  test("go along when another process resumes or discards the upload", async () => {
    for (const ends of [upload, discard]) {
      const host = await startHostileHost(answering(503, 1));
      const journal = await begun(host);
      const before = host.requests.length;
      const options = { ...PATIENT, journal, headers: { "X-Key": KEY } };
      await ends(host.client({ account: "studio" }), video(), options as object);
      const after = host.requests.slice(before).map(({ headers }) => headers["x-key"]);
      expect(after.length).toBeGreaterThan(1);
      expect(new Set(after)).toEqual(new Set([KEY]));
    }
  });

  test("don't go to a host that only a journal names", async () => {
    const [host, elsewhere] = [await startHostileHost(answering(503, 1)), await startHostileHost()];
    const journal = await begun(host, (record) => {
      Object.assign(record, { origins: [elsewhere.origin], uploadUrl: `${elsewhere.origin}/tus/upload` });
    });
    const options = { ...resumably, journal, headers: { "X-Key": KEY } };
    await upload(host.client({ account: "studio" }), video(), options);
    expect(keysAt(elsewhere, /./).length).toBeGreaterThan(1);
    expect(keysAt(elsewhere, /./)).not.toContain(KEY);
  });

  test("are secrets: what an answer repeats of them is hidden", async () => {
    const host = await startHostileHost(answering(400, 1, `bad key ${KEY}`));
    const error = await caught(upload(host.client(), video(), { ...resumably, headers: { "X-Key": KEY } }));
    expect(error).toMatchObject({ code: "rejected", httpStatus: 400 });
    expect(JSON.stringify(error)).not.toContain(KEY);
    const answer: RawAnswer = (_, socket) =>
      void socket.end(rawAnswer(400, { "content-length": KEY.length, connection: "close" }, KEY));
    const base = await startHostileHost({ terminate: answer });
    const refused = await caught(base.client({ headers: { "X-Key": KEY } }).terminateStream("launch"));
    expect(refused).toMatchObject({ code: "rejected", httpStatus: 400 });
    expect(JSON.stringify(refused)).not.toContain(KEY);
  });

  test.each<[string, () => unknown, string]>([
    ["fails", () => Promise.reject(new TypeError(KEY)), "the function of headers failed (TypeError)"],
    ["gives a text", () => KEY, "what the function of headers gave is a text, expected an object"],
    ["gives the protocol's", () => ({ "Upload-Offset": "9" }), '"Upload-Offset", which is set for each'],
    ["gives an authorization", () => ({ authorization: KEY }), 'gave holds "authorization": the client'],
  ])("whose function %s end the call", async (_, give, state) => {
    const host = await startHostileHost();
    const headers = give as () => Record<string, string>;
    for (const call of [
      () => upload(host.client(), video(), { ...resumably, headers }),
      () => host.client({ headers }).terminateStream("launch"),
    ]) {
      const error = await caught(call());
      expect(error).toMatchObject({ code: "invalid-option", message: expect.stringContaining(state) });
      expect(error.message).not.toContain(KEY);
    }
    expect(host.requests.map(({ path }) => path)).toEqual(["/api/asset/request-upload"]);
  });
});

describe("shouldRetry", () => {
  const deciding = (shouldRetry: RetryDecision): UploadOptions => ({
    ...resumably,
    retry: { ...FEW_TRIES, shouldRetry },
  });

  test("ends an upload at a failure that would be tried again, and keeps it", async () => {
    const host = await startHostileHost(answering(503, 9, MARKER));
    const told: RetryReport[] = [];
    const shouldRetry = (failure: RetryReport) => {
      told.push(failure);
      return failure.attempt < 2;
    };
    const error = await caught(upload(host.client(), video(), deciding(shouldRetry)));
    expect(error).toMatchObject({
      code: "interrupted",
      httpStatus: 503,
      message: expect.stringContaining("stopped as shouldRetry says"),
      resume: { possible: true },
    });
    const failure = { reason: "http-status", httpStatus: 503, retryAfter: undefined };
    expect(told).toEqual([
      { ...failure, attempt: 1 },
      { ...failure, attempt: 2 },
    ]);
    expect(host.countOf("PATCH")).toBe(2);
  });

  test("has what the host refused tried again, within the attempts", async () => {
    const reasons: string[] = [];
    const shouldRetry = async ({ reason }: RetryReport) => reasons.push(reason) > 0;
    const passing = await startHostileHost(answering(403, 1));
    expect((await upload(passing.client(), video(), deciding(shouldRetry))).asset.id).toBe("asset-1");
    expect(reasons).toEqual(["refused"]);
    const lasting = await startHostileHost(answering(403, 99));
    const error = await caught(upload(lasting.client(), video(), deciding(shouldRetry)));
    expect(error).toMatchObject({ code: "location-refused", httpStatus: 403 });
    expect(lasting.countOf("PATCH")).toBe(2);
  });

  test("isn't asked about a refusal of the account, nor of the host without a decision", async () => {
    const refusal: RawAnswer = (_, socket) =>
      void socket.end(rawAnswer(403, { "content-length": 2, connection: "close" }, "no"));
    const host = await startHostileHost({ "request-upload": refusal });
    const asked = deciding(() => true);
    expect(await caught(upload(host.client(), video(), asked))).toMatchObject({
      code: "forbidden",
    });
    expect(host.requests).toHaveLength(1);
    const other = await startHostileHost(answering(403, 1));
    const left = deciding(() => undefined);
    expect(await caught(upload(other.client(), video(), left))).toMatchObject({
      code: "location-refused",
    });
  });

  test("that fails ends the upload without what it said", async () => {
    const host = await startHostileHost(answering(503, 1));
    const shouldRetry = () => {
      throw new Error(KEY);
    };
    const error = await caught(upload(host.client(), video(), deciding(shouldRetry)));
    expect(error).toMatchObject({ code: "interrupted", resume: { possible: true } });
    expect(error.message).not.toContain(KEY);
  });
});
