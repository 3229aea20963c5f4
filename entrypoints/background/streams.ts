/** Ends the session of a stream on behalf of a page or the context menu. Never repeated by itself. */
import { isUpcutError } from "../../core/mod.ts";
import { faultOf } from "../shared/fault.ts";
import type { BackgroundProtocol } from "../shared/messages.ts";
import { openAccount } from "./account.ts";

export async function terminateStream(id: string): Promise<BackgroundProtocol["terminate-stream"]["answer"]> {
  let mayHaveLeft = false;
  try {
    const { client } = await openAccount();
    mayHaveLeft = true;
    await client.terminateStream(id);
    return { ended: true };
  } catch (error) {
    if (isUpcutError(error)) return { error: error.toJSON() };
    if (mayHaveLeft) throw error;
    return { error: faultOf("end the session") };
  }
}
