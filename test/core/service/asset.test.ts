/** The records of the service as they are read, and requests as they are checked. */
import { describe, expect, test } from "vitest";
import { recordsOf } from "../../../core/journal/entry.ts";
import { type Client, type UploadResult, upload } from "../../../core/mod.ts";
import type { UploadLocation } from "../../../core/service/asset.ts";
import { readUploadLocation } from "../../../core/service/upload-location.ts";
import { MARKER } from "../../support/marker.ts";

/** A record with every field of the interface document, each as documented; numbers with a fraction may have one. */
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
    webhookContext: {},
    refreshInterval: 60,
    allowedOrigins: ["https://video.example"],
  },
  creatorId: { type: "unverified", value: "somebody" },
  profiles: [
    {
      ...{
        name: "720p",
        width: 1280,
        height: 720,
        bitrate: 3_000_000,
        quality: 23,
        fps: 30_000,
        fpsDen: 1001,
      },
      ...{ gop: 2.5, profile: "H264Baseline", encoder: "H.264" },
    },
  ],
  projectId: "project-1",
  createdAt: 1_700_000_000_000,
  createdByTokenName: "studio",
  size: 5000,
  hash: [{ hash: "00ff", algorithm: "sha256" }],
  source: { type: "url", url: "https://a.example", gatewayUrl: "https://b.example", encryption: "any value" },
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
      progress: 0.25,
      errorMessage: "",
    },
  },
  videoSpec: {
    format: "mp4",
    duration: 12.5,
    bitrate: 3_000_000.5,
    tracks: [
      {
        ...{ type: "video", codec: "h264", startTime: 0.1, duration: 12.5, bitrate: 2_500_000.5 },
        ...{ width: 1280, height: 720, pixelFormat: "yuv420p", fps: 29.97 },
        ...{ channels: 2, sampleRate: 48_000, bitDepth: 16 },
      },
    ],
  },
};
const UPLOAD = "https://upload.example/put?token=a";
const whole = { url: UPLOAD, tusEndpoint: UPLOAD, asset: full, task: { id: "task-1" } };

type Kind = "string" | "integer" | "number" | "object" | "list" | "value";

function kindOf(path: string, value: unknown): Kind {
  if (path.endsWith(".encryption")) return "value";
  if (Array.isArray(value)) return "list";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "string" ? "string" : "object";
}

/** Every documented field beside the locations and the asset's id, and its type. */
function fieldsOf(value: unknown, path: string): [string, Kind][] {
  const inner = typeof value === "object" ? Object.entries(value ?? {}) : [];
  const below = inner.flatMap(([key, item]) =>
    fieldsOf(item, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`),
  );
  return [[path, kindOf(path, value)], ...below];
}
const fields = [...fieldsOf(full, "asset"), ...fieldsOf(whole.task, "task")].filter(
  ([path]) => path !== "asset" && path !== "asset.id",
);

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

const keysOf = (path: string) => path.replace(/\[(\d+)\]/g, ".$1").split(".");

function valueAt(location: unknown, path: string): unknown {
  return keysOf(path).reduce(
    (value, key) => (value as Record<string, unknown> | undefined)?.[key],
    location as unknown,
  );
}

/** The record that is read of a whole answer with other values at some places; `undefined` takes a field out. */
function read(changes: Record<string, unknown> = {}): UploadLocation {
  const answer = structuredClone(whole);
  for (const [path, value] of Object.entries(changes)) {
    const keys = keysOf(path);
    const last = keys.pop() ?? "";
    const holder = valueAt(answer, keys.join(".")) ?? answer;
    if (value === undefined) Reflect.deleteProperty(holder as object, last);
    else Object.assign(holder as object, { [last]: value });
  }
  return readUploadLocation(answer, "https://video.example") as UploadLocation;
}

describe("an answer to request-upload", () => {
  test("that is as documented has no mismatch", () => {
    expect(read()).toEqual({ ...whole, mismatches: [] });
  });

  test.each(fields)("keeps %s (%s) as it comes and lists it when it differs", (path, expected) => {
    const cases: [unknown, string][] = [...others[expected], [null, "null"]];
    // A list has no place for what isn't there.
    if (!path.endsWith("]")) cases.push([undefined, "nothing"]);
    for (const [value, found] of cases) {
      const location = read({ [path]: value });
      expect(valueAt(location, path)).toEqual(value);
      const isRight = expected === "value" && value === null;
      expect(location.mismatches).toEqual(isRight ? [] : [{ path, expected, found }]);
    }
  });

  test("lists many differences at once, each on its own, and repeats no value of them", () => {
    const { mismatches } = read({
      "asset.name": 1,
      "asset.size": `${MARKER}-5000`,
      "asset.hash[0].hash": null,
      "asset.status": undefined,
      // Nothing that an answer says of itself counts.
      mismatches: [{ path: "asset", expected: "nothing", found: "something" }],
    });
    const paths = ["asset.hash[0].hash", "asset.name", "asset.size", "asset.status"];
    expect(mismatches.map(({ path }) => path).sort()).toEqual(paths);
    expect(JSON.stringify(mismatches)).not.toContain(MARKER);
  });

  test("keeps fields that the document doesn't show, at every depth", () => {
    const further = {
      further: { a: [1, null, "x"] },
      "asset.further": null,
      "asset.status.further": [1],
      "asset.videoSpec.tracks[0].further": "x",
      "task.further": 0,
      "asset.constructor": "x",
    };
    const location = read(further);
    expect(location.mismatches).toEqual([]);
    for (const [path, value] of Object.entries(further)) expect(valueAt(location, path)).toEqual(value);
  });
});

test("further fields of an asset are in `fields` too, also of one that a journal remembers", async () => {
  const asset = { id: "one", name: "Video", ours: 1 };
  const found = readUploadLocation({ asset, url: "https://store.example/a" });
  if (typeof found === "string") throw new Error(found);
  expect(found.asset.fields).toEqual({ ours: 1 });
  expect(found.asset).toEqual(asset);
  expect(JSON.parse(JSON.stringify(found.asset))).toEqual(asset);
  const record = { ...found, method: "direct" };
  const stored = { version: 1, uploads: { context: JSON.parse(JSON.stringify(record)) } };
  expect(recordsOf(stored)[0]?.asset.fields).toEqual(found.asset.fields);
});

test("a field of the service with that name stays", () => {
  const asset = { id: "one", fields: "theirs" };
  expect(readUploadLocation({ asset })).toMatchObject({ asset });
});

test("the compiler refuses a misspelled field, and takes any below `fields`", () => {
  const use = (client: Client, file: File, { asset }: UploadResult) => [
    // @ts-expect-error: it is called width
    upload(client, file, { profiles: [{ widht: 1280 }] }),
    // @ts-expect-error: it is called type
    upload(client, file, { playbackPolicy: { tpye: "public" } }),
    // @ts-expect-error: it is called name
    client.requestUpload({ naem: "Video" }),
    // @ts-expect-error: it is called playbackUrl
    asset.plabackUrl,
    // @ts-expect-error: it is called phase
    asset.status?.phsae,
    upload(client, file, { fields: { any: 1 }, profiles: [{ width: 1280, fields: { any: 1 } }] }),
    client.requestUpload({ name: "Video", fields: { any: 1 } }),
    asset.fields?.any,
  ];
  expect(use).toBeTypeOf("function");
});
