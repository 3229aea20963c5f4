/** The entries of the context menu, and what a click on one does to a stream. */
import { beforeEach, expect, test, vi } from "vitest";
import { createMenus, onMenuClick } from "../../../entrypoints/background/menus.ts";
import { STREAM_LINKS } from "../../../entrypoints/background/stream-id.ts";
import { useService } from "../../service/use-service.ts";
import { type StubbedWorker, stubWorker } from "../../support/extension/stub-worker.ts";

const service = useService();
let worker: StubbedWorker;
/** What the browser lets the extension do. */
let allowed: (asked: { origins?: string[]; permissions?: string[] }) => boolean;

beforeEach(() => {
  allowed = () => true;
  worker = stubWorker({
    "permissions.contains": async (asked: object) => allowed(asked),
    "declarativeNetRequest.getSessionRules": [],
  });
  vi.stubGlobal("location", { host: "upcut" });
  set({});
  worker.stored.local.token = service.token;
});

function set(settings: object): void {
  worker.stored.local.settings = { address: service.baseUrl, confirmTerminate: false, ...settings };
}

const given = (name: string) => worker.calls.flatMap(([each, first]) => (each === name ? [first] : []));
const click = (menuItemId: string, more: object = {}, tab?: object) =>
  onMenuClick({ menuItemId, ...more } as chrome.contextMenus.OnClickData, tab as chrome.tabs.Tab | undefined);

test("menus are made anew: for selections and links on the pages of streams, and on pages about one", async () => {
  set({ address: "https://api.video.example", streamPage: "/streams/([^/]+)" });
  await createMenus();
  expect(worker.calls[0]?.[0]).toBe("contextMenus.removeAll");
  const pages = ["*://*.video.example/*"];
  expect(given("contextMenus.create").slice(2)).toEqual([
    { id: "selection", contexts: ["selection"], title: expect.any(String), documentUrlPatterns: pages },
    {
      id: "link",
      contexts: ["link"],
      title: expect.any(String),
      documentUrlPatterns: pages,
      targetUrlPatterns: STREAM_LINKS,
    },
    { id: "action", contexts: ["action"], title: expect.any(String) },
    {
      id: "page",
      contexts: ["page"],
      title: expect.any(String),
      documentUrlPatterns: ["*://*.video.example/*streams/*"],
    },
  ]);
  for (const { title } of given("contextMenus.create") as { title: string }[]) expect(title).not.toBe("");
});

test.each([
  [{ streamMenu: "everywhere", streamPage: "" }, ["selection", "link", "action"]],
  [{ address: "", streamPage: "/streams/([^/]+)" }, ["action"]],
])("with %j, streams have the menus %j", async (settings, ids) => {
  set(settings);
  await createMenus();
  const made = given("contextMenus.create") as { id: string; documentUrlPatterns?: string[] }[];
  expect(made.map(({ id }) => id).slice(2)).toEqual(ids);
  for (const entry of made.slice(2)) expect(entry).not.toHaveProperty("documentUrlPatterns");
});

test("Firefox has an entry for the panel, which opens it within the click", async () => {
  vi.stubEnv("FIREFOX", "true");
  vi.resetModules();
  const inFirefox = await import("../../../entrypoints/background/menus.ts");
  vi.resetModules();
  vi.unstubAllEnvs();
  await inFirefox.createMenus();
  const entry = { id: "panel", contexts: ["action"], title: expect.stringMatching(/./) };
  expect(given("contextMenus.create")).toContainEqual(entry);
  await click("panel", {}, { windowId: 3 });
  await click("panel");
  expect(given("sidePanel.open")).toEqual([{ windowId: 3 }]);
});

const stream = "9a1b-77c2";

test.each([
  ["selection", { selectionText: ` ${stream} `, pageUrl: "https://video.example/streams/other" }],
  ["link", { linkUrl: `https://video.example/streams/${stream}`, selectionText: "other" }],
  [
    "page",
    { pageUrl: `https://video.example/streams/${stream}`, linkUrl: "https://a.example/streams/other" },
  ],
])(
  "the entry of a %s ends the stream that it names, and a notification says what came of it",
  async (id, info) => {
    await click(id, info);
    expect(given("windows.create")).toEqual([]);
    const [path] = (await service.requests()).map(({ path }) => path);
    expect(path).toContain(stream);
    expect(worker.calls.at(-1)).toEqual([
      "notifications.create",
      "upcut-stream",
      expect.objectContaining({ message: expect.stringContaining(stream) }),
    ]);
  },
);

test("where it is unknown whether the stream ended, the notification says what trying again ends", async () => {
  await service.set({ answerStatus: [{ host: "api", status: 500 }] });
  await click("selection", { selectionText: stream });
  expect(worker.calls.at(-1)?.[2]).toMatchObject({
    message: expect.stringContaining("Trying again ends whatever stream is live then."),
  });
});

const windowFor = (id: string) => [
  {
    type: "popup",
    width: 440,
    height: 420,
    url: `chrome-extension://upcut/terminate.html?id=${encodeURIComponent(id)}`,
  },
];

test.each<[string, string, () => void, object, string]>([
  ["the person is to confirm it", stream, () => set({ confirmTerminate: true }), {}, stream],
  [
    "no notification would tell",
    stream,
    () => {
      allowed = ({ permissions }) => !permissions?.includes("notifications");
    },
    {},
    stream,
  ],
  [
    "the service isn't allowed",
    stream,
    () => {
      allowed = ({ origins }) => !origins?.length;
    },
    {},
    stream,
  ],
  ["what is selected can't be an id", " .. ", () => {}, {}, ".."],
  ["nothing is selected", "", () => {}, { selectionText: undefined }, ""],
])("a window asks where %s", async (_, selectionText, prepare, more, id) => {
  prepare();
  await click("selection", { selectionText, ...more });
  expect(given("windows.create")).toEqual(windowFor(id));
  expect(given("notifications.create")).toEqual([]);
  expect(await service.requests()).toEqual([]);
});
