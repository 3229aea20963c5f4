import { expect, test, vi } from "vitest";
import { ServiceError, UploadError } from "../../../core/errors/errors.ts";
import { handleCommand, removeJobs, resumeCancelling } from "../../../entrypoints/offscreen/commands.ts";
import { openJobList } from "../../../entrypoints/offscreen/job-list.ts";
import type { OpenJob } from "../../../entrypoints/offscreen/job-source.ts";
import { createRemovals } from "../../../entrypoints/offscreen/removals.ts";
import { reportFailure } from "../../../entrypoints/offscreen/run-job.ts";
import { createSettingsCopy } from "../../../entrypoints/offscreen/settings-copy.ts";
import { restoreJobs } from "../../../entrypoints/offscreen/uploads.ts";
import type { KnownAccount } from "../../../entrypoints/shared/known-account.ts";
import type { OffscreenCommand } from "../../../entrypoints/shared/messages.ts";
import { isOffered } from "../../../entrypoints/shared/next-steps.ts";
import { DEFAULT_SETTINGS } from "../../../entrypoints/shared/settings.ts";
import { asset, failure, fromPage, makeJob } from "../../support/extension/pages/jobs.ts";

/** A host that the background can't be asked about. */
const dead = "https://dead.example";
const journal = { key: "key", entry: { version: 1 as const, uploads: {} } };

/** A list with these jobs, each with a location that the background keeps, and what handles its commands. */
async function openOffscreen(...jobs: OpenJob[]) {
  const locations = new Set(jobs.map(({ id }) => id));
  /** Whether the background answers what it is asked of a location. */
  let recalls = Promise.resolve();
  const background: Record<
    string,
    (request: { jobId: string; jobIds?: string[]; error?: unknown; address?: string }) => unknown
  > = {
    "recall-location": async ({ jobId }) => {
      await recalls;
      return locations.has(jobId) ? { location: { asset } } : null;
    },
    "locations-stored": ({ jobIds = [] }) => {
      for (const id of jobIds) locations.delete(id);
    },
    "clean-error": ({ error }) => error,
    "is-permitted": ({ address }) => {
      if (address === dead) throw new Error("the worker died");
      return true;
    },
  };
  const sendMessage = async (message: { type: string; jobId: string }) =>
    (await background[message.type]?.(message)) ?? null;
  vi.stubGlobal("chrome", { runtime: { sendMessage } });
  const list = await openJobList(() => {});
  await list.add(jobs);
  /** The state of each job whenever it could have been started, with the locations kept then. */
  const started: { state: string | undefined; kept: string[] }[] = [];
  const stopped: string[] = [];
  const given: object[] = [];
  const uploads = {
    restore: async () => {},
    stop: async (id: string) => void stopped.push(id),
    startQueued: async () => void started.push({ state: list.all()[0]?.state, kept: [...locations] }),
  };
  const settings = createSettingsCopy(async () => DEFAULT_SETTINGS);
  const history = { note: () => {}, find: async () => [], clear: async () => {} };
  const assets = { refresh: async () => {} };
  const removals = createRemovals(list, uploads);
  const context = { list, uploads, settings, removals, history, assets, send: () => {} };
  const drafts = {
    addFiles: async (command: object) => void given.push(command),
    addAddresses: async () => {},
    addPageBlob: async () => {},
    expectBlob: () => {},
  };
  return {
    context,
    list,
    removals,
    locations,
    started,
    stopped,
    given,
    /** Lets the background not answer until the returned function is called. */
    holdBackground: () => {
      let answer = () => {};
      recalls = new Promise<void>((resolve) => {
        answer = resolve;
      });
      return answer;
    },
    command: (command: OffscreenCommand) => handleCommand(context, drafts, command),
  };
}

test.each([
  makeJob("failed", { id: "one", asset, error: failure("location-refused") }),
  makeJob("asset-unknown", { id: "one", error: failure("asset-unknown") }),
  makeJob("cancelled", { id: "one", asset, endedAtService: false }),
  { ...makeJob("failed", { id: "one", asset, error: failure("upload-gone") }), journal },
])("an upload again asks for a location of its own: $state", async (job) => {
  const { list, started, command } = await openOffscreen(job);
  await command({ type: "start-over", jobId: "one" });
  expect(list.get("one")).not.toHaveProperty("asset");
  expect(started).toEqual([{ state: "queued", kept: [] }]);
});

