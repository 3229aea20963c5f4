/**
 * Whatever others send or store is read without an error that isn't ours, in a time that grows with its length, and
 * without a word of a secret.
 */
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mayBeVideo, mediaTypeOf } from "../../../core/content/media-type.ts";
import { readErrorBody } from "../../../core/errors/error-body.ts";
import { errorFromRecord, isUpcutError, type UpcutError } from "../../../core/errors/errors.ts";
import { readManifest } from "../../../core/hls/manifest.ts";
import { readPlaylist } from "../../../core/hls/read-playlist.ts";
import { readXml, UnreadableXml } from "../../../core/hls/xml.ts";
import { isLoopback } from "../../../core/hosts/loopback.ts";
import { isOwnNetwork } from "../../../core/hosts/own-network.ts";
import { readNetworkError } from "../../../core/http/network-error.ts";
import { readRetryAfter } from "../../../core/http/status.ts";
import type { Journal, JournalEntry } from "../../../core/journal/journal.ts";
import { contextsOf, openSlot } from "../../../core/journal/slot.ts";
import { describeValue, redact } from "../../../core/redaction/redaction.ts";
import { readBaseUrl } from "../../../core/service/base-url.ts";
import { callRedirected, refused } from "../../../core/service/call-errors.ts";
import {
  type AccountCall,
  describePage,
  parseAnswer,
  requestUploadCall,
} from "../../../core/service/calls.ts";
import { readOriginRefusal } from "../../../core/service/origin-refusal.ts";
import { readPaths, streamSegment } from "../../../core/service/paths.ts";
import { readToken } from "../../../core/service/token.ts";
import { readUploadLocation } from "../../../core/service/upload-location.ts";
import { kindOfBytes, kindOfType } from "../../../core/source/answer-kind.ts";
import { shortFileName } from "../../../core/source/file-name.ts";
import { isOtherVersion, isSameVersion, versionOf } from "../../../core/source/version.ts";
import { isHtmlPage } from "../../../core/text/html.ts";
import { readCount } from "../../../core/transfer/settling.ts";
import { expectLinear } from "../../support/linear-time.ts";

const SECRET = "Zq7-Secret_of/an.account+token=42";
const BASE = "https://video.example";

/** Texts that resemble what is read, and any others. */
const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.json({ maxDepth: 4 }),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
  fc.double().map(String),
  fc
    .array(
      fc.constantFrom(
        ...'0 -1 1e3 0x3e8 \0 ; , / \\ " \' < > <html <title> <?xml {" [" }] %25 \\u0041 &#65; Bearer eyJ'.split(
          " ",
        ),
        ...'http: // https:// video/mp4 text/html W/" :59 GMT cors origin browser not only list CERT_ \ud800'.split(
          " ",
        ),
        " ",
        "\r\n",
        "{id}",
      ),
      { maxLength: 20 },
    )
    .map((parts) => parts.join("")),
);
/** What a service may answer: anything JSON holds, often with the fields of a record. */
const answers = fc.oneof(
  fc.jsonValue({ maxDepth: 5 }),
  fc.record(
    {
      url: fc.oneof(texts, fc.webUrl(), fc.jsonValue({ maxDepth: 1 })),
      tusEndpoint: fc.oneof(texts, fc.webUrl(), fc.jsonValue({ maxDepth: 1 })),
      asset: fc.oneof(
        fc.jsonValue({ maxDepth: 3 }),
        fc.record({ id: fc.oneof(texts, fc.jsonValue({ maxDepth: 1 })), name: texts, size: fc.jsonValue() }),
      ),
      task: fc.jsonValue({ maxDepth: 2 }),
      mismatches: fc.jsonValue({ maxDepth: 3 }),
    },
    { requiredKeys: ["asset"] },
  ),
);

/** What is thrown must be ours. */
function orOurs<T>(read: () => T): T | UpcutError | UnreadableXml {
  try {
    return read();
  } catch (error) {
    if (isUpcutError(error) || error instanceof UnreadableXml) return error;
    throw error;
  }
}

function headersOf(names: string[], value: string): Headers {
  const headers = new Headers();
  for (const name of names) {
    // Nothing else comes out of a header.
    headers.set(name, value.replace(/[^\t\u0020-\u007e\u0080-\u00ff]/g, "?"));
  }
  return headers;
}

const call: AccountCall = {
  ...requestUploadCall(readPaths(undefined), { name: "Launch video" }),
  baseUrl: BASE,
  token: SECRET,
  secrets: [SECRET],
  signal: undefined,
  timeout: 1000,
};

