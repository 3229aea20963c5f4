/** What `onRequest` and `onResponse` are told, and that nothing they do matters. */
import { describe, expect, test } from "vitest";
import { Hosts } from "../../../core/hosts/host.ts";
import {
  observed,
  type RequestHooks,
  type RequestReport,
  type ResponseReport,
} from "../../../core/http/observe.ts";
import { discard, memoryJournal, upload } from "../../../core/mod.ts";
import { HIDDEN } from "../../../core/redaction/redaction.ts";
import { useService } from "../../service/use-service.ts";
import { caught } from "../../support/caught.ts";
import { content, contentHash, MiB, sha256 } from "../../support/content.ts";
import { startHostileHost } from "../../support/hosts/hostile-host.ts";
import { serveVideo } from "../../support/hosts/video-server.ts";
import { MARKER } from "../../support/marker.ts";

const service = useService();
const client = (hooks: RequestHooks = {}) => service.client({ ...hooks });
const named = { filename: "video.mp4" } as const;

/** Hooks that note what they are told. */
function notes() {
  const requests: RequestReport[] = [];
  const answers: ResponseReport[] = [];
  const hooks: RequestHooks = {
    onRequest: (request) => requests.push(request),
    onResponse: (answer) => answers.push(answer),
  };
  return { requests, answers, hooks };
}

test.each([
  ["an answer", async () => ({ status: 503 }), true],
  ["an error of an answer", async () => Promise.reject({ httpStatus: 401 }), true],
  ["no answer", async () => Promise.reject(new TypeError("reset")), false],
])("observed() notes of the host that it has answered: %s", async (_, send, hasAnswered) => {
  const hosts = new Hosts();
  const request = { kind: "create", method: "POST", origin: "https://upload.example", bytes: 0 } as const;
  await observed({}, request, send, { hosts }).catch(() => {});
  expect(hosts.at(request.origin).hasAnswered).toBe(hasAnswered);
});

