/** Digests, and texts that stand for records. */
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { authenticate, canonical, digest, sha256 } from "../../../core/content/digest.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
afterEach(() => void vi.restoreAllMocks());

test("sha256() is the digest that everybody knows, in hex", async () => {
  expect(await sha256(bytes("abc"))).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(await sha256(bytes(""))).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
});

test("sha256() says why a page that isn't secure has no digests", async () => {
  vi.spyOn(globalThis, "crypto", "get").mockReturnValue({} as Crypto);
  await expect(sha256(bytes("abc"))).rejects.toMatchObject({ name: "InputError", code: "invalid-option" });
});

test("digest() puts the length in bytes before each part, so that parts can't run together", async () => {
  expect(await digest(["ab", "é"])).toBe(await sha256(bytes("2:ab2:é")));
  expect(await digest(["é", bytes("é")])).toBe(await digest([bytes("é"), "é"]));
  expect(await digest(["ab", "c"])).not.toBe(await digest(["a", "bc"]));
  expect(await digest([])).toBe(await sha256(bytes("")));
});

test.each<[string, (() => undefined | object) | undefined]>([
  ["the runtime's own module", undefined],
  ["WebCrypto, where it has none", () => undefined],
  ["WebCrypto, where a bundler's stand-in is empty", () => ({})],
  [
    "WebCrypto, where a bundler's stand-in throws",
    () => {
      throw new Error("no module of Node is here");
    },
  ],
])("journals find again what was made by %s", async (_, getBuiltinModule) => {
  if (getBuiltinModule) vi.spyOn(process, "getBuiltinModule").mockImplementation(getBuiltinModule);
  expect(await digest(["ab", bytes("é")])).toBe(await sha256(bytes("2:ab2:é")));
  expect(await authenticate("a-token", ["https://upload.example"])).toBe(
    "2c5ac5fbc24660f821f1ec2d591c7f9e495922b5bd07738b48acbc971d887703",
  );
  await expect(authenticate("", [])).rejects.toThrow();
});

test("canonical() is the same text for records that are equal, in whatever order their fields stand", () => {
  expect(canonical({ b: [2, { d: 1, c: null }], a: "x" })).toBe('{"a":"x","b":[2,{"c":null,"d":1}]}');
  expect(canonical({ a: "x", b: [2, { c: null, d: 1 }] })).toBe('{"a":"x","b":[2,{"c":null,"d":1}]}');
  expect([canonical([3, 1, 2]), canonical("a"), canonical(null)]).toEqual(["[3,1,2]", '"a"', "null"]);
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), (record) => {
      const turned = Object.fromEntries(Object.entries(record).reverse());
      expect(canonical(turned)).toBe(canonical(record));
    }),
  );
});
