import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FoundVideo } from "../../../entrypoints/page-videos/page-video.ts";
import {
  ENDLESS,
  type Fill,
  findIn,
  type Look,
  lookAt,
  provideCollector,
} from "../../support/extension/pages/collector.ts";
import { usePageServer } from "../../support/extension/pages/use-pages.ts";
import { table } from "../../support/in-all.ts";

const server = usePageServer();
/** In the first one steps are counted. */
let [counted, page]: [Page, Page] = [] as never;

beforeAll(async () => {
  [counted, page] = [await server.newPage(), await server.newPage()];
  for (const each of [counted, page]) await provideCollector(each);
  await page.goto(`${server.origin}/nothing`);
});
afterAll(() => Promise.all([counted, page].map((each) => each.context().close())));

const look = (fill: Fill, size: number, limits = ENDLESS): Promise<Look> =>
  lookAt(counted, fill, size, limits);

const SIZE = 100;
const FACTOR = 8;
/** A slice of 500 steps, and what begins before its end. */
const MOST_STEPS = 1000;

/** Pages of which something grows without an end. Each runs in the page, where `lookAt()` provides the first four. */
declare const times: typeof import("../../support/extension/pages/collector.ts").FILLING.times;
declare const script: typeof import("../../support/extension/pages/collector.ts").FILLING.script;
declare const nest: typeof import("../../support/extension/pages/collector.ts").FILLING.nest;
declare const link: typeof import("../../support/extension/pages/collector.ts").FILLING.link;
const pages: Record<string, Fill> = {
  "links without words in one article": (size) =>
    `<article><h2>The article</h2>${times(size, (at) => link(at, "<i></i>"))}</article>`,
  "links and headings in one article": (size) =>
    `<article>${times(size, (at) => `<h2>${at}</h2>${link(at)}`)}</article>`,
  "links in a figure without a caption": (size) => `<figure>${times(size, (at) => link(at))}</figure>`,
  "links to the same video": (size) => times(size, () => link(1, "Download")),
  "links with a long text around each": (size) =>
    times(50, (at) => link(at, "A sentence that goes on. ".repeat(size))),
  "links that may be downloads": (size) => times(size, () => '<a download href="/download/1"><b></b></a>'),
  "a link of many texts": (size) => {
    document.body.innerHTML = link(1);
    for (let at = 0; at < size; at++)
      document.querySelector("a")?.append(at % 2 ? "\u200B" : document.createElement("b"));
  },
  "videos with sources": (size) => {
    const sources = times(size, (at) => `<source src="https://a.example/${at}.mp4">`);
    return times(8, () => `<video preload="none" aria-labelledby="${"a ".repeat(size)}">${sources}</video>`);
  },
  "a video with attributes": (size) =>
    `<video preload="none" ${times(size, (at) => `data-${at}-src="/${at}.mp4" `)}></video>`,
  "videos of another language, and none": (size) => {
    for (let at = 0; at < size; at++) {
      document.body.append(document.createElementNS("urn:other", "video"));
      document.body.append(document.createElement("video"));
    }
  },
  descriptions: (size) =>
    times(size, (at) =>
      script("ld+json", { "@type": "VideoObject", contentUrl: `https://a.example/${at}.mp4` }),
    ),
  "a description of many videos": (size) => {
    const one = (at: number) => ({
      "@type": ["Thing", "VideoObject"],
      contentUrl: `https://a.example/${at}.mp4`,
      more: { [at]: [[at]] },
    });
    return script("ld+json", { "@graph": Array.from({ length: size }, (_, at) => one(at)) });
  },
  "a description of one video in many places, with many pictures": (size) => {
    const list = (name: string) => Array.from({ length: size }, (_, at) => `https://a.example/${at}.${name}`);
    return script("ld+json", { "@type": "VideoObject", contentUrl: list("mp4"), thumbnailUrl: list("png") });
  },
  "a description in a description": (size) =>
    `<script type="application/ld+json">${'{"a":['.repeat(size)}1${"]}".repeat(size)}</script>`,
  "elements with attributes": (size) => {
    const attributes = times(200, (at) => `data-${at}="https://a.example/${at}.mp4" `);
    return times(size, () => `<p ${attributes}></p>`);
  },
  "players with settings": (size) => {
    const src = (at: number, n: number) => `{"src":"https://a.example/${at}/${n}.mp4"}`;
    const sources = (at: number) => Array.from({ length: 50 }, (_, n) => src(at, n)).join();
    return times(size, (at) => `<div data-setup='{"sources":[${sources(at)}]}'></div>`);
  },
  "a player with long settings": (size) => {
    const sources = times(size, (at) => `{"src":"https://a.example/${at}.mp4"},`);
    return `<div data-setup='{"sources":[${sources}{}]}' data-text="${".mp4 http://".repeat(size)}"></div>`;
  },
  "data with videos": (size) => {
    const video = (at: number) => ({ name: `Part ${at}`, files: [{ url: `https://a.example/${at}.mp4` }] });
    return script(
      "json",
      Array.from({ length: size }, (_, at) => video(at)),
    );
  },
  "scripts with data": (size) => times(size, () => script("json", ["https://a.example/1.mp4"])),
  "names for other sites": (size) =>
    times(size, () => '<meta property="og:image" content="/a.png"><meta name="description">'),
  requests: (size) => {
    const entries = Array.from({ length: size }, (_, at) => ({
      name: `https://a.example/${at}.mp4`,
      initiatorType: "fetch",
      decodedBodySize: 0,
    }));
    performance.getEntriesByType = () => entries as never;
  },
};

