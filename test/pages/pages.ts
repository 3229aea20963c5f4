/** The pages of the site, each about one way in which pages show videos. */

interface Origins {
  pages: string;
  media: string;
}

type PageMaker = (origins: Origins) => string;

function page(title: string, body: string, head = ""): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,">${head}</head><body>${body}</body></html>`;
}

const player = 'controls muted playsinline preload="auto" width="320" height="180"';

/** A page whose video a player plays, which marks itself as ready once it can be played. */
const playedBy = (script: string, title: string, start: string) =>
  page(
    title,
    `<video ${player} title="${title}"></video><script src="/players/${script}"></script><script>
  const video = document.querySelector("video");
  ${start}
  const check = () => {
    if (video.readyState >= 2) document.documentElement.dataset.ready = "yes";
  };
  // A player may go to where its first piece begins: what had a picture then waits for it again.
  for (const type of ["loadeddata", "canplay"]) video.addEventListener(type, check);
  check();
</script>`,
  );

export const PAGES = {
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
  links: ({ media }) =>
    page(
      "Links",
      `<ul><li><a href="/plain/camera-roll.mov">The camera roll</a></li>
      <li><a href="${media}/open/tiny.mp4#t=1">Tiny, from elsewhere</a></li>
      <li><a href="/plain/tiny.mp4">Download</a></li>
      <li><a href="/src/video.ts">A program</a></li></ul>`,
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
  none: () => page("Nothing here", "<p>Words alone.</p><video></video>"),
  "hls-for-page": ({ media }) =>
    playedBy(
      "hls.min.js",
      "For this page alone",
      `const hls = new Hls();
      hls.loadSource("${media}/page-pieces/ten/main.m3u8");
      hls.attachMedia(video);`,
    ),
  "dash-on-demand": () =>
    playedBy(
      "dash.all.min.js",
      "On demand",
      'dashjs.MediaPlayer().create().initialize(video, "/pieces/on-demand/manifest.mpd", false);',
    ),
} satisfies Record<string, PageMaker>;
