/** What is said when no secure connection comes about, and when one breaks after the request was sent. */
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, createClient } from "../../../core/mod.ts";
import { caught } from "../../support/caught.ts";
import { listen } from "../../support/hosts/listen.ts";
import { MARKER } from "../../support/marker.ts";
import { follow, runScript, type Script } from "../../support/programs/script.ts";
import { useFolder } from "../../support/use-folder.ts";

const HINT = "Check whether the address begins with http: or https:";
const inBun = "Bun" in globalThis;
const calls = [
  {
    name: "requestUpload()",
    lost: "asset-unknown",
    make: (to: Client) => to.requestUpload({ name: "Video" }),
  },
  {
    name: "terminateStream()",
    lost: "terminate-unknown",
    make: (to: Client) => to.terminateStream("launch-stream"),
  },
];

/** Answers the first bytes of each connection with bytes of its own, and closes. */
const answering = (bytes: Uint8Array | string) =>
  listen(
    createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(bytes));
    }),
  );

const client = (scheme: string, origin: string) =>
  createClient({ baseUrl: origin.replace("http", scheme), token: `${MARKER}-token` });

describe.each(calls)("$name", ({ lost, make }) => {
  test("tells that nothing was sent when https is typed for a port that speaks http", async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests++;
      response.writeHead(204).end();
    });
    const origin = await listen(server);
    const error = await caught(make(client("https", origin)));
    expect(error).toMatchObject({ name: "ConnectionError", code: "unreachable", retryable: true });
    expect(error.message).toContain(`${origin.replace("http", "https")} could not be reached`);
    expect(error.message.endsWith(`. Nothing was sent. ${HINT}`)).toBe(true);
    expect(requests).toBe(0);
  });

  test.each<[string, Uint8Array | string]>([
    ["a handshake failure", Uint8Array.of(21, 3, 3, 0, 2, 2, 40)],
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n"],
  ])("tells that nothing was sent when the handshake is answered with %s", async (_, bytes) => {
    const error = await caught(make(client("https", await answering(bytes))));
    expect(error.code).toBe("unreachable");
    expect(error.message.endsWith(`. Nothing was sent. ${HINT}`)).toBe(true);
  });

  test("tells that nothing was sent when the handshake breaks off, where the runtime tells that", async () => {
    const error = await caught(make(client("https", await answering(""))));
    // Bun says the same of a connection that broke later.
    expect(error.code).toBe(inBun ? lost : "unreachable");
  });

  test.each([
    "<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>",
    "Client sent an HTTP request to an HTTPS server.\n",
    "<!DOCTYPE HTML><title>400 Bad Request</title><p>Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />Instead use the HTTPS scheme.</p>",
    "Bad Request\r\nThis combination of host and port requires TLS.\r\n",
  ])("says so when http is typed for a port that speaks https and answers %j", async (body) => {
    const answer = `HTTP/1.1 400 Bad Request\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
    const error = await caught(make(client("http", await answering(answer))));
    expect(error).toMatchObject({
      name: "ServiceError",
      code: "wrong-address",
      httpStatus: 400,
      retryable: false,
    });
    expect(error.message.endsWith(`. ${HINT}`)).toBe(true);
  });

  test("leaves a 400 of the service that speaks of addresses to its own sentence", async () => {
    const body = '{"errors":["url must begin with http: or https:"]}';
    const answer = `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
    const error = await caught(make(client("http", await answering(answer))));
    expect(error.code).toBe("rejected");
  });

  test("doesn't claim that nothing was sent by http to a port that answers in TLS", async () => {
    const error = await caught(make(client("http", await answering(Uint8Array.of(21, 3, 1, 0, 2, 2, 70)))));
    expect(error.code).toBe(lost);
    // Bun says no more than that the connection closed.
    if (!inBun) expect(error.message.endsWith(`. ${HINT}`)).toBe(true);
  });
});

describe("with a certificate", () => {
  interface Ports {
    known: number;
    unknown: number;
    plain: number;
    alert: number;
  }
  const folder = useFolder("tls");
  let servers: Script;
  let ports: Ports;
  let authority: string;

  beforeAll(async () => {
    authority = join(folder.path, "authority.pem");
    servers = follow("node", ["--import", "tsx", "test/support/hosts/tls-servers.ts", authority], {});
    await servers.prints(/\}\n/);
    ports = JSON.parse(servers.output()) as Ports;
  });
  afterAll(() => void servers.process.kill());

  /** Both calls from a process that takes the authority for one. */
  async function callOnce(port: number): Promise<[string, string][]> {
    const trust = { NODE_EXTRA_CA_CERTS: authority, DENO_CERT: authority };
    const script = runScript("test/support/core/call-once.ts", [`https://127.0.0.1:${port}`], trust);
    const { code, output } = await script.ended();
    expect([code, output]).toEqual([0, output]);
    return output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as [string, string]);
  }

  test("a certificate of a known authority is taken", async () => {
    const [, ended] = await callOnce(ports.known);
    expect(ended?.[0]).toBe("none");
  });

  test("nothing was sent where the authority is unknown", async () => {
    for (const [code, message] of await callOnce(ports.unknown)) {
      expect([code, message]).toEqual(["unreachable", message]);
      expect(message).toContain("Nothing was sent");
      expect(message).not.toContain(HINT);
    }
  });

  test.each(["plain", "alert"] as const)(
    "a secure connection that breaks after the request was sent leaves the outcome open (%s)",
    async (kind) => {
      const before = servers.output().length;
      const told = await callOnce(ports[kind]);
      expect(told.map(([code]) => code)).toEqual(["asset-unknown", "terminate-unknown"]);
      for (const [, message] of told) expect(message).not.toContain("Nothing was sent");
      // What the errors leave open is so: both requests had arrived.
      expect(
        servers
          .output()
          .slice(before)
          .match(/read a request/g),
      ).toHaveLength(2);
    },
  );
});
