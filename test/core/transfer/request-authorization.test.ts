/** Which upload hosts get the account's authorization once a journal has been read, whoever wrote it. */
import { describe, expect, test } from "vitest";
import type { JournalEntry, UploadRecord } from "../../../core/journal/journal.ts";
import { type ClientOptions, discard, journalKey, memoryJournal, upload } from "../../../core/mod.ts";
import { guardedRequester } from "../../../core/service/requester.ts";
import { proofOf } from "../../../core/transfer/request.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { contentHash, MiB, videoFile } from "../../support/content.ts";
import { PATIENT, startHostileHost } from "../../support/hosts/hostile-host.ts";

const service = useService();
const video = () => videoFile(2 * MiB);
const QUICK = { timeout: { settle: 50 } };
const client = (options: Partial<ClientOptions> = {}) =>
  service.client({ account: "studio", uploadAuthorization: true, ...options });

/** A journal with an upload whose connection broke, as its store holds it and anybody may change it who can write there. */
async function begun(change: (record: UploadRecord) => void = () => {}) {
  const journal = memoryJournal();
  await service.set({
    uploadAuthorization: "required",
    resetAfter: [{ host: "upload", method: "PATCH", bytes: MiB }],
  });
  await caught(upload(client(), video(), { journal, retry: { attempts: 0 } }));
  await service.set({ resetAfter: [] });
  const key = (await journalKey(video())) ?? "";
  const entry = structuredClone((await journal.get(key)) as JournalEntry | undefined);
  for (const record of Object.values(entry?.uploads ?? {})) change(record);
  if (entry !== undefined) await journal.set(key, entry);
  return journal;
}

test("a resumed upload gets the authorization where the journal says what the service had said", async () => {
  const journal = await begun();
  const { resumed, asset } = await upload(client(), video(), { ...QUICK, journal });
  expect(resumed).toBe(true);
  expect((await service.whole(asset.id)).sha256).toBe(contentHash(2 * MiB));
  expect((await service.requests()).every(({ hasAuthorization }) => hasAuthorization)).toBe(true);
});

describe("a journal that somebody else has written to", () => {
  test.each<[string, (record: UploadRecord, origin: string) => void]>([
    [
      "names another host",
      (record, origin) => Object.assign(record, { origins: [...(record.origins ?? []), origin] }),
    ],
    ["names the hosts that the service named, and an address elsewhere", () => {}],
    ["names another host alone", (record, origin) => Object.assign(record, { origins: [origin] })],
    [
      "names no host, and another location",
      (record, origin) => {
        delete record.origins;
        record.location = `${origin}/tus?token=a`;
      },
    ],
    [
      "names another host, and proves nothing",
      (record, origin) => {
        delete record.proof;
        record.origins = [origin];
      },
    ],
    [
      "names another host, and holds what is no proof",
      (record, origin) => Object.assign(record, { origins: [origin], proof: [record.proof] }),
    ],
  ])("and %s gets no token there: the upload goes on without it", async (_, change) => {
    const elsewhere = await startHostileHost();
    const uploadUrl = `${elsewhere.origin}/tus/upload`;
    const journal = await begun((record) => {
      change(record, elsewhere.origin);
      record.uploadUrl = uploadUrl;
    });
    const { resumed } = await upload(client(), video(), { ...PATIENT, journal });
    expect(resumed).toBe(true);
    expect(elsewhere.requests.map(({ method }) => method)).toContain("PATCH");
    for (const { headers } of elsewhere.requests) expect(headers).not.toHaveProperty("authorization");
  });

  test("gets none when what it names is discarded", async () => {
    const elsewhere = await startHostileHost();
    const journal = await begun((record) =>
      Object.assign(record, { origins: [elsewhere.origin], uploadUrl: `${elsewhere.origin}/tus/upload` }),
    );
    await discard(client(), video(), { journal });
    expect(elsewhere.requests.length).toBeGreaterThan(0);
    for (const { headers } of elsewhere.requests) expect(headers).not.toHaveProperty("authorization");
  });
});

describe("a token that was renewed", () => {
  const renewed = () => client({ token: service.otherToken });

  test("is not sent, and the refusal of a host that asks for it says why", async () => {
    const journal = await begun();
    const error = await caught(upload(renewed(), video(), { ...QUICK, journal }));
    expect(error).toMatchObject({ code: "location-refused", httpStatus: 401 });
    expect(error.message).toMatch(/Neither authorization nor headers were sent.*another token/);
    // Dropped is nothing: the token that began it goes on.
    expect((await upload(client(), video(), { ...QUICK, journal })).resumed).toBe(true);
  });

  test("resumes the upload without it where the host asks for none", async () => {
    const journal = await begun();
    await service.set({ uploadAuthorization: "ignored" });
    const { resumed, asset } = await upload(renewed(), video(), { ...QUICK, journal });
    expect(resumed).toBe(true);
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(2 * MiB));
  });
});

test("a token that is new for each call goes along in all requests of an upload", async () => {
  const host = await startHostileHost();
  let count = 0;
  const token = () => `account-token-${++count}`;
  const account = host.client({ token, uploadAuthorization: true });
  await upload(account, video(), { ...PATIENT, method: "resumable" });
  expect(host.requests.length).toBeGreaterThan(2);
  for (const { headers } of host.requests)
    expect(headers.authorization).toMatch(/^Bearer account-token-\d+$/);
});

test("headers of a service without tokens prove hosts to whoever sends the same ones alone", async () => {
  const requester = guardedRequester("upload", { scope: "studio", requestUpload: () => Promise.reject() });
  const proofFor = (key: string) => proofOf(requester, { "x-key": key }, ["https://upload.example"]);
  expect(await proofFor("one")).toBe(await proofFor("one"));
  expect(await proofFor("one")).not.toBe(await proofFor("another"));
});

test("an upload goes on where its requester has an authorization without a token", async () => {
  const host = await startHostileHost();
  const { scope, requestUpload } = host.client();
  const requester = { scope, requestUpload, uploadHeaders: async () => ({ Authorization: "Bearer " }) };
  const { asset } = await upload(requester, video(), { ...PATIENT, method: "resumable" });
  expect(asset.id).toBe("asset-1");
});
