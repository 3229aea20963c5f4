import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { auth, send, useServiceInProcess } from "./harness.ts";

const service = useServiceInProcess();

/** Everything that tells, changes or forgets something. */
const DEMO: [string, string][] = [
  ["GET", "/_demo/assets"],
  ["GET", "/_demo/assets/any"],
  ["GET", "/_demo/streams"],
  ["POST", "/_demo/streams/launch-stream/start"],
  ["GET", "/_demo/uploads"],
  ["GET", "/_demo/requests"],
  ["DELETE", "/_demo/requests"],
  ["GET", "/_demo/switches"],
  ["PUT", "/_demo/switches"],
  ["DELETE", "/_demo/switches"],
  ["POST", "/_demo/reset"],
  ["GET", "/_demo/service"],
];

/** The status of an answer to a request, written as it is. */
function ask(
  address: string,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<number> {
  const { port } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), "127.0.0.1");
    let answer = "";
    socket.on("data", (data) => {
      answer += data;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])));
    const lines = Object.entries({ connection: "close", ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  });
}

const portOf = (address: string) => new URL(address).port;

describe("a request in another host's name", () => {
  const NAMES = [
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "localhost.",
    "2130706433",
  ];

  test.each(NAMES)("is refused everywhere: %s", async (name) => {
    const [api, upload] = [service.url("/"), service.uploadUrl("/")];
    const host = `${name}:${portOf(api)}`;
    const others: [string, string][] = [
      ["GET", "/"],
      ["GET", "/%5Fdemo/service"],
      ["GET", "/page/page.js"],
      ["POST", "/api/asset/request-upload"],
      ["DELETE", "/stream/launch-stream/terminate"],
    ];
    for (const [method, path] of [...DEMO, ...others])
      expect(await ask(api, method, path, { host, ...auth })).toBe(421);
    const direct = "/api/asset/upload/direct?token=x";
    expect(await ask(upload, "PUT", direct, { host: `${name}:${portOf(upload)}` })).toBe(421);
    expect((await service.demo<{ requests: object[] }>("requests")).requests).toEqual([]);
  });

  test("is refused with a host in the request line, or none", async () => {
    const { host } = new URL(service.url("/"));
    const line = "http://evil.example/_demo/service";
    expect(await ask(service.url("/"), "GET", line, { host })).toBe(421);
    expect(await ask(service.url("/"), "GET", "/_demo/service", { host: "" })).toBe(421);
    expect(await ask(service.url("/"), "GET", "/_demo/service", {})).toBe(400);
  });

  test("is refused at the service's own pages on another port", async () => {
    for (const [method, path] of DEMO)
      expect(await ask(service.url("/"), method, path, { host: "127.0.0.1:1" })).toBe(421);
  });

  test.each(["127.0.0.1", "localhost", "LOCALHOST", "video.localhost", "127.1.2.3", "[::1]"])(
    "is answered in a name of this computer: %s",
    async (name) => {
      const host = `${name}:${portOf(service.url("/"))}`;
      expect(await ask(service.url("/"), "GET", "/_demo/service", { host })).toBe(200);
      expect(await ask(service.url("/"), "GET", "/", { host })).toBe(200);
    },
  );
});

describe("a request from another origin", () => {
  const origins = () => [
    "null",
    "",
    "http://evil.example",
    "https://evil.example",
    "chrome-extension://abcdefghijklmnop",
    "file://",
    service.uploadUrl(""),
    service.url("").replace("http:", "https:"),
    service.url("").replace("127.0.0.1", "localhost"),
  ];

  test("learns, changes and resets nothing", async () => {
    const host = new URL(service.url("/")).host;
    const before = await service.demo("streams");
    const sites = ["cross-site", "same-site"].map((site) => ({ "sec-fetch-site": site }));
    for (const foreign of [...origins().map((origin) => ({ origin })), ...sites])
      for (const [method, path] of DEMO) {
        const status = await ask(service.url("/"), method, path, { host, ...foreign });
        expect([foreign, path, status]).toEqual([foreign, path, 403]);
      }
    expect(await service.demo("streams")).toEqual(before);
  });

  test("is answered if it is the service's own", async () => {
    const origin = service.url("");
    const headers = { origin, "sec-fetch-site": "same-origin" };
    expect((await send(service.url("/_demo/reset"), { method: "POST", headers })).status).toBe(204);
    const typed = { headers: { "sec-fetch-site": "none" } };
    expect((await send(service.url("/_demo/service"), typed)).status).toBe(200);
  });
});
