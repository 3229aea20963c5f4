/** Pages on which the players of many sites play videos in pieces. */
import { type PageMaker, page, player } from "./page.ts";

/** Runs in the page: marks it as ready once each video can be played. */
const whenReady = (start: string) => `<script>
  ${start}
  const canPlay = (video) => new Promise((resolve) => {
    const check = () => video.readyState >= 2 && resolve();
    // A player may go to where its first piece begins: what had a picture then waits for it again.
    for (const type of ["loadeddata", "canplay"]) video.addEventListener(type, check);
    check();
  });
  Promise.all([...document.querySelectorAll("video")].map(canPlay)).then(() => {
    document.documentElement.dataset.ready = "yes";
  });
</script>`;

/** Runs in the page. */
const HLS_JS = `
  function play(video, address) {
    const hls = new Hls();
    hls.loadSource(address);
    hls.attachMedia(video);
    return hls;
  }
  const [first, second] = document.querySelectorAll("video");`;

const video = (title: string, more = "") => `<video ${player} title="${title}" ${more}></video>`;
const hlsScript = '<script src="/players/hls.min.js"></script>';
const withHls = (title: string, address: string) =>
  page(
    title,
    `${video(title)}${hlsScript}${whenReady(`${HLS_JS} play(first, ${JSON.stringify(address)});`)}`,
  );
const withDash = (title: string, address: string) =>
  page(
    title,
    `${video(title)}<script src="/players/dash.all.min.js"></script>${whenReady(`
      dashjs.MediaPlayer().create().initialize(document.querySelector("video"), ${JSON.stringify(address)}, false);`)}`,
  );

export const PLAYER_PAGES = {
  "hls-ts": () => withHls("MPEG-TS", "/pieces/ts/index.m3u8"),
  "hls-separate": () => withHls("Sound apart", "/pieces/separate/main.m3u8"),
  "hls-ts-ranges": () => withHls("Ranges of MPEG-TS", "/pieces/ranges/ts.m3u8"),
  "hls-aes": () => withHls("Encrypted", "/pieces/aes/index.m3u8"),
  "hls-ten": () => withHls("Ten qualities", "/pieces/ten/main.m3u8"),
  "hls-runs": () => withHls("Three runs", "/pieces/runs/index.m3u8"),
  "hls-live": () => withHls("On air", "/pieces/live/main.m3u8"),
  "hls-elsewhere": ({ media }) => withHls("Elsewhere", `${media}/open-pieces/ten/main.m3u8`),
  "hls-for-page": ({ media }) => withHls("For this page alone", `${media}/page-pieces/ten/main.m3u8`),
  "hls-split": () => withHls("In two places", "/split/index.m3u8"),
  "hls-two": () =>
    page(
      "Two players",
      `${video("Six seconds")}${video("Four seconds")}${hlsScript}${whenReady(`${HLS_JS}
        play(second, "/pieces/short/index.m3u8"); play(first, "/pieces/ten/main.m3u8");`)}`,
    ),
  "dash-template": () => withDash("By a template", "/pieces/template/manifest.mpd"),
  "dash-on-demand": () => withDash("On demand", "/pieces/on-demand/manifest.mpd"),
} satisfies Record<string, PageMaker>;
