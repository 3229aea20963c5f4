/** What of core only other runtimes run than Node, in which mutants are tested, and the tests that do. */
import { existsSync } from "node:fs";
import type { Mutant } from "./mutants.ts";

interface Elsewhere {
  file: string;
  /** The functions it is, by name, or the lines it stands in; else all of the file. */
  functions?: string[];
  lines?: string[];
  reason: string;
  /** The tests that run it there. */
  tests: string[];
}

const ELSEWHERE: Elsewhere[] = [
  {
    file: "core/transfer/xhr.ts",
    reason: "XMLHttpRequest is in pages alone",
    tests: ["test/runtimes/page.test.ts", "test/e2e/redirects.test.ts"],
  },
  {
    file: "core/runtime.ts",
    functions: ["lengthStream", "canStreamBodies", "hasXhr", "canReadAtLeast", "hasRequestCache"],
    reason: "what edge workers and pages can do, and what Node has always",
    tests: ["test/runtimes/edge.test.ts"],
  },
  {
    file: "core/runtime.ts",
    functions: ["pageOrigin"],
    reason: "only a page has an origin",
    tests: ["test/runtimes/page.test.ts"],
  },
  {
    file: "core/service/call-errors.ts",
    functions: ["orOriginRefused"],
    reason: "only a page has an origin",
    tests: ["test/runtimes/page.test.ts"],
  },
  {
    file: "core/source/download.ts",
    lines: [
      'const reader = body.getReader({ mode: "byob" }) as unknown as LargeReader;',
      "const { value, done } = await reader.readAtLeast(CHUNK_SIZE, new Uint8Array(CHUNK_SIZE));",
      "return done || value.length === 0 ? { value: undefined, done: true } : { value, done: false };",
    ],
    reason: "only edge workers can be asked for many bytes at once",
    tests: ["test/runtimes/edge.test.ts"],
  },
  {
    file: "core/http/fetch.ts",
    lines: [
      "if (isDeno()) return { body: new Blob(text === undefined ? [] : [text]) };",
      "return { ...(text !== undefined && { body: text }), ...(isBun() && { keepalive: false }) };",
    ],
    reason: "Deno and Bun send a request again unless told otherwise; the suite of core also runs there",
    tests: ["test/core/request.test.ts"],
  },
  {
    file: "core/http/fetch.ts",
    lines: [
      "let asked = false;",
      "const bytes = new TextEncoder().encode(text);",
      "asked = true;",
      "if (bytes.length > 0) controller.enqueue(bytes);",
      "controller.close();",
      "{ highWaterMark: 0 },",
      'init: { ...sentOnce(), body, headers: { "content-length": String(bytes.length) } },',
      "wasAskedFor: () => asked,",
    ],
    reason: "only Bun doesn't tell whether a request left; the suite of core also runs there",
    tests: ["test/core/request.test.ts"],
  },
  {
    file: "core/http/fetch.ts",
    functions: ["unpacked"],
    reason: "only Bun has to be kept from unpacking all at once; the suite of core also runs there",
    tests: ["test/core/hostile-answers.test.ts"],
  },
  {
    file: "core/transfer/fetch.ts",
    functions: ["withLength"],
    reason: "Deno sends a stream with its length only so; the suite of core also runs there",
    tests: ["test/core/upload.test.ts"],
  },
  {
    file: "core/transfer/fetch.ts",
    lines: [
      "if (FixedLengthStream !== undefined) {",
      "const fixed = new FixedLengthStream(body.size);",
      "stream.pipeTo(fixed.writable).catch(() => {});",
      "} else if (isDeno()) outgoing.value = withLength(stream, body.size);",
      'redirect: streams && FixedLengthStream === undefined ? "error" : "manual",',
    ],
    reason: "edge workers and Deno send a stream with its length each in a way of its own",
    tests: ["test/runtimes/edge.test.ts"],
  },
  {
    file: "core/transfer/fetch.ts",
    lines: [
      'if (isRedirect(response) || response.type === "opaqueredirect") throw redirected();',
      "if (bytes !== undefined) return { value: bytes, streamed: false, failure: undefined, stop() {} };",
      "const bytes = streams ? undefined : (body.blob ?? (await collect(body)));",
      "if (!streams && body.blob === undefined) collectGarbage(body.size);",
    ],
    reason: "only browsers hide redirects, and don't stream",
    tests: ["test/runtimes/page.test.ts"],
  },
  {
    file: "core/transfer/body.ts",
    functions: ["collectGarbage"],
    reason: "only Chromium keeps copies of what was sent, and only a long upload tells",
    tests: ["test/e2e/pieces.long.test.ts"],
  },
];

for (const test of ELSEWHERE.flatMap(({ tests }) => tests))
  if (!existsSync(test)) throw new Error(`${test} is not there any more`);

/** Why nothing runs a mutant here, and what does where it is run. */
export function runElsewhere({ file, before, names }: Mutant): string | undefined {
  const found = ELSEWHERE.find(
    (each) =>
      each.file === file &&
      (each.functions?.some((name) => names.includes(name)) ?? each.lines?.includes(before) ?? true),
  );
  return found && `${found.reason}: ${found.tests.join(", ")}`;
}