/** The same of things in each other, which a browser takes much longer to lay out. */
const nested: typeof pages = {
  "entries in entries": (size) =>
    nest(size, "article", (at) => `${at % 10 === 0 ? "<h2></h2>" : ""}${link(at)}`),
  "links in links": (size) => {
    // Chromium can't lay out so many inside each other.
    document.body.hidden = true;
    let around: Element = document.body;
    for (let at = 0; at < size; at++) {
      const one = document.createElement("a");
      one.href = `https://a.example/${at}.mp4`;
      one.append("\u200B");
      around.append(one);
      around = one;
    }
  },
  "shadow roots": (size) => {
    let around: Element | ShadowRoot = document.body;
    for (let at = 0; at < size; at++) {
      const host: Element = document.createElement("div");
      around.append(host);
      const shadow: ShadowRoot = host.attachShadow({ mode: "open" });
      shadow.innerHTML = link(at);
      if (at % 2 === 0) around = shadow;
    }
  },
  "figures with captions in each other": (size) => {
    document.body.hidden = true;
    nest(
      size,
      "figure",
      (at) => `<figcaption>${at}</figcaption><h3></h3><video src="/${at}.mp4" preload="none"></video>`,
    );
  },
};

describe("a look at a page", () => {
  test("takes a video that is its own address for what it is", async () => {
    const { found } = await look((size) => {
      const data = btoa("x".repeat(size));
      document.body.innerHTML = `<video preload="none" src="DATA:video/mp4;base64,${data}#t=1"></video>`;
    }, 500_000);
    expect(found.videos).toMatchObject([{ kind: "blob", type: "video/mp4", size: 500_000 }]);
    expect(found.videos[0]?.address).toMatch(/^data:video\/mp4;base64,[\w+/]+=*$/);
  });

  test.each([
    ...table(Object.entries(pages), 2).map(([name, fill]) => [name, fill, SIZE] as const),
    ...table(Object.entries(nested), 2).map(([name, fill]) => [name, fill, SIZE / 2] as const),
  ])("takes steps in proportion, few at a time: %s", async (_, fill, size) => {
    const [small, large] = [await look(fill, size), await look(fill, size * FACTOR)];
    expect(large.steps.all / small.steps.all).toBeLessThan(FACTOR * 1.5);
    expect(large.steps.longest).toBeLessThan(MOST_STEPS);
  });

  test("ends in time on a page that grows as long as it is looked at", async () => {
    const grow = (size: number) => {
      const links = times(size, () => link(1));
      setInterval(() => document.body.insertAdjacentHTML("beforeend", links), 0);
      return links;
    };
    const { found, steps } = await look(grow, 200, { ...ENDLESS, work: 100 });
    expect(found).toMatchObject({ isCut: true, videos: [{ address: "https://a.example/1.mp4" }] });
    expect(steps.longest).toBeLessThan(MOST_STEPS);
  });

  test("goes on behind what the page removes meanwhile", async () => {
    const shrink = (size: number) => {
      document.body.innerHTML = `${"<section><ul><li>An entry</li></ul></section>".repeat(size)}
        <a href="https://a.example/last.mp4"></a>`;
      const remove = () => {
        const sections = document.querySelectorAll("section");
        for (const section of [...sections].slice(0, -1)) section.remove();
      };
      setTimeout(remove, 5);
    };
    const { found } = await look(shrink, 2000);
    expect(found.videos).toMatchObject([{ address: "https://a.example/last.mp4" }]);
  });

  test("leaves out what is beyond its number of videos, and says so", async () => {
    const links = (size: number) => times(size, (at) => link(at));
    const { found } = await look(links, 30, { ...ENDLESS, videos: 10 });
    expect(found).toMatchObject({ isCut: true, videos: { length: 10 } });
    expect((await look(links, 10, { ...ENDLESS, videos: 10 })).found.isCut).toBe(false);
  });

  test("takes less from a frame than from the page itself", async () => {
    const links = Array.from({ length: 60 }, (_, at) => `<a href="https://a.example/${at}.mp4"></a>`).join(
      "",
    );
    await counted.goto("about:blank");
    await counted.setContent(`${links}<iframe srcdoc='${links}'></iframe>`);
    const found = counted.frames().map((each) => each.evaluate("collector.collectVideos()"));
    const [whole, part] = await Promise.all(found);
    expect(whole).toMatchObject({ isCut: false, videos: { length: 60 } });
    expect(part).toMatchObject({ isCut: true, videos: { length: 50 } });
  });

  test("finds the same on a page whose fields and pictures hide every property of its nodes", async () => {
    const fill = (hides: number) => {
      const kinds = [Node, Element, HTMLElement, HTMLFormElement, Document];
      const all = kinds.flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype));
      const names = hides === 1 ? [...new Set(all)] : [];
      const fields = names.map((name) => `<input type="hidden" name="${name}">`).join("");
      const content = `<base href="https://a.example/"><main aria-labelledby="label"><p id="label">A label</p>
        <a href="/linked.mp4"><form><b>The tour</b>${fields}</form></a>
        <a href="/empty.mp4"><form>${fields}</form></a>
        <article><form>${fields}<h2>The heading</h2><video preload="none" src="/shown.mp4" aria-labelledby="label"></video></form></article>
        <custom-player><form is="x-player" data-src="/custom.mp4" title="A form">${fields}</form></custom-player></main>`;
      const pictures = names.map((name) => `<img name="${name}">`).join("");
      document.body.innerHTML = content + pictures;
    };
    const plain = await look(fill, 0);
    expect(plain.found.videos.map(({ address, title }) => [address, title])).toEqual([
      ["https://a.example/shown.mp4", "A label"],
      ["https://a.example/custom.mp4", "A form"],
      ["https://a.example/linked.mp4", "The tour"],
      ["https://a.example/empty.mp4", undefined],
    ]);
    expect((await look(fill, 1)).found).toEqual(plain.found);
  });
});

