/** What is said to whoever gives something wrong, or is answered something wrong: each case run, and all in a table. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { fileJournal, openFile } from "../../core/file.ts";
import {
  type AssetRequest,
  createClient,
  discard,
  type ErrorCode,
  isUpcutError,
  upload,
} from "../../core/mod.ts";
import { readBaseUrl, readToken } from "../../core/validate.ts";
import { caught } from "../caught.ts";
import { MARKER } from "../marker.ts";
import type { AnswerRule, Switches } from "../service/switches.ts";
import { useService } from "../service/use-service.ts";

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

const account = (more: object = {}) =>
  createClient({ baseUrl: service.baseUrl, token: service.token, ...more });
const options = (more: object) => () =>
  createClient({ baseUrl: "https://video.example", token: MARKER, ...more });
const baseUrl = (given: unknown) => () => readBaseUrl(given);
const token = (given: unknown) => () => readToken(given);
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

const ABOUT =
  "Each of these calls is run by `test/core/bad-inputs.test.ts`, which also writes this page. [All codes](errors.md).";

interface Row {
  call: string;
  given: string;
  code: ErrorCode;
  /** What the message must name: the value, or its place. */
  names: string[];
  run: () => unknown;
  /** For rows about answers: what the service is told to answer. */
  answers?: Partial<Switches>;
}

const rows: Row[] = [];
let call = "";
/** The rows that follow are about this call. */
const about = (name: string) => {
  call = name;
};
const row = (given: string, code: ErrorCode, names: string[], run: () => unknown) =>
  rows.push({ call, given, code, names, run });
const answered = (
  given: string,
  code: ErrorCode,
  names: string[],
  answers: Partial<Switches>,
  run: () => unknown,
) => rows.push({ call, given, code, names, run, answers });
const instead = (rule: Omit<AnswerRule, "host">): Partial<Switches> => ({
  answerStatus: [{ host: "api", ...rule }],
});
const json = (status: number, body: unknown) =>
  instead({ status, contentType: "application/json", body: JSON.stringify(body) });

about("createClient");
row("nothing", "invalid-option", ["options", "undefined"], () => createClient(undefined as never));
row("no baseUrl", "invalid-option", ["baseUrl", "undefined"], options({ baseUrl: undefined }));
row('baseUrl: "video.example"', "invalid-option", ['"video.example"', "https://"], baseUrl("video.example"));
row('baseUrl: "localhost:8787"', "invalid-option", ['"localhost:"'], baseUrl("localhost:8787"));
row('baseUrl: "ftp://video.example"', "invalid-option", ['"ftp:"'], baseUrl("ftp://video.example"));
row("baseUrl: a user name and password", "invalid-option", ["baseUrl", "token"], () =>
  readBaseUrl(`https://somebody:${MARKER}@video.example`),
);
row("baseUrl: a query", "invalid-option", ["baseUrl", "query"], () =>
  readBaseUrl(`https://video.example/?key=${MARKER}`),
);
row("baseUrl: a fragment", "invalid-option", ["fragment"], baseUrl("https://video.example/#top"));
row("baseUrl: the token", "invalid-option", ["baseUrl"], baseUrl(`${MARKER}-0123-4567`));
row("baseUrl: 8787", "invalid-option", ["baseUrl", "8787"], baseUrl(8787));
row("no token", "invalid-option", ["token", "undefined"], options({ token: undefined }));
row("token: a number", "invalid-option", ["token", "a number"], options({ token: 12345678 }));
row('token: ""', "invalid-option", ["token", "empty"], options({ token: "" }));
row('token: "Bearer "', "invalid-option", ["token", "empty"], token("Bearer "));
row("token: with a line break", "invalid-option", ["token", "line break"], token(`${MARKER}\nab`));
row("token: two words", "invalid-option", ["token", "white space"], token(`${MARKER} ab`));
row("token: with “…”", "invalid-option", ["token", "header"], token(`“${MARKER}”`));
row('account: " "', "invalid-option", ["account", '" "'], options({ account: " " }));
row("fetch: a text", "invalid-option", ["fetch"], options({ fetch: "node-fetch" }));
row("timeout: 0", "invalid-option", ["timeout", "0"], options({ timeout: 0 }));
row('timeout: "20s"', "invalid-option", ["timeout", '"20s"'], options({ timeout: "20s" }));
row("timeout: Infinity", "invalid-option", ["timeout", "Infinity"], options({ timeout: Infinity }));
row(
  "uploadAuthorization: 1",
  "invalid-option",
  ["uploadAuthorization", "1"],
  options({ uploadAuthorization: 1 }),
);
row("paths: a text", "invalid-option", ["paths", '"/api"'], options({ paths: "/api" }));
row(
  'paths: { terminat: "/x" }',
  "invalid-option",
  ['"terminat"', "terminate"],
  options({ paths: { terminat: "/x" } }),
);
row(
  'paths: { terminate: "stream/{id}" }',
  "invalid-option",
  ["paths.terminate", '"stream/{id}"'],
  options({ paths: { terminate: "stream/{id}" } }),
);
row(
  'paths: { terminate: "/stream/terminate" }',
  "invalid-option",
  ["paths.terminate", "{id}"],
  options({ paths: { terminate: "/stream/terminate" } }),
);
row(
  'paths: { terminate: "/a/../{id}" }',
  "invalid-option",
  ["paths.terminate", '".."'],
  options({ paths: { terminate: "/a/../{id}" } }),
);
row(
  'paths: { requestUpload: "/x?a=1" }',
  "invalid-option",
  ["paths.requestUpload", "query"],
  options({ paths: { requestUpload: "/x?a=1" } }),
);
row('tokn: "…"', "invalid-option", ['"tokn"'], options({ tokn: MARKER }));

