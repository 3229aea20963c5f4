import { describe, expect, test } from "vitest";
import { createClient, type UploadLocation } from "../../core/mod.ts";
import { checkAssetRequest } from "../../core/validate.ts";
import { caught } from "../caught.ts";
import { MARKER } from "../marker.ts";
import { useService } from "../service/use-service.ts";

const service = useService();
const request = () =>
  createClient({ baseUrl: service.baseUrl, token: service.token }).requestUpload({ name: "Video" });

/** A record with every field of the interface document, each as documented. */
const profile = {
  name: "720p",
  width: 1280,
  height: 720,
  bitrate: 3_000_000,
  quality: 23,
  fps: 30_000,
  fpsDen: 1001,
  gop: 2.5,
  profile: "H264Baseline",
  encoder: "H.264",
};
const full = {
  id: "asset-1",
  name: "Video",
  type: "video",
  playbackId: "play-1",
  userId: "user-1",
  playbackUrl: "https://play.example/hls/play-1/index.m3u8",
  downloadUrl: "https://play.example/play-1.mp4",
  playbackPolicy: {
    type: "webhook",
    webhookId: "hook-1",
    webhookContext: { room: "blue" },
    refreshInterval: 60,
    allowedOrigins: ["https://video.example"],
  },
  creatorId: { type: "unverified", value: "somebody" },
  profiles: [profile],
  projectId: "project-1",
  createdAt: 1_700_000_000_000,
  createdByTokenName: "studio",
  size: 5000,
  hash: [{ hash: "00ff", algorithm: "sha256" }],
  source: { type: "url", url: "https://a.example", gatewayUrl: "https://b.example", encryption: {} },
  status: { phase: "uploading", updatedAt: 1_700_000_000_000, progress: 0.5, errorMessage: "" },
  storage: {
    ipfs: {
      spec: {},
      nftMetadata: { cid: "c", url: "https://c.example", gatewayUrl: "https://d.example" },
      updatedAt: 1_700_000_000_000,
    },
    status: {
      phase: "ready",
      tasks: { pending: "t1", last: "t2", failed: "t3" },
      progress: 1,
      errorMessage: "",
    },
  },
  videoSpec: {
    format: "mp4",
    duration: 12.5,
    bitrate: 3_000_000.5,
    tracks: [
      {
        type: "video",
        codec: "h264",
        startTime: 0.1,
        duration: 12.5,
        bitrate: 2_500_000.5,
        width: 1280,
        height: 720,
        pixelFormat: "yuv420p",
        fps: 29.97,
        channels: 2,
        sampleRate: 48_000,
        bitDepth: 16,
      },
    ],
  },
};

type Kind = "string" | "integer" | "number" | "object" | "list" | "value";

