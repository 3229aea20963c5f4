/** New uploads start by themselves after a grace, of which each test waits for one at most. */
import { expect, test } from "vitest";
import { content } from "../content.ts";
import { useService } from "../service/use-service.ts";
import { changeOptions, choose, closePages, rowOf, uploaded } from "./actions.ts";
import { expectWhole, waitUntilComplete } from "./evidence.ts";
import { readStored } from "./stored-jobs.ts";
import { useExtension } from "./use-extension.ts";

/** Large enough to be sent in parts, which the service tells of. */
const SIZE = 2 * 1024 * 1024;
const service = useService({ refuseOrigin: true });
const extension = useExtension(service, {
  change: (options) => options.getByLabel("Review before uploading").uncheck(),
});
const video = (name: string) => ({ name, bytes: content(SIZE) });
const made = async () => (await service.assets()).map(({ asset }) => asset.name);

test("an upload starts by itself after its grace, before which nothing is requested, also where every page was closed", async () => {
  const popup = await extension.open("popup.html");
  await choose(popup, video("holiday.mp4"));
  await rowOf(popup, "holiday")
    .getByText(/^Starts in \d\ssec$/)
    .waitFor();
  const [job] = await readStored(popup);
  await closePages(extension);
  await waitUntilComplete(service, SIZE);
  await expectWhole(service, SIZE);
  const [{ asset } = { asset: undefined }] = await service.assets();
  expect(asset?.createdAt).toBeGreaterThanOrEqual(job?.startsAt ?? Number.NaN);
});

test("an upload stays a draft where the review is turned on within its grace", async () => {
  const popup = await extension.open("popup.html");
  await choose(popup, video("reviewed.mp4"));
  await rowOf(popup, "reviewed").getByText("Starts in").waitFor();
  await changeOptions(extension, (options) => options.getByLabel("Review before uploading").check());
  await rowOf(popup, "reviewed").getByRole("button", { name: "Start", exact: true }).waitFor();
  await popup.getByLabel("Review before uploading").click();
  // Its grace ends after the other's would have.
  await choose(popup, video("later.mp4"));
  await uploaded(rowOf(popup, "later"));
  expect(await made()).toEqual(["later.mp4"]);
});
