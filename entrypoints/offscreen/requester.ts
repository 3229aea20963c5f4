/** Requests locations from the background, as core's `upload()` does from a client: this document never has the token. */

import { assetUnknown } from "../../core/extension.ts";
import { type Asset, errorFromRecord, type Requester } from "../../core/mod.ts";
import { isFault } from "../shared/fault.ts";
import type { AccountNeed, HostNeed } from "../shared/job.ts";
import { callBackground } from "../shared/messages.ts";
import type { JobList } from "./job-list.ts";
import type { SettingsCopy } from "./settings-copy.ts";
import type { UploadAccess } from "./upload-access.ts";

/**
 * @param onNeeds called where the upload host needs permission
 * @param hold called where the service's own host does, or another account is set: stops the upload
 */
export function jobRequester(
  list: JobList,
  settings: SettingsCopy,
  jobId: string,
  access: UploadAccess,
  onNeeds: (needs: HostNeed) => void = () => {},
  hold: (needs: HostNeed | AccountNeed) => Promise<void> = async () => {},
): Requester {
  return {
    scope: jobId,
    // The background keeps its answer until the location is stored, which the first entry of the journal must hold.
    repeatable: true,
    // By a rule for the request's headers, which only the background knows.
    authorizesUploads: async () => (await settings.read()).uploadAuthorization,
    // Asked for before each request to the upload host.
    async uploadHeaders() {
      await access.authorize();
      return {};
    },
    xhrFor: access.xhrFor,
    async requestUpload(request, { signal }) {
      signal.throwIfAborted();
      if (stored.has(jobId)) await tellStored();
      // Session storage, where the background notes a request that leaves, ends with the browser; this note outlives it.
      await list.apply(jobId, { type: "requesting", address: list.get(jobId)?.address ?? "" });
      signal.throwIfAborted();
      // A worker that died before it answered knows in its next life what became of the request.
      const account = list.get(jobId)?.account?.id;
      const wanted = { jobId, request, account };
      const response = await callBackground("request-upload", wanted).catch(() => undefined);
      if (response !== undefined && "missing" in response) await hold(response.missing);
      signal.throwIfAborted();
      if (response === undefined || "missing" in response) throw assetUnknown("the extension was stopped");
      if ("error" in response)
        throw isFault(response.error) ? new Error("a fault") : errorFromRecord(response.error);
      // Stored together with the location.
      void list.apply(jobId, { type: "requesting", address: response.address });
      if (response.needs !== undefined) onNeeds(response.needs);
      return response.location;
    },
  };
}

/** Ids of jobs whose location the background needs to keep no longer: all of this document go in one message. */
const stored = new Set<string>();
/** Milliseconds in which they are gathered: a message takes longer than sending a short video. */
const STORED_INTERVAL = 200;

/** Tells the background a little later; one that can't hear it forgets the location with the browser. */
export function noteStored(jobId: string): void {
  if (stored.size === 0) setTimeout(tellStored, STORED_INTERVAL);
  stored.add(jobId);
}

async function tellStored(): Promise<void> {
  const jobIds = [...stored];
  stored.clear();
  await callBackground("locations-stored", { jobIds }).catch(() => {});
}

/** A request that was on its way has its answer by now, perhaps; nothing is left of it but its asset. */
export async function forgetRequest(jobId: string): Promise<Asset | undefined> {
  const response = await callBackground("recall-location", { jobId }).catch(() => null);
  await callBackground("locations-stored", { jobIds: [jobId] }).catch(() => {});
  return response?.location.asset;
}
