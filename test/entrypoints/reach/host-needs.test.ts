/** Whether a failed upload waits for a host that the person has to allow: what is allowed, and which host answers. */
import { createServer } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { UploadError } from "../../../core/extension.ts";
import type { ErrorCode } from "../../../core/mod.ts";
import { createSettingsCopy } from "../../../entrypoints/offscreen/settings-copy.ts";
import { needAfter, needToConnect } from "../../../entrypoints/reach/host-needs.ts";
import type { StoredJob } from "../../../entrypoints/shared/job.ts";
import { DEFAULT_SETTINGS } from "../../../entrypoints/shared/settings.ts";
import { asset, fromPage, inPieces, makeJob } from "../../support/extension/pages/jobs.ts";
import { closeServer, openServer } from "../../support/hosts/open-server.ts";

const SERVICE = "https://video.example";
const UPLOAD = "https://upload.example";
const VIDEO = "https://cdn.example";
const server = createServer((_, response) => response.end());
let up: string;
let allowed: string[];
/** Where the host of the video redirects to. */
let redirect: string | null;

beforeAll(async () => {
  up = `http://127.0.0.1:${await openServer(server)}`;
});
afterAll(() => closeServer(server));
beforeEach(() => {
  allowed = [];
  redirect = null;
  const sendMessage = async ({ type, address }: { type: string; address: string }) =>
    type === "redirect-of" ? redirect : allowed.includes(address);
  vi.stubGlobal("chrome", { runtime: { sendMessage } });
  const contentDocument = { defaultView: { fetch, document: new EventTarget() } };
  const createElement = () => ({
    contentDocument,
    addEventListener: (_: string, loaded: () => void) => loaded(),
    remove() {},
  });
  vi.stubGlobal("document", { createElement, body: { append() {} } });
});

/** A job whose location is at a host, and the address of its upload too, once that has answered. */
function jobAt(location: string, uploadUrl?: string, more: Partial<StoredJob> = {}): StoredJob {
  const record = {
    method: "resumable",
    asset,
    mismatches: [] as never[],
    location,
    ...(uploadUrl && { uploadUrl }),
  } as const;
  return {
    ...makeJob("uploading"),
    journal: { key: "key", entry: { version: 1, uploads: { one: record } } },
    ...more,
  };
}

const acknowledged = { sent: 1, acknowledged: 1, speed: 0 };

test("an upload that never connected waits for its host where that answers others", async () => {
  expect(await needToConnect(jobAt(`${up}/tus`))).toEqual({ permission: "host", origin: up });
});

test.each<[string, () => StoredJob | undefined]>([
  ["there is no job", () => undefined],
  ["no location is known", () => makeJob("uploading")],
  ["its host has given the upload an address", () => jobAt(`${up}/tus`, `${up}/tus/1`)],
  ["its host has acknowledged bytes", () => jobAt(`${up}/tus`, undefined, { progress: acknowledged })],
  ["its host is down", () => jobAt("http://127.0.0.1:1/tus")],
  ["its host can't be asked alone", () => jobAt("http://[::1]/tus")],
])("an upload that doesn't connect waits for no host where %s", async (_, job) => {
  expect(await needToConnect(job())).toBe(undefined);
});

test("an upload that doesn't connect waits for no host that is allowed", async () => {
  allowed = [up];
  expect(await needToConnect(jobAt(`${up}/tus`))).toBe(undefined);
});

const read = `${VIDEO}/video.mp4?signature`;

test.each<[ErrorCode, StoredJob | undefined, string | undefined, string | undefined]>([
  ["unreachable", undefined, undefined, SERVICE],
  ["interrupted", undefined, undefined, undefined],
  ["unreachable", jobAt(`${UPLOAD}/tus`), undefined, UPLOAD],
  ["interrupted", jobAt(`${UPLOAD}/tus`), undefined, UPLOAD],
  ["interrupted", jobAt(`${SERVICE}/tus`, `${UPLOAD}/1`), undefined, UPLOAD],
  ["rejected", jobAt(`${UPLOAD}/tus`), undefined, undefined],
  ["source-unreadable", undefined, undefined, undefined],
  ["source-unreadable", undefined, read, `${VIDEO} reads`],
  ["source-unreadable", makeJob("uploading", { source: fromPage }), read, `${VIDEO} reads`],
  ["source-unreadable", { ...makeJob("uploading"), source: { ...inPieces, url: read } }, read, undefined],
])("after %s, a job waits for a host that isn't allowed (%#)", async (code, job, address, host) => {
  const settings = createSettingsCopy(async () => ({ ...DEFAULT_SETTINGS, address: SERVICE }));
  const [origin, reads] = host?.split(" ") ?? [];
  const need = host && { permission: "host", origin, ...(reads && { reads: true }) };
  const error = new UploadError(code as ErrorCode<"UploadError">, "no");
  expect(await needAfter(error, job, address, settings)).toEqual(need);
  allowed = [SERVICE, UPLOAD, VIDEO];
  expect(await needAfter(error, job, address, settings)).toBe(undefined);
  allowed = [];
  const answered = new UploadError(code as ErrorCode<"UploadError">, "no", { httpStatus: 403 });
  expect(await needAfter(answered, job, address, settings)).toBe(undefined);
});

test("a video waits for the host that its own redirects to, unless that is allowed", async () => {
  const settings = createSettingsCopy();
  const error = new UploadError("source-unreadable", "no");
  allowed = [VIDEO];
  redirect = "https://other.example";
  const need = { permission: "host", origin: redirect, reads: true };
  expect(await needAfter(error, undefined, read, settings)).toEqual(need);
  allowed.push(redirect);
  expect(await needAfter(error, undefined, read, settings)).toBe(undefined);
});