test("a lost file that was renamed meanwhile is taken, under the name it was begun with", async () => {
  const job = makeJob("needs-file", { id: "one", asset });
  const { list, command } = await openOffscreen({ ...job, source: { ...job.source, size: 5 } });
  const give = (words: string) => {
    const file = new File([words], "renamed.mp4", { lastModified: job.source.lastModified });
    return command({ type: "give-file", jobId: "one", file });
  };
  await give("other video");
  expect(list.get("one")).toMatchObject({ state: "needs-file", refused: { name: "renamed.mp4" } });
  await give("video");
  expect(list.get("one")).toMatchObject({ state: "queued", source: { name: job.source.name } });
  expect(await list.get("one")?.source.blob?.text()).toBe("video");
});

test("an account that is set now gets what waits for another one when the person says so, and nothing before", async () => {
  const [a, b] = ["a", "b"].map((id) => ({ id, name: "video.example", ending: id })) as [
    KnownAccount,
    KnownAccount,
  ];
  const unauthorized = failure("unauthorized");
  const gone = failure("unauthorized", { resume: { assetId: "x", offset: 1, possible: false } });
  const { list, started, command } = await openOffscreen(
    makeJob("queued", { id: "queued", account: a }),
    makeJob("queued", { id: "grace", account: a, startsAt: Date.now() + 4000 }),
    makeJob("paused", { id: "paused", account: a }),
    makeJob("draft", { id: "draft", account: a }),
    makeJob("failed", { id: "failed", account: a, error: unauthorized }),
    makeJob("failed", { id: "gone", account: a, asset, error: gone }),
    makeJob("uploading", { id: "begun", account: a, asset }),
    makeJob("queued", { id: "earlier version" }),
  );
  const states = () =>
    Object.fromEntries(list.all().map(({ id, state, account }) => [id, [state, account?.id]]));
  const jobIds = list.all().map(({ id }) => id);
  await command({ type: "settings-changed", settings: { ...DEFAULT_SETTINGS, account: b } });
  const held = {
    queued: ["needs-permission", "a"],
    grace: ["needs-permission", "a"],
    paused: ["paused", "a"],
    draft: ["draft", "a"],
    failed: ["failed", "a"],
    gone: ["failed", "a"],
    begun: ["uploading", "a"],
    "earlier version": ["queued", "b"],
  };
  expect(states()).toEqual(held);
  await command({ type: "keep-account", jobIds });
  expect(states()).toEqual(held);
  expect(list.all().filter(isOffered)).toEqual([]);
  await command({ type: "use-account", jobIds: jobIds.filter((id) => id !== "begun"), account: b });
  expect(states()).toEqual({
    ...held,
    queued: ["queued", "b"],
    grace: ["queued", "b"],
    paused: ["paused", "b"],
    draft: ["draft", "b"],
    failed: ["queued", "b"],
    gone: ["queued", "b"],
  });
  expect(list.get("gone")).not.toHaveProperty("asset");
  expect(started.length).toBeGreaterThan(0);
});

test("a file that was refused is uploaded in the place of the one that was begun", async () => {
  const job = makeJob("needs-file", { id: "one", asset });
  const { list, given, command } = await openOffscreen({ ...job, source: { ...job.source, size: 5 } });
  await command({ type: "upload-new", jobId: "one" });
  expect(list.get("one")?.state).toBe("needs-file");
  const file = new File(["new version"], job.source.name);
  await command({ type: "give-file", jobId: "one", file });
  await command({ type: "upload-new", jobId: "one" });
  expect(given).toMatchObject([{ files: [{ file }], fields: job.fields }]);
  expect(list.get("one")?.state).toBe("cancelled");
});

test("a new version whose file is out of reach since is chosen once more", async () => {
  const refused = { name: "holiday-2024.mp4", type: "video/mp4", lastModified: 1 };
  const { list, locations, given, command } = await openOffscreen({
    ...makeJob("failed", { id: "one", asset, error: failure("source-changed"), refused }),
    journal,
  });
  await command({ type: "upload-new", jobId: "one" });
  expect(list.get("one")).toMatchObject({ state: "needs-file", progress: { sent: 0 } });
  for (const field of ["asset", "journal", "refused"]) expect(list.get("one")).not.toHaveProperty(field);
  // The former asset's location would be given for the new one.
  expect([...locations]).toEqual([]);
  expect(given).toEqual([]);
});