/** Every documented field of the answer beside the locations and the asset's id, and its type. */
const fields: Record<string, Kind> = {
  task: "object",
  "task.id": "string",
  "asset.name": "string",
  "asset.type": "string",
  "asset.playbackId": "string",
  "asset.userId": "string",
  "asset.playbackUrl": "string",
  "asset.downloadUrl": "string",
  "asset.playbackPolicy": "object",
  "asset.playbackPolicy.type": "string",
  "asset.playbackPolicy.webhookId": "string",
  "asset.playbackPolicy.webhookContext": "object",
  "asset.playbackPolicy.refreshInterval": "integer",
  "asset.playbackPolicy.allowedOrigins": "list",
  "asset.playbackPolicy.allowedOrigins[0]": "string",
  "asset.creatorId": "object",
  "asset.creatorId.type": "string",
  "asset.creatorId.value": "string",
  "asset.profiles": "list",
  "asset.profiles[0]": "object",
  "asset.profiles[0].name": "string",
  "asset.profiles[0].width": "integer",
  "asset.profiles[0].height": "integer",
  "asset.profiles[0].bitrate": "integer",
  "asset.profiles[0].quality": "integer",
  "asset.profiles[0].fps": "integer",
  "asset.profiles[0].fpsDen": "integer",
  "asset.profiles[0].gop": "number",
  "asset.profiles[0].profile": "string",
  "asset.profiles[0].encoder": "string",
  "asset.projectId": "string",
  "asset.createdAt": "integer",
  "asset.createdByTokenName": "string",
  "asset.size": "integer",
  "asset.hash": "list",
  "asset.hash[0]": "object",
  "asset.hash[0].hash": "string",
  "asset.hash[0].algorithm": "string",
  "asset.source": "object",
  "asset.source.type": "string",
  "asset.source.url": "string",
  "asset.source.gatewayUrl": "string",
  "asset.source.encryption": "value",
  "asset.status": "object",
  "asset.status.phase": "string",
  "asset.status.updatedAt": "integer",
  "asset.status.progress": "number",
  "asset.status.errorMessage": "string",
  "asset.storage": "object",
  "asset.storage.ipfs": "object",
  "asset.storage.ipfs.spec": "object",
  "asset.storage.ipfs.nftMetadata": "object",
  "asset.storage.ipfs.nftMetadata.cid": "string",
  "asset.storage.ipfs.nftMetadata.url": "string",
  "asset.storage.ipfs.nftMetadata.gatewayUrl": "string",
  "asset.storage.ipfs.updatedAt": "integer",
  "asset.storage.status": "object",
  "asset.storage.status.phase": "string",
  "asset.storage.status.tasks": "object",
  "asset.storage.status.tasks.pending": "string",
  "asset.storage.status.tasks.last": "string",
  "asset.storage.status.tasks.failed": "string",
  "asset.storage.status.progress": "number",
  "asset.storage.status.errorMessage": "string",
  "asset.videoSpec": "object",
  "asset.videoSpec.format": "string",
  "asset.videoSpec.duration": "number",
  "asset.videoSpec.bitrate": "number",
  "asset.videoSpec.tracks": "list",
  "asset.videoSpec.tracks[0]": "object",
  "asset.videoSpec.tracks[0].type": "string",
  "asset.videoSpec.tracks[0].codec": "string",
  "asset.videoSpec.tracks[0].startTime": "number",
  "asset.videoSpec.tracks[0].duration": "number",
  "asset.videoSpec.tracks[0].bitrate": "number",
  "asset.videoSpec.tracks[0].width": "integer",
  "asset.videoSpec.tracks[0].height": "integer",
  "asset.videoSpec.tracks[0].pixelFormat": "string",
  "asset.videoSpec.tracks[0].fps": "number",
  "asset.videoSpec.tracks[0].channels": "integer",
  "asset.videoSpec.tracks[0].sampleRate": "integer",
  "asset.videoSpec.tracks[0].bitDepth": "integer",
};

const others: Record<Kind, [unknown, string][]> = {
  string: [
    [7, "number"],
    [{ a: 1 }, "object"],
  ],
  integer: [
    ["7", "string"],
    [7.5, "number"],
  ],
  number: [
    ["7.5", "string"],
    [true, "boolean"],
  ],
  object: [
    ["text", "string"],
    [["a"], "list"],
  ],
  list: [
    ["text", "string"],
    [{ a: 1 }, "object"],
  ],
  value: [],
};

/** As the service's switch takes it. */
const dotted = (path: string) => path.replace(/\[(\d+)\]/g, ".$1");

function valueAt(location: unknown, path: string): unknown {
  return dotted(path)
    .split(".")
    .reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], location);
}

const fullAnswer = { asset: full, task: { id: "task-1" } };

