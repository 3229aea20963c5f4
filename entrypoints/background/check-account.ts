/** Checks the saved account by calls that change nothing. */
import { checkAccount as checkClient } from "../../core/extension.ts";
import { faultOf } from "../shared/fault.ts";
import type { CheckResponse } from "../shared/messages.ts";
import { callAccount } from "./streams.ts";

export async function checkAccount(): Promise<CheckResponse> {
  return await callAccount(faultOf("check the account"), async (client) => {
    const { error, ...check } = await checkClient(client);
    return { check: { ...check, ...(error && { error: error.toJSON() }) } };
  });
}
