/** The command `terminate`: ends the live session of a stream. */
import type { Client } from "../client.ts";
import type { Arguments } from "./arguments.ts";
import { printResult } from "./output.ts";

/** Ends the session, and returns the exit code. */
export async function runTerminate(
  account: Client,
  { operands, json }: Arguments,
  signal: AbortSignal,
): Promise<number> {
  const [id = ""] = operands;
  await account.terminateStream(id, { signal });
  const sentence = `Ended ${id}, if it was live. The streamer can start again at once`;
  printResult(json, { event: "terminated", id }, sentence);
  return 0;
}
