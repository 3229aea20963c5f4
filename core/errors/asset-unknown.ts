/** A request for a location whose answer nobody has: the one wording of what is known then, in each context. */
import { ConnectionError } from "./errors.ts";

export const ASSET_UNKNOWN = {
  code: "asset-unknown",
  state: "An asset may have been created: look into the account before trying again",
} as const;

/** @param event what kept the answer from being stored, such as "the browser ended" */
export function assetUnknown(event: string): ConnectionError {
  const { code, state } = ASSET_UNKNOWN;
  const message = `Cannot request an upload location: ${event} before the answer was stored. ${state}`;
  return new ConnectionError(code, message);
}
