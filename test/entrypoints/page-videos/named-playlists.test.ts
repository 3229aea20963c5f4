import { describe, expect, test } from "vitest";
import { putTogether } from "../../../entrypoints/page-videos/found.ts";
import type { ReadManifest } from "../../../entrypoints/page-videos/named-playlists.ts";
import type { FoundVideo, FrameFindings, Shown } from "../../../entrypoints/page-videos/page-video.ts";
import { identityOf } from "../../../entrypoints/page-videos/video-identity.ts";
import { frame, unstarted } from "../../support/extension/pages/findings.ts";

const shown: Shown = { ...unstarted, playing: true, sounding: true };

/** An element that a script feeds. */
const stream = (title: string, duration?: number): FoundVideo => ({
  kind: "media-source",
  address: `blob:https://news.example/${title}`,
  aliases: [],
  title,
  shown,
  ...(duration !== undefined && { duration }),
});
const at = (path: string) => `https://cdn.example/${path}`;
/** A manifest that the page has loaded. */
const loaded = (path: string): FoundVideo => ({
  kind: path.includes(".mpd") ? "dash" : "hls",
  address: at(path),
  aliases: [],
  isRequested: true,
});
const { isRequested: _, ...named } = loaded("named.m3u8");

/** What manifests say, by their paths; `false` for one that can't be read. */
function reading(manifests: Record<string, { duration?: number; names?: string[] } | false>) {
  return new Map<string, ReadManifest>(
    Object.entries(manifests).map(([path, said]) => [
      identityOf(at(path)),
      said === false ? undefined : { duration: said.duration, playlists: (said.names ?? []).map(at) },
    ]),
  );
}

/** What is listed of a frame, as `title: path`, and which manifests are to be read. */
function listed(
  videos: FoundVideo[],
  read: ReturnType<typeof reading> = new Map(),
  more: Partial<FrameFindings> = {},
): { videos: string[]; unread: string[] } {
  const { videos: found, unread } = putTogether(7, [frame(videos, more)], read);
  const path = (address: string) => address.replace(/^(blob:.*|https:\/\/cdn\.example\/)/, "");
  return {
    videos: found.map(({ title, kind, address }) => `${title} ${kind} ${path(address)}`.trim()).sort(),
    unread: unread.map(path),
  };
}

