import { describe, expect, test } from "vitest";
import { readErrorBody } from "../../../core/errors/error-body.ts";
import { HIDDEN } from "../../../core/redaction/redaction.ts";
import { MARKER } from "../../support/marker.ts";

const read = (body: unknown, contentType = "application/json", secrets: string[] = []) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const { details, own } = readErrorBody(text, contentType, secrets);
  return { details, own };
};

describe("readErrorBody() of JSON", () => {
  test.each<[string, unknown, string[]]>([
    ["flat errors", { errors: ["a", "b"] }, ["a", "b"]],
    ["nested errors, as documented", { errors: [["id was not provided"]] }, ["id was not provided"]],
    ["one error", { errors: "a" }, ["a"]],
    ["objects with a message", { errors: [{ message: "a" }, { message: "b" }] }, ["a", "b"]],
    ["error", { error: "a" }, ["a"]],
    ["error with a message", { error: { message: "a", code: 7 } }, ["a"]],
    ["message", { message: "a" }, ["a"]],
    ["message where errors are empty", { errors: [], message: "b" }, ["b"]],
    ["a problem of RFC 9457", { type: "about:blank", title: "a", detail: "b" }, ["b"]],
    ["a problem without detail", { title: "a", status: 400 }, ["a"]],
    ["doubled sentences once", { errors: ["a", "a ", "a."] }, ["a"]],
    ["sentences without white space and final period", { errors: ["  a\n  b. "] }, ["a b"]],
    ["nothing of blank sentences", { errors: ["", " ", "a"] }, ["a"]],
  ])("reads %s", (_, body, details) => {
    expect(read(body)).toEqual({ details, own: true });
    expect(read(body, "text/plain").details).toEqual(details);
  });

  const problem = (instancePath: unknown, message: string, params: unknown) => ({
    instancePath,
    message,
    params,
  });
  test.each<[object, string]>([
    [problem("/profiles/0/gop", "must be string", { type: "string" }), "profiles.0.gop must be string"],
    [problem("", "must have 'name'", { missingProperty: "name" }), "must have 'name'"],
    [
      problem("/a", "must not have more", { additionalProperty: "colour" }),
      'a must not have more ("colour")',
    ],
    [
      problem("/a~1b/c~0d", "must be equal to one", { allowedValues: ["x", 2, null] }),
      'a/b.c~d must be equal to one ("x", 2, null)',
    ],
    [{ message: "must be object" }, "must be object"],
    [problem(7, "a", null), "a"],
    [problem("/a", "b", "c"), "a b"],
  ])("makes a plain sentence of the validation error %j", (detail, sentence) => {
    expect(read({ errors: [JSON.stringify(detail)] })).toEqual({ details: [sentence], own: true });
    expect(read({ errors: [detail] })).toEqual({ details: [sentence], own: true });
  });

  test("keeps sentences that merely look like JSON", () => {
    for (const sentence of ["7", "null", "[]", '{"a":1}', '"a"', "{broken"])
      expect(read({ errors: [sentence] }).details).toEqual([sentence]);
  });

  test("shortens long sentences and long lists", () => {
    const { details } = read({
      errors: Array.from({ length: 50 }, (_, at) => `${at} ${"x".repeat(1000)}`),
    });
    expect(details).toHaveLength(10);
    expect(details.every((each) => each.length <= 300 && each.endsWith("…"))).toBe(true);
  });

  test("goes no deeper than services do, and survives what is deeper", () => {
    const deep = `{"errors":${"[".repeat(5000)}"a"${"]".repeat(5000)}}`;
    expect(read(deep).own).toBe(false);
  });

  test.each(["{}", "[]", "null", "7", "true", '{"errors":{}}', '{"errors":[7,null]}', '{"status":404}'])(
    "finds no sentence of the service's own in %s",
    (body) => {
      expect(read(body).own).toBe(false);
    },
  );
});

describe("readErrorBody() of other answers", () => {
  test.each<[string, string, string[]]>([
    ["text/html", "<!doctype html><title>404 Not Found</title>", ['an HTML page titled "404 Not Found"']],
    ["", "<html><body><h1>502 Bad Gateway</h1>", ['an HTML page titled "502 Bad Gateway"']],
    ["", "<h1>Oops</h1>", ['an HTML page titled "Oops"']],
    ["text/html; charset=utf-8", "<p>Sign in</p>", ["an HTML page"]],
    ["", " \n<!DOCTYPE HTML><HTML><TITLE>\n Busy \n</TITLE>", ['an HTML page titled "Busy"']],
    [
      "application/xml",
      "<Error><Code>A</Code><Message>Reduce your rate.</Message></Error>",
      ["A: Reduce your rate"],
    ],
    ["", "<?xml version='1.0'?><Error><Message>No</Message></Error>", ["No"]],
    ["text/xml", "<a/>", ["an XML document"]],
    ["", "<a><b/></a>", ["an XML document"]],
    ["text/plain", "upstream timed out\n", ["upstream timed out"]],
    ["", "error code: 1033", ["error code: 1033"]],
    ["text/plain", "", []],
    ["application/json", " \n", []],
    ["application/json", "{broken", ["{broken"]],
  ])("of %j sums up %j", (contentType, body, details) => {
    expect(read(body, contentType)).toEqual({ details, own: false });
  });

  test("shows a sentence at most", () => {
    expect(read("x".repeat(1_000_000), "text/plain").details[0]?.length).toBe(300);
  });
});

