/** Forgets the location that was requested for a job: it is a secret, and would be given to the job's next request. */
import type { Asset } from "../../core/mod.ts";
import { callBackground } from "../shared/messages.ts";

/** A request that was on its way has its answer by now, perhaps; nothing is left of it but its asset. */
export async function forgetRequest(jobId: string): Promise<Asset | undefined> {
  const response = await callBackground("recall-location", { jobId }).catch(() => null);
  await callBackground("location-stored", { jobId }).catch(() => {});
  return response?.location.asset;
}
