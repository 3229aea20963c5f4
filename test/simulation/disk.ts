/** What journals are kept in: a folder on a disk, and a store that machines share. Both fail and lose. */
import { dirname } from "node:path";
import type { EntryStore } from "../../core/journals/shared-journal.ts";
import type { Process } from "./process.ts";
import type { Random, World } from "./world.ts";

/** What journals meet. */
export const TROUBLES = ["journal full", "journal read-only", "journal slow", "journal failing"] as const;
type Trouble = (typeof TROUBLES)[number];

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

interface Inode {
  isFolder: boolean;
  data: string;
  /** What a power cut leaves of it; nothing is certain before the first sync. */
  synced?: string;
  mtimeMs: number;
  mode: number;
}

export class Disk {
  trouble: Trouble | undefined;
  readonly names: Map<string, Inode> = new Map();
  readonly #random: Random;
  /** The clock of the disk's own machine. */
  readonly #now: () => number;
  /** The names that a power cut leaves. */
  #synced = new Map<string, Inode>();

  constructor(world: World, now: () => number) {
    this.#random = world.random("disk");
    this.#now = now;
  }

  /** Everything since the last sync may be lost, name by name; data that was not written down is lost or torn. */
  cutPower() {
    const { names } = this;
    for (const name of new Set([...names.keys(), ...this.#synced.keys()])) {
      const before = this.#synced.get(name);
      if (names.get(name) === before || this.#random.chance(0.5)) continue;
      if (before !== undefined) names.set(name, before);
      else if (names.get(name)?.isFolder === false) names.delete(name);
    }
    for (const inode of names.values()) {
      inode.synced ??= inode.data.slice(0, inode.data.length * Math.max(0, this.#random.next() - 0.5));
      // Of what is written over, a part may be there.
      const cut = inode.data.length * Math.max(0, this.#random.next() - 0.5);
      inode.data = inode.data.slice(0, cut) + inode.synced.slice(cut);
      inode.synced = inode.data;
    }
  }

  /** The calls of `node:fs/promises` that a journal makes, as a process makes them. */
  filesOf(process: Process): object {
    const { names } = this;
    const call = <T>(act: () => T) =>
      process.effect(
        this.trouble === "journal slow" ? this.#random.spread(50, 4_000) : this.#random.spread(0.02, 2),
        () => {
          if (this.trouble === "journal failing" && this.#random.chance(0.5)) throw failure("EIO");
          return act();
        },
      );
    const change = <T>(act: () => T) =>
      call(() => {
        if (this.trouble === "journal read-only") throw failure("EROFS");
        return act();
      });
    const find = (name: string, code = "ENOENT") => {
      const inode = names.get(name);
      if (inode === undefined) throw failure(code);
      return inode;
    };
    const make = (name: string, isFolder: boolean, mode: number, isNew = false) => {
      const known = names.get(name);
      if (known !== undefined && isNew) throw failure("EEXIST");
      if (!isFolder) find(dirname(name));
      const inode = known ?? { isFolder, data: "", mtimeMs: this.#now(), mode };
      names.set(name, inode);
      return inode;
    };
    const write = (inode: Inode, data: string, at = 0) => {
      const [before, end] = [inode.data, at + data.length];
      if (this.trouble === "journal full" && end > before.length) throw failure("ENOSPC");
      Object.assign(inode, { data: before.slice(0, at) + data + before.slice(end), mtimeMs: this.#now() });
    };
    const sync = (inode: Inode) => Object.assign(inode, { synced: inode.data });
    const date = (inode: Inode, seconds: number) => Object.assign(inode, { mtimeMs: seconds * 1000 });
    const facts = (inode: Inode) => ({
      ...{ mtimeMs: inode.mtimeMs, mode: inode.mode, size: inode.data.length, uid: 1 },
      nlink: [...names.values()].filter((each) => each === inode).length,
      isDirectory: () => inode.isFolder,
      isFile: () => !inode.isFolder,
    });
    const stat = (name: string) => call(() => facts(find(name)));
    const unlink = (name: string) => change(() => find(name) && names.delete(name));
    const move = (name: string, other: string, isKept: boolean) =>
      change(() => {
        if (isKept && names.has(other)) throw failure("EEXIST");
        names.set(other, find(name));
        if (!isKept) names.delete(name);
      });
    return {
      ...{ stat, lstat: stat, unlink, rm: (name: string) => change(() => names.delete(name)) },
      chmod: (name: string, mode: number) => change(() => Object.assign(find(name), { mode })),
      mkdir: (name: string, { mode = 0o777 } = {}) =>
        change(() => {
          for (let at = name; at !== "/"; at = dirname(at)) make(at, true, mode);
        }),
      readdir: (name: string) =>
        call(() => {
          find(name);
          const inside = [...names.keys()].filter((each) => dirname(each) === name);
          return inside.map((each) => each.slice(name.length + 1));
        }),
      readFile: (name: string) => call(() => find(name).data),
      writeFile: (name: string, data: string, { mode = 0 } = {}) =>
        change(() => write(make(name, false, mode, true), data)),
      link: (name: string, other: string) => move(name, other, true),
      rename: (name: string, other: string) => move(name, other, false),
      utimes: (name: string, _: number, seconds: number) => change(() => date(find(name), seconds)),
      open: async (name: string, flags: string | number, mode = 0) => {
        const makes = flags === "wx" || (Number(flags) & 0o100) !== 0;
        const inode = await (makes
          ? change(() => make(name, false, mode, flags === "wx"))
          : call(() => find(name)));
        return {
          stat: () => call(() => facts(inode)),
          readFile: () => call(() => inode.data),
          writeFile: (data: string | Uint8Array) => change(() => write(inode, Buffer.from(data).toString())),
          write: (bytes: Uint8Array, _: number, bytesWritten: number, at: number) =>
            change(() => {
              write(inode, Buffer.from(bytes).toString(), at);
              return { bytesWritten };
            }),
          datasync: () => change(() => sync(inode)),
          truncate: (size: number) => change(() => Object.assign(inode, { data: inode.data.slice(0, size) })),
          utimes: (_: number, seconds: number) => change(() => date(inode, seconds)),
          sync: () => change(() => (inode.isFolder ? this.#syncNames(name) : sync(inode))),
          close: async () => {},
        };
      },
    };
  }

  #syncNames(folder: string) {
    const isIn = (name: string) => dirname(name) === folder;
    const others = [...this.#synced].filter(([name]) => !isIn(name));
    this.#synced = new Map([...others, ...[...this.names].filter(([name]) => isIn(name))]);
  }
}

/** A store that several machines share, as core asks a Redis or a Durable Object. */
export class SharedStore {
  trouble: Trouble | undefined;
  readonly names: Map<string, { value: string; until: number }> = new Map();
  readonly #world: World;
  readonly #random: Random;

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random("shared store");
  }

  storeOf(process: Process): EntryStore {
    const random = this.#random;
    const command = <T>(act: () => T) =>
      process.effect(
        this.trouble === "journal slow" ? random.spread(50, 4_000) : random.spread(0.1, 5),
        () => {
          const isLost = this.trouble === "journal failing" && random.chance(0.6);
          // The connection is lost before the command, or before its answer.
          const answer = isLost && random.chance(0.5) ? undefined : act();
          if (isLost) throw failure("ECONNRESET");
          return answer as T;
        },
      );
    const change = <T>(act: () => T) =>
      command(() => {
        if (/full|only/.test(`${this.trouble}`)) throw failure("OOM");
        return act();
      });
    const get = (name: string) => {
      const found = this.names.get(name);
      return found === undefined || found.until <= this.#world.now ? undefined : found.value;
    };
    const set = (name: string, value: string, milliseconds: number) =>
      this.names.set(name, { value, until: this.#world.now + milliseconds });
    return {
      hold: (key, token, timeout, { onlyRenews } = {}) =>
        change(() => {
          const holder = get(`lease ${key}`);
          if (holder !== token && (holder !== undefined || onlyRenews === true)) return false;
          return set(`lease ${key}`, token, timeout) !== undefined;
        }),
      release: (key, token) =>
        change(() => {
          if (get(`lease ${key}`) === token) this.names.delete(`lease ${key}`);
        }),
      get: (key) => command(() => get(key)),
      write: (key, entry, fence, lifetime) =>
        change(() => {
          if (fence !== "" && get(`lease ${key}.write`) !== fence) return false;
          if (entry === undefined) this.names.delete(key);
          else set(key, entry, lifetime);
          return true;
        }),
      async *entries() {},
    };
  }
}
