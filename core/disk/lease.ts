/**
 * Leases of a journal in a folder: a key belongs to one process until it ends or gives the key back, or another one takes
 * over from a holder that shows no sign of life.
 */
import { randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Lease } from "../journal/journal.ts";
import { startStopwatch } from "../stopwatch.ts";
import { codeOf } from "../unexpected-failure.ts";
import { claimsOf, claimText, removeClaim, someHeld } from "./claim.ts";
import { draftOf } from "./entry-file.ts";

/** Signs of life in the time after which a lease is free. */
const HEARTBEATS = 6;
/** Milliseconds for which a holder waits for a newer claim to be given up or to end its own. */
const CONTEST_TIMEOUT = 1_000;
const CONTEST_INTERVAL = 20;

/**
 * Leases a key; `undefined` while it is another's. Claims are numbered in generations, made exclusively: whoever finds
 * the newest one abandoned makes the next one, and only one process can. Two that still meet both step back.
 */
export async function lease(folder: string, key: string, timeout: number): Promise<Lease | undefined> {
  const before = await claimsOf(folder, key);
  if (await someHeld(folder, before, timeout)) return undefined;
  const generation = (before.at(-1)?.generation ?? 0) + 1;
  const holder = new Holder(folder, key, generation, timeout);
  if (!(await holder.claim())) return undefined;
  try {
    // Claim first, then look again, while a holder that wakes shows a sign of life first, then looks for newer claims:
    // of two, one sees the other.
    const others = (await claimsOf(folder, key)).filter(({ name }) => name !== holder.name);
    if ((await someHeld(folder, others, timeout)) || !(await holder.isHeld())) {
      await holder.release();
      return undefined;
    }
    for (const { name } of others) await removeClaim(folder, name);
  } catch (error) {
    await holder.release();
    throw error;
  }
  const heartbeat = setInterval(() => holder.beat(), timeout / HEARTBEATS);
  // In Deno timers are numbers; neither may keep the process alive.
  if (typeof heartbeat === "object") heartbeat.unref();
  const release = async () => {
    clearInterval(heartbeat);
    await holder.release();
  };
  return Object.assign(release, { isHeld: () => holder.isHeld() });
}

class Holder {
  readonly name: string;
  readonly #folder: string;
  readonly #key: string;
  readonly #generation: number;
  readonly #timeout: number;
  readonly #file: string;
  /** The text of the claim: its holder knows it again by this, since the same name is used again. */
  #text = claimText(randomUUID());
  #sinceSignOfLife = startStopwatch();
  #isLost = false;
  #turn: Promise<boolean> = Promise.resolve(true);

  constructor(folder: string, key: string, generation: number, timeout: number) {
    this.#folder = folder;
    this.#key = key;
    this.#generation = generation;
    this.#timeout = timeout;
    this.name = `${key}.${generation}.claim`;
    this.#file = join(folder, this.name);
  }

  async claim(): Promise<boolean> {
    const draft = draftOf(this.#file);
    try {
      await writeFile(draft, this.#text, { flag: "wx", mode: 0o600 });
      // With all that it says: of a process that is killed before that, nobody could tell that it is gone.
      await link(draft, this.#file);
      return true;
    } catch (error) {
      return codeOf(error) === "EEXIST" ? false : await this.#claimInPlace();
    } finally {
      await unlink(draft).catch(() => {});
    }
  }

  /** The same on a disk that is full, or gives a file no second name. */
  async #claimInPlace(): Promise<boolean> {
    const handle = await open(this.#file, "wx", 0o600).catch((error: unknown) => {
      if (codeOf(error) === "EEXIST") return undefined;
      throw error;
    });
    if (handle === undefined) return false;
    try {
      // Through the handle, since by now its name may be that of another's claim.
      await handle.writeFile(this.#text);
    } catch {
      // A full disk still takes the file, which then holds by its heartbeat alone.
      await handle.truncate(0).catch(() => {});
      this.#text = "";
    } finally {
      await handle.close();
    }
    return true;
  }

  /** True if the key is still this holder's; if so, the claim shows a sign of life. Once lost, it stays lost. */
  isHeld(): Promise<boolean> {
    return this.#inTurn(() => this.#check(async () => false));
  }

  /** Shows a sign of life, and makes the claim again where somebody emptied the folder: that ends no upload. */
  beat(): Promise<boolean> {
    // Not in each check, which would keep that somebody from ever having removed the folder.
    return this.#inTurn(() => this.#check(() => this.#restore()));
  }

  /** One after the other, since a claim that is just being made again looks like somebody else's. */
  #inTurn(check: () => Promise<boolean>): Promise<boolean> {
    this.#turn = this.#turn.then(check);
    return this.#turn;
  }

  async release(): Promise<void> {
    this.#isLost = true;
    await this.#turn;
    if ((await this.#read()) === this.#text) await removeClaim(this.#folder, this.name);
  }

  async #check(restore: () => Promise<boolean>): Promise<boolean> {
    const sinceBegin = startStopwatch();
    while (!this.#isLost) {
      const sinceLook = startStopwatch();
      const finding = await this.#look().catch(() => "unknown" as const);
      // Without a sign of life for so long, the key may have been another's who is done with it by now.
      const isOverdue = this.#sinceSignOfLife() > this.#timeout;
      if (finding === "lost" || (isOverdue && (finding === "gone" || finding === "unknown")))
        this.#isLost = true;
      // The next holder ends this claim before it does anything else, unless it gives up its own.
      else if (finding === "contested") {
        if (sinceBegin() > CONTEST_TIMEOUT) this.#isLost = true;
        else await new Promise((resolve) => setTimeout(resolve, CONTEST_INTERVAL));
      }
      // A disk that fails for a moment takes nothing from anybody.
      else if (finding === "unknown") return true;
      else if (finding === "gone") {
        const others = await claimsOf(this.#folder, this.#key).catch(() => []);
        if (others.length > 0) this.#isLost = true;
        else if (!(await restore().catch(() => false))) return true;
      }
      // A look in which the process was suspended says what was so before.
      else if (sinceLook() < this.#timeout / 2) {
        this.#sinceSignOfLife = sinceLook;
        return true;
      }
    }
    return false;
  }

  /** The text of the claim, after a sign of life. */
  async #look(): Promise<"held" | "contested" | "lost" | "gone"> {
    const text = await this.#read();
    if (text === undefined) return "gone";
    if (text !== this.#text) return "lost";
    const now = new Date();
    await utimes(this.#file, now, now);
    const claims = await claimsOf(this.#folder, this.#key);
    if (!claims.some(({ name }) => name === this.name)) return "gone";
    return claims.some(({ generation }) => generation > this.#generation) ? "contested" : "held";
  }

  async #read(): Promise<string | undefined> {
    try {
      return await readFile(this.#file, "utf8");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  async #restore(): Promise<boolean> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return await this.claim();
  }
}
