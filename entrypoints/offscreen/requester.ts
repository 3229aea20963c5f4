/** Asks the background for locations, as core's `upload()` asks a client: this document never has the token. */
import { ConnectionError, errorFromRecord, type Requester } from "../../core/mod.ts";
import { isFault } from "../shared/fault.ts";
import { askBackground } from "../shared/messages.ts";
import type { UploadList } from "./list.ts";

/** @param onHostToAllow told that the upload host needs permission, once the location is to be kept */
export function jobRequester(
  list: UploadList,
  jobId: string,
  onHostToAllow: (origin: string) => void = () => {},
): Requester {
  return {
    scope: jobId,
    // The background keeps its answer until the location is stored, which the first entry of the journal must hold.
    repeatable: true,
    // By a rule for the request's headers, which only the background knows.
    authorizesUploads: () =>
      askBackground("read-settings", {}).then(
        ({ uploadAuthorization }) => uploadAuthorization,
        () => true,
      ),
    async requestUpload(request, { signal }) {
      signal.throwIfAborted();
      // A worker that died before it answered knows in its next life what became of the request.
      const answer = await askBackground("request-upload", { jobId, request }).catch(() => undefined);
      signal.throwIfAborted();
      if (answer === undefined) throw unanswered();
      if ("error" in answer)
        throw isFault(answer.error) ? new Error("a fault") : errorFromRecord(answer.error);
      await list.apply(jobId, { type: "requesting", address: answer.address });
      if (answer.hostToAllow !== undefined) onHostToAllow(answer.hostToAllow);
      return answer.location;
    },
  };
}

function unanswered(): ConnectionError {
  return new ConnectionError(
    "asset-unknown",
    "Cannot request an upload location: the extension was stopped before the answer came. An asset may have been created",
    { retryable: true },
  );
}
