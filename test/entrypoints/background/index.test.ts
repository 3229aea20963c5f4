/** The worker as it starts: what it listens to at once, what it has made, and what it tells the document. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import background from "../../../entrypoints/background/index.ts";
import { TO_OFFSCREEN } from "../../../entrypoints/shared/messages.ts";
import { endSearch, type StubbedWorker, stubWorker } from "../../support/extension/stub-worker.ts";

let worker: StubbedWorker;
let told: { type: string }[];
let commands: BroadcastChannel;
const names = () => worker.calls.map(([name]) => name);

beforeEach(() => {
  worker = stubWorker({
    "permissions.contains": true,
    "permissions.getAll": {},
    "runtime.getContexts": [{}],
    "declarativeNetRequest.getSessionRules": [],
  });
  vi.stubGlobal("location", { host: "upcut" });
  told = [];
  commands = new BroadcastChannel(TO_OFFSCREEN);
  commands.onmessage = ({ data }) => void told.push(data);
  background.main();
});
afterEach(() => commands.close());

/** The response to a request of another context. */
function ask(type: string, request: object = {}): Promise<unknown> {
  const message = { to: "background", type, ...request };
  return new Promise((respond) => worker.fire("runtime.onMessage", message, { id: "upcut" }, respond));
}

test("the token is kept from content scripts", () => {
  expect(worker.calls).toContainEqual(["storage.setAccessLevel", { accessLevel: "TRUSTED_CONTEXTS" }]);
});

test.each([
  ["runtime.onInstalled", { reason: "install" }, true],
  ["runtime.onInstalled", { reason: "update" }, false],
  ["runtime.onStartup", undefined, false],
])("%s with %j makes the menus, watches uploads, and opens the options: %s", async (event, given, opens) => {
  worker.answers["runtime.getContexts"] = [];
  worker.fire(event, given);
  await expect.poll(names).toContain("offscreen.createDocument");
  await expect.poll(names).toContain("contextMenus.create");
  expect(names()).toContain("alarms.create");
  expect(names().includes("runtime.openOptionsPage")).toBe(opens);
});

test("an alarm closes a document that is idle", async () => {
  worker.stored.session["open-uploads"] = false;
  worker.answers["runtime.getContexts"] = async ({ contextTypes }: { contextTypes: string[] }) =>
    contextTypes.includes("OFFSCREEN_DOCUMENT") ? [{}] : [];
  worker.fire("alarms.onAlarm");
  await expect.poll(names).toContain("offscreen.closeDocument");
});

test("a click on a menu is acted on", async () => {
  worker.fire("contextMenus.onClicked", { menuItemId: "action" });
  await expect.poll(names).toContain("windows.create");
});

test("a change of what is stored goes to the menus, and to the document", async () => {
  const address = "https://local.example";
  Object.assign(worker.stored.local, { settings: { address }, token: "tok-2" });
  worker.fire("storage.onChanged", {}, "session");
  worker.fire("storage.onChanged", { token: { newValue: "tok-2" } }, "local");
  await expect.poll(() => told).toHaveLength(2);
  expect(told).toMatchObject([
    { type: "settings-changed", settings: { address } },
    { type: "account-changed", faults: ["token"] },
  ]);
  await expect.poll(names).toContain("contextMenus.create");
  await expect.poll(names).toContain("declarativeNetRequest.updateSessionRules");
});

test("a policy that an organization changes is stored, so that it is a change like any other", async () => {
  worker.stored.managed.address = "https://own.example";
  worker.fire("storage.onChanged", {}, "managed");
  await expect.poll(() => worker.stored.local.policy).toEqual({ address: "https://own.example" });
});

test("a host that was allowed goes to the document", async () => {
  worker.fire("permissions.onAdded");
  await expect.poll(() => told).toEqual([{ type: "hosts-changed" }]);
});

test.each(["permissions.onAdded", "windows.onFocusChanged"])(
  "after %s, the popup is opened again",
  async (event) => {
    worker.answers["runtime.getContexts"] = [];
    worker.stored.session.dialog = { batch: "one", kind: "host", at: Date.now() };
    worker.fire(event);
    await expect.poll(names).toContain("action.openPopup");
    await endSearch(worker.stored);
  },
);

const summary = { running: 1, waiting: 0, fraction: 0.5, unfinished: 1, unended: 1 };

test.each<[string, object, string[], unknown]>([
  ["ensure-offscreen", {}, ["alarms.create"], null],
  ["is-permitted", { address: "https://video.example" }, ["permissions.contains"], true],
  ["redirect-of", { address: "https://video.example/1" }, [], null],
  ["read-settings", {}, [], expect.objectContaining({ address: "" })],
  ["list-changed", { summary }, ["action.setBadgeText", "power.releaseKeepAwake", "alarms.create"], null],
  ["assets-followed", { isAtWork: true }, ["alarms.create"], null],
  ["upload-stopped", { jobId: "one" }, [], null],
  ["recall-location", { jobId: "one" }, [], null],
  ["locations-stored", { jobIds: ["one"] }, [], null],
  ["terminate-stream", { id: "one" }, [], { missing: "settings" }],
  ["check-account", {}, [], { missing: "settings" }],
  ["forget-account", { hosts: true }, ["permissions.getAll"], null],
  ["taken", { batch: "one", jobIds: [] }, [], null],
])("the request %s is served", async (type, request, calls, response) => {
  expect(await ask(type, request)).toEqual(response);
  expect(names()).toEqual(expect.arrayContaining(calls));
});

test("what the document reports is noted until the browser ends", async () => {
  await ask("list-changed", { summary });
  await ask("assets-followed", { isAtWork: true });
  expect(worker.stored.session).toMatchObject({ "open-uploads": true, "follows-videos": true });
  await ask("list-changed", { summary: { ...summary, unended: 0 } });
  expect(worker.stored.session).toMatchObject({ "open-uploads": false });
});