about("terminateStream");
row("no id", "invalid-id", ["undefined"], end(undefined));
row("7", "invalid-id", ["7"], end(7));
row('" "', "invalid-id", ["empty"], end(" "));
row('".."', "invalid-id", ['".."'], end(".."));
row('"a\\nb"', "invalid-id", ['"a\\nb"', "control character"], end("a\nb"));
row('"a\\ud800"', "invalid-id", ["surrogate"], end("a\ud800"));
row("timeout: -1", "invalid-option", ["timeout", "-1"], end("launch-stream", { timeout: -1 }));
row(
  "signal: an AbortController",
  "invalid-option",
  ["signal", "an AbortController"],
  end("launch-stream", { signal: new AbortController() }),
);
row("timeot: 5", "invalid-option", ['"timeot"', "timeout"], end("launch-stream", { timeot: 5 }));
row("https: for a port that speaks http", "unreachable", ["Nothing was sent", "http: or https:"], () =>
  account({ baseUrl: service.baseUrl.replace("http:", "https:") }).terminateStream("launch-stream"),
);

about("requestUpload");
row("null", "invalid-request", ["null"], request(null));
row('"Video"', "invalid-request", ['"Video"'], request("Video"));
row('{ name: "" }', "invalid-request", ["name", '""'], request({ name: "" }));
row("{ name: 7 }", "invalid-request", ["name", "7"], request({ name: 7 }));
row('{ staticMp4: "yes" }', "invalid-request", ["staticMp4", '"yes"'], request({ staticMp4: "yes" }));
row(
  '{ playbackPolicy: "public" }',
  "invalid-request",
  ["playbackPolicy", '"public"'],
  request({ playbackPolicy: "public" }),
);
row(
  "{ playbackPolicy: null }",
  "invalid-request",
  ["playbackPolicy", "null"],
  request({ playbackPolicy: null }),
);
row(
  '{ playbackPolicy: { refreshInterval: "60" } }',
  "invalid-request",
  ["playbackPolicy.refreshInterval", '"60"'],
  request({ playbackPolicy: { refreshInterval: "60" } }),
);
row(
  "{ playbackPolicy: { allowedOrigins: [7] } }",
  "invalid-request",
  ["playbackPolicy.allowedOrigins[0]", "7"],
  request({ playbackPolicy: { allowedOrigins: [7] } }),
);
row("{ profiles: null }", "invalid-request", ["profiles", "null"], request({ profiles: null }));
row(
  "{ profiles: [{ gop: 2 }] }",
  "invalid-request",
  ["profiles[0].gop", "2"],
  request({ profiles: [{ gop: 2 }] }),
);
row(
  "{ profiles: [{}, { width: 1.5 }] }",
  "invalid-request",
  ["profiles[1].width", "1.5"],
  request({ profiles: [{}, { width: 1.5 }] }),
);
row("{ further: 1n }", "invalid-request", ["further", "1n", "JSON"], request({ further: 1n }));
row("{ further: new Date() }", "invalid-request", ["further", "a Date"], request({ further: new Date(0) }));
row('{ name: "a\\0b" }', "invalid-request", ["name", "NUL"], request({ name: "a\0b" }));
row('{ name: "a\\ud800" }', "invalid-request", ["name", "surrogate"], request({ name: "a\ud800" }));
row(
  "{ webhookContext: with a NUL in a text }",
  "invalid-request",
  ["playbackPolicy.webhookContext.room", "NUL"],
  request({ playbackPolicy: { webhookContext: { room: "a\0b" } } }),
);
row(
  "{ webhookContext: with a NUL in a field's name }",
  "invalid-request",
  ["playbackPolicy.webhookContext", "name of a field", "NUL"],
  request({ playbackPolicy: { webhookContext: { "a\0b": 1 } } }),
);
row(
  "{ name: of 120001 bytes }",
  "invalid-request",
  ["name", "120001", "120 kB"],
  request({ name: "x".repeat(120_001) }),
);
row('timeout: "1"', "invalid-option", ["timeout", '"1"'], request({ name: "Video" }, { timeout: "1" }));