const videosIn = async (body: string, head = ""): Promise<FoundVideo[]> =>
  (await findIn(page, body, `<base href="https://a.example/">${head}`)).videos;
const videoTag = (name: string, attributes = "") =>
  `<video preload="none" src="https://a.example/${name}.mp4" ${attributes}></video>`;
const data = (type: string, data: unknown) =>
  `<script type="application/${type}">${JSON.stringify(data)}</script>`;

describe("a video is called", () => {
  test.each<[string, string, { title?: string; near?: string }]>([
    ["by its label", videoTag("1", 'aria-label="The tour"'), { title: "The tour" }],
    ["by its title", videoTag("1", 'title="The tour"'), { title: "The tour" }],
    [
      "by the caption of its figure",
      `<figure>${videoTag("1")}<figcaption>The tour</figcaption></figure>`,
      { title: "The tour" },
    ],
    [
      "by the heading of its post, the first of several",
      `<article><h2>The tour</h2>${videoTag("1")}<h3>Comments</h3></article><h2>More</h2>`,
      { title: "The tour" },
    ],
    [
      "by the heading of its card, which comes after it",
      `<div><div><div>${videoTag("1")}</div><div><h3>The tour</h3></div></div><div><h3>Other</h3></div></div>`,
      { title: "The tour" },
    ],
    [
      "by the label of the player around it",
      `<my-player title="The tour"><div>${videoTag("1")}</div></my-player><h2>More</h2>`,
      { title: "The tour" },
    ],
    [
      "by none of its own where its label is that of any player",
      `<h2>The tour</h2><p>${videoTag("1", 'aria-label="Video player"')}</p><h2>More</h2>`,
      { near: "The tour" },
    ],
    [
      "by what it shares with others only near it",
      `<section><h2>Tours</h2>${videoTag("1")}${videoTag("2")}</section>`,
      { near: "Tours" },
    ],
    ["by no part of an address", videoTag("1", 'title="tour.mp4?token=a-secret"'), { title: "tour" }],
    [
      "by the file that a link saves it as",
      '<a download="Der Rundgang.mp4" href="/1.mp4">Herunterladen</a>',
      { title: "Der Rundgang" },
    ],
    [
      "by its heading where other links say the same, in any language",
      `<ul><li><h3>The tour</h3><a href="/1.mp4">Herunterladen</a></li>
       <li><h3>Other</h3><a href="/2.mp4">Herunterladen</a></li></ul>`,
      { title: "The tour" },
    ],
  ])("%s", async (_, body, names) => {
    const [{ title, near } = {}] = await videosIn(body);
    expect({ ...(title && { title }), ...(near && { near }) }).toEqual(names);
  });
});

