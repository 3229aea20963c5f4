/** What an answer echoes of a secret goes, however it spells it, and no text makes the search slow. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeValue, excerpt, redact } from "../../core/redaction/redaction.ts";
import { readErrorBody } from "../../core/service/error-body.ts";
import { expectLinear } from "../linear-time.ts";
import { SPELLINGS } from "./spellings.ts";

const SECRET = "Zq7-Secret_of/an.account+token=42";
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJwbGF5YmFja0lkIjoiYWJjIn0.c2lnbmF0dXJl";

describe("redact()", () => {
  test.each(Object.entries(SPELLINGS))("takes out a secret %s", (_, spell) => {
    const clean = redact(`before ${spell(SECRET)} after`, [SECRET]);
    expect(clean).toMatch(/^before \S*\[removed\]\S* after$/);
    expect(clean.length).toBeLessThan(50);
  });

  test.each([" with space", '"quoted\\back"', "-ünïcödé-🎬", "&a=<b>'c'", ".$&.$1.(.*)[", "\ud800half"])(
    "takes out a secret that holds %j",
    (signs) => {
      const secret = `Zq7-Secret${signs}`;
      const encoded = encodeURIComponent(secret.toWellFormed());
      const escaped = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      const inHtml = escaped.replaceAll('"', "&quot;").replaceAll("'", "&#39;");
      const inJson = [JSON.stringify(secret), JSON.stringify(JSON.stringify(secret))];
      const inAddress = `https://video.example/${encoded}/x?token=${encoded}`;
      const others = [encoded, encoded.toLowerCase(), encodeURI(secret.toWellFormed()), inHtml, inAddress];
      for (const spelled of [secret, `${secret}, and again ${secret}`, `x${secret}y`, ...inJson, ...others]) {
        const clean = redact(`before ${spelled} after`, [secret]);
        expect([spelled, clean.toLowerCase().includes("zq7-secret")]).toEqual([spelled, false]);
        expect(clean).toMatch(/^before .*\[removed\].* after$|^before https:\/\/video\.example after$/);
      }
    },
  );

  test("takes out any secret in any spelling", () => {
    const secrets = fc
      .string({ unit: "grapheme-ascii", minLength: 8, maxLength: 90 })
      .filter((text) => text.trim() === text);
    fc.assert(
      fc.property(
        secrets,
        fc.constantFrom(...Object.keys(SPELLINGS)),
        fc.string(),
        (secret, name, around) => {
          const spelled = SPELLINGS[name]?.(secret) ?? "";
          const clean = redact(`${around}(${spelled})${around}`, [secret]);
          // What base64 makes of the last bytes depends on what stands behind them.
          expect(clean).not.toContain(`(${spelled.slice(0, -4)}`);
          expect(clean).toContain("[removed]");
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("takes out what an address holds, decoded as well", () => {
    const secrets = ["uploads%2Flaunch", "c%3Dd%26e"];
    expect(redact("uploads/launch or uploads%2flaunch or c=d&e", secrets)).toBe(
      "[removed] or [removed] or [removed]",
    );
  });

  test("takes out what stands behind a sign that begins no escape", () => {
    const every = SPELLINGS["every character percent-encoded"]?.(SECRET);
    expect(redact(`100%${every} of it`, [SECRET])).toBe("100%[removed] of it");
    expect(redact(`a\\\\${SPELLINGS["in escapes of JSON"]?.(SECRET)}`, [SECRET])).toMatch(
      /^a\\*\[removed\]$/,
    );
    expect(redact(`a & b&${SPELLINGS["in entities"]?.(SECRET)} c`, [SECRET])).toBe("a & b&[removed] c");
  });

  test("takes out a secret of four characters, and no shorter one", () => {
    expect(redact("a Zq7x b Zq7 c", ["Zq7x"])).toBe("a [removed] b Zq7 c");
    expect(redact("a Zq7 b", ["Zq7"])).toBe("a Zq7 b");
  });

  test("takes out both spellings of each sign of base64", () => {
    // In base64, "~~~" is "fn5+" and "???" is "Pz8/".
    for (const secret of ["~~~???~~~???", "???~~~???~~~", "~~~~~~~~~", "?????????"]) {
      const plain = btoa(secret);
      const forAddresses = plain.replaceAll("+", "-").replaceAll("/", "_");
      expect(redact(`(${plain}) (${forAddresses})`, [secret])).toBe("([removed]) ([removed])");
    }
  });

  test("takes out characters that JSON escapes in pairs or in short", () => {
    const units = (text: string) =>
      Array.from(
        { length: text.length },
        (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`,
      ).join("");
    for (const secret of ["pass😀word", "😀🎬🎥", "pass\ud83dword", "end\u{10ffff}end"])
      expect(redact(`a ${units(secret)} b`, [secret])).toBe("a [removed] b");
    for (const secret of ["line\nline", "tab\ttab", "back\bback", "feed\ffeed", "cut\rcut", 'quote"quote'])
      expect(redact(`a ${JSON.stringify(secret).slice(1, -1)} b`, [secret])).toBe("a [removed] b");
  });

  test.each([
    ["&", ["&amp;", "&AMP;"]],
    ["<", ["&lt;"]],
    [">", ["&gt;"]],
    ['"', ["&quot;"]],
    ["'", ["&apos;", "&#39;", "&#0000000039;", "&#x27;", "&#X000000027;"]],
  ])("takes out a secret in which an entity stands for %s", (character, entities) => {
    for (const entity of entities)
      expect(redact(`a secret${entity}secret b`, [`secret${character}secret`])).toBe("a [removed] b");
  });

  test("takes out a secret that stands behind its own beginning", () => {
    expect(redact("aaaabcd", ["aaabcd"])).toBe("a[removed]");
    expect(redact("abcababcabd", ["abcabd"])).toBe("abcab[removed]");
    expect(redact("ababababc", ["ababc"])).toBe("abab[removed]");
  });

  test("makes one of secrets that touch or overlap, and keeps what is between others", () => {
    const secrets = ["abcdef", "defghi", "mnopqr"];
    expect(redact("abcdefghi jkl mnopqr", secrets)).toBe("[removed] jkl [removed]");
    expect(redact("abcdefdefghi", secrets)).toBe("[removed]");
    expect(redact("abcdef!mnopqr", secrets)).toBe("[removed]![removed]");
    expect(redact("xabcdef", secrets)).toBe("x[removed]");
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
  ])("takes time that grows with the text: %s", (_, text) => {
    const secrets = [SECRET, `b${"a".repeat(20_000)}`, `${"a".repeat(20_000)}b`];
    expectLinear((size) => redact(text(size), secrets));
  });

  test("takes time that grows with a secret", () => {
    expectLinear((size) => redact("x".repeat(300), [`${"a%".repeat(size / 2)}`]));
  });
});

describe("excerpt()", () => {
  test.each(Object.entries(SPELLINGS))(
    "shows no half of a secret that a long text is cut in, %s",
    (_, spell) => {
      const secret = `${SECRET}${"0123456789abcdef".repeat(20)}`;
      const spelled = spell(secret);
      for (let length = 4; length < spelled.length; length += 7) {
        const text = `${" ".repeat(4096 - length)}${spelled}`;
        const shown = excerpt(text, [secret]).trim();
        // Of an escape that is cut there is nothing to recognise, nor of the first few characters.
        expect(shown.length, `${length} characters: ${shown}`).toBeLessThan(40);
      }
    },
  );

  test("hides the beginning of a secret at the cut from four characters on", () => {
    const cut = (shown: number) => excerpt(`${" ".repeat(4096 - shown)}${SECRET}`, [SECRET]).trim();
    expect([cut(3), cut(4), cut(5)]).toEqual(["Zq7", "[removed]", "[removed]"]);
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
    expect(describeValue(`${"a".repeat(50)}${SECRET}${"b".repeat(50)}`, [SECRET])).toBe(
      `"${"a".repeat(50)}[removed]…"`,
    );
  });

  test("keeps no half of a character", () => {
    expect(describeValue(`${"a".repeat(58)}😀${"b".repeat(9)}`).isWellFormed()).toBe(true);
  });
});

describe("readErrorBody()", () => {
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
  ])("takes time that grows with the answer: %s", (_, type, text) => {
    expectLinear((size) => readErrorBody(text(size), type, [SECRET]));
  });
});
