/** Which unfinished upload a video continues that is handed over again: the one of what its server gives by now. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { journalKey, openUrl } from "../../../core/mod.ts";
import { openJobList } from "../../../entrypoints/offscreen/job-list.ts";
import type { OpenJob } from "../../../entrypoints/offscreen/job-source.ts";
import { openPieces } from "../../../entrypoints/offscreen/pieces.ts";
import { findByBlob, findByUrl, resumeAt } from "../../../entrypoints/offscreen/same-video.ts";
import { fromPage, inPieces, makeJob } from "../../support/extension/pages/jobs.ts";
import { mediaPlaylist, pieceLines } from "../../support/hls/hls-server.ts";
import { useHls } from "../../support/hls/use-hls.ts";
import { serveVideo, type VideoServer } from "../../support/hosts/video-server.ts";

const hls = useHls();
let server: VideoServer;

beforeAll(async () => {
  server = await serveVideo(100_000);
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
  vi.stubGlobal("chrome", { runtime: { sendMessage: async () => null } });
  hls.files.set("/one.m3u8", mediaPlaylist(pieceLines(["ts/0.ts"])));
  hls.files.set("/other.m3u8", mediaPlaylist(pieceLines(["ts/1.ts"])));
});

const PAGE = "https://site.example/watch?v=one";
const entry = { version: 1, uploads: {} } as const;

function jobOf(
  key: string | undefined,
  source: Partial<OpenJob["source"]>,
  more: Partial<OpenJob> = {},
): OpenJob {
  const job: OpenJob = makeJob("paused");
  return {
    ...job,
    source: { ...fromPage, ...(source as object) },
    ...(key && { journal: { key, entry } }),
    ...more,
  };
}

test("an address continues the upload of the same content, whatever its signature is by now", async () => {
  const address = `${server.origin}/videos/video.mp4`;
  const key = await journalKey(openUrl(new URL(address)));
  const url = `${address}?signature=old`;
  const job = jobOf(key, { url });
  const find = (...jobs: OpenJob[]) => findByUrl({ address: `${address}?signature=new` }, jobs);
  expect(await find(jobOf("other", { url }), job)).toBe(job);
  server.requests.length = 0;
  const without = jobOf(undefined, { url });
  const elsewhere = jobOf(key, { url: `${server.origin}/videos/other.mp4` });
  const ended = jobOf(key, { url }, { state: "done" });
  const ending = jobOf(key, { url }, { ending: true });
  expect(await find(without, elsewhere, ended, ending, jobOf(key, { ...inPieces, url }))).toBe(undefined);
  // Nobody is asked where none may be continued.
  expect(server.requests).toEqual([]);
  expect(await find(jobOf("other", { url }))).toBe(undefined);
  expect(
    await findByUrl({ address: "http://127.0.0.1:1/a" }, [jobOf(key, { url: "http://127.0.0.1:1/a" })]),
  ).toBe(undefined);
  expect(await findByUrl({ address }, [job], AbortSignal.abort())).toBe(undefined);
});

async function keyOfPieces(path: string): Promise<string> {
  const access = { fetch, close: async () => {} };
  const signal = new AbortController().signal;
  return (await journalKey(await openPieces(`${hls.origin}${path}`, { access, signal }))) ?? "";
}

test("a video in pieces continues the upload of its page, or of its address, that has the same first piece", async () => {
  const key = await keyOfPieces("/one.m3u8");
  const old = `${hls.origin}/one.m3u8?old`;
  const video = { address: `${hls.origin}/one.m3u8?new`, pieces: "hls" } as const;
  const byAddress = jobOf(key, { ...inPieces, url: old });
  expect(await findByUrl(video, [byAddress])).toBe(byAddress);
  const byPage = jobOf(key, {
    ...inPieces,
    url: "https://cdn.example/signed/a.m3u8",
    page: `${PAGE}&utm_source=a`,
  });
  expect(await findByUrl({ ...video, page: PAGE }, [byPage])).toBe(byPage);
  expect(await findByUrl(video, [byPage])).toBe(undefined);
  expect(await findByUrl({ ...video, page: "https://site.example/watch?v=two" }, [byPage])).toBe(undefined);
  expect(await findByUrl({ ...video, page: PAGE }, [jobOf(key, { page: PAGE, url: old })])).toBe(undefined);
  expect(await findByUrl({ ...video, address: `${hls.origin}/other.m3u8`, page: PAGE }, [byPage])).toBe(
    undefined,
  );
});

test("a video in pieces is read once for all uploads of the same quality and language", async () => {
  const key = await keyOfPieces("/one.m3u8");
  const url = `${hls.origin}/one.m3u8`;
  const read = async (...jobs: OpenJob[]) => {
    hls.requests.length = 0;
    await findByUrl({ address: url, pieces: "hls" }, jobs);
    return hls.requests.filter((each) => JSON.stringify(each).includes("one.m3u8")).length;
  };
  const once = await read(jobOf("other", { ...inPieces, url }));
  expect(once).toBeGreaterThan(0);
  expect(await read(jobOf("other", { ...inPieces, url }), jobOf("another", { ...inPieces, url }))).toBe(once);
  const quality = { ...inPieces, url, quality: "gone" };
  expect(await read(jobOf("other", { ...inPieces, url }), jobOf(key, quality))).toBeGreaterThan(once);
});

test("a Blob of a page continues the upload of the same bytes, else one that waits for it by its name", async () => {
  const blob = new Blob(["some bytes"]);
  const key = await journalKey(blob);
  const source = { kind: "page-blob", size: blob.size, name: "Tour" } as const;
  const begun = jobOf(key, source);
  const waiting = jobOf(undefined, source, { state: "needs-file" });
  const find = (...jobs: OpenJob[]) => findByBlob(blob, "Tour", jobs);
  expect(await find(waiting, jobOf("other", source), begun)).toBe(begun);
  expect(await find(waiting)).toBe(waiting);
  expect(await find(jobOf("other", source), waiting)).toBe(waiting);
  expect(await findByBlob(blob, "Other", [waiting])).toBe(undefined);
  for (const other of [
    jobOf(undefined, source),
    jobOf(key, { ...source, kind: "file" }),
    jobOf(key, { ...source, size: 1 }),
    jobOf(key, source, { state: "cancelled" }),
    jobOf("other", source, { state: "needs-file" }),
  ])
    expect(await find(other)).toBe(undefined);
});

test("an upload is resumed at its new address, with the frame of its new page", async () => {
  const list = await openJobList(() => {});
  const url = "https://cdn.example/a.mp4?old";
  const given = { ...inPieces, url, page: PAGE, referrer: "https://frame.example", open: true };
  const add = async (more: Partial<OpenJob> = {}, source: object = given) => {
    const job = jobOf("key", source, more);
    await list.add([job]);
    return job.id;
  };
  const address = "https://cdn.example/a.mp4?new";
  const id = await add();
  expect(await resumeAt(list, id, { address })).toBe(true);
  const { open: _, ...rest } = given;
  expect(list.get(id)).toMatchObject({ state: "queued", source: { ...rest, url: address } });
  expect(list.get(id)?.source).not.toHaveProperty("open");
  const other = await add();
  const page = "https://site.example/new";
  expect(await resumeAt(list, other, { address, page, open: true })).toBe(true);
  expect(list.get(other)?.source).toMatchObject({ url: address, page, open: true });
  expect(list.get(other)?.source).not.toHaveProperty("referrer");
  expect(await resumeAt(list, "unknown", { address })).toBe(false);
  expect(await resumeAt(list, await add({ state: "done" }), { address })).toBe(false);
  expect(await resumeAt(list, await add({ ending: true }), { address })).toBe(false);
  expect(await resumeAt(list, await add({}, { kind: "file" }), { address })).toBe(false);
});
