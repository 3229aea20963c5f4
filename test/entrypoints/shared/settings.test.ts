import { expect, test, vi } from "vitest";
import { readUploadSettings } from "../../../entrypoints/shared/known-account.ts";
import {
  DEFAULT_SETTINGS,
  readAccount,
  readManaged,
  readSettings,
  SETTINGS,
  type Setting,
  type SettingName,
  saveAccount,
  saveSettings,
} from "../../../entrypoints/shared/settings.ts";
import { messagesOf } from "../../support/extension/catalogue.ts";

/** Gives this process a storage that holds settings, and perhaps a token and what an organization has set. */
function store(settings: unknown, token?: string, managed?: object) {
  const stored: Record<string, unknown> = { settings, token };
  const set = vi.fn(async (items: object) => void Object.assign(stored, items));
  const local = { get: async () => stored, set };
  // Where no policy was ever set, Firefox has none to read.
  const get = async () => await (managed ?? Promise.reject(new Error("Managed storage manifest not found")));
  vi.stubGlobal("chrome", { storage: { local, managed: { get } } });
  return { stored, set };
}

test.each([
  ["started them", { startAtOnce: true }],
  // The default was stored with whatever else was saved, so it is no choice.
  ["kept drafts, as was the default", { startAtOnce: false }],
  ["knew neither", {}],
  ["is damaged", { reviewFirst: "yes" }],
])("readSettings() lets new uploads start by themselves where an earlier version %s", async (_, old) => {
  store({ address: "https://video.example", ...old });
  expect(await readSettings()).toEqual({ ...DEFAULT_SETTINGS, address: "https://video.example" });
});

test("readAccount() leaves out what can't be used of stored settings alone, and names it", async () => {
  const fields = {
    staticMp4: true,
    playbackPolicy: { type: "webhook", webhookId: "wh-1", refreshInterval: "often" },
    profiles: [{ name: "720p", width: 1280 }, { name: "360p", width: "narrow" }, { width: "wide" }, 7],
    further: { custom: 4 },
  };
  const paths = { requestUpload: "/upload", terminate: 7 };
  store({
    address: "https://video.example",
    fields,
    paths,
    uploadsAtATime: 50,
    streamMenuPages: ["a.example", 1],
  });
  const { settings, refused } = await readAccount();
  expect(settings).toEqual({
    ...DEFAULT_SETTINGS,
    address: "https://video.example",
    fields: {
      ...DEFAULT_SETTINGS.fields,
      ...fields,
      playbackPolicy: { type: "webhook", webhookId: "wh-1" },
      profiles: [{ name: "720p", width: 1280 }, { name: "360p" }],
    },
    paths: { requestUpload: "/upload", terminate: "", asset: "" },
    streamMenuPages: ["a.example"],
  });
  expect(new Set(refused)).toEqual(
    new Set([
      "options.playbackPolicy",
      "options.profiles",
      "options.endPath",
      "options.uploadsAtATime",
      "streamMenu.pages",
    ]),
  );
});

test.each([[[]], ["fields"], [7], [null]])(
  "readAccount() does without the fields of new videos where they are %j",
  async (fields) => {
    store({ fields });
    const { settings, refused } = await readAccount();
    expect([settings, refused]).toEqual([DEFAULT_SETTINGS, ["options.videos"]]);
  },
);

test("readAccount() gives a field that was only a further one its own place", async () => {
  store({ fields: { further: { playbackPolicy: { type: "jwt" }, custom: 4 } } });
  const { settings, refused } = await readAccount();
  expect(settings.fields).toEqual({
    ...DEFAULT_SETTINGS.fields,
    playbackPolicy: { type: "jwt" },
    further: { custom: 4 },
  });
  expect(refused).toEqual([]);
});

test("readSettings() keeps the choice to review before uploading", async () => {
  store({ reviewFirst: true });
  expect((await readSettings()).reviewFirst).toBe(true);
});

test("an organization's address and name stand in place of what is stored, unless they can't be used", async () => {
  store({ address: "https://video.example" }, "tok-1", {
    address: "https://own.example/",
    accountName: "News",
  });
  await readManaged();
  expect(await readSettings()).toMatchObject({ address: "https://own.example", accountName: "News" });
  store({ address: "https://video.example" }, "tok-1", { address: "no address", accountName: 1 });
  vi.spyOn(console, "warn").mockReturnValueOnce();
  await readManaged();
  expect(await readSettings()).toMatchObject({ address: "https://video.example", accountName: "" });
});

