import { describe, expect, test } from "vitest";
import type { JournalEntry } from "../../core/journal/journal.ts";
import {
  type Client,
  discard,
  type Journal,
  journalKey,
  memoryJournal,
  type Progress,
  upload,
} from "../../core/mod.ts";
import { useService } from "../service/use-service.ts";
import { caught } from "../support/caught.ts";
import { contentHash, MiB, videoFile } from "../support/content.ts";
import { IMPATIENT, startHostileHost } from "../support/hosts/hostile-host.ts";
import { rawAnswer } from "../support/hosts/raw-server.ts";

const service = useService();
const video = () => videoFile(2 * MiB);

const { retry = {}, timeout = {} } = IMPATIENT;
const LIMITS = { retry, timeout };
const QUICK = { timeout: { settle: 50 } };

/** Begins the upload of a video, whose connection breaks before the service has it whole. */
async function begin(requester: Client, journal?: Journal) {
  await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: MiB }] });
  await caught(upload(requester, video(), { ...(journal && { journal }), retry: { attempts: 0 } }));
  await service.set({ resetAfter: [] });
  return requester;
}

describe("discard()", () => {
  test("ends the unfinished upload at the service and forgets it", async () => {
    const journal = memoryJournal();
    await begin(service.client(), journal);
    const { assets, ended } = await discard(service.client(), video(), { journal });
    expect(ended).toBe(1);
    expect(assets).toHaveLength(1);
    expect(await service.uploads()).toMatchObject([{ terminated: true }]);
    const again = await upload(service.client(), video(), { journal });
    expect(again.resumed).toBe(false);
    expect(again.asset.id).not.toBe(assets[0]?.id);
  });

  test("never ends what is whole, or what its store has swept away: it is forgotten", async () => {
    const journal = memoryJournal();
    await service.set({ dropAnswer: [{ host: "upload", method: "PATCH" }] });
    await caught(upload(service.client(), video(), { journal, retry: { attempts: 0 } }));
    await service.set({ dropAnswer: [] });
    const { assets, ended } = await discard(service.client(), video(), { journal });
    expect([assets.length, ended]).toEqual([1, 0]);
    expect((await service.whole(assets[0]?.id ?? "")).sha256).toBe(contentHash(2 * MiB));
    await begin(service.client(), journal);
    await service.set({ swept: new Date().toISOString() });
    expect(await discard(service.client(), video(), { journal })).toMatchObject({ ended: 0 });
    expect(await service.requests("DELETE")).toEqual([]);
    expect((await discard(service.client(), video(), { journal })).assets).toEqual([]);
  });

  test("never ends what may be whole, where it isn't shown how far it is", async () => {
    const journal = memoryJournal();
    const host = await startHostileHost({
      PATCH: (_, socket) => void socket.destroy(),
      HEAD: (_, socket) => void socket.write(rawAnswer(200, { "content-length": 0 })),
    });
    await caught(upload(host.client(), video(), { ...IMPATIENT, method: "resumable", journal }));
    const { assets, ended } = await discard(host.client(), video(), { ...LIMITS, journal });
    expect([assets.length, ended, host.countOf("DELETE")]).toEqual([1, 0, 0]);
  });

  test("leaves what another account began with the same file", async () => {
    const journal = memoryJournal();
    await begin(service.client(), journal);
    await begin(service.client({ token: service.otherToken }), journal);
    const { assets, ended } = await discard(service.client(), video(), { journal });
    expect([assets.length, ended]).toEqual([1, 1]);
    expect(await service.uploads()).toMatchObject([{ terminated: true }, { terminated: false }]);
    const other = await upload(service.client({ token: service.otherToken }), video(), { ...QUICK, journal });
    expect(other.resumed).toBe(true);
    expect((await discard(service.client(), video(), { journal })).assets).toEqual([]);
  });

  test("ends what was stored before accounts were noted", async () => {
    const journal = memoryJournal();
    await begin(service.client(), journal);
    const key = (await journalKey(video())) ?? "";
    const entry = (await journal.get(key)) as JournalEntry | undefined;
    for (const record of Object.values(entry?.uploads ?? {})) delete record.account;
    if (entry !== undefined) await journal.set(key, entry);
    expect((await discard(service.client(), video(), { journal })).ended).toBe(1);
  });

  test("finds what its requester remembers in memory, and takes the journal's key for the video", async () => {
    const requester = await begin(service.client());
    expect((await discard(service.client(), video())).ended).toBe(0);
    const key = (await journalKey(video())) ?? "";
    expect((await discard(requester, { journalKey: key })).ended).toBe(1);
    expect((await discard(requester, video())).ended).toBe(0);
  });

  test("sends the account's authorization where that is turned on", async () => {
    await service.set({ uploadAuthorization: "required" });
    const requester = service.client({ uploadAuthorization: true });
    await begin(requester);
    expect((await discard(requester, video())).ended).toBe(1);
  });

  test("rejects while the upload is running", async () => {
    const journal = memoryJournal();
    const stop = new AbortController();
    let sent = 0;
    await service.set({ stallAfter: [{ host: "upload", method: "PATCH", bytes: MiB }] });
    const onProgress = (progress: Progress) => {
      ({ sent } = progress);
    };
    const running = caught(upload(service.client(), video(), { journal, signal: stop.signal, onProgress }));
    await expect.poll(() => sent).toBeGreaterThan(0);
    expect(await caught(discard(service.client(), video(), { journal }))).toMatchObject({
      code: "in-progress",
    });
    stop.abort();
    await running;
  });
});