/** Everything that reads a text of somebody else's. */
const READERS: Record<string, (text: string) => unknown> = {
  "readRetryAfter()": (text) => readRetryAfter(text),
  "readCount()": readCount,
  "readErrorBody()": (text) => readErrorBody(text, text, [SECRET]),
  "refused()": (text) => refused(call, { status: 403, headers: headersOf(["content-type"], text) }, text),
  "redirected()": (text) => callRedirected(call, { status: 302, headers: headersOf(["location"], text) }),
  "parseAnswer()": (text) => orOurs(() => parseAnswer({ call, status: 200, text })),
  "describePage()": describePage,
  "readOriginRefusal()": (text) => readOriginRefusal([text, text]),
  "readNetworkError()": (text) =>
    readNetworkError(Object.assign(new Error(text, { cause: new Error(text) }), { code: text })),
  "isHtmlPage()": isHtmlPage,
  "isLoopback()": isLoopback,
  "isOwnNetwork()": isOwnNetwork,
  "kindOfType()": kindOfType,
  "kindOfBytes()": (text) => kindOfBytes(new TextEncoder().encode(text)),
  "mediaTypeOf()": (text) => [mediaTypeOf(text, text), mayBeVideo(text, text)],
  "shortFileName()": shortFileName,
  "versionOf()": (text) => {
    const version = versionOf(headersOf(["etag", "last-modified", "date", "content-type"], text));
    return [isSameVersion(version, version), isOtherVersion(version, version)];
  },
  "readBaseUrl()": (text) => orOurs(() => readBaseUrl(text)),
  "readPaths()": (text) => orOurs(() => readPaths({ requestUpload: text, terminate: text })),
  "streamSegment()": (text) => orOurs(() => streamSegment(text)),
  "readToken()": (text) => orOurs(() => readToken(text)),
  "redact()": (text) => redact(text, [SECRET]),
  "describeValue()": (text) => describeValue(text, [SECRET]),
  "errorFromRecord()": (text) => errorFromRecord({ name: text, code: text, message: text } as never),
  "readXml()": (text) => orOurs(() => readXml(text)),
  "readPlaylist()": (text) => orOurs(() => readPlaylist(text, new URL(BASE))),
  "readManifest()": (text) => orOurs(() => readManifest(text, new URL(BASE))),
};

/** Names that every object has, and where a text may hold one. */
const INHERITED = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"];
const HOLDERS: ((name: string) => string)[] = [
  (name) => name,
  (name) => `&${name}; &${name} %${name} \\${name} {$${name}}`,
  (name) => `video.${name}`,
  (name) => `video/${name}+${name}; ${name}="${name}"`,
  (name) => `application/${name}`,
  (name) => `{"${name}":"${name}","errors":[{"message":"${name}","params":{"${name}":"${name}"}}]}`,
  (name) => `<${name} ${name}="&${name};">&${name};</${name}>`,
  (name) => `#EXTM3U\n#EXT-X-KEY:METHOD=SAMPLE-AES,KEYFORMAT="${name}",${name}=${name}\n#EXTINF:4,\n${name}`,
  (name) => `${BASE}/${name}?${name}=${name}#${name}`,
];

describe.each(Object.entries(READERS))("%s", (_, read) => {
  test("throws nothing of its own, whatever it is given", () => {
    fc.assert(
      fc.property(texts, (text) => void read(text)),
      { numRuns: 500 },
    );
  });

  test.each(INHERITED)("takes %s for a word like any other", (name) => {
    const unknown = name.replaceAll("o", "e");
    const readAs = (word: string, hold: (name: string) => string) => {
      const found = read(hold(word));
      const shown = found instanceof Error ? { ...found, message: found.message } : found;
      // Node marks this one key, and a text may be cut anywhere in a word.
      return inspect(shown, { depth: 9 }).replaceAll("['__proto__']", "__proto__").replace(/o/gi, "e");
    };
    for (const hold of HOLDERS) expect(readAs(name, hold)).toBe(readAs(unknown, hold));
  });

  test("takes time that grows with the text", () => {
    const signs = ["a", " ", "\\", ".", "1", "<a ", "[::1", "eyJ."];
    for (const part of [...signs, "not a ", "port 1", "https://a", 'cors,"', 'a+json,"'])
      expectLinear((size) => read(part.repeat(size / part.length)));
  });
});

