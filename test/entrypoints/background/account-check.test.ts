import { beforeEach, expect, test } from "vitest";
import { checkAccount, terminateStream } from "../../../entrypoints/background/account.ts";
import { useService } from "../../service/use-service.ts";
import { stubAccount } from "../../support/extension/stub-account.ts";

const service = useService();
const terminate = "/api/stream/{id}/terminate";
const asset = "/api/asset/{id}";
const notFound = { host: "api", method: "GET", path: "/api/asset/", status: 404 };
/** As JSON, wherever in the service it is. */
const unknown = (path: string, words: string, method = "GET") => ({
  ...{ ...notFound, method, path, contentType: "application/json" },
  body: JSON.stringify({ errors: [words] }),
});

let stored: { settings: object; token: string };

beforeEach(() => {
  stored = { settings: { address: service.baseUrl }, token: service.token };
  stubAccount(stored);
});

test.each([
  ["says as JSON that it knows no such asset", { assetCall: true }, { asset }],
  ["has both calls below its prefix", { assetCall: true, streamPrefix: "/api" }, { terminate, asset }],
  [
    "says the same of whatever it doesn't have",
    { assetCall: true, streamPrefix: "/api", saysNotFound: true },
    { terminate, asset },
  ],
  ["has no call that reads an asset", {}, {}],
  ["has something else there", { answerStatus: [{ ...notFound, body: "<p>" }] }, {}],
  ["is overloaded", { assetCall: true, answerStatus: [{ ...notFound, status: 429 }] }, {}],
  ["says as JSON that nothing is there", { answerStatus: [unknown("/api/", "not found")] }, {}],
  ["names the path that isn't there", { answerStatus: [unknown("/api/asset/", "no /api/asset")] }, {}],
  [
    "says the same of streams and of whatever it doesn't have",
    {
      answerStatus: [
        { ...notFound, method: "DELETE", path: "/stream/upcut", body: "<p>", times: 1 },
        unknown("/api/", "not found", "DELETE"),
      ],
    },
    {},
  ],
] as const)("checkAccount() finds the paths of a service that %s", async (_, switches, paths) => {
  await service.set(switches as never);
  expect(await checkAccount()).toMatchObject({ check: { paths } });
});

test("checkAccount() looks for no path that is set, and for none where the token is refused", async () => {
  await service.set({ assetCall: true });
  stored.settings = { address: service.baseUrl, paths: { requestUpload: "", terminate: "", asset } };
  expect(await checkAccount()).toMatchObject({ check: { token: "accepted", paths: {} } });
  Object.assign(stored, { settings: { address: service.baseUrl }, token: "unknown" });
  expect(await checkAccount()).toMatchObject({ error: { code: "unauthorized" } });
  expect(await service.requests("GET")).toEqual([]);
});

test("terminateStream() ends a stream at the other place of the call in the same click, and keeps that", async () => {
  await service.set({ streamPrefix: "/api", saysNotFound: true });
  expect(await terminateStream("launch-stream")).toEqual({ ended: true });
  const paths = { requestUpload: "", terminate, asset: "" };
  expect(stored.settings).toEqual({ address: service.baseUrl, paths });
  expect(await terminateStream("nobody")).toMatchObject({ error: { code: "not-found" } });
});
