/** The presence of this process in a journal's folder: what all of its claims are names of. */
import { randomUUID } from "node:crypto";
import { link, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../errors/unexpected-failure.ts";
import { dateNow, startStopwatch } from "../time/clock.ts";
import { claimText } from "./claim.ts";
import { pastScanners } from "./scanners.ts";

/**
 * Milliseconds after a sign of life in which a claim can't have become another's. With the two seconds for which an upload
 * asks for nothing, this is less than any lease lives.
 */
export const MOMENT = 500;

/**
 * The file by which this process shows in a folder that it is there. Its claims are further names of it: a claim takes one
 * call then, and a sign of life of one is that of all.
 */
export interface Presence {
  readonly file: string;
  /** Tells this process from all others. */
  readonly text: string;
  readonly shown: Promise<void>;
  sinceSignOfLife: () => number;
  leases: number;
}

/** Presences of this process by their folders. */
const presences = new Map<string, Presence>();

/**
 * Makes a claim a further name of this process's presence.
 *
 * @returns what `leavePresence` takes; `undefined` where there is such a claim already
 */
export async function joinPresence(folder: string, claim: string): Promise<Presence | undefined> {
  for (let tries = 1; ; tries++) {
    const presence = presences.get(folder) ?? show(folder);
    presence.leases++;
    try {
      await presence.shown;
      if (presence.sinceSignOfLife() > MOMENT) {
        const sinceSignOfLife = startStopwatch();
        // Other processes on this machine compare the date with their clock, which may not be the folder's.
        await utimes(presence.file, dateNow() / 1000, dateNow() / 1000);
        presence.sinceSignOfLife = sinceSignOfLife;
      }
      // The link shows a claim with its whole text: of a process killed before, nobody could tell that it is gone.
      await pastScanners(() => link(presence.file, claim));
      return presence;
    } catch (error) {
      const code = codeOf(error);
      if (code !== "EEXIST") endPresence(folder, presence);
      await leavePresence(folder, presence);
      if (code === "EEXIST") return undefined;
      // Somebody emptied the folder, or cleared away what a suspended process had left.
      if (code !== "ENOENT" || tries > 1) throw error;
    }
  }
}

function show(folder: string): Presence {
  const [file, text] = [join(folder, `${randomUUID()}.tmp`), claimText(randomUUID())];
  const shown = writeFile(file, text, { flag: "wx", mode: 0o600 });
  const presence = { file, text, shown, sinceSignOfLife: () => Number.POSITIVE_INFINITY, leases: 0 };
  presences.set(folder, presence);
  return presence;
}

/** The last lease that leaves takes the presence with it. */
export async function leavePresence(folder: string, presence: Presence): Promise<void> {
  if (--presence.leases > 0) return;
  endPresence(folder, presence);
  await unlink(presence.file).catch(() => {});
}

/** Has the next lease make a presence of its own. */
export function endPresence(folder: string, presence: Presence): void {
  if (presences.get(folder) === presence) presences.delete(folder);
}
