import { describe, expect, test } from "vitest";
import { guardedRequester, isRequesterFailure, keepSecrets, type Requester } from "../../core/requester.ts";
import { caught } from "../caught.ts";

const [url, tusEndpoint] = [
  "https://upload.example/put/one?a=12345678",
  "https://upload.example/tus/two?b=abcdefgh",
];

const { signal } = new AbortController();

/** A requester of somebody else's, whose account calls answer that. */
function requester(answer: unknown, more: Partial<Requester> = {}): Requester {
  return { scope: () => "account", requestUpload: async () => answer as never, ...more };
}

describe("guardedRequester()", () => {
  test("knows each location that was given for a secret", async () => {
    const guarded = guardedRequester(
      "upload",
      requester({ asset: { id: "a" }, mismatches: [], url, tusEndpoint }),
    );
    expect(guarded.secrets()).toEqual([]);
    await guarded.requestUpload({}, { signal });
    expect(guarded.secrets()).toEqual(expect.arrayContaining([url, "12345678", tusEndpoint, "abcdefgh"]));
  });

  test("knows what the requester has sent for secrets", () => {
    const own = requester({});
    keepSecrets(own, () => ["one-token", "another-token"]);
    expect(guardedRequester("upload", own).secrets()).toEqual(["one-token", "another-token"]);
    expect(guardedRequester("upload", requester({})).secrets()).toEqual([]);
  });

  test("gives back whatever is answered, be it no location", async () => {
    for (const answer of [undefined, null, 7, {}, { url: 7, tusEndpoint: null }]) {
      const guarded = guardedRequester("upload", requester(answer));
      expect(await guarded.requestUpload({}, { signal })).toBe(answer);
      expect(guarded.secrets()).toEqual([]);
    }
  });

  test("knows failures of the requester from others", async () => {
    const failure = new Error("own");
    const fail = async () => {
      throw failure;
    };
    const guarded = guardedRequester("upload", requester({}, { requestUpload: fail }));
    expect(isRequesterFailure(failure)).toBe(false);
    expect(await caught(guarded.requestUpload({}, { signal }))).toBe(failure);
    expect(isRequesterFailure(failure)).toBe(true);
    expect(isRequesterFailure(new Error("other"))).toBe(false);
    expect(isRequesterFailure("own")).toBe(false);
  });

  test("sends no account's headers unless there are some, and none that can't be sent", async () => {
    const headers = { Authorization: "Bearer a" };
    const guarded = guardedRequester("upload", requester({}, { uploadHeaders: async () => headers }));
    expect(await guarded.uploadHeaders?.()).toEqual(headers);
    expect(await guardedRequester("upload", requester({})).uploadHeaders?.()).toEqual({});
    const bad = guardedRequester("upload", requester({}, { uploadHeaders: async () => ({ "a b": "c" }) }));
    await expect(bad.uploadHeaders?.()).rejects.toThrow("Cannot upload");
  });

  test("authorizes uploads where the requester says true, and nothing else", async () => {
    const authorizes = async (said: unknown) =>
      await guardedRequester(
        "upload",
        requester({}, { authorizesUploads: async () => said as boolean }),
      ).authorizesUploads?.();
    expect([await authorizes(true), await authorizes(false), await authorizes("yes")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await guardedRequester("upload", requester({})).authorizesUploads?.()).toBe(false);
  });
});

describe("headers of an account", () => {
  const sending = (name: string) =>
    guardedRequester(
      "upload",
      requester({}, { uploadHeaders: async () => ({ [name]: "a" }) }),
    ).uploadHeaders?.();

  test.each([
    "Upload-Offset",
    "tus-resumable",
    "content-length",
    "Content-Type",
    "content-encoding",
    "content-range",
    "HOST",
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "expect",
    "x-http-method-override",
  ])("may not hold %s, which is set for each request", async (name) => {
    const error = await caught(sending(name) ?? Promise.resolve());
    expect(error).toMatchObject({ code: "invalid-option" });
    expect(error.message).toContain(`gave "${name}", which is set for each request`);
  });

  test.each(["host-name", "x-host", "content-language", "team", "x-upload-offset", "Authorization"])(
    "may hold %s",
    async (name) => expect(await sending(name)).toEqual({ [name]: "a" }),
  );
});
