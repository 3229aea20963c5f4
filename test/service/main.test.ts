/** The service as its own process, which ends and starts again on what it has kept. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { bundledProgram } from "../run/bundled.ts";
import { content, sha256 } from "../support/content.ts";
import { MARKER } from "../support/marker.ts";
import { create, head, locate, MiB, patch, patchAndBreak, send } from "./bare-requests.ts";
import { useService } from "./use-service.ts";

const service = useService();

test("assets, half uploads, tokens and streams survive a restart by force, and one as asked", async () => {
  const data = Buffer.from(content(2 * MiB));
  const { location, id, tusEndpoint } = await create(service, data.length);
  const unused = await locate(service);
  for (const secret of [location, tusEndpoint, unused.url]) expect(secret).toContain(MARKER);
  await patchAndBreak(location, 0, data.subarray(0, MiB), data.length);
  expect(await head(location)).toBe(MiB);
  const headers = { authorization: "Bearer demo-token" };
  await send(`${service.baseUrl}/stream/launch-stream/terminate`, { method: "DELETE", headers });
  await service.restart();
  expect(await head(location)).toBe(MiB);
  expect((await patch(location, MiB, data.subarray(MiB))).status).toBe(204);
  expect((await send(unused.url, { method: "PUT", body: data })).status).toBe(200);
  expect((await service.streams()).find(({ id }) => id === "launch-stream")?.live).toBe(false);
  // Ended in the middle of processing perhaps: the next start takes it up again.
  expect(await service.restart("SIGTERM")).toBe(0);
  for (const asset of [id, unused.asset.id]) expect((await service.whole(asset)).sha256).toBe(sha256(data));
});

test("a request that the service's end interrupts has counted what arrived", async () => {
  const { location } = await create(service, 2 * MiB);
  await service.set({ stallAfter: [{ host: "upload", method: "PATCH", bytes: 1_500_000 }] });
  const broken = patch(location, 0, Buffer.alloc(2 * MiB)).catch(() => "reset");
  await service.until(async () => (await service.uploads())[0]?.arrived === 1_500_000);
  expect(await service.restart("SIGTERM")).toBe(0);
  expect(await broken).toBe("reset");
  expect(await head(location)).toBe(1_500_000);
});

test("it says what is wrong with its arguments", () => {
  const program = bundledProgram("test/service/main.ts");
  const { status, stderr } = spawnSync("node", [...program, "--switches", '{"partz":true}']);
  expect([status, stderr.toString()]).toEqual([1, expect.stringContaining("partz")]);
});
