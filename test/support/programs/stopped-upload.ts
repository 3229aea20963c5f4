/** An upload that was stopped on its way, so that a journal remembers it. */
import { expect } from "vitest";
import { type Progress, type Uploadable, type UploadOptions, upload } from "../../../core/mod.ts";
import type { SpawnedService } from "../../service/spawned.ts";
import { caught } from "../caught.ts";

/** Uploads to a slow service, and stops as soon as the progress is such; the service is fast from then on. */
export async function stopUpload(
  service: SpawnedService,
  source: Uploadable,
  options: UploadOptions,
  isEnough: (progress: Progress) => boolean,
  bytesPerSecond = 8 * 1024 * 1024,
): Promise<void> {
  const stop = new AbortController();
  await service.set({ throttle: bytesPerSecond });
  const call = upload(service.client(), source, {
    ...options,
    method: "resumable",
    signal: stop.signal,
    onProgress: (progress) => isEnough(progress) && stop.abort(),
  });
  expect((await caught(call)).name).toBe("AbortError");
  await service.set({ throttle: 0 });
}
