/** The stores that real services run: each of them by the protocol. */
import { describe, expect, test } from "vitest";
import { head, MiB, noise, patch, send, sha256, tus, useServiceInProcess } from "./harness.ts";
import { REAL_STORES } from "./stores.ts";

const PART = 8 * MiB;

describe.each(REAL_STORES)("%s", (store) => {
  const service = useServiceInProcess({ store, switches: { processing: "hash" } });

  test("an upload arrives whole in requests of one part each, under an address of the usual shape", async () => {
    const data = noise(2 * PART + 5);
    const { location, id } = await service.create(data.length);
    expect(location).toMatch(/\/api\/asset\/upload\/tus\/directUpload%2F[0-9a-f]+$/);
    for (const offset of [0, PART, 2 * PART]) {
      expect(await head(location)).toBe(offset);
      const reply = await patch(location, offset, data.subarray(offset, offset + PART));
      const end = Math.min(offset + PART, data.length);
      expect(reply).toMatchObject({ status: 204, headers: { "upload-offset": String(end) } });
    }
    expect(await service.processed(id)).toMatchObject({ sha256: sha256(data), asset: { size: data.length } });
    expect(await head(location)).toBe(data.length);
  });

  test("a length may be told later", async () => {
    const { tusEndpoint, asset } = await service.locate();
    const headers = { ...tus, "upload-defer-length": "1" };
    const location = (await send(tusEndpoint, { method: "POST", headers })).headers.location ?? "";
    const data = noise(PART + 30);
    expect((await patch(location, 0, data.subarray(0, PART))).status).toBe(204);
    expect((await send(location, { method: "HEAD", headers: tus })).headers).toMatchObject({
      "upload-offset": String(PART),
      "upload-defer-length": "1",
    });
    await patch(location, PART, data.subarray(PART), { headers: { "upload-length": String(data.length) } });
    expect(await service.processed(asset.id)).toMatchObject({ sha256: sha256(data) });
  });

  test("a terminated upload is gone", async () => {
    const { location, id } = await service.create(PART);
    expect((await send(location, { method: "DELETE", headers: tus })).status).toBe(204);
    expect((await send(location, { method: "HEAD", headers: tus })).status).toBe(404);
    expect(await service.demo(`assets/${id}`)).toMatchObject({ terminated: true });
  });

  test("a file of no bytes counts as uploaded", async () => {
    const { id } = await service.create(0);
    expect((await service.processed(id)).asset.size).toBe(0);
  });
});
