/**
 * Makes the film and the picture of the README, of the built extension on the local service:
 * `node --import tsx test/release/pictures/readme.ts [folder]`.
 */
import { join, resolve } from "node:path";
import { choose, editDraft, rowOf, setUp } from "../../e2e/actions.ts";
import { buildExtension } from "../../e2e/build.ts";
import { type Extension, loadExtension } from "../../e2e/extension.ts";
import { openPopupAbove } from "../../e2e/listed.ts";
import { writeLongVideo } from "../../service/long-video.ts";
import { type Service, startService } from "../../service/service.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { startFilm } from "./film.ts";

const target = resolve(process.argv[2] ?? ".github");
const SAMPLES = "test/service/samples";
/** What is on its way: a sample, repeated so often that one is ahead of the other. */
const VIDEOS = [
  { name: "Camera roll", sample: "camera-roll.mov", times: 700 },
  { name: "Launch video", sample: "launch-video.mp4", times: 160 },
];
const PAGE = `<title>Field notes</title>
<video src="/samples/deep-dive.webm" title="Deep dive" preload="auto"></video>
<video src="/samples/tiny.mp4" title="Meadow at dawn" preload="auto"></video>`;

await buildExtension();
const folder = await scratchFolder("pictures");
const service = await startService({
  directory: join(folder.path, "service"),
  switches: { throttle: 2_000_000 },
});
const extension = await loadExtension({
  args: ["--screen-info={2800x2000 devicePixelRatio=2}", "--window-size=1280,900"],
});
const account = { baseUrl: service.baseUrl, token: service.accounts[0]?.token ?? "" };
await setUp(extension, account, (options) => options.getByLabel("Review before uploading").uncheck());
await film(extension, join(target, "upcut.webp"));
await setUp(extension, account);
await takePicture(extension, service, join(target, "upcut.png"));
await extension.close();
await service.close();
await folder.remove();

/** The main job: a video is chosen, arrives, and its link is copied. */
async function film({ open }: Extension, path: string): Promise<void> {
  const video = join(folder.path, "launch-video.mp4");
  await writeLongVideo(join(SAMPLES, "launch-video.mp4"), video, 200);
  const popup = await open("popup.html");
  const button = popup.locator("#choose-videos:enabled");
  await button.waitFor();
  const filmed = await startFilm(popup, { width: 380, height: 330, folder: folder.path });
  await filmed.hold(900);
  const chooser = popup.waitForEvent("filechooser");
  await filmed.press(button);
  await (await chooser).setFiles(video);
  const row = rowOf(popup, "launch-video");
  await filmed.until(row.getByText(/^Starts in/), 1);
  await filmed.hold(900);
  await filmed.until(row.getByText(/^\d+%\s/), 4);
  await filmed.until(row.getByText(/^Uploaded/), 3);
  await filmed.hold(900);
  await filmed.press(row.getByRole("button", { name: "Copy link" }));
  await filmed.until(row.getByText("Copied"), 1);
  await filmed.hold(2500);
  await filmed.write(path);
  await popup.getByRole("button", { name: "Clear finished" }).click();
  await row.waitFor({ state: "detached" });
  await popup.close();
}

async function takePicture(extension: Extension, service: Service, path: string): Promise<void> {
  const page = await extension.context.newPage();
  await page.route("**/notes", (route) => route.fulfill({ contentType: "text/html", body: PAGE }));
  await page.goto(`${service.baseUrl}/notes`);

  const list = await extension.open("popup.html");
  for (const { name, sample, times } of VIDEOS) {
    const video = join(folder.path, sample);
    await writeLongVideo(join(SAMPLES, sample), video, times);
    await choose(list, video);
    await rowOf(list, sample).locator("img").waitFor();
    await editDraft(rowOf(list, sample), name);
  }
  await list.getByRole("button", { name: "Start all" }).click();
  // What the system has taken at once is no speed yet.
  await rowOf(list, "Camera roll")
    .getByText(/^\d{2}% · \d{2}\ssec\sleft/)
    .waitFor();
  await list.close();

  const popup = await openPopupAbove(extension, page);
  await popup.listed();
  await popup.evaluate(`(async () => {
    document.querySelector("#page-videos-list input").click();
    const sizes = () => document.getElementById("page-videos-list").textContent.match(/kB/g)?.length;
    while (sizes() !== 2) await new Promise((resolve) => setTimeout(resolve, 50));
    // Bars move to where they are.
    await new Promise((resolve) => setTimeout(resolve, 500));
  })()`);
  const { data } = await popup.send("Page.captureScreenshot");
  await popup.close();

  const opening = extension.context.waitForEvent("page");
  await extension.inWorker(
    `chrome.contextMenus.onClicked.dispatch({ menuItemId: "selection", selectionText: "${service.streams[0]}" }, undefined)`,
  );
  const confirmation = await opening;
  await confirmation.getByRole("button", { name: "End stream" }).waitFor();
  // Without a display no window has the size that it asked for.
  const session = await extension.context.newCDPSession(confirmation);
  await session.send("Emulation.setDeviceMetricsOverride", {
    width: 440,
    height: 388,
    deviceScaleFactor: 2,
    mobile: false,
  });
  const shots = [data, (await session.send("Page.captureScreenshot")).data];

  await page.setContent(`<style>
    figure { display: flex; gap: 28px; align-items: center; width: fit-content; padding: 28px; background: #e8e8f2 }
    img { zoom: 0.5; border-radius: 20px; box-shadow: 0 0 0 2px #0001, 0 6px 16px #2221 }
  </style>
  <figure>${shots.map((shot) => `<img src="data:image/png;base64,${shot}">`).join("")}</figure>`);
  await page.locator("figure").screenshot({ path });
}
