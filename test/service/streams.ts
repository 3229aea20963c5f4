/** Live streams, whose session is recorded, to be terminated. */
import type { Account } from "./accounts.ts";
import type { Shelf } from "./shelf.ts";

export interface Stream {
  id: string;
  name: string;
  account: string;
  /** When its session and the recording of it began; absent while it isn't live. */
  startedAt?: number;
}

/** Puts the streams a new service begins with on the shelf; known ones stay as they are. */
export function seedStreams(shelf: Shelf<Stream>, accounts: Account[]): void {
  const seed = (id: string, name: string, account: string, live: boolean) => {
    if (shelf.get(id) !== undefined) return;
    shelf.put(id, { id, name, account, ...(live && { startedAt: Date.now() }) });
  };
  for (const [index, { name }] of accounts.entries()) {
    const prefix = index === 0 ? "" : `${name}-`;
    seed(`${prefix}launch-stream`, "Launch event", name, true);
    seed(`${prefix}quiet-stream`, "Nothing on air", name, false);
    seed(`${prefix}studio/a?take=1#50%`, "An id that must be percent-encoded", name, true);
  }
  seed("orphan-stream", "Its account was deleted", "", true);
}
