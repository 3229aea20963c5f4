/** The body of an answer: never more of it than any record needs, and never longer than somebody waits. */
import { abandon, untilAborted } from "../time/abort.ts";
import { takeTurns } from "../time/turn.ts";

/** Bytes of an answer that are read; its connection is closed where there are more. */
export const LONGEST_BODY: number = 1024 * 1024;
/** Bytes that a smaller piece counts as, since each piece costs as much time. */
const SMALLEST_PIECE = 256;

/** The signal ends the reading itself, since runtimes forget that of the request once the headers are there. */
export async function readBody(
  response: Pick<Response, "body" | "text">,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { body } = response;
  if (body === null) return "";
  // A given fetch may know no web streams.
  if (typeof body?.getReader !== "function")
    return String(await untilAborted(response.text(), signal)).slice(0, LONGEST_BODY);
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const takeTurn = takeTurns();
  let text = "";
  try {
    for (let left = LONGEST_BODY; left > 0; ) {
      await takeTurn();
      const { value, done } = await untilAborted(reader.read(), signal);
      if (done) return text + decoder.decode();
      text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= Math.max(value.length, SMALLEST_PIECE);
    }
    return text;
  } finally {
    // Cancelling doesn't touch a body that has ended; one that hangs isn't waited for.
    abandon(() => reader.cancel());
  }
}
