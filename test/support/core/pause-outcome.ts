/** The verdict on pauses: each video is one asset, which the second call ended whole. */
import { expect } from "vitest";
import type { SpawnedService } from "../../service/spawned.ts";
import { PAUSED_SIZE, type PauseOutcome } from "./pauses.ts";

export async function expectOneAssetEach(service: SpawnedService, outcomes: PauseOutcome[]): Promise<void> {
  const assets = await service.assets();
  const ids = assets.filter(({ asset }) => asset.size === PAUSED_SIZE).map(({ asset }) => asset.id);
  expect(outcomes.map(({ second }) => second).sort()).toEqual(ids.sort());
  expect(assets).toHaveLength(outcomes.length);
}
