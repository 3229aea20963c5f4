/** The parts of a video as one stream, to an upload host that speaks HTTP/2. */
import { beforeEach, expect, test } from "vitest";
import { useService } from "../service/use-service.ts";
import { content, MiB } from "../support/content.ts";
import { startSecureFront } from "../support/hosts/secure-front.ts";
import { inAll } from "../support/in-all.ts";
import { useOpened } from "../support/use-opened.ts";
import { allowByClick, choose, start, uploaded } from "./actions.ts";
import { readStored } from "./stored-jobs.ts";
import { startUploadHost } from "./upload-host.ts";
import { useExtension } from "./use-extension.ts";

const service = useService();
const extension = useExtension(service, {
  change: (options) => options.getByLabel("Send the token to the upload host too").check(),
});
const host = useOpened(() => startUploadHost());
const front = useOpened(() => startSecureFront(() => host.origin));
const other = useOpened(() => startSecureFront(() => host.origin));

beforeEach(() => {
  for (const each of [host, front, other]) each.clear();
});

async function begin() {
  const [url, tusEndpoint] = Object.values(host.locations).map((each) =>
    each.replace(host.origin, front.origin),
  );
  await service.set({ answerShape: { set: { url, tusEndpoint } } });
  const popup = await extension.open("popup.html");
  await choose(popup, { name: "video.mp4", bytes: content(17 * MiB) });
  return { popup, row: await start(popup) };
}

test("all parts go in one request, which has the account's authorization where that is turned on", async () => {
  const { row } = await begin();
  await allowByClick(extension, row, "https://127.0.0.1/*");
  await uploaded(row);
  const authorization = `Bearer ${service.token}`;
  expect(front.requests.filter(({ method }) => method === "PATCH")).toMatchObject([
    { version: 2, bytes: 16 * MiB, headers: { authorization } },
    { version: 2, bytes: MiB, headers: { authorization } },
  ]);
});

inAll("a stream that is redirected to another host ends there", async () => {
  const location = `${other.origin}/elsewhere`;
  front.fault = ({ method }) =>
    method === "PATCH" ? { status: 307, headers: { location }, after: MiB } : undefined;
  const { popup } = await begin();
  await expect.poll(async () => (await readStored(popup)).map(({ state }) => state)).toEqual(["failed"]);
  expect((await readStored(popup))[0]?.error).toMatchObject({ code: "location-refused" });
  expect(other).toMatchObject({ connections: 0, requests: [] });
  expect(front.requests.filter(({ method }) => method === "PATCH")).toHaveLength(1);
});
