import { describe, expect, test } from "vitest";
import { readOriginRefusal } from "../../../core/extension.ts";

const origin = "https://video.example";

describe("readOriginRefusal()", () => {
  test.each([
    `credential disallows CORS access from origin ${origin}`,
    `This token does not allow CORS requests (origin ${origin})`,
    "CORS is disabled for this API key",
    "CORS requests are not permitted with this credential",
    "the API key is not CORS-enabled",
    "cross-origin access denied for secret keys",
    "Secret keys can't be used in a browser: call from your server",
    "No cross-origin requests with this token",
  ])("takes “%s” for a token that no web page may use", (sentence) => {
    expect(readOriginRefusal([sentence])).toBe("web-pages");
  });

  test.each([
    "access forbidden for CORS-enabled API key with restricted access",
    "Access forbidden for CORS enabled key",
    "API key is restricted to certain web origins",
    `origin ${origin} is not in the list of allowed origins of this key`,
    "this key can only be used from its allowed origins",
    "request without an Origin header: this key has an origin allowlist",
    "missing Origin header",
    "API key not authorized: referrer restrictions apply",
    "The key is limited to the domains of its owner, and no Origin was sent",
  ])("takes “%s” for a key that only some web origins may use", (sentence) => {
    expect(readOriginRefusal([sentence])).toBe("restricted-key");
  });

  test.each([
    `origin ${origin} is not allowed`,
    "CORS error",
    "Origin mismatch",
    "CORS is disabled: this key is restricted",
    "forbidden by CORS policy",
  ])("leaves open which of both “%s” means", (sentence) => {
    expect(readOriginRefusal([sentence])).toBe("unclear");
  });

  test.each([
    "account suspended",
    "the original file may not be replaced",
    "this token is restricted to reading",
    "your plan is limited to 10 videos",
    "not the owner of this domain",
  ])("takes “%s” for a refusal that has nothing to do with web origins", (sentence) => {
    expect(readOriginRefusal([sentence])).toBeUndefined();
  });

  test("reads all sentences together, and none", () => {
    expect(readOriginRefusal(["access forbidden", "the key is restricted to its origins"])).toBe(
      "restricted-key",
    );
    expect(readOriginRefusal([])).toBeUndefined();
  });
});