about("upload");
row("no requester", "invalid-option", ["requester", "undefined"], () => upload(undefined as never, video()));
row("options: null", "invalid-option", ["options", "null"], send(video(), null as never));
row("method: a misspelled one", "invalid-option", ["method", '"tus"'], send(video(), { method: "tus" }));
row("resume: 1", "invalid-option", ["resume", "1"], send(video(), { resume: 1 }));
row(
  "chunkSize: 1 MiB",
  "invalid-option",
  ["chunkSize", "1048576", "8388608"],
  send(video(), { chunkSize: 1024 * 1024 }),
);
row("size: -1", "invalid-option", ["size", "-1"], send(video(), { size: -1 }));
row("onProgress: true", "invalid-option", ["onProgress", "true"], send(video(), { onProgress: true }));
row(
  "signal: an AbortController",
  "invalid-option",
  ["signal", "an AbortController"],
  send(video(), { signal: new AbortController() }),
);
row('filename: ""', "invalid-option", ["filename", '""'], send(video(), { filename: "" }));
row('type: "mp4"', "invalid-option", ["type", '"mp4"'], send(video(), { type: "mp4" }));
row("journal: {}", "invalid-option", ["journal", "an object", "get()"], send(video(), { journal: {} }));
row(
  "journal: a Map",
  "invalid-option",
  ["journal", "a Map", "set()"],
  send(video(), { journal: Object.assign(new Map(), { set: undefined }) }),
);
row("retry: 3", "invalid-option", ["retry", "3"], send(video(), { retry: 3 }));
row("onAnswer: true", "invalid-option", ["onAnswer", "true"], send(video(), { onAnswer: true }));
row('bandwidth: "1 MB"', "invalid-option", ["bandwidth", '"1 MB"'], send(video(), { bandwidth: "1 MB" }));
row("bandwidth: 100", "invalid-option", ["bandwidth", "100", "1024"], send(video(), { bandwidth: 100 }));
row(
  "retry: { attempts: -1 }",
  "invalid-option",
  ["retry.attempts", "-1"],
  send(video(), { retry: { attempts: -1 } }),
);
row("retry: { times: 3 }", "invalid-option", ['"retry.times"'], send(video(), { retry: { times: 3 } }));
row(
  "timeouts: { stall: Infinity }",
  "invalid-option",
  ["timeouts.stall"],
  send(video(), { timeouts: { stall: Infinity } }),
);
row("name: null", "invalid-request", ["name", "null"], send(video(), { name: null }));
row('anyType: "yes"', "invalid-option", ["anyType", '"yes"'], send(video(), { anyType: "yes" }));
row("sourceHeaders: a number", "invalid-option", ['"range"'], send(video(), { sourceHeaders: { range: 7 } }));
row(
  'sourceCredentials: "all"',
  "invalid-option",
  ["sourceCredentials"],
  send(video(), { sourceCredentials: "all" }),
);
row("a requester without scope", "invalid-option", ["scope"], () =>
  upload({ requestUpload: async () => ({}) } as never, video()),
);
row(
  'timeouts: { stall: "30s" }',
  "invalid-option",
  ["timeouts.stall", '"30s"'],
  send(video(), { timeouts: { stall: "30s" } }),
);
row('title: "Video"', "invalid-option", ['"title"', "fields"], send(video(), { title: "Video" }));
row('fields: "x"', "invalid-option", ["fields", '"x"'], send(video(), { fields: "x" }));
row("fields: { name: … }", "invalid-option", ["fields.name"], send(video(), { fields: { name: "Video" } }));
row("name: 7", "invalid-request", ["name", "7"], send(video(), { name: 7 }));
row("profiles: {}", "invalid-request", ["profiles", "an object"], send(video(), { profiles: {} }));
row(
  "fields: { at: a Date }",
  "invalid-request",
  ["at", "a Date"],
  send(video(), { fields: { at: new Date(0) } }),
);
row("nothing", "invalid-source", ["undefined"], send(undefined));
row('"video.mp4"', "invalid-source", ['"video.mp4"', "openFile"], send("video.mp4"));
row("an address as text", "invalid-source", ["new URL"], send(`https://video.example/?token=${MARKER}`));
row("an ArrayBuffer", "invalid-source", ["an ArrayBuffer", "Uint8Array"], send(new ArrayBuffer(8)));
row(
  "bytes in shared memory",
  "invalid-source",
  ["shared", "slice()"],
  send(new Uint8Array(new SharedArrayBuffer(8))),
);
row("no bytes", "empty-source", ["no bytes"], send(new Uint8Array(0), { type: "video/mp4" }));
row("a file without bytes", "empty-source", ['"video.mp4"', "no bytes"], send(new File([], "video.mp4")));
row("a stream without bytes", "empty-source", ["no bytes"], send(stream(), { type: "video/mp4" }));
row(
  "a picture",
  "not-a-video",
  ['"a.png"', '"image/png"', "anyType"],
  send(new File(["x"], "a.png", { type: "image/png" })),
);
row("a text without type", "not-a-video", ['"notes.txt"', "unknown"], send(new File(["x"], "notes.txt")));
row("a stream that is being read", "invalid-source", ["stream", "reading"], () => {
  const taken = stream(new Uint8Array(8));
  taken.getReader();
  return send(taken)();
});
row(
  "a stream without length, directly",
  "invalid-source",
  ["length", "resumable"],
  send(stream(new Uint8Array(8)), { method: "direct", filename: "video.mp4" }),
);
row(
  "a stream of texts",
  "source-unreadable",
  ["stream", "string"],
  send(stream("text"), { filename: "video.mp4" }),
);
row(
  "a stream longer than announced",
  "source-too-long",
  ["at least 8", "4 bytes"],
  send(stream(new Uint8Array(8)), { filename: "video.mp4", size: 4 }),
);
row("a file: URL", "invalid-source", ['"file:"'], send(new URL("file:///video.mp4")));
row(
  "a URL with a user name and password",
  "invalid-source",
  ["password", "sourceHeaders"],
  send(new URL(`https://somebody:${MARKER}@video.example/video.mp4`)),
);

