/** The pages of the site, each about one way in which pages show videos. */

import { type PageMaker, page, player } from "./page.ts";
import { PLAYER_PAGES } from "./player-pages.ts";

/** Plays what it fetches piece by piece, as players of streams do. */
const streaming = (manifest: string) => `
  const codecs = 'video/mp4; codecs="avc1.64001e, mp4a.40.2"';
  async function play(video) {
    const source = new MediaSource();
    video.src = URL.createObjectURL(source);
    await new Promise((resolve) => source.addEventListener("sourceopen", resolve, { once: true }));
    await (await fetch(${JSON.stringify(manifest)})).text();
    const buffer = source.addSourceBuffer(codecs);
    buffer.appendBuffer(await (await fetch("/plain/segments.mp4")).arrayBuffer());
    await new Promise((resolve) => buffer.addEventListener("updateend", resolve, { once: true }));
    source.endOfStream();
  }
  const ready = play(document.querySelector("video"));
  ready.then(() => document.documentElement.dataset.ready = "yes", (error) => console.error(error));`;

export const PAGES = {
  ...PLAYER_PAGES,
  mp4: () => page("Launch day", `<video ${player} src="/plain/launch-video.mp4"></video>`),
  webm: () =>
    page("Deep sea", `<video ${player} src="/plain/deep-dive.webm" aria-label="Into the deep"></video>`),
  "source-choice": () =>
    page(
      "Two formats",
      `<figure><video ${player}>
        <source src="/plain/unknown.mkv" type="video/x-no-such-format">
        <source src="/plain/deep-dive.webm" type='video/webm; codecs="vp9, opus"'>
        <source src="/plain/launch-video.mp4" type="video/mp4">
      </video><figcaption>The dive, in two formats</figcaption></figure>
      <a href="/plain/launch-video.mp4">Download</a>`,
    ),
  "same-origin-frame": () =>
    page("With a frame", '<iframe src="/pages/mp4" width="400" height="240"></iframe>'),
  "sandboxed-frame": () =>
    page("With a sandbox", '<iframe sandbox src="/pages/mp4" width="400" height="240"></iframe>'),
  "cross-origin-frame": ({ media }) =>
    page(
      "With a foreign frame",
      `<iframe src="${media}/pages/webm" width="400" height="240"></iframe>
      <iframe src="${media}/pages/none" width="1" height="1"></iframe>`,
    ),
  "closed-shadow": () =>
    page(
      "Behind doors",
      `<div id="host"></div><script>
        const outer = document.querySelector("#host").attachShadow({ mode: "closed" });
        outer.innerHTML = "<inner-player></inner-player>";
        outer.firstChild.attachShadow({ mode: "closed" }).innerHTML =
          '<video ${player} src="/plain/tiny.mp4" title="In a closed shadow"></video>';
      </script>`,
    ),
  lazy: () =>
    page(
      "Lazy",
      `<article><h2>Not loaded yet</h2><video ${player} data-src="/plain/launch-video.mp4"></video></article>
      <article><h2>Nor this one</h2><video ${player}><source data-src="/plain/deep-dive.webm" type="video/webm"></video></article>`,
    ),
  blob: () =>
    page(
      "Made of bytes",
      `<video ${player} title="A Blob"></video><script>
        fetch("/plain/launch-video.mp4").then((answer) => answer.blob()).then((blob) => {
          document.querySelector("video").src = URL.createObjectURL(blob);
          document.documentElement.dataset.ready = "yes";
        });
      </script>`,
    ),
  "strict-blob": () =>
    page(
      "Strict",
      `<video ${player} title="A Blob on a strict page"></video><script>
        const bytes = Uint8Array.from(atob("TINY"), (letter) => letter.charCodeAt(0));
        document.querySelector("video").src = URL.createObjectURL(new Blob([bytes], { type: "video/mp4" }));
      </script>`,
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; media-src blob:">`,
    ),
  camera: () =>
    page(
      "A camera",
      `<canvas></canvas><video ${player} autoplay></video><script>
        const context = document.querySelector("canvas").getContext("2d");
        context.fillStyle = "white";
        setInterval(() => context.fillRect(Math.random() * 100, Math.random() * 100, 50, 50), 50);
        document.querySelector("video").srcObject = document.querySelector("canvas").captureStream();
      </script>`,
    ),
  hls: () => page("A stream", `<video ${player}></video><script>${streaming("/plain/index.m3u8")}</script>`),
  drm: () =>
    page(
      "Protected",
      `<video ${player} src="/plain/launch-video.mp4" title="Under lock"></video><script>
        navigator.requestMediaKeySystemAccess("org.w3.clearkey", [
          { initDataTypes: ["cenc"], videoCapabilities: [{ contentType: 'video/mp4; codecs="avc1.64001e"' }] },
        ]).then((access) => access.createMediaKeys()).then((keys) => document.querySelector("video").setMediaKeys(keys))
          .then(() => document.documentElement.dataset.ready = "yes");
      </script>`,
    ),
  "og-video": ({ pages }) =>
    page(
      "Only told to others",
      "<p>The player comes later.</p>",
      `<meta property="og:title" content="The video of the year">
      <meta property="og:image" content="${pages}/plain/poster.png">
      <meta property="og:video" content="${pages}/plain/launch-video.mp4">
      <meta property="og:video:secure_url" content="${pages}/plain/launch-video.mp4">
      <meta property="og:video:type" content="video/mp4"><meta property="og:video:width" content="640">
      <meta property="og:video:height" content="360">
      <meta name="twitter:player:stream" content="${pages}/plain/launch-video.mp4">`,
    ),
  "json-ld": ({ media }) =>
    page(
      "For search engines",
      "<p>Two videos are described, and a third one badly.</p>",
      `<script type="application/ld+json">${JSON.stringify({
        "@context": "https://schema.org",
        "@graph": [
          {
            "@type": "WebPage",
            mainEntity: {
              "@type": ["Thing", "VideoObject"],
              name: "Described deep inside",
              contentUrl: "/plain/launch-video.mp4",
              duration: "PT10S",
              thumbnailUrl: ["/plain/poster.png"],
            },
          },
          {
            "@type": "VideoObject",
            name: "Described elsewhere",
            contentUrl: `${media}/plain/deep-dive.webm`,
            encodingFormat: "video/webm",
          },
          { "@type": "VideoObject", name: "Embedded only", embedUrl: "/pages/mp4" },
        ],
      })}</script><script type="application/ld+json">{ "@type": "VideoObject", oops</script>`,
    ),
  links: ({ media }) =>
    page(
      "Links",
      `<ul><li><a href="/plain/camera-roll.mov">The camera roll</a></li>
      <li><a href="${media}/open/tiny.mp4#t=1">Tiny, from elsewhere</a></li>
      <li><a href="/plain/tiny.mp4">Download</a></li>
      <li><a href="/src/video.ts">A program</a></li></ul>`,
    ),
  disposition: () =>
    page(
      "Downloads",
      `<p><a href="/download/launch-video">Download</a> <a href="/download/poster">The poster</a></p>`,
    ),
  "same-video": ({ pages }) =>
    page(
      "A video in many places",
      `<article><h2>The launch</h2><video ${player}><source src="/plain/launch-video.mp4?_=1" type="video/mp4">
        <a href="${pages}/plain/launch-video.mp4">${pages}/plain/launch-video.mp4</a></video></article>`,
      `<meta property="og:video" content="${pages}/plain/launch-video.mp4?cb=17">`,
    ),
  "cross-origin-file": ({ media }) =>
    page(
      "Stored elsewhere",
      `<video ${player} src="${media}/plain/launch-video.mp4" poster="/plain/poster.png" title="Elsewhere"></video>
      <video ${player} src="/plain/tiny.mp4" title="Here"></video>`,
    ),
  gated: () =>
    page("Members only", `<video ${player} src="/gated/launch-video.mp4" title="For members"></video>`),
  expired: () =>
    page(
      "Too late",
      `<video ${player} src="/expired/launch-video.mp4?X-Amz-Signature=a-signature" title="Expired"></video>`,
    ),
  signed: () =>
    page(
      "Signed",
      `<video ${player} src="/get-only/launch-video.mp4?X-Amz-Signature=a-signature" title="Signed"></video>`,
    ),
  "no-range": () => page("Whole only", `<video ${player} src="/no-range/launch-video.mp4"></video>`),
  "moved-away": () => page("Moved away", `<video ${player} src="/moved-away/launch-video.mp4"></video>`),
  none: () => page("Nothing here", "<p>Words alone.</p><video></video>"),
  many: () =>
    page(
      "A heavy page",
      `<div>${Array.from({ length: 15_000 }, (_, n) => `<div><span>Paragraph ${n}</span></div>`).join("")}</div>
      ${Array.from(
        { length: 200 },
        (_, n) =>
          `<article><h3>Video number ${n + 1}</h3><video preload="none" poster="/plain/poster.png?${n}" src="/plain/launch-video.mp4?number=${n + 1}"></video></article>`,
      ).join("")}`,
    ),
} satisfies Record<string, PageMaker>;
