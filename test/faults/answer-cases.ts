/** The faults of answers, and what calls end in that meet them. */
import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip, gzipSync } from "node:zlib";
import { rawAnswer } from "../raw-server.ts";
import { type AnswerFault, type Call, type Faulty, secretsIn } from "./answers.ts";
import { MiB } from "./lab.ts";
import { spelledIn } from "./spellings.ts";

type Headers = Record<string, string | number>;
const FRAMING = /^(content-length|transfer-encoding|connection|keep-alive|date)$/;

type Ends = NonNullable<AnswerFault["ends"]>;
type End = NonNullable<Ends[Call]>;
/** What calls end in: those of the account, those of the upload; nobody minds what gives up an upload that is gone. */
const ends = (account: End, upload: End, terminate: End = account): Ends => ({
  ...{ "request-upload": account, terminate, DELETE: ["whole", "interrupted"] },
  ...{ POST: upload, HEAD: upload, PATCH: upload, "last PATCH": upload, PUT: upload },
});
const FORBIDDEN = ends("forbidden", "location-refused");
/** Where the body of a refusal doesn't end, it may count as lost. */
const MAYBE_FORBIDDEN = ends("forbidden", ["location-refused", "interrupted", "whole"]);

/** What the honest answer says beside how its body is framed. */
const meant = ({ honest }: Faulty): Headers =>
  Object.fromEntries(Object.entries(honest.headers).filter(([name]) => !FRAMING.test(name)));

const status = ({ honest }: Faulty): number => (honest.status === 204 ? 200 : honest.status);

/** Text whose characters are bytes. */
const send = (socket: Socket, text: string) => socket.write(text, "latin1");

/** A whole answer, after which the connection ends. */
function answer(
  socket: Socket,
  code: number | string,
  headers: Headers,
  body: Buffer | string,
  request = "",
) {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  send(socket, rawAnswer(code, { connection: "close", "content-length": bytes.length, ...headers }));
  if (request !== "HEAD") socket.write(bytes);
  socket.end();
}

/** The honest answer with other headers. */
const altered =
  (headers: Headers | ((about: Faulty) => Headers)): AnswerFault["reply"] =>
  (socket, about) => {
    const changed = typeof headers === "function" ? headers(about) : headers;
    answer(
      socket,
      about.honest.status,
      { ...meant(about), ...changed },
      about.honest.body,
      about.request.method,
    );
  };

/** Writes for as long as somebody reads, some 200 MB a second. */
function writeOn(socket: Socket, piece: Buffer): void {
  let full = false;
  socket.on("drain", () => {
    full = false;
  });
  const timer = setInterval(() => {
    for (let written = 0; !full && !socket.destroyed && written < MiB; written += piece.length)
      full = !socket.write(piece);
  }, 5);
  socket.once("close", () => clearInterval(timer));
}

/** Writes a bit now and then. */
function drip(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 20);
  socket.once("close", () => clearInterval(timer));
}

const endless: AnswerFault[] = [
  {
    name: "endless body",
    reply(socket, about) {
      send(socket, rawAnswer(status(about), meant(about)));
      writeOn(socket, Buffer.alloc(64 * 1024, '{"a":['));
    },
  },
  {
    name: "endless refusal",
    delivered: false,
    ends: FORBIDDEN,
    reply(socket) {
      send(socket, rawAnswer(403, { "content-type": "application/json" }));
      writeOn(socket, Buffer.alloc(64 * 1024, '{"errors":["no'));
    },
  },
  {
    name: "endless chunks of one byte",
    reply(socket, about) {
      send(socket, rawAnswer(status(about), { ...meant(about), "transfer-encoding": "chunked" }));
      writeOn(socket, Buffer.from("1\r\n \r\n".repeat(4096)));
    },
  },
  {
    name: "endless headers",
    reply(socket, about) {
      send(socket, `HTTP/1.1 ${status(about)} OK\r\n`);
      writeOn(socket, Buffer.from(`x-more: ${"y".repeat(200)}\r\n`.repeat(200)));
    },
  },
  {
    name: "endless header",
    reply(socket, about) {
      send(socket, `HTTP/1.1 ${status(about)} OK\r\nx-more: `);
      writeOn(socket, Buffer.alloc(64 * 1024, "y"));
    },
  },
  {
    name: "endless interim answers",
    notInChromium: "it reads them without end, whoever waits, and keeps what follows waiting",
    // Deno keeps the headers of all of them, and tells nobody of one.
    memory: { deno: 400 * MiB },
    reply: (socket) =>
      writeOn(socket, Buffer.from("HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n".repeat(500))),
  },
  { name: "endless noise", reply: (socket) => writeOn(socket, randomBytes(64 * 1024)) },
];