about("discard");
row("nothing", "invalid-source", ["undefined"], forget(undefined));
row('"video.mp4"', "invalid-source", ['"video.mp4"', "openFile"], forget("video.mp4"));
row("retry: { times: 3 }", "invalid-option", ['"retry.times"'], forget(video(), { retry: { times: 3 } }));
row("no requester", "invalid-option", ["requester", "undefined"], () => discard(undefined as never, video()));
row("journal: {}", "invalid-option", ["journal", "get()"], forget(video(), { journal: {} }));
row("options: null", "invalid-option", ["options", "null"], forget(video(), null as never));
row("headers: {}", "invalid-option", ['"headers"'], forget(video(), { headers: {} }));

about("openFile");
row('""', "invalid-source", ['""'], () => openFile(""));
row("a NUL byte", "invalid-source", ["a\\u0000b"], () => openFile("a\0b"));
row("a file: URL with %2F", "invalid-source", ["file: URL"], () => openFile(new URL("file:///a%2Fb")));
row("nothing", "invalid-source", ["undefined"], () => openFile(undefined as never));
row('"missing.mp4"', "invalid-source", ['"missing.mp4"', "no such file"], () =>
  openFile(join(tmpdir(), "upcut-nowhere", "missing.mp4")),
);
row("a folder", "invalid-source", ["not a file"], () => openFile(new URL(".", import.meta.url)));
row("an https URL", "invalid-source", ["URL", "file:"], () =>
  openFile(new URL("https://video.example/a.mp4")),
);

