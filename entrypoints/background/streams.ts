/** Ends the session of a stream on behalf of a page or the context menu. Never repeated by itself. */
import { isUpcutError } from "../../core/mod.ts";
import type { BackgroundProtocol } from "../shared/messages.ts";
import { openAccount } from "./account.ts";

export async function terminateStream(id: string): Promise<BackgroundProtocol["terminate-stream"]["answer"]> {
  try {
    const { client } = await openAccount();
    await client.terminateStream(id);
    return { ended: true };
  } catch (error) {
    if (!isUpcutError(error)) throw error;
    return { error: error.toJSON() };
  }
}
