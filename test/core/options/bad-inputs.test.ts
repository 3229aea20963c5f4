/** What is said to whoever gives something wrong, or is answered something wrong: each case is run, and its words are kept. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { fileJournal, openFile } from "../../../core/file.ts";
import { createClient, discard, type ErrorCode, isUpcutError, openUrl, upload } from "../../../core/mod.ts";
import type { AssetRequest } from "../../../core/service/request-fields.ts";
import type { AnswerRule, Switches } from "../../service/switches.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { MARKER } from "../../support/marker.ts";

const service = useService();
const video = () =>
  new File([new Uint8Array(5000).fill(7)], "video.mp4", { type: "video/mp4", lastModified: 1 });
const stream = (...pieces: unknown[]) =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });

const account = (more: object = {}) => service.client({ ...more });
const options = (more: object) => () =>
  createClient({ baseUrl: "https://video.example", token: MARKER, ...more });
const end = (id: unknown, more?: unknown) => () => account().terminateStream(id as string, more as object);
const request = (given: unknown, more?: unknown) => () =>
  account().requestUpload(given as AssetRequest, more as object);
const send =
  (given: unknown, more: object = {}) =>
  () =>
    upload(account(), given as Blob, more);
const forget =
  (given: unknown, more: object = {}) =>
  () =>
    discard(account(), given as Blob, more);

interface Row {
  call: string;
  given: string;
  code: ErrorCode;
  run: () => unknown;
  /** For rows about answers: what the service is told to answer. */
  answers?: Partial<Switches>;
}

const rows: Row[] = [];
let call = "";
let usualCode: ErrorCode;
/** The rows that follow are about this call, and have this code unless they say another one. */
const about = (name: string, code: ErrorCode = "invalid-option") => {
  call = name;
  usualCode = code;
};
const row = (given: string, run: () => unknown, code: ErrorCode = usualCode) =>
  rows.push({ call, given, code, run });
const answered = (given: string, code: ErrorCode, answers: Partial<Switches>, run: () => unknown) =>
  rows.push({ call, given, code, run, answers });
const instead = (rule: Omit<AnswerRule, "host">): Partial<Switches> => ({
  answerStatus: [{ host: "api", ...rule }],
});
const json = (status: number, body: unknown) =>
  instead({ status, contentType: "application/json", body: JSON.stringify(body) });

about("createClient");
row("nothing", () => createClient(undefined as never));
row("no baseUrl", options({ baseUrl: undefined }));
row("no token", options({ token: undefined }));
row("token: a number", options({ token: 12345678 }));
row('token: ""', options({ token: "" }));
row('account: " "', options({ account: " " }));
row("fetch: a text", options({ fetch: "node-fetch" }));
row("timeout: 0", options({ timeout: 0 }));
row("uploadAuthorization: 1", options({ uploadAuthorization: 1 }));
row("paths: a text", options({ paths: "/api" }));
row("headers: a text", options({ headers: MARKER }));
row("headers: { Authorization }", options({ headers: { Authorization: MARKER } }));
row('tokn: "…"', options({ tokn: MARKER }));

about("terminateStream", "invalid-id");
row("no id", end(undefined));
row("timeout: -1", end("launch-stream", { timeout: -1 }), "invalid-option");
row("signal: an AbortController", end("launch-stream", { signal: new AbortController() }), "invalid-option");
row("timeot: 5", end("launch-stream", { timeot: 5 }), "invalid-option");
const overTls = () => account({ baseUrl: service.baseUrl.replace("http:", "https:") });
row("https: for a port that speaks http", () => overTls().terminateStream("launch-stream"), "unreachable");

about("requestUpload", "invalid-request");
row("null", request(null));
row('{ playbackPolicy: { refreshInterval: "60" } }', request({ playbackPolicy: { refreshInterval: "60" } }));
row("{ playbackPolicy: { allowedOrigins: [7] } }", request({ playbackPolicy: { allowedOrigins: [7] } }));
row("{ profiles: [{ gop: 2 }] }", request({ profiles: [{ gop: 2 }] }));
row("{ profiles: [{}, { width: 1.5 }] }", request({ profiles: [{}, { width: 1.5 }] }));
row("{ further: 1n }", request({ further: 1n }));
row('timeout: "1"', request({ name: "Video" }, { timeout: "1" }), "invalid-option");