test("a video that the service can't use asks for its file and becomes another asset; one that is whole stays", async () => {
  const done = (id: string, stage: "failed" | "differs" | "ready") =>
    makeJob("done", { id, asset, processing: { since: 1, stage } });
  const { list, command } = await openOffscreen(
    done("one", "failed"),
    done("two", "differs"),
    done("three", "ready"),
  );
  for (const jobId of ["one", "two", "three"]) await command({ type: "start-over", jobId });
  for (const id of ["one", "two"]) {
    expect(list.get(id)).toMatchObject({ state: "needs-file", progress: { sent: 0 } });
    expect(list.get(id)).not.toHaveProperty("asset");
    expect(list.get(id)).not.toHaveProperty("processing");
  }
  expect(list.get("three")).toMatchObject({ state: "done", asset });
});

test("uploads are paused and go on together, as far as each can", async () => {
  const error = failure("unreachable");
  const { list, command } = await openOffscreen(
    makeJob("uploading"),
    makeJob("queued"),
    makeJob("failed", { error }),
    makeJob("draft"),
  );
  const jobIds = list.all().map(({ id }) => id);
  const states = [];
  for (const type of ["pause", "continue"] as const) {
    await command({ type, jobIds });
    states.push(list.all().map(({ state }) => state));
  }
  expect(states).toEqual([
    ["paused", "paused", "failed", "draft"],
    ["queued", "queued", "queued", "draft"],
  ]);
});

test("what is about to start becomes a draft where the review is turned on, and nothing else does", async () => {
  const startsAt = Date.now() + 5000;
  const { context, list, command } = await openOffscreen(makeJob("queued", { startsAt }), makeJob("queued"));
  const settings = { ...DEFAULT_SETTINGS, reviewFirst: true };
  await command({ type: "settings-changed", settings: DEFAULT_SETTINGS });
  expect(list.all().map(({ state }) => state)).toEqual(["queued", "queued"]);
  context.settings.read = async () => settings;
  await command({ type: "settings-changed", settings });
  expect(list.all().map(({ state }) => state)).toEqual(["draft", "queued"]);
});

test("uploads that find room by a setting start at once", async () => {
  const { context, command } = await openOffscreen(makeJob("queued"));
  context.uploads.startQueued = vi.fn(async () => undefined);
  await command({ type: "settings-changed", settings: { ...DEFAULT_SETTINGS, uploadsAtATime: 5 } });
  expect(context.uploads.startQueued).toHaveBeenCalled();
});

test("a refused upload can be changed, and goes up then", async () => {
  const error = failure("rejected");
  const { list, command } = await openOffscreen(makeJob("failed", { id: "one", error }));
  await command({ type: "redraft", jobIds: ["one"] });
  const fields = { ...makeJob("draft").fields, name: "Another name" };
  await command({ type: "edit", jobId: "one", fields });
  await command({ type: "start", jobIds: ["one"] });
  expect(list.get("one")).toMatchObject({ state: "queued", fields });
});

test("an upload again that is wanted twice is begun once", async () => {
  const { list, command } = await openOffscreen(
    makeJob("failed", { id: "one", asset, error: failure("upload-gone") }),
  );
  const twice = [0, 1].map(() => command({ type: "start-over", jobId: "one" }));
  await twice[0];
  await list.apply("one", { type: "requesting", address: "https://video.example" });
  await twice[1];
  await command({ type: "start-over", jobId: "one" });
  expect(list.get("one")?.state).toBe("requesting");
});

test.each([
  ["with nothing to resume", undefined],
  ["that was begun", journal],
])("a cancelled upload %s leaves no location behind", async (_, kept) => {
  const job = makeJob("paused", { id: "one" });
  const { list, locations, command } = await openOffscreen({ ...job, ...(kept && { journal: kept }) });
  await command({ type: "cancel", jobId: "one" });
  expect(list.get("one")).toMatchObject({ state: "cancelled", ...(kept === undefined && { asset }) });
  expect([...locations]).toEqual([]);
});

