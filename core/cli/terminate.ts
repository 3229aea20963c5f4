/**
 * The command `terminate`: ends the live session of a stream.
 *
 * @module
 */

import type { Client } from "../client.ts";
import type { Arguments } from "./arguments.ts";
import { jsonLine, plain } from "./format.ts";
import { print } from "./output.ts";

/** Ends the session, and returns the exit code. */
export async function runTerminate(
  account: Client,
  { operands, json }: Arguments,
  signal: AbortSignal,
): Promise<number> {
  const [id = ""] = operands;
  await account.terminateStream(id, { signal });
  const sentence = `Ended ${id}, if it was live. The streamer can start again at once`;
  print(json ? jsonLine({ event: "terminated", id }) : `${plain(sentence)}\n`);
  return 0;
}
