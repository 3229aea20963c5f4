/** Ends the session of a stream on behalf of a page or the context menu. Never repeated by itself. */

import { isUpcutError } from "../../core/mod.ts";
import { ConnectionError } from "../../core/validate.ts";
import { faultOf } from "../shared/fault.ts";
import { isHostAllowed } from "../shared/host-permissions.ts";
import type { TerminateResponse } from "../shared/messages.ts";
import { readAccount } from "../shared/settings.ts";
import { originOf } from "../shared/web-address.ts";
import { openAccount } from "./account.ts";
import { beforeDeadline } from "./deadline.ts";

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
    await beforeDeadline((signal) => client.terminateStream(id, { signal }), unanswered);
    return { ended: true };
  } catch (error) {
    if (isUpcutError(error)) return { error: error.toJSON() };
    if (mayHaveLeft) throw error;
    return { error: faultOf("end the session") };
  }
}

function unanswered(): ConnectionError {
  return new ConnectionError(
    "terminate-unknown",
    "Cannot tell whether the session was ended: the answer did not come to an end in time",
    { retryable: true },
  );
}