const silent: AnswerFault[] = [
  { name: "no answer", reply() {} },
  {
    name: "silent after the headers",
    reply: (socket, about) =>
      void send(socket, rawAnswer(status(about), { ...meant(about), "content-length": 1000 }, "{")),
  },
  {
    name: "silent in the headers",
    reply: (socket, about) => void send(socket, `HTTP/1.1 ${status(about)} OK\r\nupload-off`),
  },
  {
    name: "refusal that falls silent",
    delivered: false,
    ends: MAYBE_FORBIDDEN,
    reply: (socket) => void send(socket, rawAnswer(403, { "content-length": 1000 }, "no")),
  },
  {
    name: "dripping body",
    reply(socket, about) {
      send(socket, rawAnswer(status(about), meant(about)));
      drip(socket, " ");
    },
  },
  {
    name: "dripping headers",
    reply(socket, about) {
      send(socket, `HTTP/1.1 ${status(about)} OK\r\n`);
      drip(socket, "a: b\r\n");
    },
  },
  { name: "dripping interim answers", reply: (socket) => drip(socket, "HTTP/1.1 102 Wait\r\n\r\n") },
];

const cuts: AnswerFault[] = [
  {
    name: "cut in the body",
    reply(socket, about) {
      const { body } = about.honest;
      const text = body.length > 0 ? body : Buffer.from('{"a":1}');
      send(socket, rawAnswer(status(about), { ...meant(about), "content-length": text.length }));
      if (about.request.method !== "HEAD") socket.write(text.subarray(0, text.length / 2));
      socket.end();
    },
  },
  {
    name: "cut in JSON, with the length it has",
    reply(socket, about) {
      const { body } = about.honest;
      answer(
        socket,
        about.honest.status,
        meant(about),
        body.subarray(0, body.length / 2),
        about.request.method,
      );
    },
  },
  {
    name: "cut in a chunk",
    reply(socket, about) {
      send(
        socket,
        rawAnswer(status(about), { ...meant(about), "transfer-encoding": "chunked" }, '64\r\n{"a":'),
      );
      socket.end();
    },
  },
  {
    name: "cut in the headers",
    // A browser takes what has come for all of them.
    browserEnds: { POST: ["interrupted", "whole", "location-refused"] },
    reply: (socket, about) => void socket.end(`HTTP/1.1 ${status(about)} OK\r\nupload-offset: 83`),
  },
];

const packed = (name: string, encoding: string, pack: () => Promise<Buffer>, code?: number): AnswerFault => {
  let bytes: Promise<Buffer> | undefined;
  const made = () => {
    bytes ??= pack();
    return bytes;
  };
  return {
    name,
    delivered: code === undefined,
    ...(code !== undefined && { ends: FORBIDDEN }),
    prepare: made,
    async reply(socket, about) {
      const headers = { ...meant(about), "content-encoding": encoding, "content-type": "application/json" };
      answer(socket, code ?? status(about), headers, await made(), about.request.method);
    },
  };
};
const zip = promisify(gzip);
const brotli = promisify(brotliCompress);
const bomb = () => Buffer.alloc(512 * MiB, '{"errors":["no"]} ');
const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