about("upload");
row("no requester", () => upload(undefined as never, video()));
row("options: null", send(video(), null as never));
row("method: a misspelled one", send(video(), { method: "tus" }));
row("resume: 1", send(video(), { resume: 1 }));
row("chunkSize: 1 MiB", send(video(), { chunkSize: 1024 * 1024 }));
row("headers: { tus-resumable }", send(video(), { headers: { "tus-resumable": "1.0.0" } }));
row("headers: { Content-Length }", send(video(), { headers: { "Content-Length": "5" } }));
row("retry: { shouldRetry: true }", send(video(), { retry: { shouldRetry: true } }));
row("size: -1", send(video(), { size: -1 }));
row("onProgress: true", send(video(), { onProgress: true }));
row("signal: an AbortController", send(video(), { signal: new AbortController() }));
row('filename: ""', send(video(), { filename: "" }));
row('type: "mp4"', send(video(), { type: "mp4" }));
row("journal: {}", send(video(), { journal: {} }));
row("journal: a Map", send(video(), { journal: Object.assign(new Map(), { set: undefined }) }));
row("retry: -1", send(video(), { retry: -1 }));
row("retry: true", send(video(), { retry: true }));
row("timeout: a text", send(video(), { timeout: "5 s" }));
row("onResponse: true", send(video(), { onResponse: true }));
row('bandwidth: "1 MB"', send(video(), { bandwidth: "1 MB" }));
row("bandwidth: 1023", send(video(), { bandwidth: 1023 }));
row("bandwidth: Infinity", send(video(), { bandwidth: Infinity }));
row("retry: { times: 3 }", send(video(), { retry: { times: 3 } }));
row("timeout: { stall: Infinity }", send(video(), { timeout: { stall: Infinity } }));
row("name: null", send(video(), { name: null }), "invalid-request");
row('type: "*"', send(video(), { type: "*" }));
row("a requester without scope", () => upload({ requestUpload: async () => ({}) } as never, video()));
row('title: "Video"', send(video(), { title: "Video" }));
row('fields: "x"', send(video(), { fields: "x" }));
row("fields: { name: … }", send(video(), { fields: { name: "Video" } }));
row("profiles: {}", send(video(), { profiles: {} }), "invalid-request");
row("fields: { at: a Date }", send(video(), { fields: { at: new Date(0) } }), "invalid-request");
row("nothing", send(undefined), "invalid-source");
row("an address as text", send(`https://video.example/?token=${MARKER}`), "invalid-source");
row(
  "an R2 object without its bytes",
  send({ key: "a.mp4", size: 1, etag: "1", httpEtag: '"1"' }),
  "invalid-source",
);
row("bytes in shared memory", send(new Uint8Array(new SharedArrayBuffer(8))), "invalid-source");
row("no bytes", send(new Uint8Array(0), { type: "video/mp4" }), "empty-source");
row("a stream without bytes", send(stream(), { type: "video/mp4" }), "empty-source");
row("a picture", send(new File(["x"], "a.png", { type: "image/png" })), "not-a-video");
row(
  "a stream that is being read",
  () => {
    const taken = stream(new Uint8Array(8));
    taken.getReader();
    return send(taken)();
  },
  "invalid-source",
);
row(
  "a stream without length, directly",
  send(stream(new Uint8Array(8)), { method: "direct", filename: "video.mp4" }),
  "invalid-source",
);
row("a stream of texts", send(stream("text"), { filename: "video.mp4" }), "source-unreadable");
row(
  "a stream longer than announced",
  send(stream(new Uint8Array(8)), { filename: "video.mp4", size: 4 }),
  "source-too-long",
);
row("a file: URL", send(new URL("file:///video.mp4")), "invalid-source");
row(
  "a URL with a user name and password",
  send(new URL(`https://somebody:${MARKER}@video.example/video.mp4`)),
  "invalid-source",
);

about("openUrl");
row("a text", () => openUrl("https://video.example" as never));
row("headers: a number", () => openUrl(new URL("https://video.example"), { headers: { range: 7 } as never }));
row('credentials: "all"', () => openUrl(new URL("https://video.example"), { credentials: "all" as never }));

about("discard");
row("retry: { times: 3 }", forget(video(), { retry: { times: 3 } }));
row("no requester", () => discard(undefined as never, video()));
row("journal: {}", forget(video(), { journal: {} }));
row("options: null", forget(video(), null as never));
row("header: {}", forget(video(), { header: {} }));

about("openFile", "invalid-source");
row('" "', () => openFile(" "));
row("a NUL byte", () => openFile("a\0b"));
row("a file: URL with %2F", () => openFile(new URL("file:///a%2Fb")));
row("nothing", () => openFile(undefined as never));
row('"missing.mp4"', () => openFile(join(tmpdir(), "upcut-nowhere", "missing.mp4")));
row("a folder", () => openFile(new URL(".", import.meta.url)));
row("an https URL", () => openFile(new URL("https://video.example/a.mp4")));

about("fileJournal");
row('" "', () => fileJournal(" "));
row("7", () => fileJournal(7 as never));
row("maxAge: -1", () => fileJournal("journal", { maxAge: -1 }));

const redirect = { status: 302, location: `https://other.example/${MARKER}` };
const shape = (set: object, ...omit: string[]) => ({
  answerShape: { set: { "asset.id": "asset-1", ...set }, omit },
});

