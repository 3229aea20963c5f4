/**
 * Checks the saved account by a call that changes nothing: it asks the service to end a stream that nobody can have.
 * Where the token is right, the service says that it doesn't know that stream.
 */
import { isUpcutError } from "../../core/validate.ts";
import type { CheckResponse, TerminateResponse } from "../shared/messages.ts";
import { readSettings } from "../shared/settings.ts";
import { openAccount } from "./account.ts";
import { terminateStream } from "./streams.ts";

/** Milliseconds for another path, after the first one was answered: both must end while the worker lives. */
const OTHER_PATH_TIMEOUT = 4_000;

export async function checkAccount(): Promise<CheckResponse> {
  const response = await terminateStream(unusedId());
  if (codeOf(response) !== "wrong-address") return response;
  const path = await otherPath();
  return path === undefined || !(await isServedAt(path)) ? response : { ...response, path };
}

function unusedId(): string {
  return `upcut-check-${crypto.randomUUID()}`;
}

/** Where services have the call too that document it without the prefix of their other call. */
async function otherPath(): Promise<string | undefined> {
  const { paths } = await readSettings();
  const prefix = /^(\/.+)\/asset\/request-upload$/.exec(
    paths.requestUpload || "/api/asset/request-upload",
  )?.[1];
  if (prefix === undefined || paths.terminate !== "") return undefined;
  return `${prefix}/stream/{id}/terminate`;
}

async function isServedAt(path: string): Promise<boolean> {
  try {
    const { client } = await openAccount({ terminate: path });
    await client.terminateStream(unusedId(), { timeout: OTHER_PATH_TIMEOUT });
    return false;
  } catch (error) {
    return isUpcutError(error) && (error.code === "not-found" || error.code === "unauthorized");
  }
}

function codeOf(response: TerminateResponse): string | undefined {
  return "error" in response ? response.error.code : undefined;
}