const encodings: AnswerFault[] = [
  packed("gzip bomb", "gzip", () => zip(bomb())),
  packed("gzip bomb as a refusal", "gzip", () => zip(bomb()), 403),
  packed("brotli bomb", "br", () => brotli(bomb(), fast)),
  packed("gzip bomb in a gzip", "gzip, gzip", async () => zip(await zip(bomb()))),
  {
    name: "gzip said, but not so",
    reply: altered({ "content-encoding": "gzip" }),
  },
  {
    name: "gzip that is cut",
    reply(socket, about) {
      const zipped = gzipSync(about.honest.body);
      const headers = { ...meant(about), "content-encoding": "gzip" };
      answer(socket, status(about), headers, zipped.subarray(0, zipped.length / 2), about.request.method);
    },
  },
  { name: "an encoding that nobody knows", reply: altered({ "content-encoding": "zq7" }) },
];

const framings: AnswerFault[] = [
  ["chunks that are none", { "transfer-encoding": "chunked" }, "zz\r\n{}\r\n0\r\n\r\n"],
  ["a chunk of a negative size", { "transfer-encoding": "chunked" }, "-5\r\nabcde\r\n0\r\n\r\n"],
  ["a chunk of 400 digits", { "transfer-encoding": "chunked" }, `${"f".repeat(400)}\r\nabc`],
  ["chunks and a length", { "transfer-encoding": "chunked", "content-length": 5 }, "2\r\n{}\r\n0\r\n\r\n"],
  ["Transfer-Encoding of nonsense", { "transfer-encoding": "nonsense" }, "{}"],
].map(([name, headers, body]) => ({
  name: name as string,
  reply(socket, about) {
    send(socket, rawAnswer(status(about), { ...meant(about), ...(headers as Headers) }, body as string));
    socket.end();
  },
}));

const lengths: AnswerFault[] = ["-5", "5, 6", "9".repeat(400), "1e3", "\u00e9\u00ff", "", "0x10"].map(
  (length) => ({
    name: `Content-Length of ${JSON.stringify(length).slice(0, 12)}`,
    reply: altered({ "content-length": length }),
  }),
);

const NONSENSE = [
  "-5",
  "5, 5",
  "9".repeat(400),
  "1e3",
  "0x10",
  "\u00e9\u00ff\u0080",
  "",
  "9007199254740993",
  "Infinity",
  "+8388608",
  "8388608.0",
];
const shown = (value: string) => (value.length > 20 ? `${value.length} digits` : JSON.stringify(value));

const offsets: AnswerFault[] = NONSENSE.map((offset) => ({
  name: `Upload-Offset of ${shown(offset)}`,
  calls: ["HEAD", "PATCH", "last PATCH"],
  reply: altered({ "upload-offset": offset }),
}));
const uploadLengths: AnswerFault[] = NONSENSE.map((length) => ({
  name: `Upload-Length of ${shown(length)}`,
  calls: ["HEAD"],
  reply: altered({ "upload-length": length }),
}));

const locations: AnswerFault[] = [
  "",
  "http://[",
  "http://user:word@127.0.0.1/a",
  "javascript:alert(1)",
  "\u00e9\u00ff\u0080",
  "//",
  `/${"a".repeat(12_000)}`,
  "9".repeat(400),
  "/\t/x",
].map((location) => ({
  name: `Location of ${location.length > 40 ? `${location.length} characters` : JSON.stringify(location)}`,
  calls: ["POST"],
  stays: true,
  ends: { POST: ["location-refused", "upload-gone", "interrupted", "whole"] },
  reply: altered({ location }),
}));

const delays: AnswerFault[] = [
  "-5",
  "5, 5",
  "9".repeat(400),
  "\u00e9\u00ff",
  "Fri, 31 Dec 9999 23:59:59 GMT",
  "Infinity",
  "1e3",
].map((value) => ({
  name: `503 with a Retry-After of ${value.length > 40 ? "400 digits" : JSON.stringify(value)}`,
  delivered: false,
  // A host that asks for years is not waited for.
  ends: ends("service-error", ["interrupted", "whole"]),
  reply: (socket, { request }) => answer(socket, 503, { "retry-after": value }, "", request.method),
}));

