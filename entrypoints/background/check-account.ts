/**
 * Checks the saved account by a call that changes nothing: it asks the service to end a stream that nobody can have.
 * Where the token is right, the service says that it doesn't know that stream. In the same way it is found out where
 * the service has calls that the document doesn't show there, or at all: one that reads an asset says that it knows no such.
 */
import { isUpcutError } from "../../core/validate.ts";
import type { CheckResponse } from "../shared/messages.ts";
import { readSettings } from "../shared/settings.ts";
import { openAccount } from "./account.ts";
import { terminateStream } from "./streams.ts";

/** Milliseconds for another path, after the first one was answered: both must end while the worker lives. */
const OTHER_PATH_TIMEOUT = 4_000;

export async function checkAccount(): Promise<CheckResponse> {
  const response = await terminateStream(unusedId());
  const code = "error" in response ? response.error.code : undefined;
  // Nothing else is asked of a service that isn't there, or that refuses the token.
  if (code === undefined || code === "unreachable" || code === "unauthorized") return response;
  const { paths } = await readSettings();
  const prefix = /^(\/.+)\/asset\/request-upload$/.exec(
    paths.requestUpload || "/api/asset/request-upload",
  )?.[1];
  if (prefix === undefined) return response;
  // Where services have the call too that document it without the prefix of their other call.
  const terminate = `${prefix}/stream/{id}/terminate`;
  const asset = `${prefix}/asset/{id}`;
  const [endsThere, readsThere] = await Promise.all([
    code === "wrong-address" && paths.terminate === "" && isServed({ terminate }),
    paths.asset === "" && isServed({ asset }),
  ]);
  if (!endsThere && !readsThere) return response;
  return { ...response, paths: { ...(endsThere && { terminate }), ...(readsThere && { asset }) } };
}

function unusedId(): string {
  return `upcut-check-${crypto.randomUUID()}`;
}

async function isServed(path: { terminate: string } | { asset: string }): Promise<boolean> {
  const options = { timeout: OTHER_PATH_TIMEOUT };
  try {
    const { client } = await openAccount(path);
    if ("asset" in path) await client.getAsset(unusedId(), options);
    else await client.terminateStream(unusedId(), options);
    return false;
  } catch (error) {
    const signs = "asset" in path ? ["asset-not-found"] : ["not-found", "unauthorized"];
    return isUpcutError(error) && signs.includes(error.code);
  }
}
