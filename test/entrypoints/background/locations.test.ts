/** A location is asked for once for each upload, whatever the worker was doing when it ended. */
import { beforeEach, expect, test, vi } from "vitest";
import { knownAccount } from "../../../entrypoints/shared/known-account.ts";
import { DEFAULT_SETTINGS } from "../../../entrypoints/shared/settings.ts";
import { useService } from "../../service/use-service.ts";
import { stubAccount } from "../../support/extension/stub-account.ts";

const service = useService();
const wanted = { jobId: "one", request: { name: "video.mp4" } };
type Items = Record<string, { state?: string }>;
/** What outlives the worker, and how it is put there. */
let kept: Items;
let keep: (items: Items) => Promise<void>;

beforeEach(() => {
  kept = {};
  keep = async (items) => void Object.assign(kept, structuredClone(items));
  const session = {
    get: async (key: string) => ({ [key]: kept[key] }),
    set: (items: Items) => keep(items),
    remove: async (key: string) => void delete kept[key],
  };
  const stored = { settings: { address: service.baseUrl }, token: service.token };
  const local = { get: async () => stored, set: async () => {} };
  stubAccount({}, { storage: { local, session, managed: { get: async () => ({}) } } });
});

/** The worker in its next life. */
async function begin() {
  vi.resetModules();
  return await import("../../../entrypoints/background/locations.ts");
}

/** Asks in a life that ends when it keeps this state: before or after that is kept. */
async function askUntil(state: string, when: "before" | "after"): Promise<void> {
  const { requestLocation } = await begin();
  const put = keep;
  await new Promise<void>((end) => {
    keep = async (items) => {
      const isLast = Object.values(items).some((each) => each.state === state);
      if (!isLast || when === "after") await put(items);
      if (!isLast) return;
      end();
      await new Promise(() => {});
    };
    void requestLocation(wanted);
  });
  keep = put;
}

test.each([
  ["before it noted that a request leaves", "sent", "before"],
  ["after it kept the answer, before it was handed over", "answered", "after"],
] as const)("a worker that ended %s loses nothing", async (_, state, when) => {
  await askUntil(state, when);
  const { requestLocation } = await begin();
  expect(await requestLocation(wanted)).toMatchObject({ location: { asset: { name: "video.mp4" } } });
  expect(await service.requests("POST", "request-upload")).toHaveLength(1);
});

test.each([
  ["while the service was asked", "sent", "after", 0],
  ["after the answer came, before it was kept", "answered", "before", 1],
] as const)("a worker that ended %s leaves it open once, not twice", async (_, state, when, made) => {
  await askUntil(state, when);
  const { requestLocation } = await begin();
  expect(await requestLocation(wanted)).toMatchObject({ error: { code: "asset-unknown" } });
  expect(await service.assets()).toHaveLength(made);
  const [answer] = await Promise.all([requestLocation(wanted), requestLocation(wanted)]);
  expect(answer).toHaveProperty("location");
  expect(await service.assets()).toHaveLength(made + 1);
});

test("a request waits for what the organization sets, and isn't sent where that is another service", async () => {
  let resolve: (policy: object) => void = () => {};
  const promise = new Promise<object>((known) => {
    resolve = known;
  });
  const stored: Record<string, unknown> = { settings: { address: service.baseUrl }, token: service.token };
  const local = { get: async () => stored, set: async (items: object) => void Object.assign(stored, items) };
  stubAccount({}, { storage: { ...chrome.storage, local, managed: { get: () => promise } } });
  const { requestLocation } = await begin();
  const before = (await service.assets()).length;
  const asked = requestLocation({ ...wanted, jobId: "managed" });
  resolve({ address: "https://own.example" });
  expect(await asked).toMatchObject({ error: { code: "invalid-option" } });
  expect(await service.assets()).toHaveLength(before);
});

test("a location is asked for with the account that the upload is for, and with no other", async () => {
  const settings = { ...DEFAULT_SETTINGS, address: service.baseUrl };
  const [own, other] = await Promise.all(
    [service.token, "another-token"].map((token) => knownAccount({ settings, token })),
  );
  const { requestLocation } = await begin();
  const before = (await service.assets()).length;
  const ask = (jobId: string, account: string | undefined) => requestLocation({ ...wanted, jobId, account });
  expect(await ask("other", other?.id)).toEqual({ missing: { permission: "account", id: own?.id } });
  expect(await service.assets()).toHaveLength(before);
  expect(await ask("own", own?.id)).toHaveProperty("location");
  // It was given to the account that it is for.
  expect(await ask("own", other?.id)).toHaveProperty("location");
  expect(await service.assets()).toHaveLength(before + 1);
});
