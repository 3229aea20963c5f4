import { expect, test } from "vitest";
import { HIDDEN, redact } from "../../../core/redaction/redaction.ts";
import { addressSecrets } from "../../../core/service/address-secrets.ts";

const [long, short] = ["0123456789abcdef", "0123456789abcde"];

test("addressSecrets() holds the address, its path and its query, together and alone", () => {
  expect(addressSecrets("https://upload.example/files/video?token=secret")).toEqual(
    expect.arrayContaining([
      "https://upload.example/files/video?token=secret",
      "/files/video?token=secret",
      "/files/video",
      "?token=secret",
      "token=secret",
    ]),
  );
});

test("addressSecrets() holds words of the path and names in the query from 16 characters on", () => {
  const found = addressSecrets(`https://upload.example/${long}/${short}/end?${long}x=1&${short}y=2&abc=3`);
  expect(found).toEqual(expect.arrayContaining([long, `${long}x`, `${short}y`]));
  expect(found).not.toContain(short);
});

test("addressSecrets() holds the last word of the path and values of the query from 8 characters on", () => {
  const found = addressSecrets("https://upload.example/another1/12345678?a=abcdefgh&b=abcdefg");
  expect(found).toEqual(expect.arrayContaining(["12345678", "abcdefgh"]));
  expect(found).not.toContain("another1");
  expect(found).not.toContain("abcdefg");
  expect(addressSecrets("https://upload.example/1234567")).not.toContain("1234567");
});

test("addressSecrets() of what is no address is that itself", () => {
  expect(addressSecrets("no address")).toEqual(["no address"]);
});

test("addressSecrets() leaves out the asset's id beside other words, so that it can be shown", () => {
  const id = "9f8b2c1e-6a4d-4f7b-9c3e-2d1a0b5e8f67";
  const found = addressSecrets(`https://upload.example/tus/directUpload%2F${id}?token=a-secret-1`, id);
  expect(redact(`asset ${id}`, found)).toBe(`asset ${id}`);
  expect(redact("a-secret-1", found)).toBe(HIDDEN);
  // There it opens the upload.
  expect(redact(`asset ${id}`, addressSecrets(`https://upload.example/tus/${id}`, id))).toBe(HIDDEN);
  const token = "upload-token-12345";
  expect(redact(token, addressSecrets(`https://upload.example/tus?token=a${token}`, token))).toBe(HIDDEN);
});
