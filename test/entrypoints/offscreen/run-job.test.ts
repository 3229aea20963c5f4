/** What becomes of a job whose source is out of reach, or whose upload has failed. */
import { beforeEach, expect, test, vi } from "vitest";
import { ServiceError, UploadError } from "../../../core/errors/errors.ts";
import { type JobList, openJobList } from "../../../entrypoints/offscreen/job-list.ts";
import type { OpenJob } from "../../../entrypoints/offscreen/job-source.ts";
import { reachSource, reportFailure, runJob } from "../../../entrypoints/offscreen/run-job.ts";
import { createSettingsCopy } from "../../../entrypoints/offscreen/settings-copy.ts";
import { FAULT } from "../../../entrypoints/shared/fault.ts";
import { known } from "../../../entrypoints/shared/record.ts";
import { DEFAULT_SETTINGS } from "../../../entrypoints/shared/settings.ts";
import { asset, fromPage, makeJob } from "../../support/extension/pages/jobs.ts";

let list: JobList;
/** What the background was told of, and how it cleans an error. */
let told: string[];
let clean: (error: object) => unknown;
const settings = createSettingsCopy(async () => DEFAULT_SETTINGS);

beforeEach(async () => {
  told = [];
  clean = (error) => error;
  const sendMessage = async ({ type, error }: { type: string; error: object }) => {
    told.push(type);
    if (type === "is-permitted") return false;
    return type === "clean-error" ? clean(error) : null;
  };
  vi.stubGlobal("chrome", { runtime: { sendMessage } });
  list = await openJobList(() => {});
});

const journal = { key: "key", entry: { version: 1, uploads: {} } } as const;

async function report(
  error: unknown,
  more: Partial<OpenJob> = {},
  address?: string,
): Promise<OpenJob | undefined> {
  await list.add([{ ...makeJob("uploading"), id: "one", ...more }]);
  await reportFailure({ list, settings, id: "one" }, error, address);
  return list.get("one");
}

const fails = (code: ConstructorParameters<typeof UploadError>[0], more?: object) =>
  new UploadError(code, "no", more);

test("a fault of the extension itself fails the job, and nobody is told what it said", async () => {
  expect(await report(new Error("anything"))).toMatchObject({ state: "failed", error: FAULT });
  expect(told).not.toContain("clean-error");
});

test("a text is refused, whatever its name says, before anything is asked for", async () => {
  const blob = new File(["45 bytes of a note that is no video at all.\n"], "a.mp4", { type: "video/mp4" });
  await list.add([{ ...makeJob("queued"), id: "one", source: { ...makeJob("queued").source, blob } }]);
  await runJob({ list, settings, id: "one", stopper: new AbortController() });
  expect(list.get("one")).toMatchObject({ state: "failed", error: { code: "not-a-video" } });
  expect(told).not.toContain("request-upload");
});

test("a job whose host isn't allowed waits for that", async () => {
  const found = await report(fails("source-unreadable"), {}, "https://cdn.example/a.mp4");
  const needs = { permission: "host", origin: "https://cdn.example", reads: true };
  expect(found).toMatchObject({ state: "needs-permission", needs });
});

test("a job that fails for a token which was replaced since is offered the new one", async () => {
  const [own, now] = ["a", "b"].map((id) => ({ id, name: "video.example", ending: id }));
  settings.replace({ ...DEFAULT_SETTINGS, ...known({ account: now }) });
  const found = await report(new ServiceError("unauthorized", "no"), {
    asset,
    journal,
    ...known({ account: own }),
  });
  settings.replace(DEFAULT_SETTINGS);
  expect(found).toMatchObject({ state: "failed", account: own, otherAccount: { id: "b", isKept: false } });
});

test("an error is kept as the background cleans it, and without what the host said where it can't", async () => {
  clean = (error) => ({ ...error, message: "clean" });
  expect((await report(fails("content-differs", { details: ["a"] })))?.error).toMatchObject({
    message: "clean",
    details: ["a"],
  });
  clean = () => {
    throw new Error("died");
  };
  const error = (await report(fails("content-differs", { details: ["a"] })))?.error;
  expect(error).toMatchObject({ code: "content-differs", message: "no" });
  expect(error).not.toHaveProperty("details");
});

test.each([
  [
    { journal, asset, progress: { sent: 9, acknowledged: 7, speed: 1 } },
    { assetId: asset.id, offset: 7, possible: true },
  ],
  [{ journal }, undefined],
  [{ asset }, undefined],
])("a failed job of %j can be resumed as %j", async (more, resume) => {
  expect((await report(fails("content-differs"), more))?.error?.resume).toEqual(resume);
  const own = { assetId: "other", offset: 1, possible: false };
  expect((await report(fails("content-differs", { resume: own }), more))?.error?.resume).toEqual(own);
});

test("a location that can't be used is given back, unless an upload has begun there", async () => {
  await report(fails("location-refused"));
  expect(told).toContain("locations-stored");
  told.length = 0;
  await report(fails("location-refused"), { journal });
  await report(fails("content-differs"));
  expect(told).not.toContain("locations-stored");
});

test("a refused source that was given a new address meanwhile is tried there", async () => {
  const at = (url: string) => ({ source: { ...fromPage, url } });
  const refused = fails("source-refused");
  expect((await report(refused, at("https://b.example/1"), "https://a.example/1"))?.state).toBe("queued");
  expect((await report(refused, at("https://a.example/1"), "https://a.example/1"))?.state).toBe("failed");
  expect((await report(refused, {}, undefined))?.state).toBe("failed");
  const other = fails("content-differs");
  expect((await report(other, at("https://b.example/1"), "https://a.example/1"))?.state).toBe("failed");
});

test("a source that is out of reach shows in the list", async () => {
  const job = makeJob("queued");
  const handle = { queryPermission: async () => "prompt" } as unknown as FileSystemFileHandle;
  const file = new File(["a"], "a.mp4");
  const open = { getFile: async () => file } as unknown as FileSystemFileHandle;
  const reach = async (source: Partial<OpenJob["source"]>) => {
    await list.add([{ ...job, id: "one", source: { ...job.source, ...(source as object) } }]);
    return [await reachSource(list, "one"), list.get("one")?.state];
  };
  expect(await reach({})).toEqual([undefined, "needs-file"]);
  expect(await reach({ handle })).toEqual([undefined, "needs-permission"]);
  expect(list.get("one")?.needs).toEqual({ permission: "file" });
  expect(await reach({ handle: open })).toEqual([file, "queued"]);
  expect(list.get("one")?.source.blob).toBe(file);
  expect(await reachSource(list, "unknown")).toBe(undefined);
});
