/** An upload is never sent on to where its host redirects it. */
import { afterEach, beforeAll, expect, test } from "vitest";
import { useService } from "../service/use-service.ts";
import { content } from "../support/content.ts";
import { inAll, table } from "../support/in-all.ts";
import { useOpened } from "../support/use-opened.ts";
import { changeOptions, send, uploaded } from "./actions.ts";
import { readStored } from "./stored-jobs.ts";
import { startUploadHost } from "./upload-host.ts";
import { useExtension } from "./use-extension.ts";

/** Two parts, and a last request of its own. */
const SIZE = 17 * 1024 * 1024;
const service = useService();
const extension = useExtension(service);
/** The host that the location names, one that the extension may reach just as well, and one that no policy can name. */
const [named, other, six] = [
  useOpened(() => startUploadHost()),
  useOpened(() => startUploadHost()),
  useOpened(() => startUploadHost("::1")),
];

beforeAll(() => extension.allow("http://[::1]/*"));
afterEach(() => {
  for (const host of [named, other, six]) host.clear();
});

const setMethod = (method: "Resumable" | "Direct") =>
  changeOptions(extension, (options) => options.getByLabel(method, { exact: true }).check());

async function begin({ locations } = named, name = "video.mp4") {
  await service.set({ answerShape: { set: locations } });
  const popup = await extension.open("popup.html");
  return { popup, row: await send(popup, name, content(SIZE)) };
}

type Place = "another origin" | "its own origin";
type Row = [method: string, status: number, place: Place, skip?: number];

async function expectRefused([method, status, place, skip = 0]: Row, host = named): Promise<void> {
  let left = skip;
  const location = `${place === "another origin" ? other.origin : host.origin}/elsewhere`;
  host.answer = (request) => {
    if (request.method !== method || request.path.startsWith("/elsewhere")) return undefined;
    return left-- > 0 ? undefined : { status, headers: { location } };
  };
  const { popup } = await begin(host);
  await expect.poll(async () => (await readStored(popup)).map(({ state }) => state)).toEqual(["failed"]);
  const [job] = await readStored(popup);
  const message = "Cannot reach the upload: its host redirects to another address, which is never followed";
  expect(job?.error).toMatchObject({ code: "location-refused", message });
  expect(other).toMatchObject({ connections: 0, requests: [] });
}

test.each(
  table<Row>([
    ["PATCH", 308, "another origin", 1],
    ["PATCH", 307, "its own origin"],
    ["PUT", 307, "another origin"],
  ]),
)("an upload whose %s is answered %i to %s ends there", async (...row) => {
  const isDirect = row[0] === "PUT";
  if (isDirect) await setMethod("Direct");
  await expectRefused(row);
  if (isDirect) await setMethod("Resumable");
});

inAll("a DELETE of a cancelled upload goes nowhere else", async () => {
  named.answer = async ({ method }) => {
    if (method === "DELETE") return { status: 307, headers: { location: `${other.origin}/elsewhere` } };
    // The upload stays under way.
    if (method === "PATCH") await new Promise(() => {});
    return undefined;
  };
  const { popup, row } = await begin();
  await expect.poll(() => named.requests.map(({ method }) => method)).toContain("PATCH");
  // Before the page knows of the asset there is nothing to ask about.
  await row.getByTitle(/of\s17.8\sMB/).waitFor();
  await row.getByRole("button", { name: "Cancel" }).click();
  await row.getByRole("button", { name: "End the upload" }).click();
  await expect.poll(() => named.requests.map(({ method }) => method)).toContain("DELETE");
  await expect.poll(async () => (await readStored(popup)).map(({ state }) => state)).toEqual(["cancelled"]);
  expect(other).toMatchObject({ connections: 0, requests: [] });
});

inAll("a host with an IPv6 address is sent to, and not followed either", async () => {
  await uploaded((await begin(six, "first.mp4")).row);
  await (await extension.open("popup.html")).getByRole("button", { name: "Clear finished" }).click();
  await expectRefused(["PATCH", 307, "another origin"], six);
});
