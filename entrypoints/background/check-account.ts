/**
 * Checks the saved account by a call that changes nothing: it asks the service to end a stream that nobody can have.
 * Where the token is right, the service says that it doesn't know that stream. In the same way it is found out where
 * the service has calls that the document doesn't show there, or at all: one that reads an asset says that it knows no such.
 */
import { type ErrorCode, isUpcutError, type UpcutError } from "../../core/mod.ts";
import type { CheckResponse } from "../shared/messages.ts";
import { readSettings } from "../shared/settings.ts";
import { openAccount } from "./account.ts";
import { terminateStream } from "./streams.ts";

/** Milliseconds for another path, after the first one was answered: both must end while the worker lives. */
const OTHER_PATH_TIMEOUT = 4_000;

/** The noun in the path of a call, what follows it, and the refusals by which a service shows that it has the call. */
const CALLS = {
  terminate: { noun: "stream", rest: "/{id}/terminate", signs: ["not-found", "unauthorized"] },
  asset: { noun: "asset", rest: "/{id}", signs: ["asset-not-found"] },
} satisfies Record<string, { noun: string; rest: string; signs: ErrorCode[] }>;

/** A name that no service gives to a noun of its paths, a stream or an asset. */
const NOBODY = "upcut-check";

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
  const [terminate, asset] = await Promise.all([
    code === "wrong-address" && paths.terminate === "" && findCall("terminate", prefix),
    paths.asset === "" && findCall("asset", prefix),
  ]);
  if (!terminate && !asset) return response;
  return { ...response, paths: { ...(terminate && { terminate }), ...(asset && { asset }) } };
}

function unusedId(): string {
  return `${NOBODY}-${crypto.randomUUID()}`;
}

/**
 * The path of a call below a prefix, where the service shows that it has it. Some say as JSON of whatever they don't have that
 * it isn't found: that is no sign where they say the same at a path that can't be theirs.
 */
async function findCall(name: keyof typeof CALLS, prefix: string): Promise<string | undefined> {
  const { noun, rest, signs }: { noun: string; rest: string; signs: ErrorCode[] } = CALLS[name];
  const id = unusedId();
  const [there, nowhere] = await Promise.all([
    refusalAt(`${prefix}/${noun}${rest}`, name, id),
    refusalAt(`${prefix}/${NOBODY}${rest}`, name, id),
  ]);
  if (there === undefined || !signs.includes(there.code)) return undefined;
  // One that is overloaded or lost has nothing to compare with.
  if (nowhere === undefined || nowhere.retryable) return undefined;
  return wordsOf(there, noun) === wordsOf(nowhere, NOBODY) ? undefined : `${prefix}/${noun}${rest}`;
}

async function refusalAt(
  path: string,
  name: keyof typeof CALLS,
  id: string,
): Promise<UpcutError | undefined> {
  const options = { timeout: OTHER_PATH_TIMEOUT };
  try {
    const { client } = await openAccount({ [name]: path });
    if (name === "asset") await client.getAsset(id, options);
    else await client.terminateStream(id, options);
    return undefined;
  } catch (error) {
    return isUpcutError(error) ? error : undefined;
  }
}

/** A refusal without the noun of the path that it may repeat. */
function wordsOf({ code, details = [] }: UpcutError, noun: string): string {
  return [code, ...details.map((detail) => detail.replaceAll(noun, ""))].join("\n");
}