about("terminateStream, answered");
const launch = end("launch-stream");
const stranger = () => account({ token: `${MARKER}-unknown` }).terminateStream("launch-stream");
answered("200 with JSON", "unexpected-answer", json(200, { ok: true }), launch);
answered("401 that echoes the token", "unauthorized", {}, stranger);
const refusing = (sentence: string) => json(403, { errors: [sentence] });
const inPages = refusing("credential disallows CORS access from origin https://video.example");
const restricted = refusing("access forbidden for CORS-enabled API key with restricted access");
answered("403 for its origin", "origin-refused", inPages, launch);
answered("403 for a key restricted to web origins", "origin-refused", restricted, launch);
answered("403 for its origin, without more", "origin-refused", refusing("origin not allowed"), launch);
answered("403", "forbidden", refusing("account suspended"), launch);
answered("404 with HTML", "wrong-address", { streamPrefix: "/elsewhere" }, launch);
answered("404 with JSON", "not-found", {}, end("unknown-stream"));
answered("500 with HTML", "service-error", instead({ status: 500, body: "<h1>Oops</h1>" }), launch);

about("requestUpload, answered");
const ask = request({ name: "Video" });
const further = request({ name: "Video", further: 1 });
const page = "<!doctype html><title>Sign in</title>";
const slowDown = "<Error><Code>SlowDown</Code></Error>";
answered("200 with HTML", "unexpected-answer", instead({ status: 200, body: page }), ask);
answered("a list", "unexpected-answer", json(200, []), ask);
answered("no usable location", "location-refused", shape({ url: "javascript:x" }, "tusEndpoint"), ask);
answered("422 without a name", "rejected", {}, request({}));
answered("422 for an unknown field", "rejected", { refuseUnknownFields: true }, further);
answered("400 for no profiles", "rejected", {}, request({ name: "Video", profiles: [] }));
answered("503 with XML", "service-error", instead({ status: 503, body: slowDown }), ask);
answered("403 for a key restricted to web origins", "origin-refused", restricted, ask);

about("upload, answered");
const once = { method: "resumable", retry: { attempts: 0 } };
const resumably = send(video(), once);
const host = (rule: Omit<AnswerRule, "host">): Partial<Switches> => ({
  answerStatus: [{ host: "upload", ...rule }],
});
answered("no tusEndpoint", "unexpected-answer", shape({}, "tusEndpoint"), resumably);
answered(
  "no url, directly",
  "unexpected-answer",
  shape({ url: null }),
  send(video(), { ...once, method: "direct" }),
);
answered("401 for the location", "location-refused", host({ status: 401 }), resumably);
answered("404 for the location", "location-refused", host({ status: 404 }), resumably);
answered("400 with text", "rejected", host({ status: 400, body: "no\n" }), resumably);
answered("503", "interrupted", host({ status: 503 }), resumably);
answered("a wait that is too long", "interrupted", host({ status: 503, retryAfter: "3600" }), send(video()));
answered("302 to another host", "location-refused", host(redirect), resumably);

type Failure = Error & Record<string, unknown>;
const errors = new Map<Row, Failure>();

beforeAll(async () => {
  for (const each of rows.filter(({ answers }) => answers === undefined))
    errors.set(each, await caught(each.run));
  // None of them asks the service for anything.
  expect(await service.requests()).toEqual([]);
  for (const each of rows.filter(({ answers }) => answers !== undefined)) {
    await service.set(each.answers ?? {});
    errors.set(each, await caught(each.run));
    expect([each.given, await service.requests()]).not.toEqual([each.given, []]);
    await service.reset();
  }
});

/** What differs from run to run, replaced. */
const settled = (message: string) => message.replace(/(127\.0\.0\.1):\d+/g, "$1:<port>");

describe.each([...new Set(rows.map((each) => each.call))])("%s", (name) => {
  const own = rows.filter((each) => each.call === name);
  test.each(own.map((each) => [each.given, each] as const))("given %s", (_, each) => {
    const error = errors.get(each);
    expect([error?.code, error?.message]).toEqual([each.code, error?.message]);
    expect(error?.message).toMatch(/^Cannot [a-z].*[^.]$/);
    expect(error?.message).not.toMatch(/\[object |\.\. | {2}|\n/);
    expect(isUpcutError(error)).toBe(true);
  });
});

test("all of them are told in these words", () => {
  const told = rows.map((each) => {
    const { code, message } = errors.get(each) as Failure;
    return `${each.call}, ${each.given}: ${String(code)}: ${settled(message)}`;
  });
  expect(told.join("\n")).not.toContain(MARKER);
  // Other runtimes have other words for the same; the codes above are the same everywhere.
  if ("Bun" in globalThis || "Deno" in globalThis) return;
  expect(told).toMatchSnapshot();
});