describe("an element that a script feeds", () => {
  test("takes over the address of the loaded manifest that is as long, and keeps its own title and poster", () => {
    const poster = "https://news.example/poster.jpg";
    const element = { ...stream("The launch", 600), poster, width: 640, height: 360 };
    const found = frame([element, loaded("main.m3u8")]);
    expect(listed(found.videos)).toEqual({ videos: ["The launch hls main.m3u8"], unread: ["main.m3u8"] });
    expect(putTogether(7, [found]).videos).toMatchObject([{ isUncertain: true }]);
    const { videos, unread } = putTogether(7, [found], reading({ "main.m3u8": { duration: 600 } }));
    expect(videos).toEqual([
      {
        kind: "hls",
        address: at("main.m3u8"),
        title: "The launch",
        poster,
        duration: 600,
        width: 640,
        height: 360,
        page: { tabId: 7, frameId: 0, url: "https://news.example/today" },
      },
    ]);
    expect(unread).toEqual([]);
  });

  test("gets the first of several manifests until they are read, and the others are not listed", () => {
    const found = [stream("A", 600), loaded("main.m3u8"), loaded("720.m3u8"), loaded("sound.m3u8")];
    expect(listed(found)).toEqual({
      videos: ["A hls main.m3u8"],
      unread: ["main.m3u8", "720.m3u8", "sound.m3u8"],
    });
    const read = reading({ "main.m3u8": { duration: 600, names: ["720.m3u8", "sound.m3u8", "480.m3u8"] } });
    expect(listed(found, read)).toEqual({ videos: ["A hls main.m3u8"], unread: [] });
  });

  test("gets the manifest that is as long, where the page has shown another video before", () => {
    const found = [stream("B", 300.4), loaded("a.m3u8"), loaded("a-720.m3u8"), loaded("b.m3u8")];
    const read = reading({
      "a.m3u8": { duration: 600, names: ["a-720.m3u8"] },
      "b.m3u8": { duration: 300, names: ["b-720.m3u8"] },
    });
    expect(listed(found, read)).toEqual({ videos: ["B hls b.m3u8"], unread: [] });
  });

  test("is listed beside the only loaded manifest, where that has another length", () => {
    const found = [stream("The launch", 600), loaded("advertisement.m3u8")];
    const read = reading({ "advertisement.m3u8": { duration: 15 } });
    expect(listed(found, read).videos).toEqual([
      "The launch media-source",
      "The news of today hls advertisement.m3u8",
    ]);
    expect(putTogether(7, [frame(found)], read).videos.every((video) => !("isUncertain" in video))).toBe(
      true,
    );
  });

  test("gets the only manifest of its frame where no lengths can be compared", () => {
    expect(listed([stream("A"), loaded("a.m3u8")])).toEqual({ videos: ["A hls a.m3u8"], unread: [] });
    for (const said of [false, {}] as const) {
      const read = reading({ "a.m3u8": said });
      const found = [stream("A", 60), loaded("a.m3u8")];
      expect(listed(found, read).videos).toEqual(["A hls a.m3u8"]);
      // The length is compared when the manifest can be read.
      expect(putTogether(7, [frame(found)], read).videos).toMatchObject([{ playedSeconds: 60 }]);
    }
  });

  test("gets no manifest where several are as long, and each of them is listed by itself", () => {
    const found = [stream("B", 600), loaded("a.m3u8"), loaded("b.m3u8")];
    const apart = ["The news of today (2) hls b.m3u8", "The news of today hls a.m3u8"];
    const read = reading({ "a.m3u8": { duration: 600.1 }, "b.m3u8": { duration: 600.3 } });
    expect(listed(found, read).videos).toEqual(["B media-source", ...apart]);
    // Nor is a length known before the element has its first piece.
    const other = reading({ "a.m3u8": { duration: 60 }, "b.m3u8": { duration: 600 } });
    expect(listed([stream("B"), ...found.slice(1)], other).videos).toEqual(["B media-source", ...apart]);
  });

  test("gets its own of as many as there are elements of one length, in the order of the page", () => {
    const found = [
      stream("A", 60),
      stream("B", 60),
      loaded("a.m3u8?v=1"),
      loaded("b.m3u8"),
      loaded("a.m3u8?v=2"),
    ];
    const read = reading({
      "a.m3u8?v=1": { duration: 60, names: ["720.m3u8?v=1"] },
      "b.m3u8": { duration: 60.1, names: ["480.m3u8"] },
      "a.m3u8?v=2": { duration: 60, names: ["720.m3u8?v=2"] },
    });
    expect(listed(found, read).videos).toEqual(["A hls a.m3u8?v=2", "B hls b.m3u8"]);
    // Where one may be missing, or none is known to be loaded, any of them may be another one's.
    expect(listed(found, read, { requestLogIsFull: true }).videos).toContain("A media-source");
    const unloaded = found.map(({ isRequested: _, ...video }) => video);
    expect(listed(unloaded, read).videos).toContain("A media-source");
    expect(listed([...found, stream("C", 60)], read).videos).toContain("A media-source");
  });

  test("gets the newest of several addresses that differ in their signature alone", () => {
    const found = [stream("A", 600), loaded("a.m3u8?token=1"), loaded("a.m3u8?token=2")];
    const signed = (token: number) => ({ duration: 600, names: [`720.m3u8?token=${token}`] });
    const read = reading({ "a.m3u8?token=1": signed(1), "a.m3u8?token=2": signed(2) });
    expect(listed(found, read).videos).toEqual(["A hls a.m3u8?token=2"]);
    // Without playlists nobody knows whether the query chooses the video.
    const plain = reading({ "a.m3u8?token=1": { duration: 600 }, "a.m3u8?token=2": { duration: 600 } });
    expect(listed(found, plain).videos).toContain("A media-source");
  });

  test("gets the manifest that names all playlists, and not a playlist that is as long", () => {
    const found = [stream("A", 600), loaded("main?token=1"), loaded("720.m3u8?token=1")];
    // Signed again, it names its playlists by other addresses.
    const read = reading({ "main?token=1": { duration: 600, names: ["720.m3u8?token=2"] } });
    expect(listed(found, read)).toEqual({ videos: ["A hls main?token=1"], unread: [] });
    const other = reading({
      "main?token=1": { duration: 600, names: ["720/1.m3u8"] },
      "720.m3u8?token=1": { duration: 600 },
    });
    expect(listed(found, other).videos).toEqual(["A hls main?token=1"]);
  });

  test("gets its own manifest also where manifests differ in their query alone", () => {
    const path = (id: number) => `get.m3u8?id=${id}`;
    const found = [stream("A", 600), stream("B", 90), loaded(path(1)), loaded(path(2)), loaded(path(3))];
    const read = reading({
      [path(1)]: { duration: 600, names: [path(2)] },
      [path(3)]: { duration: 90, names: [path(4)] },
    });
    expect(listed(found, read)).toEqual({ videos: [`A hls ${path(1)}`, `B hls ${path(3)}`], unread: [] });
  });

  test("gets, among several elements, the manifest of its own length", () => {
    const found = [stream("A", 60), stream("B", 600), loaded("b.mpd"), loaded("a.mpd")];
    expect(listed(found)).toEqual({
      videos: ["A media-source", "B media-source"],
      unread: ["b.mpd", "a.mpd"],
    });
    const read = reading({ "b.mpd": { duration: 598 }, "a.mpd": { duration: 61 } });
    expect(listed(found, read).videos).toEqual(["A dash a.mpd", "B dash b.mpd"]);
  });

  test("gets the manifest that no other element can have", () => {
    const found = [stream("A", 60), stream("B"), loaded("b.m3u8"), loaded("a.m3u8")];
    const read = reading({ "b.m3u8": {}, "a.m3u8": { duration: 60 } });
    expect(listed(found, read).videos).toEqual(["A hls a.m3u8", "B hls b.m3u8"]);
  });

  test("gets no manifest where none is as long", () => {
    const found = [stream("A", 60), loaded("b.m3u8"), loaded("c.m3u8")];
    const read = reading({ "b.m3u8": { duration: 600 }, "c.m3u8": { duration: 700 } });
    // Each of them is a video all the same.
    expect(listed(found, read).videos).toEqual([
      "A media-source",
      "The news of today (2) hls c.m3u8",
      "The news of today hls b.m3u8",
    ]);
    expect(listed([stream("A", 60), stream("B", 60)], read).videos).toEqual([
      "A media-source",
      "B media-source",
    ]);
  });

  test("gets the first manifest where none can be read, and it may name the others", () => {
    const found = [stream("A", 60), loaded("a/main.m3u8"), loaded("a/720.m3u8"), loaded("a/sound/en.m3u8")];
    const unreadable = (...paths: string[]) =>
      reading(Object.fromEntries(paths.map((path) => [path, false])));
    const read = unreadable("a/main.m3u8", "a/720.m3u8", "a/sound/en.m3u8");
    expect(listed(found, read)).toEqual({ videos: ["A hls a/main.m3u8"], unread: [] });
    // Where the browser has stopped to note what is loaded, it may be another one.
    expect(listed(found, read, { requestLogIsFull: true }).videos).toEqual([
      "A media-source",
      "The news of today hls a/main.m3u8",
    ]);
  });

  test("gets no manifest where several can't be read and none names another", () => {
    const found = [stream("A", 60), loaded("a/main.m3u8"), loaded("a/720.m3u8"), loaded("b/main.m3u8")];
    const read = reading({ "a/main.m3u8": false, "a/720.m3u8": false, "b/main.m3u8": false });
    expect(listed(found, read).videos).toEqual([
      "A media-source",
      "The news of today (2) hls b/main.m3u8",
      "The news of today hls a/main.m3u8",
    ]);
    const other = reading({ "a/main.m3u8": {}, "b/main.m3u8": false });
    expect(listed([stream("A", 60), loaded("a/main.m3u8"), loaded("b/main.m3u8")], other).videos).toEqual([
      "A media-source",
      "The news of today (2) hls b/main.m3u8",
      "The news of today hls a/main.m3u8",
    ]);
  });

  test("gets no manifest of a link or of another frame", () => {
    expect(listed([stream("A", 60), { ...named, isLink: true, title: "Link" }]).videos).toEqual([
      "A media-source",
      "Link hls named.m3u8",
    ]);
    const { videos } = putTogether(7, [
      frame([stream("A", 60)]),
      frame([loaded("main.m3u8")], { frameId: 3, url: "https://player.example/" }),
    ]);
    expect(videos.map(({ kind }) => kind).sort()).toEqual(["hls", "media-source"]);
  });

  test("gets a manifest that the page names, where none is known to be loaded", () => {
    expect(listed([stream("A", 60), named]).videos).toEqual(["A hls named.m3u8"]);
    const other = { ...named, address: at("other.m3u8"), title: "Another one" };
    const found = [stream("A", 60), named, other];
    expect(listed(found).unread).toEqual(["named.m3u8", "other.m3u8"]);
    const read = reading({ "named.m3u8": { duration: 60 }, "other.m3u8": { duration: 70 } });
    expect(listed(found, read).videos).toEqual(["A hls named.m3u8", "Another one hls other.m3u8"]);
  });

  test("keeps its manifest from being listed where it is protected", () => {
    const locked = { ...stream("A", 60), kind: "drm" as const };
    expect(listed([locked, loaded("main.mpd")]).videos).toEqual(["A drm"]);
  });

  test("is compared by its length where the browser's log of requests is full", () => {
    const found = [stream("B", 300), loaded("a.m3u8")];
    const full = { requestLogIsFull: true };
    expect(listed(found, undefined, full).unread).toEqual(["a.m3u8"]);
    const read = reading({ "a.m3u8": { duration: 600 } });
    expect(listed(found, read, full).videos).toContain("B media-source");
    const { videos } = putTogether(7, [frame(found, full)], read);
    expect(videos.find(({ kind }) => kind === "media-source")).toMatchObject({ isForgotten: true });
    expect(putTogether(7, [frame(found)], read).videos[0]).not.toHaveProperty("isForgotten");
  });
});

