import { describe, expect, test } from "vitest";
import { checkAssetRequest, lacksWebhookId } from "../../../core/service/asset-request.ts";
import { caught } from "../../support/caught.ts";
import { MARKER } from "../../support/marker.ts";

describe("checkAssetRequest()", () => {
  test("leaves the given request as it is and returns a copy", () => {
    const given = { name: "Video", staticMp4: undefined, playbackPolicy: { type: "webhook" } };
    const checked = checkAssetRequest(given);
    expect(checked).toEqual({ name: "Video", playbackPolicy: { type: "webhook" } });
    expect("staticMp4" in checked).toBe(false);
    expect(Object.keys(given)).toEqual(["name", "staticMp4", "playbackPolicy"]);
    expect(checked.playbackPolicy).not.toBe(given.playbackPolicy);
  });

  test.each<[string, Record<string, unknown>]>([
    ["a record without a prototype", Object.assign(Object.create(null), { name: "Video" })],
    ["null where no documented field stands", { further: null }],
    ["characters beyond the first 65536, and control characters but NUL", { name: "🎬 a\tb\u0001\ufffd" }],
    ["the same below a field", { playbackPolicy: { webhookContext: { "🎬": "𝄞" } } }],
    ["no name", { name: "" }],
    ["null for what may be left out", { playbackPolicy: null, profiles: null }],
    ["seconds that are no integer", { playbackPolicy: { refreshInterval: 1.5 } }],
    ["a name that some service may take", { name: "x".repeat(120_000) }],
    ["such a name in bytes", { name: "€".repeat(40_000) }],
  ])("takes %s", (_, request) => expect(checkAssetRequest(request)).toEqual({ ...request }));

  test("puts further fields beside the others, in each record", () => {
    const given = {
      name: "Video",
      fields: { further: 1, constructor: "acme" },
      playbackPolicy: { type: "public", fields: { region: "eu" } },
      profiles: [{ width: 1280, fields: { tune: "film" } }, { height: 720 }],
    };
    expect(checkAssetRequest(given)).toEqual({
      name: "Video",
      further: 1,
      constructor: "acme",
      playbackPolicy: { type: "public", region: "eu" },
      profiles: [{ width: 1280, tune: "film" }, { height: 720 }],
    });
    expect(given.profiles[0]).toHaveProperty("fields");
  });

  const noJson = "expected a value that JSON can carry";
  const half = "half a character (a lone surrogate), which services refuse";
  const nul = "a NUL character, which services refuse";
  const context = (webhookContext: unknown) => ({ playbackPolicy: { webhookContext } });
  const inContext = "playbackPolicy.webhookContext";
  // bad-inputs.test.ts has more of them, by requestUpload().
  test.each<[string, unknown]>([
    ["name is null, expected a string", { name: null }],
    ['fields is "x", expected an object', { fields: "x" }],
    ["fields.name has a field of its own: give name", { fields: { name: "Video" } }],
    ["profiles[0].fields is 1, expected an object", { profiles: [{ fields: 1 }] }],
    [
      "profiles[1].fields.width has a field of its own: give profiles[1].width",
      { profiles: [{}, { fields: { width: 1 } }] },
    ],
    [
      "playbackPolicy.fields.type has a field of its own: give playbackPolicy.type",
      { playbackPolicy: { fields: { type: "public" } } },
    ],
    ["playbackPolicy is an empty list, expected an object", { playbackPolicy: [] }],
    ["playbackPolicy.type is 1, expected a string", { playbackPolicy: { type: 1 } }],
    ['playbackPolicy.allowedOrigins is "*", expected a list', { playbackPolicy: { allowedOrigins: "*" } }],
    [`${inContext} is a list, expected an object`, context(["a"])],
    [`${inContext}.at is a Date, ${noJson}`, context({ at: new Date(0) })],
    ['profiles[0] is "720p", expected an object', { profiles: ["720p"] }],
    ["profiles[0].width is NaN, expected an integer", { profiles: [{ width: Number.NaN }] }],
    [`further is a function, ${noJson}`, { further: () => 1 }],
    [`further is Infinity, ${noJson}`, { further: Infinity }],
    [`further is a Map, ${noJson}`, { further: new Map() }],
    [`further is an ArrayBuffer, ${noJson}`, { further: new ArrayBuffer(1) }],
    [`${inContext}.deep[0].at holds ${half}`, context({ deep: [{ at: "\udc00" }] })],
    [`the name of a field in ${inContext}.deep[0] holds ${half}`, context({ deep: [{ "\ud83d": 1 }] })],
    [
      `playbackPolicy.allowedOrigins[1] holds ${nul}`,
      { playbackPolicy: { allowedOrigins: ["*", "\u0000"] } },
    ],
    [`profiles[0].name holds ${nul}`, { profiles: [{ name: "\u0000" }] }],
    [`the name of a field in the request holds ${nul}`, { "\u0000": true }],
    [`name is "${"€".repeat(59)}…", expected at most 120000 bytes, not 120003`, { name: "€".repeat(40_001) }],
    ["got an empty list, expected an object", []],
    ["got a Date, expected an object", new Date(0)],
  ])("refuses a request: %s", async (state, given) => {
    const error = await caught(() => checkAssetRequest(given));
    expect(error).toMatchObject({ name: "InputError", code: "invalid-request", retryable: false });
    expect(error.message).toBe(`Cannot request an upload location: ${state}`);
  });

  test("refuses a record that holds itself", async () => {
    const loop: Record<string, unknown> = {};
    loop.again = loop;
    const error = await caught(() => checkAssetRequest({ further: loop }));
    expect(error.code).toBe("invalid-request");
  });

  test("shows no token and no address that a field holds", async () => {
    const values = [
      `https://video.example/a?token=${MARKER}`,
      `Bearer ${MARKER}`,
      `${"x".repeat(30)} token=${MARKER}${MARKER}${MARKER}`,
    ];
    for (const staticMp4 of values) {
      const error = await caught(() => checkAssetRequest({ staticMp4 }));
      expect(error.message).toContain("staticMp4");
    }
  });
});

test.each<[string, string | undefined, boolean]>([
  ["webhook", undefined, true],
  [" WebHook ", "", true],
  ["webhook", " ", true],
  ["webhook", "a", false],
  ["public", "", false],
])("lacksWebhookId() of type %o and id %o is %o", (type, webhookId, lacks) => {
  const policy = { type, ...(webhookId !== undefined && { webhookId }) };
  expect(lacksWebhookId({ playbackPolicy: policy as never })).toBe(lacks);
  expect(lacksWebhookId({})).toBe(false);
});
