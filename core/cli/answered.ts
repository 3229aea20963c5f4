/**
 * The end of a command that is asking for upload locations: without the answer nobody knows whether there is an asset, and the
 * next command could only say so.
 */
import type { Client } from "../client.ts";
import { keepSecrets, type Requester, secretsOf } from "../requester.ts";

/** Milliseconds for which an answer is waited for. */
const LONGEST_WAIT = 5_000;

/** An account that asks for nothing new once it is to stop, and the signal that follows when all was answered. */
export interface Answered {
  account: Requester;
  signal: AbortSignal;
}

export function answeredBefore(stop: AbortSignal, client: Client): Answered {
  const stopper = new AbortController();
  const { signal } = stopper;
  let asking = 0;
  const end = () => stopper.abort(stop.reason);
  const endSoon = () => {
    if (asking === 0) end();
    else setTimeout(end, LONGEST_WAIT);
  };
  if (stop.aborted) endSoon();
  else stop.addEventListener("abort", endSoon);
  const account: Requester = {
    ...client,
    async requestUpload(request, options) {
      stop.throwIfAborted();
      asking++;
      try {
        return await client.requestUpload(request, { ...options, signal });
      } finally {
        asking--;
        if (stop.aborted && asking === 0) end();
      }
    },
  };
  keepSecrets(account, () => secretsOf(client));
  return { account, signal };
}
