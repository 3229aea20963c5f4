import { describe, expect, test } from "vitest";
import { createClient } from "../../../core/client.ts";
import { guardedRequester, type Requester } from "../../../core/service/requester.ts";
import { caught } from "../../support/caught.ts";

const [url, tusEndpoint] = [
  "https://upload.example/put/one?a=12345678",
  "https://upload.example/tus/two?b=abcdefgh",
];

const { signal } = new AbortController();

/** A requester of somebody else's, whose account calls answer that. */
function requester(answer: unknown, more: Partial<Requester> = {}): Requester {
  return { scope: () => "account", requestUpload: async () => answer as never, ...more };
}
const guard = (answer: unknown, more?: Partial<Requester>) =>
  guardedRequester("upload", requester(answer, more));

describe("guardedRequester()", () => {
  test("knows each location that was given for a secret", async () => {
    const guarded = guard({ asset: { id: "a" }, mismatches: [], url, tusEndpoint });
    expect(guarded.secrets()).toEqual([]);
    await guarded.requestUpload({}, { signal });
    expect(guarded.secrets()).toEqual(expect.arrayContaining([url, "12345678", tusEndpoint, "abcdefgh"]));
  });

  test("knows what the requester has sent for secrets, also by a copy of a client", async () => {
    const tokens = ["one-token", "another-token"];
    const client = createClient({ baseUrl: "http://127.0.0.1:9", token: () => `${tokens.pop()}` });
    const guarded = guardedRequester("upload", { ...client, requestUpload: async () => ({}) as never });
    expect(guarded.secrets()).toEqual([]);
    expect(await guarded.tokens()).toEqual(["another-token"]);
    await client.scope();
    expect(guarded.secrets()).toEqual(["another-token", "one-token"]);
    expect(guard({}).secrets()).toEqual([]);
  });

  test("gives back whatever is answered, be it no location", async () => {
    for (const answer of [undefined, null, 7, {}, { url: 7, tusEndpoint: null }]) {
      const guarded = guard(answer);
      expect(await guarded.requestUpload({}, { signal })).toBe(answer);
      expect(guarded.secrets()).toEqual([]);
    }
  });

  test("knows failures of the requester from others", async () => {
    const failure = new Error("own");
    const fail = async () => {
      throw failure;
    };
    const guarded = guard({}, { requestUpload: fail });
    expect(guarded.isOwnFailure(failure)).toBe(false);
    expect(await caught(guarded.requestUpload({}, { signal }))).toBe(failure);
    expect(guarded.isOwnFailure(failure)).toBe(true);
    expect(guard({}).isOwnFailure(failure)).toBe(false);
    expect(guarded.isOwnFailure(new Error("other"))).toBe(false);
    expect(guarded.isOwnFailure("own")).toBe(false);
  });

  test("sends no account's headers unless there are some, and none that can't be sent", async () => {
    const headers = { Authorization: "Bearer a" };
    expect(await guard({}, { uploadHeaders: async () => headers }).uploadHeaders?.()).toEqual(headers);
    expect(await guard({}).uploadHeaders?.()).toEqual({});
    const bad = guard({}, { uploadHeaders: async () => ({ "a b": "c" }) });
    await expect(bad.uploadHeaders?.()).rejects.toThrow("Cannot upload");
  });

  test("authorizes uploads where the requester says true, and nothing else", async () => {
    for (const said of [true, false, "yes"]) {
      const guarded = guard({}, { authorizesUploads: async () => said as boolean });
      expect(await guarded.authorizesUploads?.()).toBe(said === true);
    }
    expect(await guard({}).authorizesUploads?.()).toBe(false);
  });
});

describe("headers of an account", () => {
  const sending = (name: string) =>
    guard({}, { uploadHeaders: async () => ({ [name]: "a" }) }).uploadHeaders?.();
  const protocol = "Upload-Offset tus-resumable content-length Content-Type content-encoding content-range";
  const connection = "HOST connection keep-alive te trailer transfer-encoding upgrade expect";

  test.each([...protocol.split(" "), ...connection.split(" "), "x-http-method-override"])(
    "may not hold %s, which is set for each request",
    async (name) => {
      const error = await caught(sending(name) ?? Promise.resolve());
      expect(error).toMatchObject({ code: "invalid-option" });
      expect(error.message).toContain(`holds "${name}", which is set for each request`);
    },
  );

  test.each(["host-name", "x-host", "content-language", "team", "x-upload-offset", "Authorization"])(
    "may hold %s",
    async (name) => expect(await sending(name)).toEqual({ [name]: "a" }),
  );
});
