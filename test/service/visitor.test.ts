import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { authorization, send } from "./bare-requests.ts";
import { useService } from "./use-service.ts";

const service = useService();

/** Everything that tells, changes or forgets something. */
const DEMO = [
  "GET /_demo/assets",
  "GET /_demo/assets/any",
  "GET /_demo/streams",
  "POST /_demo/streams/launch-stream/start",
  "GET /_demo/uploads",
  "GET /_demo/requests",
  "GET /_demo/switches",
  "PUT /_demo/switches",
  "POST /_demo/reset",
  "GET /_demo/service",
];
const OTHERS = [
  "GET /",
  "GET /%5Fdemo/service",
  "GET /page/page.js",
  "POST /api/asset/request-upload",
  "DELETE /stream/launch-stream/terminate",
];
const SHOWN = "GET /_demo/service";
const portOf = (address: string) => new URL(address).port;

/** The status of an answer to a request, written as it is. */
function ask(address: string, line: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(portOf(address)), "127.0.0.1");
    let answer = "";
    socket.on("data", (data) => {
      answer += data;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])));
    const lines = Object.entries({ connection: "close", ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    socket.write(`${line} HTTP/1.1\r\n${lines.join("")}\r\n`);
  });
}

describe("a request in another host's name", () => {
  test.each(["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "localhost.", "2130706433"])(
    "is refused everywhere: %s",
    async (name) => {
      const { baseUrl, uploadUrl } = service;
      const host = `${name}:${portOf(baseUrl)}`;
      for (const line of [...DEMO, ...OTHERS])
        expect(await ask(baseUrl, line, { host, ...authorization(service) }), line).toBe(421);
      const direct = "PUT /api/asset/upload/direct?token=x";
      expect(await ask(uploadUrl, direct, { host: `${name}:${portOf(uploadUrl)}` })).toBe(421);
      expect(await service.requests()).toEqual([]);
    },
  );

  test("is refused with a host in the request line, or none, and at the service's own pages on another port", async () => {
    const { host } = new URL(service.baseUrl);
    expect(await ask(service.baseUrl, "GET http://evil.example/_demo/service", { host })).toBe(421);
    expect(await ask(service.baseUrl, SHOWN, { host: "" })).toBe(421);
    expect(await ask(service.baseUrl, SHOWN, {})).toBe(400);
    for (const line of DEMO) expect(await ask(service.baseUrl, line, { host: "127.0.0.1:1" })).toBe(421);
  });

  test.each(["127.0.0.1", "localhost", "LOCALHOST", "video.localhost", "127.1.2.3", "[::1]"])(
    "is answered in a name of this computer: %s",
    async (name) => {
      const host = `${name}:${portOf(service.baseUrl)}`;
      for (const line of [SHOWN, "GET /"]) expect(await ask(service.baseUrl, line, { host })).toBe(200);
    },
  );
});

test("what is answered to the service's own page is kept in no cache", async () => {
  for (const line of DEMO.filter((line) => line.startsWith("GET"))) {
    const { headers } = await fetch(service.baseUrl + line.slice("GET ".length));
    expect(headers.get("cache-control"), line).toBe("no-store");
  }
});

describe("a request from another origin", () => {
  test("learns, changes and resets nothing", async () => {
    const { baseUrl, uploadUrl } = service;
    const { host } = new URL(baseUrl);
    const before = await service.streams();
    const foreign = [
      ...["null", "", "http://evil.example", "https://evil.example", "chrome-extension://abcdefghijklmnop"],
      ...[
        "file://",
        uploadUrl,
        baseUrl.replace("http:", "https:"),
        baseUrl.replace("127.0.0.1", "localhost"),
      ],
    ].map((origin) => ({ origin }));
    const sites = ["cross-site", "same-site"].map((site) => ({ "sec-fetch-site": site }));
    for (const headers of [...foreign, ...sites])
      for (const line of DEMO)
        expect([headers, line, await ask(baseUrl, line, { host, ...headers })]).toEqual([headers, line, 403]);
    expect(await service.streams()).toEqual(before);
  });

  test("is answered if it is the service's own", async () => {
    const headers = { origin: service.baseUrl, "sec-fetch-site": "same-origin" };
    expect((await send(`${service.baseUrl}/_demo/reset`, { method: "POST", headers })).status).toBe(204);
    const typed = { headers: { "sec-fetch-site": "none" } };
    expect((await send(`${service.baseUrl}/_demo/service`, typed)).status).toBe(200);
  });
});
