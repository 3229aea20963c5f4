/** Live streams with sessions and recordings, to be terminated. */
import { randomUUID } from "node:crypto";
import type { Account } from "./accounts.ts";
import type { Shelf } from "./shelf.ts";

export interface Session {
  id: string;
  startedAt: number;
  endedAt?: number;
  recording: { startedAt: number; endedAt?: number };
}

export interface Stream {
  id: string;
  name: string;
  account: string;
  /** Oldest first; the last one is ongoing while it has no `endedAt`. */
  sessions: Session[];
}

export function ongoingSession(stream: Stream): Session | undefined {
  const last = stream.sessions.at(-1);
  return last?.endedAt === undefined ? last : undefined;
}

/** Begins a session with its recording; the ongoing one, if there is one, goes on. */
export function startSession(stream: Stream): Session {
  const now = Date.now();
  const session = ongoingSession(stream) ?? {
    id: randomUUID(),
    startedAt: now,
    recording: { startedAt: now },
  };
  if (!stream.sessions.includes(session)) stream.sessions.push(session);
  return session;
}

/** Force-ends the session and stops its recording; nothing happens when the stream isn't live. */
export function endSession(stream: Stream): void {
  const session = ongoingSession(stream);
  if (session === undefined) return;
  session.endedAt = Date.now();
  session.recording.endedAt = session.endedAt;
}

/** Puts the streams a new service begins with on the shelf; known ones stay as they are. */
export function seedStreams(shelf: Shelf<Stream>, accounts: Account[]): void {
  const seed = (id: string, name: string, account: string, live: boolean) => {
    if (shelf.get(id) !== undefined) return;
    const stream: Stream = { id, name, account, sessions: [] };
    if (live) startSession(stream);
    shelf.put(id, stream);
  };
  for (const [index, { name }] of accounts.entries()) {
    const prefix = index === 0 ? "" : `${name}-`;
    seed(`${prefix}launch-stream`, "Launch event", name, true);
    seed(`${prefix}quiet-stream`, "Nothing on air", name, false);
    seed(`${prefix}studio/a?take=1#50%`, "An id that must be percent-encoded", name, true);
  }
  seed("orphan-stream", "Its account was deleted", "", true);
}