const types: AnswerFault[] = ["", "\u00e9\u00ff/\u0080", "x".repeat(4000), "a/b, c/d", "text/html"].map(
  (type) => ({
    name: `Content-Type of ${type.length > 40 ? "4,000 letters" : JSON.stringify(type)}`,
    reply: altered({ "content-type": type }),
  }),
);

const statuses: AnswerFault[] = [
  ...["999", "000", "-1", "99999999", "2 04", "\u00e9"].map((code) => ({
    name: `status ${JSON.stringify(code)}`,
    // A browser takes what is no number for 200.
    ...(!/^\d/.test(code) && {
      browserEnds: { "request-upload": "whole", terminate: "unexpected-answer" } as Ends,
    }),
    // What lets any number through takes it for a failing server.
    ends: {
      "request-upload": ["asset-unknown", "service-error"],
      terminate: ["terminate-unknown", "service-error"],
    } as Ends,
    reply: (socket: Socket, about: Faulty) =>
      answer(socket, code, meant(about), about.honest.body, about.request.method),
  })),
  {
    name: "switching protocols",
    reply: (socket) =>
      void send(socket, "HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"),
  },
  ...[206, 205, 304].map((code) => ({
    name: `status ${code}`,
    ...(code === 304 && {
      ends: { ...ends("redirected", "location-refused"), DELETE: "location-refused" } as Ends,
    }),
    reply: (socket: Socket, about: Faulty) =>
      answer(socket, code, meant(about), about.honest.body, about.request.method),
  })),
  { name: "HTTP/0.9", reply: (socket) => void socket.end("it is stored\r\n") },
  {
    name: "a second answer behind the first",
    reply(socket, about) {
      const { honest, request } = about;
      const first = rawAnswer(honest.status, { ...meant(about), "content-length": honest.body.length });
      const second = rawAnswer(200, { "upload-offset": 8 * MiB + 5, "content-length": 0 });
      send(socket, first);
      if (request.method !== "HEAD") socket.write(honest.body);
      send(socket, second);
      const timer = setTimeout(() => socket.end(), 500);
      socket.once("close", () => clearTimeout(timer));
    },
  },
  {
    name: "a sign-in page",
    delivered: false,
    reply: (socket, { request }) =>
      answer(
        socket,
        200,
        { "content-type": "text/html" },
        "<!doctype html><title>Sign in</title>",
        request.method,
      ),
  },
  {
    name: "lists in lists",
    reply(socket, about) {
      const text = `{"asset":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
      answer(socket, status(about), meant(about), text, about.request.method);
    },
  },
  {
    name: "a refusal of lists in lists",
    delivered: false,
    ends: FORBIDDEN,
    reply: (socket, { request }) =>
      answer(
        socket,
        403,
        { "content-type": "application/json" },
        `{"errors":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
        request.method,
      ),
  },
];

/** Every secret of a request in every spelling. */
function echoOf({ request, lab }: Faulty): string {
  const address = `${lab.upload.url}${request.path}`;
  return [lab.token, ...secretsIn(request.path), address].flatMap(spelledIn).join(" ");
}
/** The same as a header can hold it. */
const headerOf = (about: Faulty) => echoOf(about).slice(0, 7000);

const echoes: AnswerFault[] = [
  ...(
    [
      ["text/plain", (said: string) => said],
      ["text/html", (said: string) => `<html><title>${said}</title><h1>${said}</h1>`],
      ["application/json", (said: string) => JSON.stringify({ errors: [said, [said]] })],
      [
        "application/problem+json",
        (said: string) => JSON.stringify({ error: { message: said, params: { additionalProperty: said } } }),
      ],
      ["application/xml", (said: string) => `<Error><Code>${said}</Code><Message>${said}</Message></Error>`],
    ] as const
  ).flatMap(([type, write]) =>
    (/plain|\/json/.test(type) ? [403, 400, 503] : [403]).map((code) => ({
      name: `${code} that echoes every secret as ${type}`,
      delivered: false,
      ...(code === 403 && { ends: FORBIDDEN }),
      ...(code === 400 && { ends: ends("rejected", "rejected") }),
      ...(code === 503 && {
        ends: { "request-upload": "service-error", terminate: "service-error" } as Ends,
      }),
      reply: (socket: Socket, about: Faulty) =>
        answer(socket, code, { "content-type": type }, write(echoOf(about)), about.request.method),
    })),
  ),
  {
    name: "403 that echoes every secret in its headers",
    delivered: false,
    ends: MAYBE_FORBIDDEN,
    reply: (socket, about) =>
      answer(
        socket,
        `403 ${headerOf(about).slice(0, 2000)}`,
        {
          "content-type": `text/${headerOf(about).slice(0, 2000)}`,
          "retry-after": headerOf(about).slice(0, 2000),
          "upload-offset": headerOf(about).slice(0, 2000),
        },
        "no",
        about.request.method,
      ),
  },
  ...["upload-offset", "upload-length", "location", "content-type"].map((header) => ({
    name: `every secret in ${header}`,
    ...(header === "location" && { stays: true, ends: { POST: "upload-gone" } as Ends }),
    reply: altered((about) => ({ [header]: headerOf(about) })),
  })),
  {
    name: "200 that echoes every secret",
    ends: ends(["unexpected-answer", "location-refused"], ["location-refused", "interrupted", "whole"]),
    reply: (socket, about) =>
      answer(
        socket,
        200,
        { "content-type": "application/json" },
        JSON.stringify({ asset: { id: echoOf(about), url: echoOf(about) }, url: echoOf(about) }),
        about.request.method,
      ),
  },
];

const redirects: AnswerFault[] = [301, 302, 303, 307, 308].flatMap((code) =>
  (["another origin", "the same origin"] as const).map((where) => ({
    name: `${code} to ${where}`,
    delivered: false,
    ends: { ...ends("redirected", "location-refused"), DELETE: "location-refused" },
    notInChromium:
      "core follows no redirect, but XMLHttpRequest does, twenty times and with all bytes, before it says so",
    reply: (socket: Socket, { request, elsewhere }: Faulty) =>
      answer(
        socket,
        code,
        { location: where === "another origin" ? `${elsewhere}${request.path}` : "/elsewhere" },
        "",
        request.method,
      ),
  })),
);

export const ANSWER_FAULTS: readonly AnswerFault[] = [
  ...endless,
  ...silent,
  ...cuts,
  ...encodings,
  ...framings,
  ...lengths,
  ...offsets,
  ...uploadLengths,
  ...locations,
  ...delays,
  ...types,
  ...statuses,
  ...echoes,
  ...redirects,
];

/** A few of them, each for the calls that it is worst for. */
export const ANSWER_SAMPLE: readonly (readonly [AnswerFault, Call])[] = (
  [
    ["endless refusal", "PUT"],
    ["dripping body", "POST"],
    ["silent after the headers", "request-upload"],
    ["cut in the body", "terminate"],
    ["gzip bomb", "request-upload"],
    ["403 that echoes every secret as application/json", "HEAD"],
    ["307 to another origin", "PUT"],
    ['Upload-Offset of "1e3"', "PATCH"],
    ['status "000"', "last PATCH"],
    ["a chunk of a negative size", "DELETE"],
    ["endless noise", "PUT"],
  ] as const
).map(([name, call]) => {
  const fault = ANSWER_FAULTS.find((each) => each.name === name);
  if (fault === undefined) throw new Error(`there is no fault "${name}"`);
  return [fault, call] as const;
});
