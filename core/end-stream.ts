/** Ends a stream for a program that stores the paths of its account. */
import type { Client } from "./client.ts";

/** @param keep takes the path of the call, once the service has shown that it is at its other place */
export async function endStream(
  client: Client,
  id: string,
  keep: (terminate: string | undefined) => Promise<void>,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const { terminate: before } = client.paths;
  try {
    await client.terminateStream(id, options);
  } finally {
    const { terminate } = client.paths;
    // The outcome of the call is told, whether the path can be kept or not.
    if (terminate !== before) await keep(terminate).catch(() => {});
  }
}
