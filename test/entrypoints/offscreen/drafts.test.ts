/** What becomes a draft of what is handed over: a page that was taken over sends whatever it likes. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { journalKey } from "../../../core/mod.ts";
import { createDrafts, fromAddress } from "../../../entrypoints/offscreen/drafts.ts";
import { openJobList } from "../../../entrypoints/offscreen/job-list.ts";
import { createRemovals } from "../../../entrypoints/offscreen/removals.ts";
import { publicSource } from "../../../entrypoints/shared/job.ts";
import { byAge, byPlace, byTurn } from "../../../entrypoints/shared/list-order.ts";
import type { OffscreenEvent } from "../../../entrypoints/shared/messages.ts";
import { DEFAULT_SETTINGS } from "../../../entrypoints/shared/settings.ts";
import { readLink } from "../../../entrypoints/shared/video-link.ts";
import { asset, makeJob } from "../../support/extension/pages/jobs.ts";
import { mediaPlaylist, pieceLines } from "../../support/hls/hls-server.ts";
import { useHls } from "../../support/hls/use-hls.ts";

const hls = useHls();

class Unplayable extends EventTarget {
  load() {}
  removeAttribute() {}
  set src(_: string) {
    queueMicrotask(() => this.dispatchEvent(new Event("error")));
  }
}

beforeEach(() => {
  vi.stubGlobal("document", { createElement: () => new Unplayable() });
  vi.stubGlobal("chrome", { runtime: { sendMessage: async () => null } });
});
afterEach(() => void vi.restoreAllMocks());

async function openDrafts() {
  const events: OffscreenEvent[] = [];
  const send = (event: OffscreenEvent) => void events.push(event);
  const list = await openJobList(send);
  const uploads = { restore: async () => {}, stop: async () => {}, startQueued: async () => {} };
  const settings = { read: async () => DEFAULT_SETTINGS, replace: () => {} };
  const history = { note: () => {}, find: async () => [], clear: async () => {} };
  const assets = { refresh: async () => {} };
  const removals = createRemovals(list, uploads);
  return { list, events, drafts: createDrafts({ list, uploads, settings, removals, history, assets, send }) };
}

const sent = (batch: string, number = 0) => ({
  to: "offscreen" as const,
  type: "page-blob" as const,
  batch,
  blob: new Blob([`video ${number}`], { type: "video/mp4" }),
  title: `video ${number}`,
  page: "https://shop.example/",
});
const file = (name: string) => ({ file: new File([name], `${name}.mp4`, { type: "video/mp4" }) });

test("files of one name are told apart by their folders, and others are not", async () => {
  const { list, drafts } = await openDrafts();
  const files = ["a/one", "b/one", "b/two"].map((path) => ({
    ...file(path.split("/")[1] ?? ""),
    path: `${path}.mp4`,
  }));
  await drafts.addFiles({ type: "files", batch: "folder", files });
  expect(list.all().map(({ fields }) => fields.name)).toEqual(["a/one.mp4", "b/one.mp4", "two.mp4"]);
});

test("a draft's name has no character that can't be seen, or that turns the others around", async () => {
  const { list, drafts } = await openDrafts();
  drafts.expectBlob("asked");
  await drafts.addPageBlob({ ...sent("asked"), title: " Launch\u202Egnp.\u200B film\u0007 " });
  expect(list.all().map(({ fields }) => fields.name)).toEqual(["Launchgnp. film"]);
});

test("the Blob that a click has asked for starts, once; another waits as a draft", async () => {
  const { list, drafts } = await openDrafts();
  drafts.expectBlob("asked");
  await drafts.addPageBlob(sent("other", 1));
  await drafts.addPageBlob(sent("asked", 2));
  await drafts.addPageBlob(sent("asked", 3));
  const starts = list.all().map(({ source, startsAt }) => [source.name, startsAt !== undefined]);
  expect(starts).toEqual([
    ["video 1", false],
    ["video 2", true],
    ["video 3", false],
  ]);
});

test("of the Blobs that nobody asked for, twenty wait at a time, and they keep no other out", async () => {
  const { list, drafts } = await openDrafts();
  await Promise.all(Array.from({ length: 300 }, (_, number) => drafts.addPageBlob(sent("forged", number))));
  expect(list.all()).toHaveLength(20);
  drafts.expectBlob("asked");
  await drafts.addPageBlob(sent("asked", 1000));
  await drafts.addFiles({ type: "files", batch: "b", files: [file("chosen")] });
  expect(list.all()).toHaveLength(22);
  await list.remove(list.all().map(({ id }) => id));
  await drafts.addPageBlob(sent("forged", 1001));
  expect(list.all()).toHaveLength(1);
});

test("files that uploads wait for resume these, and are counted apart from new ones", async () => {
  const { list, events, drafts } = await openDrafts();
  const { file: known } = file("known");
  const { name, size, type, lastModified } = known;
  const source = { kind: "file" as const, name, size, type, lastModified };
  const journal = { key: (await journalKey(known)) ?? "", entry: { version: 1 as const, uploads: {} } };
  await list.add([{ ...makeJob("needs-file", { id: "one", asset }), source, journal }]);
  await drafts.addFiles({ type: "files", batch: "b", files: [{ file: known }, file("new")] });
  expect(list.all().map(({ state }) => state)).toEqual(["queued", "queued"]);
  expect(list.get("one")?.source.blob).toBe(known);
  expect(events.find((event) => event.type === "taken")).toMatchObject({
    resumed: 1,
    jobIds: ["one", expect.any(String)],
  });
});

test("what the list has no room for is counted, and told", async () => {
  const { list, events, drafts } = await openDrafts();
  await list.add(Array.from({ length: 4998 }, () => makeJob("paused")));
  // What has ended takes no room.
  await list.add([makeJob("done"), makeJob("cancelled")]);
  const files = [1, 2, 3, 4, 5].map((number) => file(`${number}`));
  await drafts.addFiles({ type: "files", batch: "many", files });
  expect(list.all()).toHaveLength(5002);
  await drafts.addFiles({ type: "files", batch: "more", files: [file("more")] });
  const taken = events.filter((event) => event.type === "taken");
  expect(taken.map(({ batch, jobIds, leftOut }) => [batch, jobIds.length, leftOut])).toEqual([
    ["many", 2, 3],
    ["more", 0, 1],
  ]);
});

test("one choice of many files is one batch in its own order, whenever each of them was read", async () => {
  const { list, drafts } = await openDrafts();
  let now = 1_700_000_000_000;
  vi.spyOn(Date, "now").mockImplementation(() => now++);
  const files = Array.from({ length: 300 }, (_, at) => file(`${at}`));
  await drafts.addFiles({ type: "files", batch: "many", files });
  vi.mocked(Date.now).mockReturnValue(now - 10_000);
  await drafts.addFiles({ type: "files", batch: "later", files: [file("later")] });
  const names = (order: typeof byPlace) =>
    list
      .all()
      .sort(order)
      .map(({ source }) => source.name);
  const given = files.map(({ file }) => file.name);
  expect(names(byTurn)).toEqual([...given, "later.mp4"]);
  expect(names(byPlace)).toEqual([...given, "later.mp4"]);
  expect(names(byAge)).toEqual(["later.mp4", ...given]);
});

test("a link to a playlist names its languages and subtitles", async () => {
  const media = (type: string, tag: string) =>
    `#EXT-X-MEDIA:TYPE=${type},GROUP-ID="${type}",LANGUAGE="${tag}",NAME="${tag}",URI="only.m3u8"`;
  const sound = ["en", "de", "fr"].map((tag) => media("AUDIO", tag));
  const variant = ['#EXT-X-STREAM-INF:BANDWIDTH=9000,AUDIO="AUDIO"', "only.m3u8"];
  hls.files.set("/main.m3u8", ["#EXTM3U", ...sound, media("SUBTITLES", "de"), ...variant].join("\n"));
  hls.files.set("/only.m3u8", mediaPlaylist(pieceLines(["ts/0.ts"])));
  vi.stubGlobal("navigator", { language: "de" });
  const { list, events, drafts } = await openDrafts();
  const link = readLink(`${hls.origin}/main.m3u8`);
  if ("refused" in link) throw new Error(link.refused);
  await drafts.addAddresses({ type: "addresses", batch: "pasted", videos: [link] });
  const [job] = list.all();
  expect(job?.source).toMatchObject({ subtitles: 1, url: link.address });
  const told = events.findLast((event) => event.type === "changed")?.jobs[0]?.source;
  expect(told).toEqual(job && publicSource(job.source));
  expect(told).toMatchObject({
    languages: [{ label: "Englisch" }, { label: "Deutsch" }, { label: "Französisch" }],
  });
});

test("a link's name of a million characters is cut, and so are the addresses of its page and its frame", () => {
  const link = readLink(`https://a.example/${"x".repeat(1_500_000)}.mp4`);
  if ("refused" in link) throw new Error("the link was refused");
  const long = `https://a.example/${"y".repeat(1_500_000)}`;
  const { source } = fromAddress({ ...link, page: long, referrer: long, pieces: "hls" });
  expect(source).toMatchObject({
    name: "x".repeat(200),
    url: link.address,
    page: "https://a.example",
    referrer: "https://a.example",
  });
});