test("what may be another video is nothing to be taken until the manifests are read", () => {
  const found = [stream("A", 600), named, loaded("a.m3u8"), loaded("b.m3u8")];
  const uncertain = (read = reading({})) =>
    putTogether(7, [frame(found)], read).videos.flatMap(({ title, isUncertain }) =>
      isUncertain ? [title] : [],
    );
  expect(uncertain()).toEqual(["A"]);
  expect(uncertain(reading({ "a.m3u8": { duration: 600 }, "b.m3u8": false }))).toEqual([]);
});

describe("manifests that no element plays", () => {
  test("are listed once they are read, without the playlists that they name", () => {
    const found = [loaded("a.m3u8"), loaded("a-720.m3u8"), loaded("b.mpd")];
    expect(listed(found)).toEqual({
      videos: ["The news of today hls a.m3u8"],
      unread: ["a.m3u8", "a-720.m3u8", "b.mpd"],
    });
    const read = reading({ "a.m3u8": { duration: 600, names: ["a-720.m3u8"] }, "b.mpd": { duration: 5 } });
    expect(listed(found, read)).toEqual({
      videos: ["The news of today (2) dash b.mpd", "The news of today hls a.m3u8"],
      unread: [],
    });
  });

  test("are listed by the first one, where none can be read", () => {
    const found = [loaded("a.m3u8"), loaded("a-720.m3u8")];
    const read = reading({ "a.m3u8": false, "a-720.m3u8": false });
    expect(listed(found, read).videos).toEqual(["The news of today hls a.m3u8"]);
  });

  test("are listed as the page names them, without being read", () => {
    const other = { ...named, address: at("other.mpd"), kind: "dash" as const, title: "Another" };
    expect(listed([{ ...named, title: "One" }, other])).toEqual({
      videos: ["Another dash other.mpd", "One hls named.m3u8"],
      unread: [],
    });
  });

  test("may be named by what an element was given by its address", () => {
    const element = { ...loaded("main.m3u8"), shown, title: "A" };
    const found = [element, loaded("720.m3u8")];
    expect(listed(found)).toEqual({ videos: ["A hls main.m3u8"], unread: ["main.m3u8", "720.m3u8"] });
    const read = reading({ "main.m3u8": { duration: 600, names: ["720.m3u8"] } });
    expect(listed(found, read)).toEqual({ videos: ["A hls main.m3u8"], unread: [] });
  });
});
