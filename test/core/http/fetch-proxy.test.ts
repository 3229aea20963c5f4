/** A proxy that the environment names carries the account's calls and the upload alike, or neither, as the runtime does. */
import { createServer, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { writeContent } from "../../support/content.ts";
import { startHostileHost, TOKEN } from "../../support/hosts/hostile-host.ts";
import { listen } from "../../support/hosts/listen.ts";
import { runScript } from "../../support/programs/script.ts";
import { useFolder } from "../../support/use-folder.ts";

const folder = useFolder("proxy");

/** A proxy that notes the path of each request it carries, in either way that runtimes ask for. */
async function startProxy(): Promise<{ address: string; carried: string[] }> {
  const carried: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = "", headers } = incoming;
    const url = new URL(incoming.url ?? "");
    carried.push(`${method} ${url.pathname}`);
    const onward = httpRequest(url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  server.on("connect", (incoming, socket) => {
    const { hostname, port } = new URL(`http://${incoming.url}`);
    const onward = connect(Number(port), hostname, () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    socket.on("data", (bytes: Buffer) => {
      for (const [line] of bytes.toString("latin1").matchAll(/^[A-Z]+ \/\S*(?= HTTP\/1\.1\r)/gm))
        carried.push(line.split("?", 1)[0] ?? "");
      onward.write(bytes);
    });
    onward.pipe(socket);
    for (const end of [socket, onward]) end.on("error", () => {});
  });
  return { address: await listen(server), carried };
}

test.each(["resumable", "direct"])(
  "%s: a proxy carries every request of a file's upload, or none",
  async (method) => {
    const [host, proxy] = [await startHostileHost(), await startProxy()];
    const path = `${folder.path}/video.mp4`;
    await writeContent(path, 2_000_000);
    const plan = JSON.stringify({ path, method, options: { retry: { attempts: 0 } } });
    const script = runScript("test/faults/client.ts", [plan], {
      UPCUT_URL: host.origin,
      UPCUT_TOKEN: TOKEN,
      HTTP_PROXY: proxy.address,
      http_proxy: proxy.address,
      NO_PROXY: "",
      no_proxy: "",
      NODE_USE_ENV_PROXY: "1",
    });
    const { code, output } = await script.ended();
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/\{"kind":"whole","assetId":"asset-1",.*\}\n$/),
    ]);
    const asked = host.requests.map(({ method, path }) => `${method} ${path.split("?", 1)[0]}`);
    expect(asked).toHaveLength(method === "direct" ? 2 : 3);
    const known =
      Number(process.versions.node.split(".")[0]) >= 24 || "Bun" in globalThis || "Deno" in globalThis;
    // Older versions of Node know no proxy of the environment.
    expect(proxy.carried.sort()).toEqual(known ? asked.sort() : []);
  },
);