describe("a video is found", () => {
  const address = "https://a.example/videos/tour.mp4?id=1";
  test.each<[string, string]>([
    ["in an attribute for a script", `<div data-video="${address}"></div>`],
    ["in one of any name", `<button data-lightbox-target="/videos/tour.mp4?id=1"></button>`],
    ["in the attribute of a link that leads nowhere", `<a href="#" data-video-url="${address}">Play</a>`],
    ["in the settings of a player", `<div data-setup='{"sources":[{"src":"${address}"}]}'></div>`],
    ["in a text with an address", `<div data-config="autoplay=1; file: '${address}'"></div>`],
    ["in an attribute of a player's own element", `<my-player video-src="${address}"></my-player>`],
    ["in an attribute of a video that isn't loaded yet", `<video data-src="${address}"></video>`],
    ["in data for scripts", data("json", { props: { page: { video: { url: address } } } })],
    ["in a list in data for scripts", data("json", [[address]])],
  ])("%s", async (_, body) => {
    expect(await videosIn(body)).toMatchObject([{ kind: "file", address }]);
  });

  test("in what other sites are told, with what they are told of it", async () => {
    const size = { "og:video:width": "640", "og:video:height": "360" };
    const told = { "og:title": "The tour", "og:video": address, ...size };
    const head = Object.entries(told).map(
      ([name, content]) => `<meta property="${name}" content="${content}">`,
    );
    const { title, videos } = await findIn(page, "", head.join(""));
    expect({ title, videos }).toMatchObject({
      title: "The tour",
      videos: [{ address, width: 640, height: 360 }],
    });
  });

  test("in descriptions for search engines, however deep, and past broken ones", async () => {
    const video = {
      "@type": ["Thing", "VideoObject"],
      name: "The tour",
      contentUrl: address,
      duration: "PT10S",
    };
    const described = data("ld+json", { "@graph": [{ "@type": "WebPage", mainEntity: video }] });
    const broken = '<script type="application/ld+json">{ "@type": "VideoObject", oops</script>';
    expect(await videosIn(broken + described)).toMatchObject([{ title: "The tour", address, duration: 10 }]);
  });

  test("with the names that data has for it", async () => {
    const videos = [
      { title: "The tour", poster: "/tour.png", url: "/videos/1.mp4" },
      { title: "Behind", media: { src: "/videos/2.mp4" } },
    ];
    expect(await videosIn(data("json", { videos }))).toMatchObject([
      { title: "The tour", poster: "https://a.example/tour.png", address: "https://a.example/videos/1.mp4" },
      { near: "Behind", address: "https://a.example/videos/2.mp4" },
    ]);
  });

  test.each<[string, string]>([
    ["a poster", `<div data-poster="/tour.mp4.png" data-thumb="/tour.mp4"></div>`],
    ["a text that only names a file", `<div data-name="tour.mp4"></div>`],
    ["a program", data("x-javascript", ["https://a.example/tour.mp4"])],
    ["data that is broken", `<script type="application/json">{"src": "${address}"</script>`],
    ["another file", `<div data-src="/tour.pdf" data-file="/tour.mp4.pdf"></div>`],
  ])("but not in %s", async (_, body) => {
    expect(await videosIn(body)).toEqual([]);
  });
});

