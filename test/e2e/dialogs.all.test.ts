/** The browser's question whether a file may be read again, which no page and no debugger reaches. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { useService } from "../service/use-service.ts";
import { content, contentHash, MiB } from "../support/content.ts";
import { useFolder } from "../support/use-folder.ts";
import { drop, rowOf, setUp } from "./actions.ts";
import { waitUntilSent } from "./evidence.ts";
import { loadExtension, show } from "./extension.ts";
import { openScreen, type Screen } from "./screen.ts";

const SIZE = 8 * MiB;
const NAMES = ["one.mp4", "two.mp4"];
const service = useService({ refuseOrigin: true });
const [folder, profile] = [useFolder("e2e"), useFolder("profile")];
let screen: Screen | undefined;

afterAll(() => screen?.close());

/** Uses a browser that is closed while it uploads files of which it has the handles. */
async function leaveUnfinished(): Promise<void> {
  await service.set({ throttle: MiB / 16 });
  const extension = await loadExtension({ userDataDir: profile.path, firstRun: true });
  await setUp(extension, service, (options) => options.getByLabel("Review before uploading").uncheck());
  const list = await extension.open("popup.html?tab=");
  for (const name of NAMES) {
    await writeFile(join(folder.path, name), content(SIZE));
    await drop(list, join(folder.path, name));
    await rowOf(list, name).getByText("Starts in").waitFor({ state: "detached" });
  }
  await waitUntilSent(service, 0);
  await expect.poll(async () => (await service.uploads()).length).toBe(NAMES.length);
  await extension.close();
  await service.set({ throttle: 0 });
}

test("a file is read again by a click: in the popup without a question, in a tab after one", async () => {
  await leaveUnfinished();
  screen = await openScreen(profile.path);
  const { extension } = screen;
  const page = extension.context.pages()[0] ?? (await extension.context.newPage());
  await show(page, `${service.baseUrl}/`);
  await screen.pin();
  const popup = await screen.openPopup();
  await screen.clickOn(popup, "#list > li:nth-child(1) [data-act=allow-file]");
  const waiting = "document.querySelectorAll('[data-act=allow-file]').length";
  await expect.poll(() => popup.evaluate(waiting)).toBe(1);
  const done = async () => (await service.uploads()).filter(({ offset }) => offset === SIZE).length;
  await expect.poll(done).toBe(1);

  const tab = await extension.open("popup.html?tab=");
  await tab.bringToFront();
  await screen.clickOn(tab, "[data-act=allow-file]");
  await screen.answer("Deny");
  await tab.getByText("The browser was not allowed to read the file.").waitFor();
  await screen.clickOn(tab, "[data-act=allow-file]");
  await screen.answer("Allow");
  await expect.poll(done).toBe(2);
  const assets = await service.assets();
  expect(assets).toHaveLength(2);
  for (const { asset } of assets) expect((await service.whole(asset.id)).sha256).toBe(contentHash(SIZE));
});