test("a token never reaches another service than its own, whatever an organization and other settings say", async () => {
  const other = { address: "https://other.example" };
  const { stored } = store({ address: "https://video.example" }, "tok-1", other);
  await readManaged();
  expect((await readAccount()).token).toBe("");
  await saveSettings({ reviewFirst: true });
  expect(stored.settings).toMatchObject({ address: "https://video.example", reviewFirst: true });
  expect((await readAccount()).token).toBe("");
  await saveAccount(other, "tok-other");
  expect(await readAccount()).toMatchObject({ settings: other, token: "tok-other", isUnchecked: true });
});

test.each(["http://video.example", "https://video.example:8443"])(
  "a token of https://video.example doesn't reach %s, which an organization sets",
  async (address) => {
    store({ address: "https://video.example" }, "tok-1", { address });
    await readManaged();
    expect(await readAccount()).toMatchObject({ settings: { address }, token: "" });
  },
);

test("new uploads wait while a part of what was set for them can't be used, until the person has saved that", async () => {
  const fields = { playbackPolicy: { type: "webhook", refreshInterval: "often" } };
  const { stored } = store({ uploadsAtATime: 50, fields });
  expect(await readUploadSettings()).toMatchObject({ reviewFirst: true, fields: { playbackPolicy: {} } });
  // Neither the switch in the popup nor another account is a look at it.
  await saveSettings({ reviewFirst: false });
  await saveAccount({ address: "https://video.example", paths: DEFAULT_SETTINGS.paths }, "tok-1");
  expect(stored.settings).toMatchObject({ uploadsAtATime: 50, fields });
  expect((await readUploadSettings()).reviewFirst).toBe(true);
  await saveSettings({ fields: (await readSettings()).fields });
  expect((await readUploadSettings()).reviewFirst).toBe(false);
});

test("whatever the options show of a setting has words", async () => {
  const known = Object.keys(await messagesOf("en"));
  const shown = Object.values(SETTINGS).filter(({ section }) => section !== undefined) as Setting<unknown>[];
  expect(shown.length).toBeGreaterThan(5);
  for (const { label, labels = {}, hint, problem, choices = [] } of shown) {
    const ofChoices = choices.flatMap((each) => [each.label, each.hint]);
    for (const key of [label, hint, problem, ...Object.values(labels), ...ofChoices])
      if (key !== undefined) expect(known).toContain(key.replaceAll(".", "_"));
  }
});

test("settings are read at once while the browser says nothing of policies, with what an organization set before", async () => {
  const { stored } = store({ address: "https://video.example" }, "tok-1", new Promise(() => {}));
  expect(await readAccount()).toMatchObject({ settings: { address: "https://video.example" }, managed: {} });
  const policy = { address: "https://own.example", accountName: "News" };
  stored.policy = policy;
  expect(await readAccount()).toMatchObject({ settings: policy, managed: policy, token: "" });
});

test("readManaged() waits until the browser says what an organization sets, and stores it where that is new", async () => {
  let resolve: (policy: object) => void = () => {};
  const promise = new Promise<object>((known) => {
    resolve = known;
  });
  const { stored, set } = store({}, undefined, promise);
  const reading = readManaged();
  resolve({ address: "https://own.example" });
  await reading;
  await readManaged();
  expect(stored.policy).toEqual({ address: "https://own.example" });
  expect(set).toHaveBeenCalledOnce();
});

test("readManaged() keeps nothing of a policy that was taken back", async () => {
  const { stored } = store({}, undefined, {});
  stored.policy = { address: "https://own.example" };
  await readManaged();
  expect(await readAccount()).toMatchObject({ settings: { address: "" }, managed: {} });
});

test("readManaged() ends, with what was set before, where the browser never says anything", async () => {
  vi.useFakeTimers();
  const { stored } = store({}, undefined, new Promise(() => {}));
  const policy = { address: "https://own.example" };
  stored.policy = policy;
  const reading = readManaged();
  await vi.advanceTimersByTimeAsync(10_000);
  await reading;
  vi.useRealTimers();
  expect(await readSettings()).toMatchObject(policy);
});

test("a setting that depends on another is shown with it alone", () => {
  const shown = (name: SettingName, typed: object) =>
    (SETTINGS[name] as Setting<unknown>).isUsed?.({ ...DEFAULT_SETTINGS, ...typed } as never);
  expect([shown("streamMenuPages", { streamMenu: "listed" }), shown("streamMenuPages", {})]).toEqual([
    true,
    false,
  ]);
  expect([
    shown("notifyReady", { "path-asset": "/a/{id}" }),
    shown("notifyReady", { "path-asset": "" }),
  ]).toEqual([true, false]);
});