describe("the manifest of a video in pieces is found", () => {
  const address = "https://a.example/videos/main.m3u8?id=1";
  test.each<[string, string, "hls" | "dash"]>([
    ["in an attribute for a script", `<div data-hls="${address}"></div>`, "hls"],
    [
      "although its name has the ending of a file before its own",
      '<div data-hls="https://a.example/show.1080p.h264.m3u8"></div>',
      "hls",
    ],
    [
      "although its folder is named as a file",
      '<div data-dash="https://a.example/launch.mp4/manifest.mpd"></div>',
      "dash",
    ],
    ["in a link", `<a href="${address}">The tour</a>`, "hls"],
    [
      "in a description for search engines",
      data("ld+json", { "@type": "VideoObject", name: "The tour", contentUrl: address }),
      "hls",
    ],
    [
      "in a source that only its type tells",
      '<video preload="none"><source src="/videos/17" type="application/vnd.apple.mpegurl"></video>',
      "hls",
    ],
  ])("%s", async (_, body, kind) => {
    expect(await videosIn(body)).toMatchObject([{ kind }]);
  });

  test.each<[string, unknown]>([
    ["a file beside it", { title: "The tour", hls: address, mp4: "/videos/tour.mp4" }],
    [
      "a file in the same list",
      { title: "The tour", sources: [{ src: address }, { src: "/videos/tour.mp4" }] },
    ],
  ])("but not where data names %s", async (_, named) => {
    const file = { kind: "file", address: "https://a.example/videos/tour.mp4", aliases: [] };
    expect(await videosIn(data("json", named))).toMatchObject([file]);
  });

  test("nor in an attribute beside a file's", async () => {
    const body = `<div data-hls="${address}" data-file="/videos/tour.mp4"></div>`;
    expect(await videosIn(body)).toMatchObject([{ address: "https://a.example/videos/tour.mp4" }]);
  });

  test("once for both of its forms, and each time for different videos", async () => {
    const both = { title: "The tour", hls: address, dash: "/videos/main.mpd" };
    const other = { title: "The dive", sources: [{ src: "/dive.m3u8" }, { src: "/dive.mpd" }] };
    const found = await videosIn(data("json", [both, other]));
    expect(found.map(({ title, near, kind }) => [title ?? near, kind])).toEqual([
      ["The tour", "hls"],
      ["The dive", "hls"],
    ]);
  });
});

describe("one video is found once", () => {
  test("with a query against caches, and a link in it that has none", async () => {
    const video = `<video preload="none"><source src="/tour.mp4?_=1" type="video/mp4">
      <a href="https://a.example/tour.mp4">https://a.example/tour.mp4</a></video>`;
    expect(await videosIn(video)).toMatchObject([{ address: "https://a.example/tour.mp4?_=1" }]);
  });

  test("of its sources the best, by what they say of themselves", async () => {
    const source = (size: number) => `<source src="/tour-${size}.mp4" type="video/mp4" size="${size}">`;
    const sources = [480, 1080, 720].map(source).join("");
    const [video, ...others] = await videosIn(`<video preload="none">${sources}</video>`);
    expect(video?.address).toBe("https://a.example/tour-1080.mp4");
    expect(others).toEqual([]);
  });

  test("of its versions in data the best", async () => {
    const files = [360, 1080, 720].map((height) => ({ height, url: `/v/${height}.mp4`, type: "video/mp4" }));
    expect(await videosIn(data("json", { video: { title: "The tour", files } }))).toMatchObject([
      { address: "https://a.example/v/1080.mp4", title: "The tour" },
    ]);
  });

  test("in an element and in what other sites are told", async () => {
    const head = `<meta property="og:video" content="http://a.example/tour.mp4?utm_source=share">
      ${data("ld+json", { "@type": "VideoObject", name: "The tour", contentUrl: "/tour.mp4?v=2" })}`;
    expect(await videosIn(videoTag("tour"), head)).toMatchObject([
      { title: "The tour", address: "https://a.example/tour.mp4" },
    ]);
  });

  test("but twice where a query may choose it", async () => {
    const links = [1, 2].map((id) => `<a href="/watch.mp4?id=${id}">Part ${id}</a>`);
    expect(await videosIn(links.join(""))).toHaveLength(2);
  });
});

