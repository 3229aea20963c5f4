import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reduce } from "../../../entrypoints/offscreen/job-reducer.ts";
import { summarise } from "../../../entrypoints/offscreen/list-summary.ts";
import { explanationsOf } from "../../../entrypoints/popup/state-line.ts";
import { stepsFor } from "../../../entrypoints/popup/steps.ts";
import { isEnded, STATES, withoutSecrets } from "../../../entrypoints/shared/job.ts";
import { canBeRetried } from "../../../entrypoints/shared/next-steps.ts";
import { readStoredJob } from "../../../entrypoints/shared/stored-job.ts";
import { inLanguages, makeJob, states } from "../../support/extension/pages/jobs.ts";

const asset = { id: "asset-1", name: "video", anything: { it: "holds" } };
const entry = {
  version: 1,
  uploads: { one: { method: "resumable", asset, mismatches: [], uploadUrl: "https://upload.example/one" } },
};
const whole = {
  ...makeJob("paused", { asset, address: "https://video.example" }),
  journal: { key: "key", entry },
};

test("readStoredJob() keeps every job as it is that the list can hold", () => {
  for (const make of Object.values(states)) for (const job of make()) expect(readStoredJob(job)).toEqual(job);
  expect(readStoredJob(whole)).toEqual(whole);
  for (const job of [
    makeJob("needs-file", { unstarted: true }),
    makeJob("paused", { ending: true }),
    makeJob("draft", { otherLength: { playedSeconds: 600, foundSeconds: 15 } }),
  ])
    expect(readStoredJob(job)).toEqual(job);
});

test("readStoredJob() keeps what a video in pieces is read by, and pages get neither its address nor its quality", () => {
  const source = {
    ...inLanguages,
    url: "https://cdn.example/main.m3u8?signature=one",
    page: "https://news.example/today",
    referrer: "https://player.example/embed?key=one",
    quality: "1080p-5000000",
    playedSeconds: 600,
  };
  const blob = new Blob(["video"]);
  const { journal: _, ...shown } = { ...whole, source: inLanguages };
  expect(withoutSecrets({ ...whole, source: { ...source, blob } } as never)).toEqual(shown);
  const job = readStoredJob({ ...makeJob("paused"), source });
  expect(job?.source).toEqual(source);
  expect(job && withoutSecrets(job).source).toEqual(inLanguages);
  const odd = readStoredJob({ ...makeJob("paused"), source: { ...source, pieces: "mss", quality: 5 } });
  expect(odd?.source).not.toHaveProperty("pieces");
  expect(odd?.source).not.toHaveProperty("quality");
});

test("readStoredJob() gives a field that was only a further one its own place", () => {
  const { fields } = whole;
  const policy = { playbackPolicy: { type: "jwt" } };
  const stored = { ...whole, fields: { ...fields, further: { ...policy, custom: 4 } } };
  expect(readStoredJob(stored)).toEqual({
    ...whole,
    fields: { ...fields, ...policy, further: { custom: 4 } },
  });
});

describe("readStoredJob() of a damaged record", () => {
  const { fields: _, ...withoutFields } = makeJob("queued");
  const { source: __, ...withoutSource } = makeJob("uploading");

  test.each([
    ["without its fields", withoutFields],
    ["without its source", withoutSource],
    ["with nothing but an id", { id: "one" }],
    ["in an unknown state", { ...makeJob("queued"), state: "flying" }],
    ["with a journal of another shape", { ...whole, state: "queued", journal: { key: "key", entry: [] } }],
    [
      "with an address that is none in its journal",
      {
        ...whole,
        state: "queued",
        journal: {
          key: "key",
          entry: { ...entry, uploads: { one: { ...entry.uploads.one, uploadUrl: 7 } } },
        },
      },
    ],
    [
      "with a policy that core refuses",
      {
        ...makeJob("queued"),
        fields: { ...makeJob("queued").fields, playbackPolicy: "everybody" },
      },
    ],
  ])("%s has failed, so that it is not begun and can be removed", (_, record) => {
    const job = readStoredJob(record);
    expect(job).toMatchObject({ id: record.id, state: "failed", error: { code: "fault" } });
    expect(job?.source.name).toEqual(expect.any(String));
    expect(job?.fields.name).toEqual(expect.any(String));
    expect(job).not.toHaveProperty("journal");
  });

  test("names the fields that its request would go without, unless the service has them", () => {
    const policy = { type: "webhook", webhookId: 7 };
    const record = {
      ...makeJob("queued"),
      fields: { ...whole.fields, staticMp4: true, playbackPolicy: policy },
    };
    const job = readStoredJob(record);
    expect(job).toMatchObject({ fieldsLeftOut: ["playbackPolicy"], fields: { staticMp4: true } });
    expect(job && readStoredJob(job)).toEqual(job);
    expect(job && stepsFor(job).buttons).toEqual(["edit", "try-again"]);
    expect(job && explanationsOf(job)).toEqual([
      "Left out, since it can't be used: Who may watch (default). Try again uploads without it.",
    ]);
    expect(job && canBeRetried(job)).toBe(false);
    const begun = readStoredJob({ ...record, asset });
    expect(begun && stepsFor(begun).buttons).toEqual(["try-again"]);
    expect(job && reduce(job, { type: "redrafted" })).not.toHaveProperty("fieldsLeftOut");
  });

  test.each(["failed", "asset-unknown"] as const)("%s without a reason is given one", (state) => {
    expect(readStoredJob(makeJob(state))).toMatchObject({ state, error: { code: "fault" } });
  });

  test("keeps what is right of it: the name, the asset, and that it has ended", () => {
    const job = readStoredJob({ ...makeJob("done", { asset }), source: 5, progress: null });
    expect(job).toMatchObject({ state: "done", asset, fields: { name: "holiday-2024" } });
  });

  test.each([undefined, null, "one", 7, [], {}, { id: 7 }, { id: "" }])("%j is none at all", (record) => {
    expect(readStoredJob(record)).toBeUndefined();
  });
});

const anything = fc.anything({ withDate: true, withMap: true, withBigInt: true, maxDepth: 3 });

test("readStoredJob() gives a job that can be shown and reduced, whatever is wrong with the record", () => {
  const keys = ["state", "source", "fields", "progress", "waiting", "error", "needs", "journal", "createdAt"];
  const path = fc.constantFrom(
    ...keys,
    "source.name",
    "source.kind",
    "fields.method",
    "journal.entry",
    "asset.id",
  );
  fc.assert(
    fc.property(fc.constantFrom(...STATES), path, anything, (state, place, value) => {
      const record = structuredClone({ ...whole, state }) as Record<string, unknown>;
      const [first = "", second] = place.split(".");
      if (second === undefined) record[first] = value;
      else record[first] = { ...(record[first] as object), [second]: value };
      const job = readStoredJob(record);
      expect(job?.id).toBe(whole.id);
      if (job === undefined) return;
      expect(STATES).toContain(job.state);
      for (const name of [job.source.name, job.fields.name]) expect(typeof name).toBe("string");
      expect(Number.isFinite(job.createdAt)).toBe(true);
      expect(Number.isFinite(summarise([job]).fraction)).toBe(true);
      expect(withoutSecrets(job)).not.toHaveProperty("journal");
      const removed = reduce(job, { type: "cancelled", endedAtService: false });
      expect(isEnded(removed)).toBe(true);
    }),
    { numRuns: 500 },
  );
});