about("fileJournal");
row('""', "invalid-option", ["path", '""'], () => fileJournal(""));
row("7", "invalid-option", ["path", "7"], () => fileJournal(7 as never));
row("maxAge: -1", "invalid-option", ["maxAge", "-1"], () => fileJournal("journal", { maxAge: -1 }));

about("terminateStream, answered");
const launch = end("launch-stream");
answered(
  "200 with JSON",
  "unexpected-answer",
  ["200", "204", "paths.terminate"],
  json(200, { ok: true }),
  launch,
);
answered(
  "302 to another host",
  "redirected",
  ["https://other.example", "baseUrl"],
  instead({ status: 302, location: `https://other.example/${MARKER}` }),
  launch,
);
answered("401 that echoes the token", "unauthorized", ["401", "account token"], {}, () =>
  account({ token: `${MARKER}-unknown` }).terminateStream("launch-stream"),
);
answered(
  "403 for its origin",
  "origin-refused",
  ["403", "web page"],
  json(403, { errors: ["credential disallows CORS access from origin https://video.example"] }),
  launch,
);
answered(
  "403 for a key restricted to web origins",
  "origin-refused",
  ["403", "key without that restriction"],
  json(403, { errors: ["access forbidden for CORS-enabled API key with restricted access"] }),
  launch,
);
answered(
  "403 for its origin, without more",
  "origin-refused",
  ["403", "server", "key without that restriction"],
  json(403, { errors: ["origin not allowed"] }),
  launch,
);
answered("403", "forbidden", ["403", "suspended"], json(403, { errors: ["account suspended"] }), launch);
answered("404 with HTML", "wrong-address", ["404", "paths.terminate"], { streamPrefix: "/api" }, launch);
answered("404 with JSON", "not-found", ["404", "stream not found"], {}, end("unknown-stream"));
answered(
  "404 with nested errors",
  "not-found",
  ["account not found"],
  { nestedErrors: true },
  end("orphan-stream"),
);
answered(
  "400 of a port that speaks https",
  "wrong-address",
  ["400", "http: or https:"],
  instead({
    status: 400,
    contentType: "text/html",
    body: "<title>400 The plain HTTP request was sent to HTTPS port</title>",
  }),
  launch,
);
answered("429", "rate-limited", ["429", "5 s"], instead({ status: 429, retryAfter: "5" }), launch);
answered(
  "500 with HTML",
  "service-error",
  ["500", "5 s", "too soon"],
  instead({ status: 500, body: "<h1>Oops</h1>" }),
  launch,
);
answered(
  "nothing in time",
  "terminate-unknown",
  ["0.1 s", "may have ended"],
  { stallAfter: [{ host: "api", method: "DELETE", bytes: 0 }] },
  end("launch-stream", { timeout: 100 }),
);

about("requestUpload, answered");
const ask = request({ name: "Video" });
const page = "<!doctype html><title>Sign in</title>";
answered(
  "200 with HTML",
  "unexpected-answer",
  ["HTML", "baseUrl"],
  instead({ status: 200, body: page }),
  ask,
);
answered("204", "unexpected-answer", ["204", "body"], instead({ status: 204 }), ask);
answered("a list", "unexpected-answer", ["not a JSON object"], json(200, []), ask);
answered("no asset", "unexpected-answer", ["no asset", "created"], { answerShape: { omit: ["asset"] } }, ask);
answered("no asset.id", "unexpected-answer", ["no id"], { answerShape: { omit: ["asset.id"] } }, ask);
answered(
  "no usable location",
  "location-refused",
  ['"asset-1"', "url", "another kind", "tusEndpoint"],
  { answerShape: { set: { "asset.id": "asset-1", url: "javascript:x" }, omit: ["tusEndpoint"] } },
  ask,
);
answered("422 without a name", "rejected", ["422", "'name'"], {}, request({}));
answered(
  "422 for an unknown field",
  "rejected",
  ["422", '"further"'],
  { refuseUnknownFields: true },
  request({ name: "Video", further: 1 }),
);
answered(
  "400 for no profiles",
  "rejected",
  ["400", "profiles"],
  {},
  request({ name: "Video", profiles: [] }),
);
answered("413 with text", "rejected", ["413"], instead({ status: 413, body: "too large\n" }), ask);
answered(
  "503 with XML",
  "service-error",
  ["503", "SlowDown"],
  instead({ status: 503, body: "<Error><Code>SlowDown</Code></Error>" }),
  ask,
);
answered(
  "500 for a webhook policy without webhookId",
  "service-error",
  ["500", "webhookId"],
  instead({ status: 500 }),
  request({ name: "Video", playbackPolicy: { type: "webhook" } }),
);
answered(
  "nothing in time",
  "asset-unknown",
  ["0.1 s", "created"],
  { stallAfter: [{ host: "api", method: "POST", bytes: 0 }] },
  () => account({ timeout: 100 }).requestUpload({ name: "Video" }),
);

