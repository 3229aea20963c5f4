import { expect, test } from "vitest";

const ADVICE =
  "tus-js-client no longer has lib/upload.js, the part of it that speaks the protocol, which its package never " +
  "promised. Import Upload from its main entry in core/transfer/resumable.ts (twice the size), or keep the version";

test("tus-js-client still has the module that core imports from below its entry", async () => {
  const part: { default?: { defaultOptions?: object; prototype?: object } } = await import(
    "tus-js-client/lib/upload.js"
  ).catch(() => ({}));
  expect(part.default?.defaultOptions, ADVICE).toBeTypeOf("object");
  expect(part.default?.prototype, ADVICE).toHaveProperty("start");
});
