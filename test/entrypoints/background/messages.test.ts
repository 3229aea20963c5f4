/** Which messages the worker responds to: those of the extension's own contexts, each by its handler. */
import { beforeEach, expect, test, vi } from "vitest";
import { handleRequests } from "../../../entrypoints/background/messages.ts";
import { type StubbedWorker, stubWorker } from "../../support/extension/stub-worker.ts";

let worker: StubbedWorker;
const handlers = {
  "is-permitted": async ({ address }: { address: string }) => address === "https://video.example",
  taken: async () => undefined,
  "forget-account": async () => Promise.reject(new Error("nobody foresaw")),
};

beforeEach(() => {
  worker = stubWorker();
  handleRequests(handlers as unknown as Parameters<typeof handleRequests>[0]);
});

/** The response to a message; nothing where nobody keeps the channel open for one. */
function responseTo(message: unknown, sender: object = {}): Promise<unknown> {
  return new Promise((respond) => {
    const [isKept] = worker.fire("runtime.onMessage", message, { id: "upcut", ...sender }, respond);
    if (isKept !== true) respond("none");
  });
}

const asked = { to: "background", type: "is-permitted", address: "https://video.example" };

test("a request is handed to the handler of its type, with what it says", async () => {
  expect(await responseTo(asked)).toBe(true);
  expect(await responseTo({ ...asked, address: "" })).toBe(false);
  expect(await responseTo({ ...asked, type: "taken" })).toBe(null);
});

test("a handler that fails is said to give no response, and what failed goes to the log by its name alone", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  expect(await responseTo({ ...asked, type: "forget-account" })).toEqual({ noResponse: true });
  expect(logged).toHaveBeenCalledOnce();
  expect(JSON.stringify(logged.mock.calls)).not.toContain("nobody foresaw");
  logged.mockRestore();
});

test.each([
  ["of another extension", asked, { id: "other" }],
  ["of a script in a page", asked, { url: "https://site.example/" }],
  ["for another context", { ...asked, to: "offscreen" }, {}],
  ["of no known type", { ...asked, type: "other" }, {}],
  ["of an inherited name", { ...asked, type: "toString" }, {}],
  ["without anything", null, {}],
])("a message %s gets no response", async (_, message, sender) => {
  expect(await responseTo(message, sender)).toBe("none");
});

test("a page of the extension gets a response", async () => {
  expect(await responseTo(asked, { url: "chrome-extension://upcut/popup.html" })).toBe(true);
});