about("upload, answered");
const once = { method: "resumable", retry: { attempts: 0 } };
answered(
  "no tusEndpoint",
  "unexpected-answer",
  ['"asset-1"', "tusEndpoint", "nothing"],
  { answerShape: { set: { "asset.id": "asset-1" }, omit: ["tusEndpoint"] } },
  send(video(), once),
);
answered(
  "no url, directly",
  "unexpected-answer",
  ['"asset-1"', "url", "null"],
  { answerShape: { set: { "asset.id": "asset-1", url: null } } },
  send(video(), { ...once, method: "direct" }),
);
const host = (rule: Omit<AnswerRule, "host">): Partial<Switches> => ({
  answerStatus: [{ host: "upload", ...rule }],
});
answered("401 for the location", "location-refused", ["401"], host({ status: 401 }), send(video(), once));
answered("404 for the location", "location-refused", ["404"], host({ status: 404 }), send(video(), once));
answered(
  "400 with text",
  "rejected",
  ["400", "no"],
  host({ status: 400, body: "no\n" }),
  send(video(), once),
);
answered("503", "interrupted", ["503"], host({ status: 503 }), send(video(), once));
answered(
  "a wait that is too long",
  "interrupted",
  ["3600 s"],
  host({ status: 503, retryAfter: "3600" }),
  send(video()),
);
answered(
  "302 to another host",
  "location-refused",
  ["redirects"],
  host({ status: 302, location: `https://other.example/${MARKER}` }),
  send(video(), once),
);

interface Outcome {
  error: Error & Record<string, unknown>;
  requests: number;
}

const outcomes = new Map<Row, Outcome>();

beforeAll(async () => {
  for (const each of rows) {
    if (each.answers !== undefined) {
      await service.reset();
      await service.set(each.answers);
    }
    const error = await caught(each.run);
    outcomes.set(each, { error, requests: (await service.requests()).length });
    if (each.answers !== undefined) await service.reset();
  }
});

/** What differs from run to run, replaced. */
const settled = (message: string) => message.replace(/(127\.0\.0\.1):\d+/g, "$1:<port>");

describe.each([...new Set(rows.map((each) => each.call))])("%s", (name) => {
  const own = rows.filter((each) => each.call === name);
  test.each(own.map((each) => [each.given, each] as const))("given %s", (_, each) => {
    const { error, requests } = outcomes.get(each) as Outcome;
    expect(error.message).toMatch(/^Cannot [a-z].*[^.]$/);
    expect([error.code, error.message]).toEqual([each.code, error.message]);
    expect(isUpcutError(error)).toBe(true);
    for (const word of each.names) expect(error.message).toContain(word);
    expect(error.message).not.toMatch(/\[object |\.\. | {2}|\n/);
    expect(requests > 0).toBe(each.answers !== undefined);
  });
});

test("the table of all of them says what the code and the message are", async () => {
  expect(rows.length).toBeGreaterThanOrEqual(45);
  const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const lines = rows.map((each) => {
    const { error } = outcomes.get(each) as Outcome;
    return `| ${[each.call, each.given, `\`${String(error.code)}\``, settled(error.message)].map(cell).join(" | ")} |`;
  });
  const head = "| Called | With | Code | Message |\n|---|---|---|---|";
  const table = `# What is said about bad inputs and answers\n\n${ABOUT}\n\n${head}\n${lines.join("\n")}\n`;
  expect(table).not.toContain(MARKER);
  // Other runtimes have other words for the same; the codes above are the same everywhere.
  if ("Bun" in globalThis || "Deno" in globalThis) return;
  await expect(table).toMatchFileSnapshot("../../docs/bad-inputs.md");
});
