/**
 * Takes the picture of the README, of the built extension on the local service:
 * `node --import tsx test/picture.ts [file]`.
 */
import { join } from "node:path";
import { choose, editDraft, rowOf, setUp } from "./e2e/actions.ts";
import { buildExtension } from "./e2e/build.ts";
import { loadExtension } from "./e2e/extension.ts";
import { openPopupAbove } from "./e2e/listed.ts";
import { scratchFolder } from "./scratch.ts";
import { writeLongVideo } from "./service/long-video.ts";
import { startService } from "./service/service.ts";

const [, , picture = ".github/upcut.png"] = process.argv;
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
const folder = await scratchFolder("picture");
const service = await startService({
  directory: join(folder.path, "service"),
  switches: { throttle: 2_000_000 },
});
const extension = await loadExtension({
  args: ["--screen-info={2800x2000 devicePixelRatio=2}", "--window-size=1280,900"],
});
await setUp(extension, { baseUrl: service.baseUrl, token: service.accounts[0]?.token ?? "" });

const page = await extension.context.newPage();
await page.route("**/notes", (route) => route.fulfill({ contentType: "text/html", body: PAGE }));
await page.goto(`${service.baseUrl}/notes`);

const list = await extension.open("popup.html");
for (const { name, sample, times } of VIDEOS) {
  const path = join(folder.path, sample);
  await writeLongVideo(join(SAMPLES, sample), path, times);
  await choose(list, path);
  await rowOf(list, sample).locator("img").waitFor();
  await editDraft(rowOf(list, sample), name);
}
await list.getByRole("button", { name: "Start all" }).click();
// What the system has taken at once is no speed yet.
await rowOf(list, "Camera roll")
  .getByText(/^\d{2}% · \d{2} sec left/)
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
await page.locator("figure").screenshot({ path: picture });
await extension.close();
await service.close();
await folder.remove();
