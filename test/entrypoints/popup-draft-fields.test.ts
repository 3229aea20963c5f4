import { describe, expect, test } from "vitest";
import { checkAssetRequest } from "../../core/mod.ts";
import { draftTexts, readDraft } from "../../entrypoints/popup/draft-fields.ts";
import type { DraftFields } from "../../entrypoints/shared/job.ts";

const full: DraftFields = {
  name: "Launch film",
  staticMp4: true,
  method: "direct",
  playbackPolicy: {
    type: "webhook",
    webhookId: "hook-1",
    webhookContext: { plan: "gold", seats: [1, 2] },
    refreshInterval: 600,
    allowedOrigins: ["https://a.example", "https://b.example"],
  },
  profiles: [
    {
      name: "720p",
      width: 1280,
      height: 720,
      bitrate: 3_000_000,
      quality: 23,
      fps: 30,
      fpsDen: 1,
      gop: "2.0",
      profile: "H264Baseline",
      encoder: "H.264",
    },
    { name: "small", width: 640 },
  ],
  further: { segment: 4 },
};

describe("readDraft()", () => {
  test("reads back what draftTexts() wrote", () => {
    expect(readDraft(draftTexts(full), full.further)).toEqual({ fields: full, problems: new Map() });
  });

  test("leaves out what is empty", () => {
    const texts = {
      name: " Film ",
      "policy.type": " ",
      "policy.allowedOrigins": "\n",
      "profiles.0.width": "",
    };
    const { fields, problems } = readDraft(texts, {});
    expect(fields).toEqual({ name: "Film", staticMp4: false, method: "resumable", further: {} });
    expect(problems.size).toBe(0);
  });

  test("tells each mistake at its field, and sends only what is right", () => {
    const { fields, problems } = readDraft(
      {
        name: "  ",
        "policy.webhookContext": "[1]",
        "policy.refreshInterval": "often",
        "profiles.3.width": "12.5",
        "profiles.3.height": "720",
        "profiles.7.fps": "1e3",
      },
      {},
    );
    expect(Object.fromEntries(problems)).toEqual({
      name: "Enter a name.",
      "policy.webhookContext": "Must be an object.",
      "policy.refreshInterval": "Must be an integer.",
      "profiles.3.width": "Must be an integer.",
      "profiles.7.fps": "Must be an integer.",
    });
    expect(fields.profiles).toEqual([{ height: 720 }]);
    expect(fields.playbackPolicy).toBeUndefined();
  });

  test("says how JSON looks where there is none", () => {
    const { problems } = readDraft({ name: "x", "policy.webhookContext": "plan: gold" }, {});
    expect(problems.get("policy.webhookContext")).toBe(
      'Must be a JSON object, for example {"plan": "gold"}.',
    );
  });

  test("gives what core takes", () => {
    const { fields } = readDraft(draftTexts(full), {});
    const { method: _, further, ...request } = fields;
    expect(() => checkAssetRequest({ ...further, ...request })).not.toThrow();
  });
});

test("draftTexts() shows a gop of either type, and nothing for null", () => {
  const texts = draftTexts({ ...full, profiles: [{ gop: 2 }, { name: null as never }] });
  expect(texts["profiles.0.gop"]).toBe("2");
  expect(texts).not.toHaveProperty("profiles.1.name");
});
