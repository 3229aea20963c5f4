/** Whether requests to a host are allowed, which this document has to ask the background. */
import { callBackground } from "../shared/messages.ts";

/** Of a host that can't be asked about it is true: should it be wrong, the request shows that. */
export async function isPermitted(address: string): Promise<boolean> {
  return await callBackground("is-permitted", { address }).catch(() => true);
}
