/** What the service has of uploads, as tests wait for it and judge by it. */
import { expect } from "vitest";
import type { SpawnedService } from "../service/spawned.ts";
import { contentHash } from "../support/content.ts";
import { expectOriginal } from "../support/hls/hls-original.ts";

/** Waits until so many bytes of the first upload are at the service. */
export async function waitUntilSent(service: SpawnedService, bytes: number): Promise<void> {
  await expect.poll(async () => (await service.uploads())[0]?.arrived ?? 0).toBeGreaterThan(bytes);
}

/** Waits until all of the first upload is at the service. */
export async function waitUntilComplete(service: SpawnedService, size: number): Promise<void> {
  await expect.poll(async () => (await service.uploads())[0]?.offset).toBe(size);
}

/** One request made one asset, and it is whole. */
export async function expectWhole(service: SpawnedService, size: number): Promise<void> {
  await expectHash(service, contentHash(size));
  expect(await service.requests("POST", "request-upload")).toHaveLength(1);
}

/** There is one asset, with this content. */
export async function expectHash(service: SpawnedService, hash: string): Promise<void> {
  const [stored, ...others] = await service.assets();
  expect((await service.whole(stored?.asset.id ?? "")).sha256).toBe(hash);
  expect(others).toEqual([]);
}

/** What arrived first holds the packets of the video that the samples were made of. */
export async function expectSample(service: SpawnedService): Promise<void> {
  const [stored] = await service.assets();
  await service.whole(stored?.asset.id ?? "");
  const answer = await fetch(String(stored?.asset.downloadUrl));
  await expectOriginal(new Uint8Array(await answer.arrayBuffer()));
}