describe("how a video is shown is told", () => {
  test("by its place, its size and its attributes", async () => {
    const [loop, plain, hidden] = await videosIn(`
      ${videoTag("loop", 'muted loop autoplay style="width: 640px; height: 360px"')}
      ${videoTag("plain", 'controls style="position: absolute; top: 5000px; width: 320px; height: 180px"')}
      ${videoTag("hidden", 'style="display: none"')}`);
    const none = { playing: false, sounding: false };
    expect(loop?.shown).toEqual({
      ...none,
      inView: true,
      controls: false,
      area: 230_400,
      muted: true,
      repeats: true,
    });
    expect(plain?.shown).toMatchObject({
      ...none,
      inView: false,
      controls: true,
      area: 57_600,
      muted: false,
    });
    expect(hidden?.shown).toMatchObject({ inView: false, area: 0 });
  });
});

describe("players of other sites", () => {
  const closed = async (frames: string) => (await findIn(page, frames)).closedOrigins;
  const player = (attributes: string, address = "https://player.invalid/embed") =>
    `<iframe src="${address}" ${attributes}></iframe>`;
  const size = 'width="640" height="360"';

  test("are named, the largest first", async () => {
    const frames = [player('width="200" height="150"', "https://small.invalid/embed"), player(size)];
    expect(await closed(frames.join(""))).toEqual(["https://player.invalid", "https://small.invalid"]);
  });

  test.each([
    ["a tiny one", player('width="300" height="100"')],
    ["one that isn't shown", player(`${size} style="display: none"`)],
    ["one that nobody sees", player(`${size} style="visibility: hidden"`)],
    ["one without colour", `<div style="opacity: 0">${player(size)}</div>`],
    ["one out of the page", player(`${size} style="position: absolute; left: -9999px"`)],
    ["one of the size of an advertisement", player('width="300" height="250" style="border: 0"')],
    ["one that its page calls an advertisement", player(`${size} id="google_ads_iframe_1"`)],
    ["one of a host of advertisements", player(size, "https://x.doubleclick.net/ad")],
    ["a question whether one is human", player(size, "https://www.google.com/recaptcha/api2/bframe")],
  ])("are not offered: %s", async (_, frame) => {
    expect(await closed(frame)).toEqual([]);
  });

  test("of the size of an advertisement are offered where they may fill the screen", async () => {
    const frame = player('width="300" height="250" style="border: 0" allowfullscreen');
    expect(await closed(frame)).toEqual(["https://player.invalid"]);
  });
});

test("links that may be videos are noted, a few and of the page's own site", async () => {
  const body = `<a download href="/files/1">Download</a><a href="/download/2">The tour</a><a href="/about">About</a>
    <a download href="/terms.pdf">Terms</a><a download="a.zip" href="/files/3">All</a>
    <a download href="https://other.example/files/4">Elsewhere</a>
    ${Array.from({ length: 20 }, (_, at) => `<a href="/download/more/${at}">${at}</a>`).join("")}`;
  const found = await findIn(page, body);
  expect(found.unnamedLinks).toHaveLength(8);
  expect(found.unnamedLinks.slice(0, 2)).toEqual([
    { address: `${server.origin}/files/1` },
    { address: `${server.origin}/download/2`, title: "The tour" },
  ]);
});