describe("the hooks of upload()", () => {
  test("are told of each request to the upload host and its answer", async () => {
    const { requests, answers, hooks } = notes();
    await upload(client(), content(9 * MiB), { ...named, method: "resumable", ...hooks });
    const origin = service.uploadUrl;
    expect(requests).toEqual([
      { kind: "create", method: "POST", origin, bytes: 0 },
      { kind: "content", method: "PATCH", origin, bytes: 8 * MiB },
      { kind: "content", method: "PATCH", origin, bytes: MiB },
    ]);
    expect(answers.map(({ request }) => request)).toEqual(requests);
    expect(answers.every(({ request }, at) => request === requests[at])).toBe(true);
    expect(answers.map(({ status, sent }) => [status, sent])).toEqual([
      [201, 0],
      [204, 8 * MiB],
      [204, MiB],
    ]);
    for (const { duration } of answers) expect(duration).toBeGreaterThan(0);
    // Nothing of a path, and no secret.
    expect(new URL(origin).pathname + new URL(origin).search).toBe("/");
    expect(JSON.stringify([requests, answers])).not.toContain(MARKER);
  });

  test.each(["onRequest", "onResponse"])(
    "are told no name of an upload host that repeats the token: %s",
    async (name) => {
      const token = "zq7-account-token-42";
      const tusEndpoint = `http://${token}.localhost:9/tus`;
      const host = await startHostileHost({}, { tusEndpoint, uploadUrl: tusEndpoint });
      const told: string[][] = [];
      const stop = new AbortController();
      const note = ({ kind, origin }: RequestReport) => {
        told.push([kind, origin]);
        if (kind === "create") stop.abort("enough");
      };
      const hooks: RequestHooks =
        name === "onRequest" ? { onRequest: note } : { onResponse: ({ request }) => note(request) };
      const uploading = upload(host.client({ token }), content(MiB), {
        ...named,
        ...hooks,
        method: "resumable",
        signal: stop.signal,
      });
      await expect(uploading).rejects.toBe("enough");
      expect(told).toEqual([["create", HIDDEN]]);
    },
  );

  test("are told of a request without an answer, and of what it had sent", async () => {
    await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: MiB, times: 1 }] });
    const { answers, hooks } = notes();
    await upload(client(), content(2 * MiB), { ...named, ...hooks, timeout: { settle: 50 } });
    const broken = answers.filter(({ status }) => status === undefined);
    expect(broken).toHaveLength(1);
    expect(broken[0]?.sent).toBeGreaterThanOrEqual(MiB);
    expect(answers.some(({ request }) => request.kind === "offset")).toBe(true);
  });

  test("are told of what is read from an address, by its origin alone", async () => {
    const bytes = content(2 * MiB);
    const server = await serveVideo(bytes.length);
    const { requests, answers, hooks } = notes();
    const address = new URL(`${server.url}?signature=${MARKER}`);
    const { asset } = await upload(client(), address, { ...named, ...hooks });
    await server.close();
    expect((await service.whole(asset.id)).sha256).toBe(sha256(bytes));
    const read = requests.filter(({ kind }) => kind === "read");
    expect(read.length).toBeGreaterThan(1);
    expect(read[0]).toEqual({ kind: "read", method: "GET", origin: new URL(server.url).origin, bytes: 0 });
    expect(answers.filter(({ request }) => request.kind === "read").map(({ status }) => status)).toContain(
      206,
    );
    expect(JSON.stringify([requests, answers])).not.toContain(MARKER);
  });

  const fail = () => {
    throw new Error(MARKER);
  };
  const reject = () => Promise.reject(new Error(MARKER)) as never;
  const hang = () => new Promise(() => {}) as never;
  test.each<[string, RequestHooks]>([
    ["throw", { onRequest: fail, onResponse: fail }],
    ["reject", { onRequest: reject, onResponse: reject }],
    ["never settle", { onRequest: hang, onResponse: hang }],
    [
      "change what they are given",
      {
        onRequest: (request) => void Object.assign(request, { method: "DELETE", bytes: -1 }),
        onResponse: (answer) => void Object.assign(answer, { status: 500 }),
      },
    ],
  ])("that %s change nothing", async (_, hooks) => {
    const { asset } = await upload(client(hooks), content(2 * MiB), { ...named, ...hooks });
    expect((await service.whole(asset.id)).sha256).toBe(contentHash(2 * MiB));
    expect((await service.requests()).map(({ method }) => method)).toEqual(["POST", "POST", "PATCH"]);
  });
});

test("the hooks of createClient() are told of the calls to the account", async () => {
  const { requests, answers, hooks } = notes();
  const account = client(hooks);
  const request = { name: "Grüße" };
  await account.requestUpload(request);
  await caught(account.terminateStream("nobody"));
  const bytes = new TextEncoder().encode(JSON.stringify(request)).length;
  const origin = service.baseUrl;
  expect(requests).toEqual([
    { kind: "request-upload", method: "POST", origin, bytes },
    { kind: "terminate", method: "DELETE", origin, bytes: 0 },
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 404]);
});

test("the hooks of discard() are told of the end of an upload", async () => {
  const journal = memoryJournal();
  const account = client();
  await service.set({ resetAfter: [{ host: "upload", method: "PATCH", bytes: MiB }] });
  const options = { ...named, journal, method: "resumable", retry: { attempts: 0 } } as const;
  await caught(upload(account, content(2 * MiB), options));
  const { requests, answers, hooks } = notes();
  const { ended } = await discard(account, content(2 * MiB), { journal, ...hooks });
  expect(ended).toBe(1);
  expect(requests).toEqual([
    { kind: "offset", method: "HEAD", origin: service.uploadUrl, bytes: 0 },
    { kind: "end", method: "DELETE", origin: service.uploadUrl, bytes: 0 },
  ]);
  expect(answers).toMatchObject([{ status: 200 }, { status: 204 }]);
});
