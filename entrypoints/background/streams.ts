/** Ends the session of a stream on behalf of a page or the context menu. Never repeated by itself. */

import type { Client } from "../../core/client.ts";
import { endStream } from "../../core/extension.ts";
import { isUpcutError } from "../../core/mod.ts";
import { isHostAllowed } from "../reach/host-permissions.ts";
import { type Fault, faultOf } from "../shared/fault.ts";
import type { AccountRefusal, TerminateResponse } from "../shared/messages.ts";
import { readAccount, type Settings, saveSettings } from "../shared/settings.ts";
import { originOf } from "../shared/web-address.ts";
import { openAccount } from "./account.ts";

export async function terminateStream(id: string): Promise<TerminateResponse> {
  return await callAccount(faultOf("end the session"), async (client, { address }) => {
    await endStream(client, id, (terminate) => keepEndPath(address, terminate));
    return { ended: true };
  });
}

/** The account may be another one by now. */
async function keepEndPath(address: string, terminate = ""): Promise<void> {
  const { settings } = await readAccount();
  if (settings.address === address) await saveSettings({ paths: { ...settings.paths, terminate } });
}

/**
 * Calls the saved account, unless something is missing: then nothing is sent.
 *
 * @param fault the response where the extension itself fails before that
 */
export async function callAccount<Response>(
  fault: Fault,
  call: (client: Client, settings: Settings) => Promise<Response>,
): Promise<Response | AccountRefusal> {
  let mayHaveLeft = false;
  try {
    const { settings, token } = await readAccount();
    const { address } = settings;
    const origin = originOf(address);
    if (origin === "" || token === "") return { missing: "settings" };
    if (!(await isHostAllowed(address))) return { missing: { permission: "host", origin } };
    const { client } = await openAccount();
    mayHaveLeft = true;
    return await call(client, settings);
  } catch (error) {
    if (isUpcutError(error)) return { error: error.toJSON() };
    if (mayHaveLeft) throw error;
    return { error: fault };
  }
}