describe("an answer to request-upload", () => {
  const allowed = (value: unknown, base: string) => {
    if (value === undefined) return true;
    const url = new URL(String(value));
    const fits = url.protocol === "https:" || (url.protocol === "http:" && base.startsWith("http:"));
    return fits && url.username === "" && url.password === "";
  };

  test.each([BASE, "http://localhost:8080", "http://video.example"])(
    "below %s is a record with locations that may be used, or a reason",
    (base) => {
      fc.assert(
        fc.property(answers, (answer) => {
          const found = readUploadLocation(answer, base);
          if (typeof found === "string") return;
          expect(found.asset.id.trim()).not.toBe("");
          expect(allowed(found.url, base)).toBe(true);
          expect(allowed(found.tusEndpoint, base)).toBe(true);
          expect(readUploadLocation(found)).toEqual(found);
        }),
        { numRuns: 1000 },
      );
    },
  );

  test("is as harmless from any other requester", () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const found = readUploadLocation(answer);
        if (typeof found !== "string") expect(found.mismatches.length).toBeLessThanOrEqual(100);
      }),
      { numRuns: 1000 },
    );
  });
});

test("readRetryAfter() gives nothing but times that a timer can hold", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const wait = readRetryAfter(text);
      if (wait !== undefined) expect(wait >= 0 && wait < 2 ** 31).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("readCount() reads what String() writes of a number of bytes, and nothing else", () => {
  fc.assert(fc.property(fc.maxSafeNat(), (count) => readCount(String(count)) === count));
  fc.assert(
    fc.property(texts, (text) => {
      const count = readCount(text);
      if (count === undefined) return;
      expect(text).toMatch(/^\d+$/);
      expect(BigInt(text)).toBe(BigInt(count));
    }),
    { numRuns: 2000 },
  );
});

describe("a stored record", () => {
  const address = { key: "key", account: "account", context: "context" };
  const holding = (entry: unknown): Journal => ({
    get: async () => entry as JournalEntry,
    set: async () => {},
    delete: async () => {},
    claim: async () => async () => {},
  });
  const records = fc.record({
    method: fc.oneof(fc.constantFrom("resumable", "direct"), fc.jsonValue()),
    asset: fc.oneof(fc.record({ id: fc.string() }), fc.jsonValue()),
    mismatches: fc.oneof(fc.constant([]), fc.jsonValue()),
    location: fc.oneof(fc.webUrl(), fc.jsonValue()),
  });
  const entries = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        version: fc.oneof(fc.constant(1), fc.jsonValue()),
        uploads: fc.oneof(
          fc.dictionary(fc.constantFrom("context", "other", "__proto__"), records),
          fc.jsonValue(),
        ),
        requested: fc.oneof(fc.array(texts), fc.jsonValue()),
      },
      { requiredKeys: ["version"] },
    ),
  );

  test("is read whole, or refused with an error of ours", async () => {
    await fc.assert(
      fc.asyncProperty(entries, async (entry) => {
        const opened = await openSlot(holding(entry), address).catch((error: unknown) => error);
        // What discard() begins with: it removes what can't be read.
        expect(Array.isArray(await contextsOf(holding(entry), "key", "account"))).toBe(true);
        if (isUpcutError(opened)) {
          expect(opened.code).toBe("journal-failed");
        } else {
          const { record } = opened as Awaited<ReturnType<typeof openSlot>>;
          if (record !== undefined) expect(["resumable", "direct"]).toContain(record.method);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a secret", () => {
  const shownBy = (error: Error) => `${error.message}\n${JSON.stringify(error)}`;

  test("is shown in no part of an address that an answer leads to", () => {
    const secret = "zq7-secret-of-an-account-token-42";
    const parts = [
      `https://${secret}.example/`,
      `https://a.example/${secret}?${secret}#${secret}`,
      `/${secret}`,
    ];
    for (const location of [...parts, `https://${secret}:${secret}@a.example/`, `${secret}:${secret}`]) {
      const headers = new Headers({ location });
      const error = callRedirected({ ...call, token: secret }, { status: 307, headers });
      expect(shownBy(error)).not.toContain(secret);
    }
  });

  test("is not shown where an address, a path or a token is refused", () => {
    const places: ((secret: string) => unknown)[] = [
      (secret) => readBaseUrl(`https://${secret}@a.example`),
      (secret) => readBaseUrl(`https://a.example?token=${secret}`),
      (secret) => readBaseUrl(`https://a.example:99999/${secret}`),
      (secret) => readBaseUrl(secret),
      (secret) => readToken(`${secret} ${secret}`),
      (secret) => readToken(`${secret}\n`.repeat(2)),
      (secret) => readToken(`${secret}é`),
      (secret) => readPaths({ requestUpload: `/a?token=${secret}` }),
    ];
    const secrets = fc.stringMatching(/^Zq7[A-Za-z0-9_-]{20,60}$/);
    fc.assert(
      fc.property(secrets, fc.constantFrom(...places), (secret, place) => {
        const error = orOurs(() => place(secret));
        expect(isUpcutError(error)).toBe(true);
        expect(String(error)).not.toContain(secret);
        expect(JSON.stringify(error)).not.toContain(secret);
      }),
    );
  });
});
