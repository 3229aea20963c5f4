/** The gateway among the examples, served as its first lines say. */
import { expect, test } from "vitest";
import { useService } from "../../service/use-service.ts";
import { freePort } from "../../support/hosts/free-port.ts";
import { follow, programCommand } from "../../support/programs/script.ts";

const service = useService();

test("examples/edge.ts hands out a location to whoever has its key", async () => {
  const port = await freePort();
  const [command, ...args] = serveCommand(port);
  const gateway = follow(command, args, {
    UPCUT_URL: service.baseUrl,
    UPCUT_TOKEN: service.token,
    PORT: `${port}`,
    GATEWAY_KEY: "a-key",
    GATEWAY_ORIGIN: "https://page.example",
  });
  const headers = { authorization: "Bearer a-key" };
  const init = { method: "POST", headers, body: '{"name":"Through the gateway"}' };
  const ask = () => fetch(`http://127.0.0.1:${port}/`, init).catch(() => undefined);
  await expect.poll(async () => (await ask())?.status).toBe(200);
  expect((await service.assets())[0]?.received).toEqual({ name: "Through the gateway" });
  gateway.process.kill("SIGTERM");
  expect((await gateway.ended()).output).not.toContain(service.token);
});

/** Bun and Deno serve the file as it stands; Node through the pinned server with the pinned loader. */
function serveCommand(port: number): [string, ...string[]] {
  const [command] = programCommand("");
  const file = "core/examples/edge.ts";
  if ("Deno" in globalThis)
    return [
      command,
      "serve",
      "-A",
      "--node-modules-dir=manual",
      "--quiet",
      "--host=127.0.0.1",
      `--port=${port}`,
      file,
    ];
  if ("Bun" in globalThis) return [command, file];
  return [
    command,
    "node_modules/srvx/bin/srvx.mjs",
    "serve",
    "--prod",
    "--import=tsx",
    "--host=127.0.0.1",
    `--port=${port}`,
    "--entry",
    file,
  ];
}
