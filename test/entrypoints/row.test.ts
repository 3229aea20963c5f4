import fc from "fast-check";
import type { TemplateResult } from "lit-html";
import { describe, expect, test } from "vitest";
import type { Asset } from "../../core/mod.ts";
import { type RowView, rowTemplate } from "../../entrypoints/popup/row.ts";
import { type Job, STATES } from "../../entrypoints/shared/job.ts";
import { failure, half, inLanguages, inPieces, makeJob } from "./pages/jobs.ts";

const INVISIBLE = /[\p{Bidi_Control}\p{Cc}\p{Cs}\u200B\u2060\uFEFF]/u;

function viewOf(job: Job, playbackPage = "https://watch.example/?v={playbackId}&a={assetId}"): RowView {
  return { job, now: 0, playbackPage, act() {}, giveFile() {} };
}

/** Every text that a template would show, those of templates in it too. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  const { values } = (value ?? {}) as Partial<TemplateResult>;
  return Array.isArray(values) ? values.flatMap(textsIn) : [];
}

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("\ud800", "gpm.\u202E4pm", "\u2066a", "a\0b", "https://\ud800.example", "\u{E0001}"),
);
const odd = fc.oneof(
  { weight: 4, arbitrary: text },
  fc.jsonValue(),
  fc.constantFrom({ toString: 1 }, { valueOf: null, toString: null }, [[]], [{ toString: 1 }], undefined),
);
const asset = fc.record({
  id: text,
  name: odd,
  playbackId: odd,
  playbackUrl: odd,
  downloadUrl: odd,
  status: odd,
}) as unknown as fc.Arbitrary<Asset>;

describe("a row", () => {
  test("that is being cancelled says so, and nothing of what it was before", () => {
    const error = failure("interrupted", {
      resume: { assetId: "asset-41f2", offset: 16_777_216, possible: true },
    });
    for (const state of STATES) {
      const job = makeJob(state, { ending: true, error, progress: half, needs: { permission: "file" } });
      const shown = textsIn(rowTemplate({ ...viewOf(job), isConfirmingEnd: true }));
      expect(shown).toContain("Cancelling…");
      expect(shown.filter((each) => / /.test(each))).toEqual([]);
    }
  });

  test("is drawn for any record of an asset, whatever its fields hold", () => {
    fc.assert(
      fc.property(asset, fc.constantFrom(...STATES), text, (asset, state, said) => {
        const error = failure("rejected", {
          details: [said],
          message: said,
          resume: { assetId: asset.id, offset: 0, possible: false },
        });
        const job = makeJob(state, {
          asset,
          progress: half,
          error,
          source: { kind: "file", name: said, type: "", lastModified: 0 },
          fields: { name: said, staticMp4: false, method: "auto", further: {} },
          refused: { name: said, type: "", lastModified: 0 },
          endedAtService: false,
        });
        for (const shown of textsIn(rowTemplate(viewOf(job)))) expect(shown).not.toMatch(INVISIBLE);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    [
      { sent: 21_900_000, fetched: 48_200_000 },
      "48.2 MB fetched · 21.9 of about 310 MB · 3.2 MB/s · 1 min left",
    ],
    // What an earlier run has sent was fetched, too.
    [
      { sent: 21_900_000, fetched: 2_000_000 },
      "21.9 MB fetched · 21.9 of about 310 MB · 3.2 MB/s · 1 min left",
    ],
    // It is more than was estimated.
    [{ sent: 320_000_000, fetched: 330_000_000 }, "330 MB fetched · 320 MB · 3.2 MB/s"],
    [{ sent: 310_000_000, fetched: 310_000_000 }, "Finishing…"],
  ])("says of a video in pieces what is fetched, and that its size is estimated: %j", (progress, line) => {
    const job = makeJob("uploading", { source: inPieces, progress: { ...half, ...progress } });
    expect(textsIn(rowTemplate(viewOf(job)))).toContain(line);
  });

  test("says of a video in pieces about how large it is before it is begun, and exactly once it is done", () => {
    const source = { ...inPieces, size: 312_000_000 };
    const lines = [makeJob("draft", { source: inPieces }), makeJob("done", { source })].map((job) =>
      textsIn(rowTemplate(viewOf(job))),
    );
    expect(lines[0]).toContain("about 310 MB · cdn.example");
    expect(lines[1]).toContain("Uploaded · 312 MB");
  });

  test("offers its link to be copied where that is no page to watch, and says why there is none", () => {
    const asset = { id: "asset-1", playbackUrl: "https://play.example/a.m3u8" };
    const shown = (asset: Asset, isOpen = false) =>
      textsIn(rowTemplate({ ...viewOf(makeJob("done", { asset }), ""), isOpen })).join();
    expect(shown(asset)).toContain("Copy link");
    expect(shown(asset)).not.toContain("Watch");
    expect(shown({ id: "asset-1" }, true)).toContain("The service gave no link");
  });

  test("says what isn't taken: sound in other languages, and subtitles", () => {
    const source = { ...inLanguages, subtitles: 1 };
    const drafts = [makeJob("draft", { source: inLanguages }), makeJob("draft", { source })];
    Object.assign(drafts[1]?.fields ?? {}, { language: "de" });
    const [several, one] = drafts.map((job) => textsIn(rowTemplate(viewOf(job))));
    expect(several).toContain("English of 3 languages · without 2 subtitles");
    expect(one).toContain("German of 3 languages · without subtitles");
    const shown = (state: Job["state"]) => textsIn(rowTemplate(viewOf(makeJob(state, { source })))).join();
    expect(shown("uploading")).toContain("English of 3 languages");
    expect(shown("done")).not.toContain("languages");
  });

  test.each(["\ud800", "a\u202Eb", "a\nrm -rf ~", "", 7, null, {}])("offers no copy of the id %j", (id) => {
    const record = { id: "asset-1", playbackId: id } as never;
    const shown = textsIn(rowTemplate({ ...viewOf(makeJob("done", { asset: record })), isOpen: true }));
    expect(shown).toContain("Copy asset id");
    expect(shown).not.toContain("Copy playback id");
  });
});
