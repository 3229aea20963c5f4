/** The stores that real services run: each of them by the protocol. */
import { describe, expect, test } from "vitest";
import { sha256 } from "../support/content.ts";
import { create, head, locate, MiB, noise, patch, send, tus } from "./bare-requests.ts";
import { REAL_STORES } from "./stores.ts";
import { useService } from "./use-service.ts";

const PART = 8 * MiB;

describe.each(REAL_STORES)("%s", (store) => {
  const service = useService({}, { store });

  test("an upload arrives whole in requests of one part each, under an address of the usual shape", async () => {
    const data = noise(2 * PART + 5);
    const { location, id } = await create(service, data.length);
    expect(location).toMatch(/\/api\/asset\/upload\/tus\/directUpload%2F\w+$/);
    for (const offset of [0, PART, 2 * PART]) {
      expect(await head(location)).toBe(offset);
      const reply = await patch(location, offset, data.subarray(offset, offset + PART));
      const end = Math.min(offset + PART, data.length);
      expect(reply).toMatchObject({ status: 204, headers: { "upload-offset": String(end) } });
    }
    expect(await service.whole(id)).toMatchObject({ sha256: sha256(data), asset: { size: data.length } });
    expect(await head(location)).toBe(data.length);
  });

  test("a length may be told later", async () => {
    const { tusEndpoint, asset } = await locate(service);
    const headers = { ...tus, "upload-defer-length": "1" };
    const location = (await send(tusEndpoint, { method: "POST", headers })).headers.location ?? "";
    const data = noise(PART + 30);
    expect((await patch(location, 0, data.subarray(0, PART))).status).toBe(204);
    expect((await send(location, { method: "HEAD", headers: tus })).headers).toMatchObject({
      "upload-offset": String(PART),
      "upload-defer-length": "1",
    });
    await patch(location, PART, data.subarray(PART), { headers: { "upload-length": String(data.length) } });
    expect(await service.whole(asset.id)).toMatchObject({ sha256: sha256(data) });
  });

  test("a terminated upload is gone", async () => {
    const { location, id } = await create(service, PART);
    expect((await send(location, { method: "DELETE", headers: tus })).status).toBe(204);
    expect((await send(location, { method: "HEAD", headers: tus })).status).toBe(404);
    expect(await service.assets()).toMatchObject([{ asset: { id }, terminated: true }]);
  });

  test("a file of no bytes counts as uploaded", async () => {
    const { id } = await create(service, 0);
    expect((await service.whole(id)).asset.size).toBe(0);
  });
});
