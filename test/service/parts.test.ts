/** Resumable uploads against a store that counts in 8 MiB parts. */
import { beforeEach, describe, expect, test } from "vitest";
import { head, MiB, noise, patch, patchAndBreak, send, sha256, tus, useServiceInProcess } from "./harness.ts";

const service = useServiceInProcess({ switches: { processing: "hash" } });

beforeEach(() => service.turn({ parts: true, processing: "hash" }));

/** Sends in chunks, trusting each answer's offset, as long as the service accepts them. */
async function sendInChunks(location: string, data: Buffer, chunk: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let offset = 0; offset < data.length; offset += chunk) {
    const reply = await patch(location, offset, data.subarray(offset, offset + chunk));
    statuses.push(reply.status);
    if (reply.status !== 204) break;
    expect(Number(reply.headers["upload-offset"])).toBe(Math.min(offset + chunk, data.length));
  }
  return statuses;
}

describe("what arrives right", () => {
  test.each([
    ["one request for all", 64 * MiB],
    ["chunks of 8 MiB", 8 * MiB],
    ["chunks of 16 MiB", 16 * MiB],
  ])("%s", async (_what, chunk) => {
    const data = noise(20 * MiB + 3);
    const { location, id } = await service.create(data.length);
    await sendInChunks(location, data, chunk);
    expect(await service.processed(id)).toMatchObject({ sha256: sha256(data) });
  });

  test("a request that is interrupted counts up to its last whole part", async () => {
    const data = noise(20 * MiB);
    const { location, id } = await service.create(data.length);
    await patchAndBreak(location, 0, data.subarray(0, 13 * MiB), data.length);
    expect(await head(location)).toBe(8 * MiB);
    await patchAndBreak(location, 8 * MiB, data.subarray(8 * MiB, 9 * MiB), 12 * MiB);
    expect(await head(location)).toBe(8 * MiB);
    await patch(location, 8 * MiB, data.subarray(8 * MiB));
    expect(await service.processed(id)).toMatchObject({ sha256: sha256(data) });
  });

  test("a small file starts again after an interruption", async () => {
    const data = noise(3 * MiB);
    const { location } = await service.create(data.length);
    await patchAndBreak(location, 0, data.subarray(0, 2 * MiB), data.length);
    expect(await head(location)).toBe(0);
  });

  test("a whole file with its creation", async () => {
    const data = noise(9 * MiB);
    const { id } = await createWith(data, data.length);
    expect(await service.processed(id)).toMatchObject({ sha256: sha256(data) });
  });
});

describe("what does not", () => {
  test("chunks of 1 MiB are acknowledged, and never finish", async () => {
    const data = noise(3 * MiB);
    const { location } = await service.create(data.length);
    expect(await sendInChunks(location, data, MiB)).toEqual([204, 409]);
    expect(await head(location)).toBe(0);
  });

  test("chunks of 10 MiB succeed with a wrong hash", async () => {
    const data = noise(25 * MiB);
    const { location, id } = await service.create(data.length);
    expect(await sendInChunks(location, data, 10 * MiB)).toEqual([204, 204, 204]);
    const stored = await service.processed(id);
    expect(stored.asset.size).toBe(data.length);
    expect(stored.sha256).not.toBe(sha256(data));
  });

  test("a part of a file with its creation corrupts it", async () => {
    const data = noise(9 * MiB);
    const { id, location } = await createWith(data.subarray(0, 2 * MiB), data.length);
    expect(await head(location)).toBe(2 * MiB);
    expect((await patch(location, 2 * MiB, data.subarray(2 * MiB))).status).toBe(204);
    expect((await service.processed(id)).sha256).not.toBe(sha256(data));
  });

  test("creating again starts again", async () => {
    const { tusEndpoint } = await service.locate();
    const creation = { method: "POST", headers: { ...tus, "upload-length": String(20 * MiB) } };
    const location = (await send(tusEndpoint, creation)).headers.location ?? "";
    await patch(location, 0, noise(8 * MiB));
    expect(await head(location)).toBe(8 * MiB);
    expect((await send(tusEndpoint, creation)).headers.location).toBe(location);
    expect(await head(location)).toBe(0);
  });
});

async function createWith(body: Buffer, size: number): Promise<{ id: string; location: string }> {
  const { tusEndpoint, asset } = await service.locate();
  const headers = {
    ...tus,
    "upload-length": String(size),
    "content-type": "application/offset+octet-stream",
  };
  const reply = await send(tusEndpoint, { method: "POST", headers, body });
  expect(reply.status).toBe(201);
  return { id: asset.id, location: reply.headers.location ?? "" };
}
