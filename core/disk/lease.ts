/**
 * Leases of a journal in a folder: a key belongs to one process until it ends or gives the key back, or another one takes
 * over from a holder that shows no sign of life.
 */
import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../errors/unexpected-failure.ts";
import type { Lease } from "../journal/journal.ts";
import { dateNow, startStopwatch } from "../time/clock.ts";
import { type Claim, claimOf, claimsIn, claimsOf, claimText, someHeld } from "./claim.ts";
import { readNames, removeFile } from "./folder.ts";
import { removeObserved } from "./observation.ts";
import { endPresence, joinPresence, leavePresence, MOMENT, type Presence } from "./presence.ts";

/** Signs of life in the time after which a lease is free. */
const HEARTBEATS = 6;
/** Milliseconds for which a holder waits for a newer claim to be given up or to end its own. */
const CONTEST_TIMEOUT = 1_000;
const CONTEST_INTERVAL = 20;
/** The holders of this process by the files of their claims, whose texts may be the same. */
const holders = new Map<string, object>();

export interface FolderLease extends Lease {
  /** The names in the folder that began like the key's source when it was leased. */
  names: readonly string[];
}

/**
 * Leases a key; `undefined` while it is another's. Claims are numbered in generations, made exclusively: whoever finds
 * the newest one abandoned makes the next one, and only one process can. Two that still meet both step back.
 */
export async function lease(folder: string, key: string, timeout: number): Promise<FolderLease | undefined> {
  const holder = (await claimFirst(folder, key, timeout)) ?? (await claimNext(folder, key, timeout));
  if (holder === undefined) return undefined;
  const heartbeat = setInterval(() => holder.beat(), timeout / HEARTBEATS);
  // In Deno timers are numbers; in no runtime may they keep the process alive.
  if (typeof heartbeat === "object") heartbeat.unref();
  const release = async () => {
    clearInterval(heartbeat);
    await holder.release();
  };
  return Object.assign(release, { isHeld: () => holder.isHeld(), names: holder.names() });
}

/** Makes the only claim of a key, as mostly: nobody has another one, which takes one look to know. */
async function claimFirst(folder: string, key: string, timeout: number): Promise<Holder | undefined> {
  const holder = holderOf(folder, key, 1, timeout);
  const isKept = await holder.claim(([only, ...others]) => {
    // A process that was suspended meanwhile may have lost its claim to another one of the same name.
    return only?.name === holder.name && others.length === 0 && holder.livesSince(timeout / 2);
  });
  return isKept ? holder : undefined;
}

/** Makes the next claim of a key, where no other one has a holder. */
async function claimNext(folder: string, key: string, timeout: number): Promise<Holder | undefined> {
  const before = await claimsOf(folder, key);
  if (await someHeld(folder, before, timeout)) return undefined;
  const holder = holderOf(folder, key, (before.at(-1)?.generation ?? 0) + 1, timeout);
  const isKept = await holder.claim(async (claims) => {
    // Claim first, then look again, while a holder that wakes shows a sign of life first, then looks for newer claims:
    // of two, one sees the other.
    const others = claims.filter(({ name }) => name !== holder.name);
    if ((await someHeld(folder, others, timeout)) || !(await holder.confirm())) return false;
    for (const { name } of others) await removeObserved(folder, name);
    return true;
  });
  return isKept ? holder : undefined;
}

type Holder = ReturnType<typeof holderOf>;

