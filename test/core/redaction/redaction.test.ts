/** What repeats a secret is hidden, whatever else is shown, and no text makes the search slow. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readErrorBody } from "../../../core/errors/error-body.ts";
import { readingsOf } from "../../../core/redaction/readings.ts";
import {
  describeValue,
  excerpt,
  HIDDEN,
  judgeOf,
  originOf,
  redact,
} from "../../../core/redaction/redaction.ts";
import { SPELLINGS } from "../../support/core/spellings.ts";
import { expectLinear } from "../../support/linear-time.ts";
import { MARKER } from "../../support/marker.ts";

const SECRET = "Zq7-Secret_of/an.account+token=42";
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJwbGF5YmFja0lkIjoiYWJjIn0.c2lnbmF0dXJl";

describe("redact()", () => {
  // hidden-secrets.test.ts has every spelling, wherever it may stand.
  test.each([" with space", '"quoted\\back"', "-ünïcödé-🎬", "&a=<b>'c'", ".$&.$1.(.*)[", "\ud800half"])(
    "hides a text with a secret that holds %j",
    (signs) => {
      const secret = `Zq7-Secret${signs}`;
      for (const [name, spell] of Object.entries(SPELLINGS))
        expect([name, redact(`before ${spell(secret.toWellFormed())} after`, [secret])]).toEqual([
          name,
          HIDDEN,
        ]);
    },
  );

  test("hides any secret of twelve signs of which some are digits, in any spelling", () => {
    const secrets = fc
      .stringMatching(/^[A-Za-z0-9_.~+/=-]{12,90}$/)
      .filter((text) => (text.match(/[0-9]/g) ?? []).length > 2 && (text.match(/[a-z]/gi) ?? []).length > 5);
    fc.assert(
      fc.property(secrets, fc.constantFrom(...Object.keys(SPELLINGS)), (secret, name) => {
        const spelled = SPELLINGS[name]?.(secret) ?? "";
        expect(redact(`no (${spelled}) here`, [secret])).toBe(HIDDEN);
      }),
      { numRuns: 400 },
    );
  });

  test("hides a long part of a secret, from half of a short one on", () => {
    const secret = "k3Jd9-xQ2mL-7vBn4-Rt8wP";
    expect(redact("it begins with k3jd9xq2", [secret])).toBe(HIDDEN);
    expect(redact("it begins with k3jd9", [secret])).toBe("it begins with k3jd9");
    expect(redact("no key-1 here", ["api-key-1"])).toBe("no key-1 here");
    expect(redact("no pi-key-1 here", ["api-key-1"])).toBe(HIDDEN);
  });

  test("keeps what could not be done, unless that holds the secret itself", () => {
    expect(redact(`Cannot upload: no ${SECRET}`, [SECRET])).toBe(`Cannot upload: ${HIDDEN}`);
    expect(redact(`Cannot ${SECRET}: no`, [SECRET])).toBe(HIDDEN);
  });

  test("hides what an address holds, decoded as well, and shows its host", () => {
    const secrets = ["uploads%2Flaunch", "https://upload-17.video.example/a?b=c%3Dd9%26e"];
    for (const text of ["at uploads/launch", "at uploads%2flaunch", "c=d9&e in /a?b=c=d9&e"])
      expect(redact(text, secrets)).toBe(HIDDEN);
    expect(redact("upload-17.video.example is away", secrets)).toBe("upload-17.video.example is away");
  });

  test("hides a secret of four characters, and no shorter one", () => {
    expect(redact("a Zq7x b", ["Zq7x"])).toBe(HIDDEN);
    expect(redact("a Zq7 b", ["Zq7"])).toBe("a Zq7 b");
  });

  test("hides a secret of signs alone, as it is and in base64", () => {
    for (const secret of ["~~~???~~~???", "?????????"])
      for (const text of [secret, btoa(secret), btoa(secret).replaceAll("/", "_").replaceAll("+", "-")])
        expect(redact(`(${text})`, [secret])).toBe(HIDDEN);
  });

  test("hides a secret behind its own beginning, and behind signs that begin no escape", () => {
    expect(redact("aaaabcd", ["aaabcd"])).toBe(HIDDEN);
    expect(redact("ababababc", ["ababc"])).toBe(HIDDEN);
    for (const begin of ["100%", "a\\\\", "a & b&", "=", "%%", "&#", "\\u"])
      expect(redact(`${begin}${SECRET}`, [SECRET])).toBe(HIDDEN);
  });

  test("hides a text whose escapes go deeper than anybody escapes", () => {
    const encode = (text: string) =>
      text.replace(/[^a-z0-9]/gi, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
    const escaped = (text: string) =>
      encode(text.replace(/[^a-z0-9]/gi, (sign) => `&#${sign.charCodeAt(0)};`));
    const six = escaped(escaped(escaped("just-this")));
    expect(redact(six, [SECRET])).toBe(six);
    expect(redact(six.replaceAll("%", "&#37;"), [SECRET])).toBe(HIDDEN);
  });

  test("leaves other texts as they are", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        fc.pre(!/https?:|bearer|token|signature|credential|x-amz|eyJ/i.test(text));
        expect(redact(text, ["a-secret-that-is-not-there"])).toBe(text);
      }),
    );
    for (const sentence of ["the token is missing", 'no "video.mp4": 50% done, 100 $ & more'])
      expect(redact(sentence, [undefined, "", "abc", "a much longer secret"])).toBe(sentence);
  });

  test("hides no sentence of this project, for such tokens as people have", async () => {
    const sentences = await ownSentences();
    expect(sentences.length).toBeGreaterThan(500);
    const tokens = [
      "demo-token",
      "api-key-1",
      "9f8b2c1e-6a4d-4f7b-9c3e-2d1a0b5e8f67",
      "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
      JWT,
    ];
    expect(sentences.filter(judgeOf(tokens).repeats)).toEqual([]);
  });

  test.each<[string, string, string]>([
    ["a JWT", `no ${JWT} here`, "no [removed] here"],
    ["no first word too short for a header", "eyJhbGciO.c eyJhbGci.c", "[removed] eyJhbGci.c"],
    ["no last word that begins as a JWT does", "a.eyJhbGciOi b", "a.eyJhbGciOi b"],
    ["a JWT behind a hyphen", `token-${JWT}, here`, "token-[removed], here"],
    ["a JWT in an address without a scheme", `a.b?t=${JWT}`, "a.b?t=[removed]"],
    [
      "an address at the end of a sentence",
      "at https://a.example/b/c?d=e. Next",
      "at https://a.example. Next",
    ],
    ["an address in brackets", "(see http://a.example:81/b)", "(see http://a.example:81)"],
    ["an address in JSON", '"https:\\/\\/a.example\\/b"', '"https://a.example"'],
    ["a signed query", "?X-Amz-Signature=abc&a=b", "?X-Amz-Signature=[removed]&a=b"],
    [
      "a credential of a cloud",
      "x-amz-credential=abc; X-AMZ-Security-Token%3Dabc",
      "x-amz-credential=[removed] X-AMZ-Security-Token%3D[removed]",
    ],
    ["a header", "Authorization: Bearer abc.def", "Authorization: Bearer [removed]"],
    ["a header in JSON", '{"authorization":"bearer  a-b_c~d+e/f="}', '{"authorization":"Bearer [removed]"}'],
    ["a user's password", "HTTPS://somebody:secret@a.example/", "https://a.example"],
    ["a token in a query", "/tus?token=abc&a=b", "/tus?token=[removed]&a=b"],
    ["a token in an encoded query", "/tus%3Ftoken%3Dabc", "/tus%3Ftoken%3D[removed]"],
  ])("takes out %s", (_, text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  test.each<[string, (size: number) => string]>([
    ["signatures without an end", (size) => "x-amz-".repeat(size / 6)],
    ["beginnings of a JWT with dots", (size) => "eyJ-aaaaaa.".repeat(size / 11)],
    ["words with dots", (size) => "a.".repeat(size / 2)],
    ["addresses of dots", (size) => `http://${".".repeat(size)}`],
    ["backslashes", (size) => `https:${"\\".repeat(size)}`],
    ["addresses and backslashes", (size) => "http://a\\\\\\".repeat(size / 11)],
    ["headers without a token", (size) => `Bearer${" ".repeat(size)}"`],
    ["percent signs", (size) => "%25".repeat(size / 3)],
    ["ampersands", (size) => "&".repeat(size)],
    ["half a secret again and again", (size) => "a".repeat(size)],
    ["many backslashes before many signs", (size) => "\\\\\\\\-".repeat(size / 5)],
    ["percent-encoded percent signs", (size) => `%${"25".repeat(size / 2)}`],
    ["zeros of an entity", (size) => `&#${"0".repeat(size)}`],
    ["zeros in braces", (size) => `\\u{${"0".repeat(size)}`],
    ["entities of entities", (size) => `&${"amp".repeat(size / 3)}`],
    ["marks", (size) => `a${"\u0301\u0316".repeat(size / 2)}`],
    ["ligatures of eighteen letters", (size) => "\ufdfa".repeat(size)],
    ["base64", (size) => "QUJD".repeat(size / 4)],
    ["numbers", (size) => "65 ".repeat(size / 3)],
  ])("takes time that grows with the text: %s", (_, text) => {
    const secrets = [SECRET, `b${"a".repeat(20_000)}`, `${"a".repeat(20_000)}b`];
    expectLinear((size) => redact(text(size), secrets));
  });

  test("takes time that grows with a run of percent signs before no digits", () => {
    // Few of them, and without a secret, which takes longer: the square of more would take minutes.
    expectLinear((size) => readingsOf("%".repeat(size / 10)));
  });

  test("takes time that grows with a secret", () => {
    expectLinear((size) => redact("x".repeat(300), [`${"a%".repeat(size / 2)}`]));
    expectLinear((size) => redact("x".repeat(300), [`${"word ".repeat(size / 5)}1`]));
  });
});

/** What this project says, in its code and its messages. */
async function ownSentences(): Promise<string[]> {
  const folder = fileURLToPath(new URL("../../../", import.meta.url));
  const names = (await readdir(join(folder, "core"), { recursive: true })).filter((name) =>
    name.endsWith(".ts"),
  );
  const files = [...names.map((name) => join("core", name)), "entrypoints/locales/en.yml"];
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  // Two blanks at least: a word by itself is no sentence.
  return texts.flatMap((text) => text.match(/["`: ][A-Za-z][^"`\n]* [^"`\n]* [^"`\n]*/g) ?? []);
}

describe("excerpt()", () => {
  test("hides a text that it cuts inside a secret", () => {
    const secret = `${SECRET}${"0123456789abcdef".repeat(20)}`;
    for (const [name, spell] of Object.entries(SPELLINGS))
      for (const length of [1, 4, 40, 200])
        expect([name, excerpt(`${" ".repeat(4096 - length)}${spell(secret)}`, [secret])]).toEqual([
          name,
          HIDDEN,
        ]);
  });

  test("shows nothing near the end of what it looks at", () => {
    for (const show of [excerpt, redact])
      expect(show(`${" ".repeat(64 * 1024 - 5)}${SECRET}`, [SECRET]).trim()).toBe("");
  });

  test("takes out a token that it would cut", () => {
    expect(excerpt(`${" ".repeat(4080)}${JWT}`)).toBe(`${" ".repeat(4080)}[removed]`);
    expect(excerpt(`${" ".repeat(4080)}https://a.example/secret`)).toBe(
      `${" ".repeat(4080)}https://a.exampl`,
    );
  });

  test("cuts nothing off a text that is just short enough", () => {
    const text = `${" ".repeat(4090)}${SECRET.slice(0, 6)}`;
    expect(excerpt(text, [SECRET])).toBe(text);
  });

  test("shows the beginning of a long text without secrets as it is", () => {
    expect(excerpt("word ".repeat(2000), [SECRET])).toBe("word ".repeat(2000).slice(0, 4096));
  });
});

describe("describeValue()", () => {
  test("redacts before it cuts", () => {
    expect(describeValue(`${"a".repeat(50)}${SECRET}${"b".repeat(50)}`, [SECRET])).toBe(`"${HIDDEN}"`);
  });

  test("keeps no half of a character", () => {
    expect(describeValue(`${"a".repeat(58)}😀${"b".repeat(9)}`).isWellFormed()).toBe(true);
  });
});

test.each<[string, string, (size: number) => string]>([
  ["tags without an end", "text/html", (size) => "<h1".repeat(size / 3)],
  ["titles in titles", "text/html", (size) => "<title>".repeat(size / 7)],
  ["codes without an end", "application/xml", (size) => "<Code".repeat(size / 5)],
  ["errors", "application/json", (size) => `{"errors":[${'"a",'.repeat(size / 4)}"b"]}`],
  [
    "lists in lists",
    "application/json",
    (size) => `{"errors":${"[".repeat(size / 2)}${"]".repeat(size / 2)}}`,
  ],
  [
    "a validation error",
    "application/json",
    (size) => JSON.stringify({ errors: [JSON.stringify({ message: "a".repeat(size) })] }),
  ],
  [
    "allowed values",
    "application/json",
    (size) =>
      JSON.stringify({
        errors: [{ message: "a", params: { allowedValues: new Array(size / 4).fill(1) } }],
      }),
  ],
])("readErrorBody() takes time that grows with the answer: %s", (_, type, text) => {
  expectLinear((size) => readErrorBody(text(size), type, [SECRET]));
});

test("originOf() shows an origin and nothing else of an address", () => {
  expect(originOf(`https://a:${MARKER}@video.example:8443/${MARKER}?${MARKER}#${MARKER}`)).toBe(
    "https://video.example:8443",
  );
  for (const other of [`data:,${MARKER}`, `blob:${MARKER}`, MARKER, ""])
    expect(originOf(other)).toBe("an address");
});

test("describeValue() tells what a value is, without what it holds", () => {
  const cases: [unknown, string][] = [
    ["video", '"video"'],
    ['a "b"\n', '"a \\"b\\"\\n"'],
    [`https://video.example/?token=${MARKER}`, '"https://video.example"'],
    [undefined, "undefined"],
    [null, "null"],
    [-0, "-0"],
    [Number.NaN, "NaN"],
    [12n, "12n"],
    [[], "an empty list"],
    [[MARKER], "a list"],
    [{ token: MARKER }, "an object"],
    [Object.create(null), "an object"],
    [new Date(0), "a Date"],
    [new Uint8Array(1), "a Uint8Array"],
    [new (class {})(), "an object"],
    [() => MARKER, "a function"],
    [Symbol(MARKER), "a symbol"],
  ];
  for (const [value, shown] of cases) expect(describeValue(value)).toBe(shown);
  expect(describeValue("x".repeat(500)).length).toBeLessThan(65);
  expect(describeValue(`${"x".repeat(40)} Bearer ${MARKER}${"y".repeat(100)}`)).not.toContain(MARKER);
});