describe("readErrorBody() and secrets", () => {
  const secret = `${MARKER}-a/b+c==`;

  // foreign-text.test.ts has the other places, and redaction.test.ts the spellings.
  test.each<[string, string, string]>([
    ["JSON of another shape", "application/json", JSON.stringify({ token: secret })],
    ["an address in text", "", `cannot read https://video.example/x?token=${encodeURIComponent(secret)}`],
  ])("takes them out of %s", (_, contentType, body) => {
    const { details } = readErrorBody(body, contentType, [secret, undefined]);
    expect(details.length).toBeGreaterThan(0);
    expect(details.join(" ")).not.toContain(MARKER);
  });

  test("hides all sentences where a secret is divided among them", () => {
    const { details, own } = read({ errors: ["unrelated", secret.slice(0, 4), secret.slice(4)] }, "", [
      secret,
    ]);
    expect({ details, own }).toEqual({ details: [HIDDEN], own: true });
  });

  test("hides long words that nobody knows for secrets, and no ids", () => {
    const id = "9f8b2c1e-6a4d-4f7b-9c3e-2d1a0b5e8f67";
    const { details } = read({ errors: [`no key sk_live_4eC39HqLyjWDarjtT1zdp7dc for ${id}`] });
    expect(details).toEqual([`no key [removed] for ${id}`]);
  });

  test("gives what it hides to whoever reads a meaning out of it", () => {
    const text = JSON.stringify({ error: `origin not allowed for ${secret}` });
    expect(readErrorBody(text, "", [secret])).toMatchObject({
      details: [HIDDEN],
      said: [`origin not allowed for ${secret}`],
    });
  });

  test("takes them out before it shortens, wherever they stand", () => {
    for (const filler of ["x", `${secret} `])
      for (let at = 0; at < 700; at++) {
        const text = `${filler.repeat(Math.ceil(at / filler.length)).slice(0, at)} ${secret}`;
        for (const body of [text, JSON.stringify({ errors: [text] })])
          if (readErrorBody(body, "", [secret]).details.join("").includes("zq7"))
            // A piece that was cut off before it came here can't be known.
            expect(filler.length > 1 && at % filler.length !== 0).toBe(true);
      }
  });
});

describe("readErrorBody() of many sentences", () => {
  test.each<[string, string[]]>([
    ["blank", new Array(100).fill("")],
    ["of white space", Array.from({ length: 100 }, (_, at) => " ".repeat(at))],
    ["the same", new Array(100).fill("a")],
    ["the same but for their white space", Array.from({ length: 100 }, (_, at) => `${" ".repeat(at)}a`)],
  ])("looks at no more than a hundred that are %s", (_, errors) => {
    expect(read({ errors: [...errors, "late"] }).details).not.toContain("late");
    expect(read({ errors: [...errors.slice(1), "soon"] }).details).toContain("soon");
  });

  test("prepares long secrets once for all of them", () => {
    let asked = 0;
    const secrets = {
      *[Symbol.iterator]() {
        asked++;
        yield MARKER;
      },
    };
    const errors = Array.from({ length: 10 }, (_, at) => ({
      message: `${at} ${MARKER}`,
      instancePath: "/a",
    }));
    const { details } = readErrorBody(JSON.stringify({ errors }), "application/json", secrets);
    expect(details).toEqual([HIDDEN]);
    expect(asked).toBe(1);
  });

  test("shows no half of a secret that a long sentence is cut in", () => {
    for (let length = 4; length < MARKER.length; length++) {
      const { details } = read({ errors: [`${" ".repeat(1024 - length)}${MARKER}`] }, "", [MARKER]);
      expect(details).toEqual([HIDDEN]);
    }
  });
});

test("readErrorBody() of a refusal in plain text takes it for no page for a sign like those of one within it", () => {
  const text = "must be less than <p and more";
  expect(readErrorBody(text, "text/plain", [])).toMatchObject({ details: [text], own: false });
  expect(readErrorBody("<p>Bad</p>", "text/plain", []).details).toEqual(["an HTML page"]);
});