function holderOf(folder: string, key: string, generation: number, timeout: number) {
  const { name } = claimOf(key, generation);
  const file = join(folder, name);
  const self = {};
  /** The text of the claim. */
  let own = "";
  let presence: Presence | undefined;
  let sinceSignOfLife = startStopwatch();
  let isLost = false;
  let turn = Promise.resolve(true);
  let names: readonly string[] = [];

  async function make(): Promise<boolean> {
    await leave();
    try {
      const joined = await joinPresence(folder, file);
      if (joined === undefined) return false;
      [presence, own, sinceSignOfLife] = [joined, joined.text, joined.sinceSignOfLife];
    } catch {
      sinceSignOfLife = startStopwatch();
      const text = await makeInPlace(file);
      if (text === undefined) return false;
      own = text;
    }
    holders.set(file, self);
    return true;
  }

  async function leave(): Promise<void> {
    const left = presence;
    presence = undefined;
    if (left !== undefined) await leavePresence(folder, left);
  }

  /** Checks one after the other, since a claim that is just being made again looks like somebody else's. */
  function inTurn(restoring: () => Promise<boolean>): Promise<boolean> {
    turn = turn.then(() => check(restoring));
    return turn;
  }

  async function check(restoring: () => Promise<boolean>): Promise<boolean> {
    const sinceBegin = startStopwatch();
    while (!isLost) {
      const sinceLook = startStopwatch();
      const finding = await look().catch(() => "unknown" as const);
      // Without a sign of life for so long, the key may have been another's who is done with it by now.
      const isOverdue = sinceSignOfLife() > timeout;
      if (finding === "lost" || (isOverdue && (finding === "gone" || finding === "unknown"))) isLost = true;
      // The next holder ends this claim before it does anything else, unless it gives up its own.
      else if (finding === "contested") {
        if (sinceBegin() > CONTEST_TIMEOUT) isLost = true;
        else await new Promise((resolve) => setTimeout(resolve, CONTEST_INTERVAL));
      }
      // A disk that fails for a moment takes nothing from anybody.
      else if (finding === "unknown") return true;
      else if (finding === "gone") {
        const others = await claimsOf(folder, key).catch(() => []);
        if (others.length > 0) isLost = true;
        else if (!(await restoring().catch(() => false))) return true;
      }
      // A look in which the process was suspended says what was so before.
      else if (sinceLook() < timeout / 2) {
        sinceSignOfLife = sinceLook;
        return true;
      }
    }
    return false;
  }

  /** The text of the claim, after a sign of life. */
  async function look(): Promise<"held" | "contested" | "lost" | "gone"> {
    const text = await read();
    if (text === undefined) return "gone";
    if (text !== own || holders.get(file) !== self) return "lost";
    const now = dateNow() / 1000;
    await utimes(file, now, now);
    const claims = await claimsOf(folder, key);
    if (!claims.some((each) => each.name === name)) return "gone";
    return claims.some((each) => each.generation > generation) ? "contested" : "held";
  }

  const read = () =>
    readFile(file, "utf8").catch((error: unknown) => {
      if (codeOf(error) !== "ENOENT") throw error;
    });

  async function restore(): Promise<boolean> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await make();
  }

  async function release(): Promise<void> {
    const wasHeld = !isLost;
    isLost = true;
    await turn;
    try {
      if (holders.get(file) !== self) return;
      holders.delete(file);
      // A turn that took long may have been a suspension, after which the name is that of another's claim.
      const isSure = wasHeld && sinceSignOfLife() < MOMENT;
      if (isSure || (await read()) === own) await removeFile(file);
    } catch (error) {
      // A claim that stays must not live by the signs of later leases.
      if (presence !== undefined) endPresence(folder, presence);
      throw error;
    } finally {
      await leave();
    }
  }

  return {
    name,
    names: () => names,
    /** Makes the claim, and gives it up again unless it may be kept beside the claims that are there then. */
    async claim(mayKeep: (claims: Claim[]) => boolean | Promise<boolean>): Promise<boolean> {
      if (!(await make())) return false;
      let isKept = false;
      try {
        const [source = key] = key.split(".");
        names = (await readNames(folder)).filter((each) => each.startsWith(source));
        isKept = await mayKeep(claimsIn(names, key));
      } finally {
        if (!isKept) await release();
      }
      return isKept;
    },
    /** True if it gave a sign of life within so many milliseconds. */
    livesSince: (milliseconds: number) => !isLost && sinceSignOfLife() < milliseconds,
    /** True if the key is still this holder's; if so, it showed a sign of life a moment ago at most. Once lost, it stays lost. */
    isHeld: async () => (!isLost && sinceSignOfLife() < MOMENT) || (await inTurn(async () => false)),
    /** Looks at the claim, and shows a sign of life: true if the key is still this holder's. */
    confirm: () => inTurn(async () => false),
    /**
     * Shows a sign of life, and makes the claim again where somebody emptied the folder: that ends no upload. Not in each
     * check, which would keep that somebody from ever having removed the folder.
     */
    beat: () => inTurn(restore),
    release,
  };
}

/**
 * Makes a claim on a disk that is full, or gives a file no second name.
 *
 * @returns its text; `undefined` where there is such a claim already
 */
async function makeInPlace(file: string): Promise<string | undefined> {
  const handle = await open(file, "wx", 0o600).catch((error: unknown) => {
    if (codeOf(error) === "EEXIST") return undefined;
    throw error;
  });
  if (handle === undefined) return undefined;
  const text = claimText(randomUUID());
  try {
    // Through the handle, since by now its name may be that of another's claim.
    await handle.writeFile(text);
    return text;
  } catch {
    // A full disk still takes the file, which then holds by its heartbeat alone.
    await handle.truncate(0).catch(() => {});
    return "";
  } finally {
    await handle.utimes(dateNow() / 1000, dateNow() / 1000).catch(() => {});
    await handle.close();
  }
}