describe("an answer to request-upload", () => {
  test("that is as documented has no mismatch, and the table names each of its fields", async () => {
    await service.set({ answerShape: { set: fullAnswer } });
    const location = await request();
    expect(location.mismatches).toEqual([]);
    expect(location.asset).toEqual(full);
    expect(location.task).toEqual({ id: "task-1" });
    const paths = (value: unknown, path: string): string[] => {
      if (typeof value !== "object" || value === null || path.endsWith("webhookContext")) return [path];
      const inner = Object.entries(value).flatMap(([key, item]) =>
        paths(item, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`),
      );
      return [path, ...inner];
    };
    const found = [...paths(location.asset, "asset"), ...paths(location.task, "task")];
    expect(new Set([...Object.keys(fields), "asset", "asset.id"])).toEqual(new Set(found));
  });

  test.each(Object.entries(fields))(
    "keeps %s (%s) as it comes and lists it when it differs",
    async (path, kind) => {
      const listItem = path.endsWith("]");
      const asked = async (shape: { set?: Record<string, unknown>; omit?: string[] }) => {
        await service.set({ answerShape: { ...shape, set: { ...fullAnswer, ...shape.set } } });
        return await request();
      };
      const expected = kind;

      if (!listItem) {
        // Setting comes before omitting.
        const without = await asked({ omit: [dotted(path)] });
        expect(valueAt(without, path)).toBeUndefined();
        expect(without.mismatches).toEqual([{ path, expected, found: "nothing" }]);
      }

      const nulled = await asked({ set: { [dotted(path)]: null } });
      expect(valueAt(nulled, path)).toBeNull();
      expect(nulled.mismatches).toEqual(kind === "value" ? [] : [{ path, expected, found: "null" }]);

      for (const [value, found] of others[kind]) {
        const other = await asked({ set: { [dotted(path)]: value } });
        expect(valueAt(other, path)).toEqual(value);
        expect(other.mismatches).toEqual([{ path, expected, found }]);
      }
      expect(Object.keys(nulled.asset).sort()).toEqual(Object.keys(full).sort());
    },
  );

  test("lists many differences at once, each on its own", async () => {
    const set = { ...fullAnswer, "asset.name": 1, "asset.size": "5000", "asset.hash.0.hash": null };
    await service.set({ answerShape: { set, omit: ["asset.status"] } });
    const { mismatches } = await request();
    expect(mismatches.map(({ path }) => path).sort()).toEqual([
      "asset.hash[0].hash",
      "asset.name",
      "asset.size",
      "asset.status",
    ]);
  });

  test("repeats no value of the answer in its mismatches", async () => {
    await service.set({ answerShape: { set: { ...fullAnswer, "asset.size": `${MARKER}-5000` } } });
    const { mismatches } = await request();
    expect(mismatches).toHaveLength(1);
    expect(JSON.stringify(mismatches)).not.toContain(MARKER);
  });

  test("keeps fields that the document doesn't show, at every depth", async () => {
    const set = {
      ...fullAnswer,
      further: { a: [1, null, "x"] },
      "asset.further": null,
      "asset.status.further": [1],
      "asset.videoSpec.tracks.0.further": "x",
      "task.further": 0,
      "asset.constructor": "x",
    };
    await service.set({ answerShape: { set } });
    const location: UploadLocation = await request();
    expect(location.mismatches).toEqual([]);
    expect(location.further).toEqual({ a: [1, null, "x"] });
    expect(location.asset.further).toBeNull();
    expect(location.asset.status?.further).toEqual([1]);
    expect(location.asset.videoSpec?.tracks?.[0]?.further).toBe("x");
    expect(location.asset.constructor).toBe("x");
    expect(location.task?.further).toBe(0);
  });

  test("decides itself what differs, whatever the answer says of that", async () => {
    const claim = { mismatches: [{ path: "asset", expected: "nothing", found: "something" }] };
    await service.set({ answerShape: { set: { ...fullAnswer, ...claim, "asset.size": null } } });
    const { mismatches } = await request();
    expect(mismatches).toEqual([{ path: "asset.size", expected: "integer", found: "null" }]);
  });

  test.each<[string, { set?: Record<string, unknown>; omit?: string[] }, string]>([
    ["without an asset", { omit: ["asset"] }, "the answer holds no asset"],
    ["whose asset is null", { set: { asset: null } }, "the answer holds no asset"],
    ["whose asset is a list", { set: { asset: [{ id: "a" }] } }, "the answer holds no asset"],
    ["whose asset is a text", { set: { asset: "asset-1" } }, "the answer holds no asset"],
    ["without asset.id", { omit: ["asset.id"] }, "the asset has no id"],
    ["with an empty asset.id", { set: { "asset.id": "" } }, "the asset has no id"],
    ["with a blank asset.id", { set: { "asset.id": " \n" } }, "the asset has no id"],
    ["with a number as asset.id", { set: { "asset.id": 7 } }, "the asset has no id"],
    ["with asset.id null", { set: { "asset.id": null } }, "the asset has no id"],
    ["with an object as asset.id", { set: { "asset.id": {} } }, "the asset has no id"],
  ])("%s is no answer", async (_, answerShape, problem) => {
    await service.set({ answerShape });
    const error = await caught(request());
    expect(error).toMatchObject({ name: "ServiceError", code: "unexpected-answer", httpStatus: 200 });
    expect(error.message).toContain(problem);
    expect(error.message).toContain("An asset may have been created");
    expect(await service.requests("POST")).toHaveLength(1);
  });

  test.each(["[]", '"text"', "7", "null", "true", "[[]]"])("that is %s is no answer", async (body) => {
    await service.set({
      answerStatus: [{ host: "api", status: 200, contentType: "application/json", body }],
    });
    const error = await caught(request());
    expect(error).toMatchObject({ code: "unexpected-answer" });
    expect(error.message).toContain("the answer is not a JSON object");
  });

  test.each<[string, { set?: Record<string, unknown>; omit?: string[] }, string]>([
    ["missing", { omit: ["url"] }, "nothing"],
    ["null", { set: { url: null } }, "null"],
    ["a number", { set: { url: 7 } }, "number"],
    ["empty", { set: { url: "" } }, "invalid address"],
    ["a path", { set: { url: `/upload?token=${MARKER}` } }, "invalid address"],
    ["ftp", { set: { url: `ftp://${MARKER}.example/x` } }, "address of another kind"],
    ["javascript", { set: { url: `javascript:${MARKER}()` } }, "address of another kind"],
    ["data", { set: { url: `data:,${MARKER}` } }, "address of another kind"],
  ])("with a url that is %s gives the other location and lists this one", async (_, shape, found) => {
    await service.set({ answerShape: { ...shape, set: { ...fullAnswer, ...shape.set } } });
    const location = await request();
    expect(location.url).toBeUndefined();
    expect("url" in location).toBe(false);
    expect(location.tusEndpoint).toContain(service.uploadUrl);
    expect(location.mismatches).toMatchObject([{ path: "url", found }]);
  });

  test("with a tusEndpoint that can't be used gives the direct location", async () => {
    await service.set({ answerShape: { set: { ...fullAnswer, tusEndpoint: "ftp://video.example" } } });
    const location = await request();
    expect(location.tusEndpoint).toBeUndefined();
    expect(location.url).toContain(service.uploadUrl);
    expect(location.mismatches).toEqual([
      { path: "tusEndpoint", expected: "http or https address", found: "address of another kind" },
    ]);
  });

  test("without any usable location names the asset that was created", async () => {
    await service.set({
      answerShape: { set: { ...fullAnswer, url: `ftp://host/?token=${MARKER}` }, omit: ["tusEndpoint"] },
    });
    const error = await caught(request());
    expect(error).toMatchObject({ name: "UploadError", code: "location-refused" });
    expect(error.message).toBe(
      'Cannot request an upload location: asset "asset-1" was created without a usable location ' +
        "(tusEndpoint: expected string, found nothing; url: expected http or https address, found address of another kind)",
    );
  });
});

describe("checkAssetRequest()", () => {
  test("leaves the given request as it is and returns a copy", () => {
    const given = { name: "Video", staticMp4: undefined, playbackPolicy: { type: "webhook" } };
    const checked = checkAssetRequest(given);
    expect(checked).toEqual({ name: "Video", playbackPolicy: { type: "webhook" } });
    expect("staticMp4" in checked).toBe(false);
    expect(Object.keys(given)).toEqual(["name", "staticMp4", "playbackPolicy"]);
    expect(checked.playbackPolicy).not.toBe(given.playbackPolicy);
  });

  test("accepts records without a prototype", () => {
    const bare = Object.assign(Object.create(null), { name: "Video" });
    expect(checkAssetRequest(bare)).toEqual({ name: "Video" });
  });

  test("accepts null where no documented field stands", () => {
    expect(checkAssetRequest({ further: null })).toEqual({ further: null });
  });

  const wrong: [unknown, string][] = [
    [{ name: 7 }, "name is 7, expected a text that isn't blank"],
    [{ name: null }, "name is null, expected a text that isn't blank"],
    [{ name: " " }, 'name is " ", expected a text that isn\'t blank'],
    [{ staticMp4: "true" }, 'staticMp4 is "true", expected true or false'],
    [{ playbackPolicy: "public" }, 'playbackPolicy is "public", expected an object'],
    [{ playbackPolicy: [] }, "playbackPolicy is an empty list, expected an object"],
    [{ playbackPolicy: { type: 1 } }, "playbackPolicy.type is 1, expected a string"],
    [
      { playbackPolicy: { refreshInterval: "60" } },
      'playbackPolicy.refreshInterval is "60", expected an integer',
    ],
    [{ playbackPolicy: { allowedOrigins: "*" } }, 'playbackPolicy.allowedOrigins is "*", expected a list'],
    [
      { playbackPolicy: { allowedOrigins: ["a", 7] } },
      "playbackPolicy.allowedOrigins[1] is 7, expected a string",
    ],
    [
      { playbackPolicy: { webhookContext: ["a"] } },
      "playbackPolicy.webhookContext is a list, expected an object",
    ],
    [
      { playbackPolicy: { webhookContext: { at: new Date(0) } } },
      "playbackPolicy.webhookContext.at is a Date, expected a value that JSON can carry",
    ],
    [{ profiles: {} }, "profiles is an object, expected a list"],
    [{ profiles: ["720p"] }, 'profiles[0] is "720p", expected an object'],
    [{ profiles: [{}, { width: 12.5 }] }, "profiles[1].width is 12.5, expected an integer"],
    [{ profiles: [{ width: Number.NaN }] }, "profiles[0].width is NaN, expected an integer"],
    [{ profiles: [{ gop: 2 }] }, "profiles[0].gop is 2, expected a string"],
    [{ further: 1n }, "further is 1n, expected a value that JSON can carry"],
    [{ further: () => 1 }, "further is a function, expected a value that JSON can carry"],
    [{ further: Infinity }, "further is Infinity, expected a value that JSON can carry"],
    [{ further: new Map() }, "further is a Map, expected a value that JSON can carry"],
    [{ further: new ArrayBuffer(1) }, "further is an ArrayBuffer, expected a value that JSON can carry"],
    [{ name: "a\u0000b" }, "name holds a NUL character, which services refuse"],
    [{ name: "a\ud800" }, "name holds half a character (a lone surrogate), which services refuse"],
    [
      { playbackPolicy: { webhookContext: { deep: [{ at: "\udc00" }] } } },
      "playbackPolicy.webhookContext.deep[0].at holds half a character (a lone surrogate), which services refuse",
    ],
    [
      { playbackPolicy: { webhookContext: { "a\u0000b": 1 } } },
      "the name of a field in playbackPolicy.webhookContext holds a NUL character, which services refuse",
    ],
    [
      { playbackPolicy: { webhookContext: { deep: [{ "\ud83d": 1 }] } } },
      "the name of a field in playbackPolicy.webhookContext.deep[0] holds half a character (a lone surrogate), which services refuse",
    ],
    [
      { playbackPolicy: { allowedOrigins: ["*", "\u0000"] } },
      "playbackPolicy.allowedOrigins[1] holds a NUL character, which services refuse",
    ],
    [{ profiles: [{ name: "\u0000" }] }, "profiles[0].name holds a NUL character, which services refuse"],
    [{ "\u0000": true }, "the name of a field in the request holds a NUL character, which services refuse"],
    [{ name: "x".repeat(120_001) }, "name has 120001 bytes, expected at most 120000 (120 kB)"],
    [{ name: "€".repeat(40_001) }, "name has 120003 bytes, expected at most 120000 (120 kB)"],
    ["Video", 'got "Video", expected an object'],
    [null, "got null, expected an object"],
    [[], "got an empty list, expected an object"],
    [new Date(0), "got a Date, expected an object"],
  ];
  test.each(wrong.map(([given, state]) => [state, given] as const))(
    "refuses a request: %s",
    async (state, given) => {
      const error = await caught(() => checkAssetRequest(given));
      expect(error).toMatchObject({ name: "InputError", code: "invalid-request", retryable: false });
      expect(error.message).toBe(`Cannot request an upload location: ${state}`);
    },
  );

  test("takes whole characters beyond the first 65536, and control characters that are not NUL", () => {
    const request = { name: "🎬 a\tb\u0001\ufffd", playbackPolicy: { webhookContext: { "🎬": "𝄞" } } };
    expect(checkAssetRequest(request)).toEqual(request);
  });

  test("takes a name that some service may take, however long", () => {
    for (const name of ["x".repeat(120_000), "€".repeat(40_000)])
      expect(checkAssetRequest({ name })).toEqual({ name });
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
