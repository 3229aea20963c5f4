/** Requests locations from the background, as core's `upload()` does from a client: this document never has the token. */
import { type Asset, errorFromRecord, type Requester } from "../../core/mod.ts";
import { ConnectionError } from "../../core/validate.ts";
import { isFault } from "../shared/fault.ts";
import { callBackground } from "../shared/messages.ts";
import type { JobList } from "./job-list.ts";
import type { SettingsCopy } from "./settings-copy.ts";
import type { UploadAccess } from "./upload-access.ts";

/** @param onHostToAllow called where the upload host needs permission */
export function jobRequester(
  list: JobList,
  settings: SettingsCopy,
  jobId: string,
  access: UploadAccess,
  onHostToAllow: (origin: string) => void = () => {},
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
      // A worker that died before it answered knows in its next life what became of the request.
      const response = await callBackground("request-upload", { jobId, request }).catch(() => undefined);
      signal.throwIfAborted();
      if (response === undefined) throw unanswered();
      if ("error" in response)
        throw isFault(response.error) ? new Error("a fault") : errorFromRecord(response.error);
      // Stored together with the location.
      void list.apply(jobId, { type: "requesting", address: response.address });
      if (response.hostToAllow !== undefined) onHostToAllow(response.hostToAllow);
      return response.location;
    },
  };
}

function unanswered(): ConnectionError {
  return new ConnectionError(
    "asset-unknown",
    "Cannot request an upload location: the extension was stopped before the answer came. An asset may have been created",
  );
}

/** A request that was on its way has its answer by now, perhaps; nothing is left of it but its asset. */
export async function forgetRequest(jobId: string): Promise<Asset | undefined> {
  const response = await callBackground("recall-location", { jobId }).catch(() => null);
  await callBackground("location-stored", { jobId }).catch(() => {});
  return response?.location.asset;
}
