/** Ends the session of a stream on behalf of a page or the context menu. Never repeated by itself. */

import { isUpcutError } from "../../core/mod.ts";
import { faultOf } from "../shared/fault.ts";
import { isHostAllowed } from "../shared/host-permissions.ts";
import type { TerminateResponse } from "../shared/messages.ts";
import { readAccount } from "../shared/settings.ts";
import { originOf } from "../shared/web-address.ts";
import { openAccount } from "./account.ts";

export async function terminateStream(id: string): Promise<TerminateResponse> {
  let mayHaveLeft = false;
  try {
    const { settings, token } = await readAccount();
    const { address } = settings;
    const origin = originOf(address);
    if (origin === "" || token === "") return { missing: "settings" };
    if (!(await isHostAllowed(address))) return { missing: "host", origin };
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
