import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { content } from "../content.ts";
import { useService } from "../service/use-service.ts";
import { changeOptions, choose, rowOf } from "./actions.ts";
import { attach, findTarget } from "./raw-target.ts";
import { readStored } from "./stored-jobs.ts";
import { startUploadHost, type UploadHost } from "./upload-host.ts";
import { useExtension } from "./use-extension.ts";

const MiB = 1024 * 1024;
/** Two parts, and a last request of its own. */
const SIZE = 17 * MiB;
const service = useService();
const extension = useExtension(service);
/** The host that the location names, and another one that the extension may reach just as well. */
let named: UploadHost;
let other: UploadHost;

beforeAll(async () => {
  named = await startUploadHost();
  other = await startUploadHost();
});
afterEach(() => {
  for (const host of [named, other]) host.clear();
});
afterAll(async () => {
  for (const host of [named, other]) await host?.close();
});

const setMethod = (method: "Resumable" | "Direct") =>
  changeOptions(extension, (options) => options.getByLabel(method, { exact: true }).check());

/** Uploads a video, and waits until that has failed. */
async function uploadUntilRefused(): Promise<void> {
  await service.set({ answerShape: { set: named.locations } });
  const popup = await extension.open("popup.html");
  await choose(popup, { name: "video.mp4", bytes: content(SIZE) });
  await rowOf(popup, "video.mp4").getByRole("button", { name: "Start" }).click();
  await expect
    .poll(async () => (await readStored(popup)).map(({ state }) => state), { timeout: 60_000 })
    .toEqual(["failed"]);
  const [job] = await readStored(popup);
  expect(job?.error).toMatchObject({
    code: "location-refused",
    message: "Cannot reach the upload: its host redirects to another address, which is never followed",
  });
}

/** Has the named host redirect the n-th request of a method. */
function redirect(method: string, status: number, to: string, skip = 0): void {
  let left = skip;
  named.answer = (request) => {
    if (request.method !== method || request.path.startsWith("/elsewhere")) return undefined;
    return left-- > 0 ? undefined : { status, headers: { location: to } };
  };
}

const RESUMABLE: [method: string, status: number, skip: number][] = [
  ["POST", 307, 0],
  ["POST", 302, 0],
  ["PATCH", 307, 0],
  ["PATCH", 308, 1],
  ["PATCH", 302, 0],
];

describe.each(RESUMABLE)(
  "an upload host that answers %s with %i (after %i others)",
  (method, status, skip) => {
    test("sends nothing of a resumable upload to another origin, and ends the upload", async () => {
      redirect(method, status, `${other.origin}/elsewhere`, skip);
      await uploadUntilRefused();
      expect(other).toMatchObject({ connections: 0, requests: [] });
    });

    test("is refused as well where it stays at its own origin", async () => {
      redirect(method, status, `${named.origin}/elsewhere`, skip);
      await uploadUntilRefused();
    });
  },
);

test.each([307, 308])("a HEAD that is answered %i after a break goes nowhere else", async (status) => {
  let breaks = 1;
  named.answer = ({ method }) => {
    if (method === "PATCH" && breaks-- > 0) return "break";
    return method === "HEAD" ? { status, headers: { location: `${other.origin}/elsewhere` } } : undefined;
  };
  await uploadUntilRefused();
  expect(other).toMatchObject({ connections: 0, requests: [] });
});

test("a DELETE of a cancelled upload goes nowhere else", async () => {
  named.latency = 500;
  named.answer = ({ method }) =>
    method === "DELETE" ? { status: 307, headers: { location: `${other.origin}/elsewhere` } } : undefined;
  await service.set({ answerShape: { set: named.locations } });
  const popup = await extension.open("popup.html");
  await choose(popup, { name: "video.mp4", bytes: content(SIZE) });
  const row = rowOf(popup, "video.mp4");
  await row.getByRole("button", { name: "Start" }).click();
  await expect.poll(() => named.requests.map(({ method }) => method)).toContain("PATCH");
  const [job] = await readStored(popup);
  await popup.evaluate((jobId) => {
    new BroadcastChannel("upcut-to-offscreen").postMessage({ type: "cancel", jobId });
  }, job?.id);
  await expect.poll(() => named.requests.map(({ method }) => method)).toContain("DELETE");
  await expect
    .poll(async () => (await readStored(popup)).map(({ state }) => state), { timeout: 30_000 })
    .toEqual(["cancelled"]);
  expect(other).toMatchObject({ connections: 0, requests: [] });
});

describe("a direct upload", () => {
  beforeAll(() => setMethod("Direct"));
  afterAll(() => setMethod("Resumable"));

  test.each([301, 302, 303, 307, 308])(
    "that is answered %i sends nothing to another origin",
    async (status) => {
      redirect("PUT", status, `${other.origin}/elsewhere`);
      await uploadUntilRefused();
      expect(other).toMatchObject({ connections: 0, requests: [] });
    },
  );

  test("that is redirected within its origin is refused, whatever the answer there", async () => {
    redirect("PUT", 307, `${named.origin}/elsewhere`);
    await uploadUntilRefused();
  });

  test("to one host after another sends to each its own video alone", async () => {
    const second = await startUploadHost();
    try {
      const popup = await extension.open("popup.html");
      for (const [name, { locations }] of [
        ["first.mp4", named],
        ["second.mp4", second],
      ] as const) {
        await service.set({ answerShape: { set: locations } });
        await choose(popup, { name, bytes: content(SIZE) });
        await rowOf(popup, name).getByRole("button", { name: "Start" }).click();
        await rowOf(popup, name).getByText("Uploaded").waitFor();
      }
      for (const host of [named, second])
        expect(host.requests).toMatchObject([{ method: "PUT", bytes: SIZE }]);
    } finally {
      await second.close();
    }
  });
});

test("an upload host with an IPv6 address, which no policy can name, is sent to and not followed either", async () => {
  const six = await startUploadHost("::1");
  try {
    await extension.allow("http://[::1]/*");
    await service.set({ answerShape: { set: six.locations } });
    const popup = await extension.open("popup.html");
    await choose(popup, { name: "video.mp4", bytes: content(SIZE) });
    const row = rowOf(popup, "video.mp4");
    await row.getByRole("button", { name: "Start" }).click();
    await row.getByText("Uploaded").waitFor();
    six.answer = ({ method }) =>
      method === "PATCH" ? { status: 307, headers: { location: `${other.origin}/elsewhere` } } : undefined;
    await choose(popup, { name: "redirected.mp4", bytes: content(SIZE) });
    await rowOf(popup, "redirected.mp4").getByRole("button", { name: "Start" }).click();
    await expect
      .poll(async () => (await readStored(popup)).map(({ state }) => state).sort(), { timeout: 60_000 })
      .toEqual(["done", "failed"]);
    expect(other).toMatchObject({ connections: 0, requests: [] });
  } finally {
    await six.close();
  }
});

test("no frame is left behind by uploads that have ended", async () => {
  await service.set({ answerShape: { set: named.locations } });
  const popup = await extension.open("popup.html");
  await choose(popup, { name: "video.mp4", bytes: content(SIZE) });
  await rowOf(popup, "video.mp4").getByRole("button", { name: "Start" }).click();
  await rowOf(popup, "video.mp4").getByText("Uploaded").waitFor();
  expect(named.requests.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(SIZE);
  const target = await findTarget(extension, "/offscreen.html");
  const offscreen = await attach(extension.browser, target.targetId);
  await expect.poll(() => offscreen.evaluate("document.querySelectorAll('iframe').length")).toBe(0);
  await offscreen.detach();
});