describe("discard() that can't do its work", () => {
  test("rejects with the reason of a signal that was aborted before, and looks at nothing", async () => {
    let calls = 0;
    const count = async () => void calls++;
    const journal = { get: count, set: count, delete: count, claim: count } as unknown as Journal;
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    expect(await caught(discard(service.client(), video(), { journal, signal }))).toBe(reason);
    expect(calls).toBe(0);
  });

  test("passes on what its requester rejects with", async () => {
    const journal = memoryJournal();
    await begin(service.client(), journal);
    const own = new Error("the gateway is down");
    const scope = () => Promise.reject(own);
    const requester = { scope, requestUpload: () => Promise.reject(own) };
    expect(await caught(discard(requester, video(), { journal }))).toBe(own);
  });

  test("gives the asset of an upload that had no address yet, and has ended nothing", async () => {
    const journal = memoryJournal();
    await service.set({ answerStatus: [{ host: "upload", method: "POST", status: 503 }] });
    const retry = { attempts: 1, minDelay: 1, maxDelay: 1 };
    await caught(upload(service.client(), video(), { journal, retry }));
    await service.set({ answerStatus: [] });
    const { assets, ended } = await discard(service.client(), video(), { journal });
    expect([assets.length, ended]).toEqual([1, 0]);
    expect((await service.requests()).map(({ method }) => method)).not.toContain("DELETE");
    expect((await discard(service.client(), video(), { journal })).assets).toEqual([]);
  });

  test("says so where the host redirects, and the upload stays known", async () => {
    const journal = memoryJournal();
    const uploadUrl = "/tus/upload";
    const host = await startHostileHost(
      {
        PATCH: (_, socket) => void socket.destroy(),
        DELETE: (_, socket) =>
          void socket.write(rawAnswer(307, { location: "/elsewhere", "content-length": 0 })),
      },
      { uploadUrl },
    );
    await caught(upload(host.client(), video(), { ...IMPATIENT, journal }));
    expect(await caught(discard(host.client(), video(), { ...LIMITS, journal }))).toMatchObject({
      code: "location-refused",
      message: "Cannot reach the upload: its host redirects to another address, which is never followed",
    });
    expect(host.countOf("DELETE")).toBe(1);
    const entry = (await journal.get((await journalKey(video())) ?? "")) as JournalEntry | undefined;
    expect(Object.values(entry?.uploads ?? {})).toHaveLength(1);
  });
});