test.each(["requesting", "paused", "failed", "needs-permission", "draft"] as const)(
  "an upload that is being cancelled is begun by nothing, and is cancelled once: %s",
  async (state) => {
    const needs = { permission: "host", origin: "https://upload.example" } as const;
    const job = makeJob(state, { id: "one", ...(state === "needs-permission" && { needs }) });
    const { list, stopped, command, holdBackground } = await openOffscreen(job);
    const answer = holdBackground();
    const cancelling = [0, 1].map(() => command({ type: "cancel", jobId: "one" }));
    const file = new File(["video"], "video.mp4");
    const during = (["start-over", "permission-given"] as const).map((type) =>
      command({ type, jobId: "one" }),
    );
    for (const type of ["start", "continue", "remove", "redraft"] as const)
      during.push(command({ type, jobIds: ["one"] }));
    during.push(command({ type: "give-file", jobId: "one", file }));
    await Promise.all(during.slice(0, 2));
    const now = list.get("one");
    expect(now).toMatchObject({ state: state === "requesting" ? "paused" : state, ending: true });
    answer();
    await Promise.all([...cancelling, ...during]);
    expect(list.get("one")).toMatchObject({ state: "cancelled", asset });
    expect(list.get("one")).not.toHaveProperty("ending");
    expect(stopped).toEqual(["one"]);
  },
);

test("an upload that was being cancelled when its document ended is cancelled by the next one", async () => {
  const { context, list, locations } = await openOffscreen(
    makeJob("paused", { id: "one", ending: true }),
    makeJob("paused", { id: "two" }),
  );
  await restoreJobs(list, () => false);
  await resumeCancelling(context);
  expect(list.get("one")?.state).toBe("cancelled");
  expect([...locations]).toEqual(["two"]);
});

test.each(["failed", "paused", "needs-file", "requesting"] as const)(
  "a removed upload leaves no location behind: %s",
  async (state) => {
    const jobs = ["one", "two", "three"].map((id) => makeJob(state, { id }));
    const { context, removals, locations } = await openOffscreen(...jobs);
    await removeJobs(context, ["one"]);
    await expect.poll(() => [...locations]).toEqual(["two", "three"]);
    await removals.remove(["two"]);
    await removals.undo();
    await removals.remove(["three"]);
    expect([...locations]).toEqual(["two", "three"]);
    removals.forget();
    await expect.poll(() => [...locations]).toEqual(["two"]);
  },
);

test.each([
  ["unexpected-answer", new ServiceError("unexpected-answer", "Cannot upload"), []],
  ["location-refused", new UploadError("location-refused", "Cannot upload"), []],
  ["source-changed", new UploadError("source-changed", "Cannot upload"), ["one"]],
] as const)(
  "the next try asks for another location where this one can't be used: %s",
  async (_, error, kept) => {
    const { context, list, locations } = await openOffscreen(makeJob("requesting", { id: "one" }));
    await reportFailure({ ...context, id: "one" }, error, undefined);
    expect(list.get("one")?.state).toBe("failed");
    expect([...locations]).toEqual(kept);
  },
);

test("a host that the background can't be asked about keeps no other job waiting", async () => {
  const waiting = [dead, "https://cdn.example"].map((origin) => {
    const job = makeJob("needs-permission", { needs: { permission: "host", origin, reads: true } });
    return { ...job, source: { ...fromPage, url: `${origin}/video.mp4` } };
  });
  const { list, command } = await openOffscreen(...waiting);
  await command({ type: "hosts-changed" });
  expect(list.all().map(({ state }) => state)).toEqual(["queued", "queued"]);
});

test("a page that could not read the list is sent all of it, without what is secret", async () => {
  const { context } = await openOffscreen(makeJob("done", { id: "one" }), {
    ...makeJob("queued", { id: "two" }),
    journal,
  });
  const send = vi.fn();
  await handleCommand({ ...context, send } as never, {} as never, { type: "list" });
  expect(send.mock.calls).toMatchObject([[{ type: "changed", jobs: [{ id: "one" }, { id: "two" }] }]]);
  expect(JSON.stringify(send.mock.calls)).not.toContain("journal");
  // In trouble its own list tells a page less.
  const list = { ...context.list, trouble: () => "unstored" as const };
  send.mockReset();
  await handleCommand({ ...context, list, send }, {} as never, { type: "hello" });
  expect(send.mock.calls.flat()).toMatchObject([
    { type: "ready" },
    { type: "trouble", trouble: "unstored" },
    { type: "changed", jobs: [{ id: "one" }, { id: "two" }] },
  ]);
});
